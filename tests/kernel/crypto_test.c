// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of crypto drivers from within the kernel: tables, and what the test
 * bodies share.  A KUnit module where the kernel has KUnit, a plain module
 * elsewhere; see ktest.h.
 *
 * A driver that is not registered is a named skip.  A driver that had to
 * register as "<name>-rust", because an in-tree one has its name, is tested
 * beside that one.
 */
#include <crypto/aead.h>
#include <crypto/hash.h>
#include <crypto/internal/cipher.h>
#include <crypto/skcipher.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/panic.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "crypto_test.h"

static ulong seed = 0x5eed0001;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "Seed of all random choices");

static char *driver = "";
module_param(driver, charp, 0444);
MODULE_PARM_DESC(driver, "Only test drivers with this in their names");

const char * const place_names[PLACES] = { "separate", "in place", "two lists" };

/* FIPS 197 appendix C. */
static const struct cipher_row aes = {
	.name = "aes",
	.oracle = "aes-lib",
	.key = {
		0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
		0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f,
		0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
		0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
	},
	.plaintext = {
		0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
		0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
	},
	.ciphertext = {
		{ 0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
		  0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a },
		{ 0xdd, 0xa9, 0x7c, 0xa4, 0x86, 0x4c, 0xdf, 0xe0,
		  0x6e, 0xaf, 0x70, 0xa0, 0xec, 0x0d, 0x71, 0x91 },
		{ 0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf,
		  0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89 },
	},
};

/* RFC 5794 appendix A. */
static const struct cipher_row aria = {
	.name = "aria",
	.oracle = "aria-generic",
	.key = {
		0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
		0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f,
		0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
		0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
	},
	.plaintext = {
		0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
		0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
	},
	.ciphertext = {
		{ 0xd7, 0x18, 0xfb, 0xd6, 0xab, 0x64, 0x4c, 0x73,
		  0x9d, 0xa9, 0x5f, 0x3b, 0xe6, 0x45, 0x17, 0x78 },
		{ 0x26, 0x44, 0x9c, 0x18, 0x05, 0xdb, 0xe7, 0xaa,
		  0x25, 0xa4, 0x68, 0xce, 0x26, 0x3a, 0x9e, 0x79 },
		{ 0xf9, 0x2b, 0xd7, 0xc7, 0x9f, 0xb7, 0x2e, 0x2f,
		  0x2b, 0x8f, 0x80, 0xc1, 0x97, 0x2d, 0x24, 0xfc },
	},
};

/* RFC 3713 appendix A. */
static const struct cipher_row camellia = {
	.name = "camellia",
	.oracle = "camellia-generic",
	.key = {
		0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
		0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
		0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
		0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
	},
	.plaintext = {
		0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
		0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
	},
	.ciphertext = {
		{ 0x67, 0x67, 0x31, 0x38, 0x54, 0x96, 0x69, 0x73,
		  0x08, 0x57, 0x06, 0x56, 0x48, 0xea, 0xbe, 0x43 },
		{ 0xb4, 0x99, 0x34, 0x01, 0xb3, 0xe9, 0x96, 0xf8,
		  0x4e, 0xe5, 0xce, 0xe7, 0xd7, 0x9b, 0x09, 0xb9 },
		{ 0x9a, 0xcc, 0x23, 0x7d, 0xff, 0x16, 0xd7, 0x6c,
		  0x20, 0xef, 0x7c, 0x91, 0x9e, 0x3a, 0x75, 0x09 },
	},
};

/* Tiers of a cipher, better ones last, with drivers for each of the modes. */
static const struct {
	const struct cipher_row *cipher;
	const char *name;
} tiers[] = {
	{ &aria, "avx" },
	{ &aria, "avx2" },
	{ &aria, "avx512vl" },
	{ &aria, "avx512" },
	{ &camellia, "aesni-avx" },
	{ &camellia, "aesni-avx2" },
	{ &camellia, "gfni-avx2" },
	{ &camellia, "gfni-avx512vl" },
	{ &camellia, "avx512" },
};

static const struct {
	enum mode mode;
	const char *name;
} tier_modes[] = {
	{ MODE_ECB, "ecb" },
	{ MODE_CBC, "cbc" },
	{ MODE_CTR, "ctr" },
	{ MODE_XTS, "xts" },
	{ MODE_GCM, "gcm" },
	{ MODE_RFC4106, "rfc4106-gcm" },
};

