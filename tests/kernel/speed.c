// SPDX-License-Identifier: GPL-2.0
/*
 * Measures what tcrypt cannot: AEADs by driver, and other sizes than its own.
 * Prints like tcrypt and, like it, does not stay loaded.
 *
 * A figure is the mean of as many operations as fill BATCH cycles, after as many
 * to warm up.  The key is set before.  A skcipher works in place, an AEAD does
 * not, both on whole pages of their own.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <crypto/aead.h>
#include <crypto/hash.h>
#include <crypto/skcipher.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timex.h>

#define MAX_BYTES	SZ_64K
#define MAX_SIZES	16
#define MAX_KEY		64
#define TAG_LEN		16
#define CALIBRATION_NS	(20 * NSEC_PER_MSEC)

static char *type = "";
module_param(type, charp, 0);
MODULE_PARM_DESC(type, "skcipher, aead or shash; none: only the cycle counter");

static char *alg = "";
module_param(alg, charp, 0);
MODULE_PARM_DESC(alg, "Algorithm or driver");

static unsigned int klen;
module_param(klen, uint, 0);
MODULE_PARM_DESC(klen, "Length of the key");

static unsigned int assoclen = TAG_LEN;
module_param(assoclen, uint, 0);
MODULE_PARM_DESC(assoclen, "Length of an AEAD's associated data (default: 16)");

static unsigned int sizes[MAX_SIZES];
static unsigned int size_count;
module_param_array(sizes, uint, &size_count, 0);
MODULE_PARM_DESC(sizes, "Lengths of the data");

static ulong batch = 400000;
module_param(batch, ulong, 0);
MODULE_PARM_DESC(batch, "Cycles to measure for at least");

/**
 * struct subject - what is measured
 * @run: does one operation, in the direction of @encrypt
 * @prepare: makes @src what @run can be done on; may be NULL
 * @encrypt: direction
 * @bytes: length of the data
 * @src: the data
 * @dst: where the result goes; may be @src
 */
struct subject {
	int (*run)(struct subject *subject);
	int (*prepare)(struct subject *subject);
	bool encrypt;
	unsigned int bytes;
	u8 *src;
	u8 *dst;
	struct scatterlist src_sg[1 + MAX_BYTES / PAGE_SIZE + 1];
	struct scatterlist dst_sg[1 + MAX_BYTES / PAGE_SIZE + 1];
	u8 iv[32];
	union {
		struct skcipher_request *skcipher;
		struct aead_request *aead;
		struct crypto_shash *shash;
	};
};

static const u8 key[MAX_KEY] = {
	/* Halves that differ, for XTS. */
	[0 ... MAX_KEY - 1] = 0x5a, [0] = 1, [8] = 2, [16] = 3, [24] = 4, [32] = 5,
};

/* User Mode Linux has no get_cycles(). */
static u64 read_cycles(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return get_cycles();
#endif
}

static u64 counter_khz(void)
{
	u64 start_ns = ktime_get_ns(), start = read_cycles(), ns;

	do {
		ns = ktime_get_ns() - start_ns;
	} while (ns < CALIBRATION_NS);
	return div64_u64((read_cycles() - start) * 1000000, ns);
}

/* One entry for each page, as user data comes; @first bytes in one of their own. */
static void set_pages(struct scatterlist *sg, u8 *data, unsigned int first,
		      unsigned int len)
{
	unsigned int count = DIV_ROUND_UP(len, PAGE_SIZE) + !!first;

	sg_init_table(sg, count);
	if (first)
		sg_set_buf(sg++, data, first);
	/* The data begins with a page. */
	data += first ? PAGE_SIZE : 0;
	for (; len; data += PAGE_SIZE, sg++) {
		unsigned int n = min_t(unsigned int, len, PAGE_SIZE);

		sg_set_buf(sg, data, n);
		len -= n;
	}
}

static int run_many(struct subject *subject, unsigned long count)
{
	while (count--) {
		int err = subject->run(subject);

		if (err)
			return err;
	}
	return 0;
}

static int measure_size(struct subject *subject, unsigned int number)
{
	unsigned long count = 1;
	u64 cycles, start;
	int err;

	err = subject->prepare ? subject->prepare(subject) : 0;
	if (err)
		return err;
	for (;; count *= 2) {
		start = read_cycles();
		err = run_many(subject, count);
		cycles = read_cycles() - start;
		if (err)
			return err;
		if (cycles >= batch)
			break;
		/* Not so many that a counter which stands still is waited for. */
		if (count >= 1 << 20)
			return -EIO;
	}
	start = read_cycles();
	err = run_many(subject, count);
	cycles = read_cycles() - start;
	if (err)
		return err;
	pr_info("test %u (%u bit key, %u byte blocks): 1 operation in %llu cycles (%u bytes)\n",
		number, klen * 8, subject->bytes,
		DIV_ROUND_CLOSEST_ULL(cycles, count), subject->bytes);
	cond_resched();
	return 0;
}

static int measure(struct subject *subject, const char *driver, const char *op)
{
	int err = 0;

	pr_info("testing speed of %s (%s) %s\n", alg, driver, op);
	for (unsigned int i = 0; i < size_count && !err; i++) {
		subject->bytes = sizes[i];
		err = measure_size(subject, i);
		if (err)
			pr_err("%s of %u bytes failed: %d\n", op, sizes[i], err);
	}
	return err;
}

static int measure_both_ways(struct subject *subject, const char *driver)
{
	int err;

	subject->encrypt = true;
	err = measure(subject, driver, "encryption");
	if (err)
		return err;
	subject->encrypt = false;
	return measure(subject, driver, "decryption");
}