/* Drivers besides. */
static const struct {
	const struct cipher_row *cipher;
	enum mode mode;
	const char *name;
} drivers[] = {
	{ &aes, MODE_CTR, "ctr-aes-avx512vl" },
	{ &aes, MODE_GCM, "gcm-aes-avx512vl" },
	{ &aes, MODE_RFC4106, "rfc4106-gcm-aes-avx512vl" },
	{ &aes, MODE_CTR, "ctr-aes-avx512" },
	{ &aes, MODE_GCM, "gcm-aes-avx512" },
	{ &aes, MODE_RFC4106, "rfc4106-gcm-aes-avx512" },
	{ &aes, MODE_SINGLE, "aes-arm64" },

	{ &aria, MODE_SINGLE, "aria-rust" },

	{ &camellia, MODE_SINGLE, "camellia-generic" },
	{ &camellia, MODE_SINGLE, "camellia-rust" },
	{ &camellia, MODE_SINGLE, "camellia-asm" },
	{ &camellia, MODE_ECB, "ecb-camellia-asm" },
	{ &camellia, MODE_CBC, "cbc-camellia-asm" },
	{ &camellia, MODE_CTR, "ctr-camellia-asm" },
	{ &camellia, MODE_XTS, "xts-camellia-asm" },
	{ &camellia, MODE_ECB, "ecb-camellia-aesni" },
	{ &camellia, MODE_CBC, "cbc-camellia-aesni" },

	{ NULL, MODE_SHASH, "crct10dif-rust" },
	{ NULL, MODE_SHASH, "crct10dif-avx" },
	{ NULL, MODE_SHASH, "crct10dif-avx2" },
	{ NULL, MODE_SHASH, "crct10dif-avx512" },
};

/*
 * What is put around each driver: the first %s.  The second, if there is one,
 * is the single-block driver of its cipher.
 */
static const struct {
	enum mode over;
	enum mode mode;
	const char *format;
} templates[] = {
	{ MODE_SINGLE, MODE_ECB, "ecb(%s)" },
	{ MODE_SINGLE, MODE_CBC, "cbc(%s)" },
	{ MODE_SINGLE, MODE_CTR, "ctr(%s)" },
	{ MODE_SINGLE, MODE_NO_SKCIPHER, "rfc3686(%s)" },
	{ MODE_SINGLE, MODE_NO_AEAD, "authenc(%s,cbc(%s))" },
	{ MODE_SINGLE, MODE_NO_SHASH, "hmac(%s)" },

	{ MODE_ECB, MODE_XTS, "xts(%s)" },
	{ MODE_ECB, MODE_LRW, "lrw(%s)" },
	{ MODE_ECB, MODE_NO_SKCIPHER, "ecb(%s)" },
	{ MODE_ECB, MODE_NO_SKCIPHER, "ctr(%s)" },
	{ MODE_ECB, MODE_NO_SKCIPHER, "cts(%s)" },
	{ MODE_ECB, MODE_NO_SKCIPHER, "rfc3686(%s)" },
	{ MODE_ECB, MODE_NO_SKCIPHER, "xts(xts(%s))" },
	{ MODE_ECB, MODE_NO_SKCIPHER, "lrw(xts(%s))" },
	{ MODE_ECB, MODE_NO_SKCIPHER, "cts(xts(%s))" },
	{ MODE_ECB, MODE_NO_AEAD, "gcm(%s)" },
	{ MODE_ECB, MODE_NO_AEAD, "gcm_base(%s,ghash)" },
	{ MODE_ECB, MODE_NO_AEAD, "gcm_base(xts(%s),ghash)" },
	{ MODE_ECB, MODE_NO_AEAD, "ccm_base(%s,cbcmac(%s))" },
	{ MODE_ECB, MODE_NO_SHASH, "cmac(%s)" },
	{ MODE_ECB, MODE_NO_SHASH, "cbcmac(%s)" },

	{ MODE_CBC, MODE_CTS, "cts(%s)" },
	{ MODE_CBC, MODE_NO_SKCIPHER, "xts(%s)" },
	{ MODE_CBC, MODE_NO_SKCIPHER, "lrw(%s)" },
	{ MODE_CBC, MODE_NO_SKCIPHER, "cts(cts(%s))" },
	{ MODE_CBC, MODE_NO_SKCIPHER, "rfc3686(%s)" },
	{ MODE_CBC, MODE_NO_AEAD, "gcm_base(%s,ghash)" },
	{ MODE_CBC, MODE_NO_AEAD, "ccm_base(%s,cbcmac(%s))" },

	{ MODE_CTR, MODE_RFC3686, "rfc3686(%s)" },
	{ MODE_CTR, MODE_GCM, "gcm_base(%s,ghash-lib)" },
	{ MODE_GCM, MODE_RFC4106, "rfc4106(%s)" },
	{ MODE_CTR, MODE_CCM, "ccm_base(%s,cbcmac(%s))" },
	{ MODE_CTR, MODE_NO_SKCIPHER, "xts(%s)" },
	{ MODE_CTR, MODE_NO_SKCIPHER, "lrw(%s)" },
	{ MODE_CTR, MODE_NO_SKCIPHER, "cts(%s)" },
	{ MODE_CTR, MODE_NO_SKCIPHER, "cbc(%s)" },
	{ MODE_CTR, MODE_NO_SKCIPHER, "rfc3686(rfc3686(%s))" },
	{ MODE_CTR, MODE_NO_SKCIPHER, "adiantum(%s,%s)" },
	{ MODE_CTR, MODE_NO_SKCIPHER, "hctr2_base(%s,polyval)" },
	{ MODE_CTR, MODE_NO_AEAD, "gcm(%s)" },
	{ MODE_CTR, MODE_NO_AEAD, "gcm_base(%s,sha256)" },
	{ MODE_CTR, MODE_NO_AEAD, "gcm_base(%s,%s)" },
	{ MODE_CTR, MODE_NO_AEAD, "gcm_base(rfc3686(%s),ghash)" },
	{ MODE_CTR, MODE_NO_AEAD, "ccm_base(%s,cmac(%s))" },
	{ MODE_CTR, MODE_NO_AEAD, "authenc(%s,%s)" },
	{ MODE_CTR, MODE_NO_SHASH, "cmac(%s)" },
};

/* The drivers of this machine, and whatever can be made of them. */
static struct driver_row rows[1024];
static unsigned int row_count;

void innermost(const char *name, char inner[CRYPTO_MAX_ALG_NAME])
{
	const char *open = strrchr(name, '(');

	strscpy(inner, open ? open + 1 : name, CRYPTO_MAX_ALG_NAME);
	inner[strcspn(inner, ",)")] = '\0';
}

static bool has_cipher(const char *name)
{
	return crypto_has_alg(name, CRYPTO_ALG_TYPE_CIPHER, CRYPTO_ALG_TYPE_MASK);
}

static bool is_found(enum mode mode, const char *name)
{
	switch (mode) {
	case MODE_SINGLE:
		return has_cipher(name);
	case MODE_GCM:
	case MODE_RFC4106:
	case MODE_CCM:
		return crypto_has_aead(name, 0, 0);
	case MODE_SHASH:
		return crypto_has_shash(name, 0, 0);
	case MODE_NO_SKCIPHER:
	case MODE_NO_AEAD:
	case MODE_NO_SHASH:
		return true;
	default:
		return crypto_has_skcipher(name, 0, 0);
	}
}

static void __printf(3, 0) add_row(const struct cipher_row *cipher, enum mode mode,
				   const char *format, ...)
{
	struct driver_row *row = &rows[row_count];
	va_list args;

	if (WARN_ON(row_count == ARRAY_SIZE(rows)))
		return;
	row->cipher = cipher;
	row->mode = mode;
	va_start(args, format);
	vsnprintf(row->name, sizeof(row->name), format, args);
	va_end(args);
	row->found = is_found(mode, row->name);
	row_count++;
}

/* A driver, and beside it one of ours that found its name taken. */
static void add_driver(const struct cipher_row *cipher, enum mode mode, const char *name)
{
	char second[CRYPTO_MAX_ALG_NAME];

	add_row(cipher, mode, "%s", name);
	snprintf(second, sizeof(second), "%s-rust", name);
	if (crypto_has_alg(second, 0, CRYPTO_NOLOAD))
		add_row(cipher, mode, "%s", second);
}

/* The driver of a cipher: instances have to be asked for by drivers' names. */
static void name_single(const struct cipher_row *cipher, char name[CRYPTO_MAX_ALG_NAME])
{
	struct crypto_cipher *tfm = crypto_alloc_cipher(cipher->name, 0, 0);

	strscpy(name, cipher->name, CRYPTO_MAX_ALG_NAME);
	if (IS_ERR(tfm))
		return;
	strscpy(name, crypto_tfm_alg_driver_name(crypto_cipher_tfm(tfm)), CRYPTO_MAX_ALG_NAME);
	crypto_free_cipher(tfm);
}