static int run_skcipher(struct subject *subject)
{
	struct skcipher_request *req = subject->skcipher;

	return subject->encrypt ? crypto_skcipher_encrypt(req) :
				  crypto_skcipher_decrypt(req);
}

static int prepare_skcipher(struct subject *subject)
{
	set_pages(subject->src_sg, subject->src, 0, subject->bytes);
	skcipher_request_set_crypt(subject->skcipher, subject->src_sg,
				   subject->src_sg, subject->bytes, subject->iv);
	return 0;
}

static int measure_skcipher(struct subject *subject)
{
	struct crypto_skcipher *tfm = crypto_alloc_skcipher(alg, 0, CRYPTO_ALG_ASYNC);
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	err = crypto_skcipher_setkey(tfm, key, klen);
	if (err)
		goto free_tfm;
	err = -ENOMEM;
	subject->skcipher = skcipher_request_alloc(tfm, GFP_KERNEL);
	if (!subject->skcipher)
		goto free_tfm;
	skcipher_request_set_callback(subject->skcipher, 0, NULL, NULL);
	subject->run = run_skcipher;
	subject->prepare = prepare_skcipher;
	err = measure_both_ways(subject, crypto_skcipher_driver_name(tfm));
	skcipher_request_free(subject->skcipher);
free_tfm:
	crypto_free_skcipher(tfm);
	return err;
}

static int run_aead(struct subject *subject)
{
	return subject->encrypt ? crypto_aead_encrypt(subject->aead) :
				  crypto_aead_decrypt(subject->aead);
}

/* What is to be decrypted is encrypted first, so that its tag is right. */
static int prepare_aead(struct subject *subject)
{
	struct aead_request *req = subject->aead;
	unsigned int sealed = subject->bytes + TAG_LEN;
	int err;

	set_pages(subject->src_sg, subject->src, assoclen, sealed);
	set_pages(subject->dst_sg, subject->dst, assoclen, sealed);
	aead_request_set_ad(req, assoclen);
	aead_request_set_crypt(req, subject->src_sg, subject->dst_sg,
			       subject->bytes, subject->iv);
	err = crypto_aead_encrypt(req);
	if (err || subject->encrypt)
		return err;
	aead_request_set_crypt(req, subject->dst_sg, subject->src_sg, sealed,
			       subject->iv);
	return 0;
}

static int measure_aead(struct subject *subject)
{
	struct crypto_aead *tfm = crypto_alloc_aead(alg, 0, CRYPTO_ALG_ASYNC);
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	err = crypto_aead_setauthsize(tfm, TAG_LEN) ?:
	      crypto_aead_setkey(tfm, key, klen);
	if (err)
		goto free_tfm;
	err = -ENOMEM;
	subject->aead = aead_request_alloc(tfm, GFP_KERNEL);
	if (!subject->aead)
		goto free_tfm;
	aead_request_set_callback(subject->aead, 0, NULL, NULL);
	subject->run = run_aead;
	subject->prepare = prepare_aead;
	err = measure_both_ways(subject, crypto_aead_driver_name(tfm));
	aead_request_free(subject->aead);
free_tfm:
	crypto_free_aead(tfm);
	return err;
}

static int run_shash(struct subject *subject)
{
	return crypto_shash_tfm_digest(subject->shash, subject->src,
				       subject->bytes, subject->dst);
}

static int measure_shash(struct subject *subject)
{
	struct crypto_shash *tfm = crypto_alloc_shash(alg, 0, 0);
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	subject->shash = tfm;
	subject->run = run_shash;
	err = measure(subject, crypto_shash_driver_name(tfm), "digest");
	crypto_free_shash(tfm);
	return err;
}

static const struct {
	const char *type;
	int (*measure)(struct subject *subject);
} types[] = {
	{ "skcipher", measure_skcipher },
	{ "aead", measure_aead },
	{ "shash", measure_shash },
};

static int measure_type(struct subject *subject)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i].type))
			return types[i].measure(subject);
	return -EINVAL;
}

static int __init speed_init(void)
{
	/* Room for associated data before and a tag behind, in pages of their own. */
	const size_t area = PAGE_SIZE + MAX_BYTES + PAGE_SIZE;
	struct subject *subject;
	int err = -ENOMEM;

	if (!*type) {
		pr_info("cycle counter: %llu kHz\n", counter_khz());
		return -EAGAIN;
	}
	if (klen > MAX_KEY || assoclen > PAGE_SIZE)
		return -EINVAL;
	for (unsigned int i = 0; i < size_count; i++)
		if (sizes[i] > MAX_BYTES)
			return -EINVAL;

	subject = kzalloc_obj(*subject);
	if (!subject)
		return -ENOMEM;
	subject->src = kzalloc(area, GFP_KERNEL);
	subject->dst = kzalloc(area, GFP_KERNEL);
	if (subject->src && subject->dst)
		err = measure_type(subject);
	if (err == -ENOENT)
		pr_err("failed to load transform for %s: %d\n", alg, err);
	kfree(subject->dst);
	kfree(subject->src);
	kfree(subject);
	return err && err != -ENOENT ? err : -EAGAIN;
}

/* Never called, but a module without it is one that cannot be unloaded. */
static void __exit speed_exit(void)
{
}

module_init(speed_init);
module_exit(speed_exit);

MODULE_AUTHOR("rfl-crypto contributors");
MODULE_DESCRIPTION("Measures the speed of crypto drivers");
MODULE_LICENSE("GPL");