/* Whether another of the first @count rows is a driver of the same kind, of a better tier. */
static bool is_surpassed(const struct driver_row *row, unsigned int count)
{
	for (const struct driver_row *other = row + 1; other < rows + count; other++)
		if (other->found && other->cipher == row->cipher && other->mode == row->mode)
			return true;
	return false;
}

static int find_rows(struct kunit_suite *suite)
{
	unsigned int native_count;

	pr_info("# %s: seed=%#lx\n", suite->name, seed);
	row_count = 0;
	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
		add_driver(drivers[i].cipher, drivers[i].mode, drivers[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(tiers) * ARRAY_SIZE(tier_modes); i++) {
		const struct cipher_row *cipher = tiers[i / ARRAY_SIZE(tier_modes)].cipher;
		char name[CRYPTO_MAX_ALG_NAME];

		snprintf(name, sizeof(name), "%s-%s-%s",
			 tier_modes[i % ARRAY_SIZE(tier_modes)].name, cipher->name,
			 tiers[i / ARRAY_SIZE(tier_modes)].name);
		add_driver(cipher, tier_modes[i % ARRAY_SIZE(tier_modes)].mode, name);
	}
	/*
	 * The list grows while it is read: templates go over templates.  Over one
	 * tier is enough, since they see the same glue in all.
	 */
	native_count = row_count;
	for (unsigned int i = 0; i < row_count; i++) {
		const struct driver_row *row = &rows[i];
		char single[CRYPTO_MAX_ALG_NAME];

		if (row->mode == MODE_SHASH ||
		    (i < native_count && is_surpassed(row, native_count)))
			continue;
		name_single(row->cipher, single);
		for (size_t j = 0; row->found && j < ARRAY_SIZE(templates); j++)
			if (templates[j].over == row->mode)
				add_row(row->cipher, templates[j].mode,
					templates[j].format, row->name, single);
	}
	return 0;
}

static const void *next_row(const struct driver_row *prev, bool all,
			    enum mode first, enum mode last, char *desc)
{
	const struct driver_row *row = prev ? prev + 1 : rows;

	for (; row < rows + row_count; row++) {
		if (row->mode >= first && row->mode <= last &&
		    (all || row->found) && strstr(row->name, driver)) {
			strscpy(desc, row->name, KUNIT_PARAM_DESC_SIZE);
			return row;
		}
	}
	return NULL;
}

#define DEFINE_PARAMS(name, all, first, last)				\
const void *name(struct kunit *test, const void *prev, char *desc)	\
{									\
	return next_row(prev, all, first, last, desc);			\
}

DEFINE_PARAMS(all_single_params, true, MODE_SINGLE, MODE_SINGLE)
DEFINE_PARAMS(all_skcipher_params, true, MODE_ECB, MODE_RFC3686)
DEFINE_PARAMS(all_aead_params, true, MODE_GCM, MODE_CCM)
DEFINE_PARAMS(aead_params, false, MODE_GCM, MODE_CCM)
DEFINE_PARAMS(single_params, false, MODE_SINGLE, MODE_SINGLE)
DEFINE_PARAMS(skcipher_params, false, MODE_ECB, MODE_RFC3686)
DEFINE_PARAMS(block_params, false, MODE_ECB, MODE_CBC)
DEFINE_PARAMS(chaining_params, false, MODE_CBC, MODE_CTR)
DEFINE_PARAMS(xts_params, false, MODE_XTS, MODE_XTS)
DEFINE_PARAMS(ctr_params, false, MODE_CTR, MODE_CTR)
DEFINE_PARAMS(all_shash_params, true, MODE_SHASH, MODE_SHASH)
DEFINE_PARAMS(shash_params, false, MODE_SHASH, MODE_SHASH)
DEFINE_PARAMS(nonsense_params, false, MODE_NO_SKCIPHER, MODE_NO_SHASH)

static const void *next_native(struct kunit *test, const void *prev, char *desc,
			       const void *(*params)(struct kunit *, const void *, char *))
{
	const struct driver_row *row = prev;

	do {
		row = params(test, row, desc);
	} while (row && strchr(row->name, '('));
	return row;
}

const void *native_params(struct kunit *test, const void *prev, char *desc)
{
	return next_native(test, prev, desc, skcipher_params);
}

const void *native_aead_params(struct kunit *test, const void *prev, char *desc)
{
	return next_native(test, prev, desc, aead_params);
}

void seed_rng(struct rnd_state *rng, const struct driver_row *row)
{
	prandom_seed_state(rng, (u64)seed << 32 ^
				jhash(row->name, strlen(row->name), 0));
}

static void free_memory(void *memory)
{
	kfree(memory);
}

void *test_zalloc(struct kunit *test, size_t size)
{
	void *memory = kzalloc(size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_memory, memory));
	return memory;
}

bool is_ours(const struct crypto_alg *alg)
{
	static const char suffix[] = "_rust";
	const char *name = alg->cra_module ? alg->cra_module->name : "";
	size_t len = strlen(name);

	return len >= strlen(suffix) && !strcmp(name + len - strlen(suffix), suffix);
}

static void set_pieces(struct pieces *pieces, u8 *area)
{
	sg_init_table(pieces->sg, max(pieces->count, 1));
	for (unsigned int i = 0; i < pieces->count; i++)
		sg_set_buf(&pieces->sg[i], area + pieces->piece[i].at,
			   pieces->piece[i].len);
	/* Not even an empty request gets a list without memory. */
	if (!pieces->count)
		sg_set_buf(pieces->sg, area + pieces->end, 1);
}

static void add_piece(struct pieces *pieces, unsigned int at, unsigned int len)
{
	pieces->piece[pieces->count].at = at;
	pieces->piece[pieces->count++].len = len;
	pieces->end = at + len;
}

void cut(struct pieces *pieces, struct rnd_state *rng, u8 *area,
	 unsigned int offset, unsigned int len, unsigned int max_piece,
	 unsigned int max_gap)
{
	pieces->count = 0;
	pieces->end = offset;
	while (len) {
		unsigned int n = len;

		if (max_piece && pieces->count < MAX_PIECES - 1)
			n = min(len, 1 + draw_up_to(rng, max_piece - 1));
		add_piece(pieces, offset, n);
		offset += n + draw_up_to(rng, max_gap);
		len -= n;
	}
	set_pieces(pieces, area);
}

void cut_again(struct pieces *pieces, const struct pieces *whole,
	       struct rnd_state *rng, u8 *area, unsigned int max_piece)
{
	pieces->count = 0;
	pieces->end = whole->end;
	for (unsigned int i = 0; i < whole->count; i++) {
		unsigned int at = whole->piece[i].at;
		unsigned int len = whole->piece[i].len;

		while (len) {
			unsigned int n = len;

			/* What is to come needs an entry each. */
			if (max_piece && pieces->count + whole->count - i < MAX_PIECES)
				n = min(len, 1 + draw_up_to(rng, max_piece - 1));
			add_piece(pieces, at, n);
			at += n;
			len -= n;
		}
	}
	set_pieces(pieces, area);
}

void put_pieces(const struct pieces *pieces, u8 *area, const u8 *bytes)
{
	memset(area, CANARY, pieces->end + GUARD);
	for (unsigned int i = 0; i < pieces->count; i++) {
		memcpy(area + pieces->piece[i].at, bytes, pieces->piece[i].len);
		bytes += pieces->piece[i].len;
	}
}

int compare_pieces(const struct pieces *pieces, const u8 *area, u8 *image,
		   const u8 *bytes)
{
	put_pieces(pieces, image, bytes);
	if (!memcmp(area, image, pieces->end + GUARD))
		return -1;
	for (unsigned int i = 0;; i++)
		if (area[i] != image[i])
			return i;
}

/* A test that made the kernel warn has failed, whatever else it found. */
static int note_warnings(struct kunit *test)
{
	test->priv = test_taint(TAINT_WARN) ? test : NULL;
	return 0;
}

static void expect_no_warning(struct kunit *test)
{
	if (!test->priv)
		KUNIT_EXPECT_TRUE_MSG(test, !test_taint(TAINT_WARN),
				      "the kernel warned, see its log");
}

#define SUITE(prefix) {				\
	.name = "rfl_" #prefix,			\
	.suite_init = find_rows,		\
	.init = note_warnings,			\
	.exit = expect_no_warning,		\
	.test_cases = prefix##_cases,		\
}

static struct kunit_suite cipher_suite = SUITE(cipher);
static struct kunit_suite skcipher_suite = SUITE(skcipher);
static struct kunit_suite aead_suite = SUITE(aead);
static struct kunit_suite shash_suite = SUITE(shash);
static struct kunit_suite template_suite = SUITE(template);

kunit_test_suites(&cipher_suite, &skcipher_suite, &aead_suite, &shash_suite,
		  &template_suite);

MODULE_AUTHOR("rfl-crypto contributors");
MODULE_DESCRIPTION("Tests of crypto drivers from within the kernel");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS("CRYPTO_INTERNAL");
