// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of symmetric ciphers with a mode of operation: struct skcipher_alg.
 *
 * A request is drawn (data, IV and layout at random, result from the oracle),
 * placed in memory, submitted, and verified: the destination byte by byte with
 * what lies around and between its pieces, the source, the IV, and whether the
 * driver left anything in the request context.
 */
#include <crypto/internal/skcipher.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/panic.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "crypto_test.h"

/* Length that most random requests stay below: some batches of any tier. */
#define MAX_RANDOM 4096

/**
 * struct mode_info - what a mode makes of a block cipher
 * @iv_size: length of its IV
 * @granularity: lengths are multiples of this
 * @min_length: of a request
 * @advances_iv: whether the IV after a request is that of its continuation
 */
static const struct mode_info {
	unsigned int iv_size;
	unsigned int granularity;
	unsigned int min_length;
	bool advances_iv;
} modes[] = {
	[MODE_ECB]	= { 0, BLOCK_LEN, 0, true },
	[MODE_LRW]	= { BLOCK_LEN, BLOCK_LEN, 0, false },
	[MODE_XTS]	= { BLOCK_LEN, 1, BLOCK_LEN, false },
	[MODE_CTS]	= { BLOCK_LEN, 1, BLOCK_LEN, false },
	[MODE_CBC]	= { BLOCK_LEN, BLOCK_LEN, 0, true },
	[MODE_CTR]	= { BLOCK_LEN, 1, 0, true },
	[MODE_RFC3686]	= { 8, 1, 0, false },
};

/**
 * struct job - a request to be made
 * @len: number of bytes
 * @encrypt: direction
 * @place: where source and destination are
 * @src_offset: offset of the source in its area
 * @dst_offset: of the destination, if separate
 * @iv_offset: of the IV
 * @max_piece: longest piece of the scatterlists, 0 for unbroken ones
 * @max_gap: longest gap between pieces
 * @may_sleep: whether the driver may
 * @iv: the IV, if not to be drawn
 */
struct job {
	unsigned int len;
	bool encrypt;
	enum place place;
	unsigned int src_offset;
	unsigned int dst_offset;
	unsigned int iv_offset;
	unsigned int max_piece;
	unsigned int max_gap;
	bool may_sleep;
	const u8 *iv;
};

/* One user of a tfm. */
struct env {
	const struct driver_row *driver;
	const struct mode_info *mode;
	struct crypto_skcipher *tfm;
	bool ours;
	struct reference *ref;
	struct rnd_state rng;
	struct skcipher_request *req;

	struct job job;
	int status;
	/* Whether the last request used its context. */
	bool used_context;
	u8 *in;
	u8 *want;
	u8 *src_area;
	u8 *dst_area;
	u8 *image;
	struct pieces *src;
	struct pieces *dst;
	u8 iv[BLOCK_LEN];
	u8 want_iv[BLOCK_LEN];
	u8 iv_area[3 * BLOCK_LEN];

	/* What went wrong, for people. */
	char report[200];

	/* For those that run beside the test. */
	struct work_struct work;
	struct hrtimer timer;
	struct completion done;
	unsigned int runs;
	bool failed;
};

static const struct job plain = { .encrypt = true };

static void free_tfm(void *tfm)
{
	crypto_free_skcipher(tfm);
}

static void free_request(void *req)
{
	skcipher_request_free(req);
}

/* Makes a user of @tfm; requests of up to @max_len bytes. */
static struct env *join(struct kunit *test, struct crypto_skcipher *tfm,
			struct reference *ref, unsigned int max_len)
{
	struct env *env = test_zalloc(test, sizeof(*env));

	env->driver = test->param_value;
	env->mode = &modes[env->driver->mode];
	env->tfm = tfm;
	env->ours = is_ours(crypto_skcipher_tfm(tfm)->__crt_alg);
	env->ref = ref;
	seed_rng(&env->rng, env->driver);
	init_completion(&env->done);

	env->in = test_zalloc(test, max_len + 1);
	env->want = test_zalloc(test, max_len + 1);
	env->src_area = test_zalloc(test, AREA_SIZE(max_len));
	env->dst_area = test_zalloc(test, AREA_SIZE(max_len));
	env->image = test_zalloc(test, AREA_SIZE(max_len));
	env->src = test_zalloc(test, sizeof(*env->src));
	env->dst = test_zalloc(test, sizeof(*env->dst));
	env->req = skcipher_request_alloc(env->tfm, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, env->req);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_request, env->req));
	return env;
}

/* The first user of a tfm of the driver, which has no key yet. */
static struct env *start_unkeyed(struct kunit *test, unsigned int max_len)
{
	const struct driver_row *driver = test->param_value;
	struct reference *ref = test_zalloc(test, sizeof(*ref));
	struct crypto_skcipher *tfm;

	tfm = crypto_alloc_skcipher(driver->name, 0, 0);
	if (PTR_ERR_OR_ZERO(tfm) == -ENOENT)
		kunit_skip(test, "not registered");
	KUNIT_ASSERT_EQ(test, 0, PTR_ERR_OR_ZERO(tfm));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_tfm, tfm));
	reference_init(test, ref, driver);
	return join(test, tfm, ref, max_len);
}

/* Sets a random key of the length that goes with @cipher_key_size. */
static void rekey(struct kunit *test, struct env *env, unsigned int cipher_key_size)
{
	unsigned int len = reference_key_size(env->driver->mode, cipher_key_size);
	u8 key[MAX_KEY];

	prandom_bytes_state(&env->rng, key, sizeof(key));
	KUNIT_ASSERT_EQ(test, 0, crypto_skcipher_setkey(env->tfm, key, len));
	KUNIT_ASSERT_EQ(test, 0, reference_setkey(env->ref, key, len));
}

static struct env *start(struct kunit *test, unsigned int max_len)
{
	struct env *env = start_unkeyed(test, max_len);

	rekey(test, env, draw_key_size(&env->rng));
	return env;
}

static bool length_is_valid(const struct env *env, unsigned int len)
{
	return len >= env->mode->min_length && len % env->mode->granularity == 0;
}

/* Draws data and IV, and asks the oracle, unless the length is to be refused. */
static void draw(struct env *env, const struct job *job)
{
	env->job = *job;
	prandom_bytes_state(&env->rng, env->in, job->len);
	if (job->iv)
		memcpy(env->iv, job->iv, sizeof(env->iv));
	else
		prandom_bytes_state(&env->rng, env->iv, sizeof(env->iv));
	memcpy(env->want_iv, env->iv, sizeof(env->iv));
	if (length_is_valid(env, job->len))
		reference_skcipher(env->ref, job->encrypt, env->want_iv, env->want,
				   env->in, job->len);

	cut(env->src, &env->rng, env->src_area, job->src_offset, job->len,
	    job->max_piece, job->max_gap);
	switch (job->place) {
	case TWO_LISTS:
		cut_again(env->dst, env->src, &env->rng, env->src_area, job->max_piece);
		break;
	default:
		cut(env->dst, &env->rng, env->dst_area, job->dst_offset, job->len,
		    job->max_piece, job->max_gap);
		break;
	}
}

/* Draws everything about a request of about @len bytes. */
static void draw_random(struct env *env, unsigned int len)
{
	static const unsigned int max_pieces[] = { 0, 1, 15, 16, 17, 64, 700 };
	struct job job = {
		.len = max(rounddown(len, env->mode->granularity), env->mode->min_length),
		.encrypt = draw_up_to(&env->rng, 1),
		.place = draw_up_to(&env->rng, PLACES - 1),
		.src_offset = draw_up_to(&env->rng, PAGE_SIZE - 1),
		.dst_offset = draw_up_to(&env->rng, PAGE_SIZE - 1),
		.iv_offset = draw_up_to(&env->rng, BLOCK_LEN - 1),
		.max_piece = max_pieces[draw_up_to(&env->rng, ARRAY_SIZE(max_pieces) - 1)],
		.max_gap = draw_up_to(&env->rng, 1) * MAX_GAP,
	};

	draw(env, &job);
}

static void place(struct env *env)
{
	struct scatterlist *src = env->src->sg, *dst = env->dst->sg;
	u8 *iv = env->iv_area + BLOCK_LEN + env->job.iv_offset;
	unsigned int iv_size = env->mode->iv_size;

	put_pieces(env->src, env->src_area, env->in);
	if (env->job.place == SEPARATE)
		memset(env->dst_area, CANARY, env->dst->end + GUARD);
	else if (env->job.place == IN_PLACE)
		dst = src;

	memset(env->iv_area, CANARY, sizeof(env->iv_area));
	memcpy(iv, env->iv, iv_size);
	if (env->ours)
		memset(skcipher_request_ctx(env->req), CANARY,
		       crypto_skcipher_reqsize(env->tfm));

	skcipher_request_set_callback(env->req,
				      env->job.may_sleep ? CRYPTO_TFM_REQ_MAY_SLEEP : 0,
				      NULL, NULL);
	skcipher_request_set_crypt(env->req, src, dst, env->job.len,
				   iv_size ? iv : NULL);
}

static void submit(void *user)
{
	struct env *env = user;

	env->status = env->job.encrypt ? crypto_skcipher_encrypt(env->req) :
					 crypto_skcipher_decrypt(env->req);
}

/* Says what the last request was and what is wrong with it. */
static bool __printf(2, 3) wrong(struct env *env, const char *fmt, ...)
{
	const struct job *job = &env->job;
	int n = scnprintf(env->report, sizeof(env->report),
			  "%s %u bytes, %s, offsets %u %u iv %u, %u+%u pieces: ",
			  job->encrypt ? "encrypt" : "decrypt", job->len,
			  place_names[job->place], job->src_offset, job->dst_offset,
			  job->iv_offset, env->src->count, env->dst->count);
	va_list args;

	va_start(args, fmt);
	vscnprintf(env->report + n, sizeof(env->report) - n, fmt, args);
	va_end(args);
	env->failed = true;
	return false;
}

/*
 * What a driver keeps in the request context is key stream, or data that is
 * half encrypted: it has to be wiped.  What it did not use is a canary still.
 */
static bool context_is_clean(struct env *env)
{
	unsigned int size = crypto_skcipher_reqsize(env->tfm);
	const u8 *context = skcipher_request_ctx(env->req);

	env->used_context = false;
	for (unsigned int i = 0; i < size; i++) {
		if (context[i] != 0 && context[i] != CANARY)
			return wrong(env, "byte %u of the request context is left", i);
		env->used_context |= !context[i];
	}
	return true;
}

static bool iv_is(struct env *env, const u8 *iv, bool check)
{
	unsigned int size = env->mode->iv_size, at = BLOCK_LEN + env->job.iv_offset;
	const u8 *area = env->iv_area;

	if (check && memcmp(area + at, iv, size))
		return wrong(env, "the IV is %*phN, not %*phN", size, area + at, size, iv);
	if (memchr_inv(area, CANARY, at) ||
	    memchr_inv(area + at + size, CANARY, sizeof(env->iv_area) - at - size))
		return wrong(env, "wrote beside the IV");
	return true;
}

/* Whether the request failed with @status and left everything alone. */
static bool verify_refused(struct env *env, int status)
{
	int at;

	if (env->status != status)
		return wrong(env, "status %d, not %d", env->status, status);
	at = compare_pieces(env->src, env->src_area, env->image, env->in);
	if (at >= 0)
		return wrong(env, "refused, but wrote at %d", at);
	if (env->job.place == SEPARATE) {
		const u8 *byte = memchr_inv(env->dst_area, CANARY, env->dst->end + GUARD);

		if (byte)
			return wrong(env, "refused, but wrote at %zd", byte - env->dst_area);
	}
	return iv_is(env, env->iv, true);
}

static bool verify(struct env *env)
{
	bool separate = env->job.place == SEPARATE;
	int at;

	if (env->status)
		return wrong(env, "status %d", env->status);

	if (separate) {
		at = compare_pieces(env->src, env->src_area, env->image, env->in);
		if (at >= 0)
			return wrong(env, "the source was written at %d", at);
		at = compare_pieces(env->dst, env->dst_area, env->image, env->want);
	} else {
		at = compare_pieces(env->src, env->src_area, env->image, env->want);
	}
	if (at >= 0)
		return wrong(env, "wrong byte at %d", at);
	if (!iv_is(env, env->want_iv, env->mode->advances_iv))
		return false;
	return !env->ours || context_is_clean(env);
}

/* Makes the request that was drawn once more. */
static bool rerun(struct env *env)
{
	place(env);
	submit(env);
	return verify(env);
}

static bool run(struct env *env, const struct job *job)
{
	draw(env, job);
	return rerun(env);
}

static bool run_random(struct env *env, unsigned int max_len)
{
	draw_random(env, draw_up_to(&env->rng, max_len));
	return rerun(env);
}

#define ASSERT_RIGHT(test, user, condition) do {			\
	struct env *__env = (user);					\
									\
	KUNIT_ASSERT_TRUE_MSG(test, condition, "%s: %s",		\
			      __env->driver->name, __env->report);	\
} while (0)

/* The driver is the one that was asked for, and says of itself what is so. */
static void properties(struct kunit *test)
{
	struct env *env = start_unkeyed(test, 1);
	struct crypto_alg *alg = crypto_skcipher_tfm(env->tfm)->__crt_alg;
	enum mode mode = env->driver->mode;

	KUNIT_EXPECT_TRUE_MSG(test, !strcmp(alg->cra_driver_name, env->driver->name),
			      "got %s", alg->cra_driver_name);
	KUNIT_EXPECT_EQ(test, crypto_skcipher_ivsize(env->tfm), env->mode->iv_size);
	KUNIT_EXPECT_EQ(test, crypto_skcipher_min_keysize(env->tfm),
			reference_key_size(mode, CIPHER_MIN_KEY));
	KUNIT_EXPECT_EQ(test, crypto_skcipher_max_keysize(env->tfm),
			reference_key_size(mode, CIPHER_MAX_KEY));
	KUNIT_EXPECT_EQ(test, crypto_skcipher_blocksize(env->tfm),
			mode == MODE_CTR || mode == MODE_RFC3686 ? 1 : BLOCK_LEN);
	KUNIT_EXPECT_EQ(test, crypto_skcipher_chunksize(env->tfm), BLOCK_LEN);
	if (env->ours)
		KUNIT_EXPECT_EQ(test, 0, alg->cra_flags &
				(CRYPTO_ALG_ASYNC | CRYPTO_ALG_ALLOCATES_MEMORY |
				 CRYPTO_ALG_NEED_FALLBACK));
}

/* Every length up to some batches, zero included. */
static void lengths(struct kunit *test)
{
	struct env *env = start(test, MAX_RANDOM);
	struct job job = plain;

	for (job.len = 0; job.len <= 1100; job.len++) {
		/* What templates do to the rest has no batches. */
		if (strchr(env->driver->name, '(') && job.len > 100 && job.len % 7)
			continue;
		if (!length_is_valid(env, job.len))
			continue;
		job.place = job.len / env->mode->granularity % PLACES;
		job.encrypt = true;
		ASSERT_RIGHT(test, env, run(env, &job));
		job.encrypt = false;
		ASSERT_RIGHT(test, env, run(env, &job));
		if (job.len <= 600 && env->driver->mode != MODE_ECB) {
			job.place = (job.place + 1) % PLACES;
			ASSERT_RIGHT(test, env, run(env, &job));
		}
		cond_resched();
	}
}

static void large(struct kunit *test)
{
	static const unsigned int large_lengths[] = {
		PAGE_SIZE, PAGE_SIZE + BLOCK_LEN, SZ_64K - BLOCK_LEN, SZ_64K,
		SZ_64K + BLOCK_LEN,
	};
	struct env *env = start(test, SZ_1M);
	struct job job = plain;

	job.may_sleep = true;
	for (size_t i = 0; i < ARRAY_SIZE(large_lengths); i++) {
		job.src_offset = 8 * i + 1;
		for (job.place = 0; job.place < PLACES; job.place++) {
			job.encrypt = (i + job.place) % 2;
			job.len = large_lengths[i] - env->mode->granularity * job.place;
			ASSERT_RIGHT(test, env, run(env, &job));
		}
	}
	/* Templates hand all on as it comes, and take their time. */
	if (strchr(env->driver->name, '('))
		return;
	job.place = draw_up_to(&env->rng, PLACES - 1);
	job.len = SZ_1M;
	ASSERT_RIGHT(test, env, run(env, &job));
}

/* Data and IV at every offset, in place and not, across a page border. */
static void alignment(struct kunit *test)
{
	struct env *env = start(test, MAX_RANDOM);
	struct job job = plain;

	for (unsigned int offset = 0; offset < 64; offset++) {
		job.encrypt = !job.encrypt;
		job.len = rounddown(1100 + offset, env->mode->granularity);
		job.src_offset = offset;
		job.dst_offset = offset * 37 % 64;
		job.iv_offset = offset % BLOCK_LEN;
		for (job.place = 0; job.place < PLACES; job.place++)
			ASSERT_RIGHT(test, env, run(env, &job));
		job.src_offset = PAGE_SIZE - offset;
		job.place = offset % PLACES;
		ASSERT_RIGHT(test, env, run(env, &job));
	}
}

/*
 * Pieces of 1 to 15 bytes, so that no block is in one piece, and other sizes;
 * source and destination cut differently.
 */
static void scattered(struct kunit *test)
{
	struct env *env = start(test, MAX_RANDOM);
	struct job job = { .max_piece = 15, .max_gap = MAX_GAP };

	for (unsigned int i = 0; i < 24; i++) {
		job.encrypt = i & 1;
		job.place = i % PLACES;
		job.len = rounddown(max(i * i * 5, BLOCK_LEN), env->mode->granularity);
		job.src_offset = i;
		job.dst_offset = PAGE_SIZE - i;
		ASSERT_RIGHT(test, env, run(env, &job));
	}
	for (unsigned int i = 0; i < 150; i++) {
		ASSERT_RIGHT(test, env, run_random(env, MAX_RANDOM));
		cond_resched();
	}
}

/* Requests that go on with the IV that the one before left behind. */
static void chained(struct kunit *test)
{
	static const unsigned int steps[] = { 32, 16, 1, 512, 528, 0 };
	struct env *env = start(test, MAX_RANDOM);
	struct job job = plain;

	for (unsigned int i = 0; i < 4 * ARRAY_SIZE(steps); i++) {
		unsigned int step = steps[i / 4], n;
		struct scatterlist src, dst;
		u8 *from, *to;

		job.encrypt = i & 1;
		job.place = i & 2 ? IN_PLACE : SEPARATE;
		job.len = 3 * 544 + (env->mode->granularity == 1 ? i : 0);
		if (step == 32)
			job.len = 3 * 32;
		draw(env, &job);
		place(env);
		from = env->src_area;
		to = job.place == IN_PLACE ? from : env->dst_area;

		for (unsigned int at = 0; at < job.len; at += n) {
			/* Only the last one may end within a block. */
			n = step ? step : 16 * draw_up_to(&env->rng, 40);
			n = min(roundup(n, BLOCK_LEN), job.len - at);
			sg_init_one(&src, from + at, max(n, 1));
			sg_init_one(&dst, to + at, max(n, 1));
			skcipher_request_set_crypt(env->req, &src,
						   job.place == IN_PLACE ? &src : &dst,
						   n, env->req->iv);
			submit(env);
			ASSERT_RIGHT(test, env, !env->status || wrong(env, "%d", env->status));
		}
		ASSERT_RIGHT(test, env, verify(env));
	}
}

/* A carry at each place in the counter, before, within and behind a batch. */
static void counter_wraps(struct kunit *test)
{
	static const u64 words[] = { 0, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff,
				     0xffffffff00000000, 0xffffffffffffffff };
	static const unsigned int before[] = { 0, 1, 2, 7, 8, 15, 16, 31, 32, 33, 63, 64 };
	struct env *env = start(test, MAX_RANDOM);
	struct job job = plain;

	for (unsigned int i = 0; i < ARRAY_SIZE(words) * ARRAY_SIZE(words); i++) {
		u64 hi = words[i % ARRAY_SIZE(words)], lo = words[i / ARRAY_SIZE(words)];

		for (unsigned int j = 0; j < ARRAY_SIZE(before); j++) {
			__be64 iv[2];

			iv[1] = cpu_to_be64(lo - before[j]);
			iv[0] = cpu_to_be64(hi - (lo < before[j]));
			job.iv = (u8 *)iv;
			job.len = 70 * BLOCK_LEN - j;
			job.place = j % PLACES;
			job.encrypt = !job.encrypt;
			ASSERT_RIGHT(test, env, run(env, &job));
		}
		cond_resched();
	}
}

/* Lengths that are no multiple of a block, or too short. */
static void refused_lengths(struct kunit *test)
{
	struct env *env = start(test, MAX_RANDOM);
	struct job job = plain;

	for (job.len = 0; job.len < 1100; job.len++) {
		if (length_is_valid(env, job.len))
			continue;
		job.encrypt = job.len & 2;
		job.place = job.len % PLACES;
		draw(env, &job);
		place(env);
		submit(env);
		/* Templates and others may refuse at the end. */
		if (env->ours)
			ASSERT_RIGHT(test, env, verify_refused(env, -EINVAL));
		else
			KUNIT_ASSERT_EQ(test, -EINVAL, env->status);
	}
}

/* Sets a key that must be refused. */
static void refuse_key(struct kunit *test, struct env *env, unsigned int len)
{
	u8 key[MAX_KEY + 8];

	prandom_bytes_state(&env->rng, key, sizeof(key));
	KUNIT_ASSERT_EQ(test, -EINVAL, crypto_skcipher_setkey(env->tfm, key, len));
}

static void keys(struct kunit *test)
{
	static const unsigned int sizes[] = { 16, 32, 24, 16, 24, 32, 16 };
	struct env *env = start_unkeyed(test, MAX_RANDOM);
	enum mode mode = env->driver->mode;

	/* Any key will do for the oracle, whose answers are not compared. */
	KUNIT_ASSERT_EQ(test, 0, reference_setkey(env->ref, env->driver->cipher->key,
						  reference_key_size(mode, 16)));
	draw_random(env, 700);
	place(env);
	submit(env);
	ASSERT_RIGHT(test, env, verify_refused(env, -ENOKEY));

	/* Decryption first: one key serves both directions. */
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		rekey(test, env, sizes[i]);
		for (unsigned int j = 0; j < 6; j++) {
			draw_random(env, 150 * (j + 1));
			env->job.encrypt = j & 1;
			draw(env, &env->job);
			ASSERT_RIGHT(test, env, rerun(env));
		}
	}

	for (unsigned int len = 0; len <= MAX_KEY + 8; len++) {
		if (len == reference_key_size(mode, 16) ||
		    len == reference_key_size(mode, 24) ||
		    len == reference_key_size(mode, 32))
			continue;
		rekey(test, env, draw_key_size(&env->rng));
		refuse_key(test, env, len);
		draw_random(env, 700);
		place(env);
		submit(env);
		/*
		 * Lengths beyond the limits never reach most drivers, and then
		 * the core has not marked the tfm: the old key is in force.
		 */
		if ((len < crypto_skcipher_min_keysize(env->tfm) ||
		     len > crypto_skcipher_max_keysize(env->tfm)) && !env->status)
			ASSERT_RIGHT(test, env, verify(env));
		else
			ASSERT_RIGHT(test, env, verify_refused(env, -ENOKEY));
	}
	rekey(test, env, 16);
	ASSERT_RIGHT(test, env, run_random(env, MAX_RANDOM));
}

/* Equal halves are no good, but refused only where the user says so. */
static void weak_keys(struct kunit *test)
{
	struct env *env = start(test, MAX_RANDOM);
	struct crypto_tfm *tfm = crypto_skcipher_tfm(env->tfm);
	u8 key[MAX_KEY];

	for (unsigned int half = CIPHER_MIN_KEY; half <= CIPHER_MAX_KEY; half += 8) {
		prandom_bytes_state(&env->rng, key, half);
		memcpy(key + half, key, half);
		KUNIT_ASSERT_EQ(test, 0, crypto_skcipher_setkey(env->tfm, key, 2 * half));
		KUNIT_ASSERT_EQ(test, 0, reference_setkey(env->ref, key, 2 * half));
		ASSERT_RIGHT(test, env, run_random(env, MAX_RANDOM));

		crypto_tfm_set_flags(tfm, CRYPTO_TFM_REQ_FORBID_WEAK_KEYS);
		KUNIT_ASSERT_EQ(test, -EINVAL,
				crypto_skcipher_setkey(env->tfm, key, 2 * half));
		rekey(test, env, half);
		ASSERT_RIGHT(test, env, run_random(env, MAX_RANDOM));
		crypto_tfm_clear_flags(tfm, CRYPTO_TFM_REQ_FORBID_WEAK_KEYS);
	}
}

/* Some requests in a context. */
static void run_there(struct kunit *test, struct env *env, context_t *context, bool scalar)
{
	for (unsigned int i = 0; i < 60; i++) {
		draw_random(env, i * 64);
		place(env);
		context(submit, env);
		ASSERT_RIGHT(test, env, verify(env));
		if (scalar)
			ASSERT_RIGHT(test, env, !env->used_context ||
				     wrong(env, "vector registers were used"));
	}
}

static void softirqs_off(struct kunit *test)
{
	run_there(test, start(test, MAX_RANDOM), call_without_softirqs, false);
}

static void interrupts_off(struct kunit *test)
{
	run_there(test, start(test, MAX_RANDOM), call_without_interrupts, false);
}

static void softirq(struct kunit *test)
{
	run_there(test, start(test, MAX_RANDOM), call_in_softirq, false);
}

#ifdef CAN_FORBID_SIMD

/*
 * Whether the driver asks if it may use vector registers before it does.  In
 * 7.3 those of the kernel rely on not being called within an FPU section.
 */
static bool asks_for_simd(const struct env *env)
{
	char inner[CRYPTO_MAX_ALG_NAME];
	struct crypto_skcipher *tfm;
	bool ours;

	innermost(env->driver->name, inner);
	tfm = crypto_alloc_skcipher(inner, 0, 0);
	/* A single-block cipher has no vector registers to begin with. */
	if (IS_ERR(tfm))
		return true;
	ours = is_ours(crypto_skcipher_tfm(tfm)->__crt_alg);
	crypto_free_skcipher(tfm);
	return ours;
}

/* Where vector registers may not be used, scalar code makes the same bytes. */
static void simd_unusable(struct kunit *test)
{
	struct env *env = start(test, MAX_RANDOM);

	if (!asks_for_simd(env))
		kunit_skip(test, "not one of our drivers");
	run_there(test, env, call_without_simd, true);
}

#endif /* CAN_FORBID_SIMD */

static void rerun_work(struct work_struct *work)
{
	struct env *env = container_of(work, struct env, work);

	if (env->failed)
		return;
	rerun(env);
	env->runs++;
}

static enum hrtimer_restart queue_rerun(struct hrtimer *timer)
{
	struct env *env = container_of(timer, struct env, timer);

	queue_work(system_bh_wq, &env->work);
	hrtimer_forward_now(timer, us_to_ktime(500));
	return HRTIMER_RESTART;
}

/* Softirqs use the tfm amid a request of the task that they interrupt. */
static void interrupted(struct kunit *test)
{
	struct env *task = start(test, MAX_RANDOM);
	struct env *softirq = join(test, task->tfm, task->ref, MAX_RANDOM);
	unsigned long end = jiffies + 3 * HZ;
	bool right = true;

	draw_random(softirq, 1500);
	INIT_WORK(&softirq->work, rerun_work);
	hrtimer_setup(&softirq->timer, queue_rerun, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hrtimer_start(&softirq->timer, us_to_ktime(500), HRTIMER_MODE_REL_HARD);
	while (right && READ_ONCE(softirq->runs) < 20 && time_before(jiffies, end)) {
		right = run_random(task, MAX_RANDOM);
		cond_resched();
	}
	hrtimer_cancel(&softirq->timer);
	flush_work(&softirq->work);

	ASSERT_RIGHT(test, task, right);
	ASSERT_RIGHT(test, softirq, !softirq->failed);
	KUNIT_EXPECT_TRUE_MSG(test, softirq->runs, "there was no softirq");
}

static int use_tfm(void *data)
{
	struct env *env = data;

	for (unsigned int i = 0; i < 60 && run_random(env, MAX_RANDOM); i++)
		cond_resched();
	kthread_complete_and_exit(&env->done, 0);
}

/* One tfm, many users, each with an IV and a request of its own. */
static void threads(struct kunit *test)
{
	struct env *env = start(test, 1), *users[4];
	int cpu = cpumask_first(cpu_online_mask);

	for (size_t i = 0; i < ARRAY_SIZE(users); i++) {
		users[i] = join(test, env->tfm, env->ref, MAX_RANDOM);
		prandom_seed_state(&users[i]->rng, prandom_u32_state(&env->rng));
	}
	for (size_t i = 0; i < ARRAY_SIZE(users); i++) {
		struct task_struct *task = kthread_create(use_tfm, users[i], "rfl_test/%zu", i);

		if (IS_ERR(task)) {
			wrong(users[i], "no thread");
			complete(&users[i]->done);
			continue;
		}
		kthread_bind(task, cpu);
		wake_up_process(task);
		cpu = cpumask_next_wrap(cpu, cpu_online_mask);
	}
	/* All of them, before an assertion takes their memory away. */
	for (size_t i = 0; i < ARRAY_SIZE(users); i++)
		wait_for_completion(&users[i]->done);
	for (size_t i = 0; i < ARRAY_SIZE(users); i++)
		ASSERT_RIGHT(test, users[i], !users[i]->failed);
}

static void free_sync_tfm(void *tfm)
{
	crypto_free_sync_skcipher(tfm);
}

/* A request on the stack of its user, if the driver says that it fits. */
static noinline_for_stack int submit_on_stack(struct env *env, struct crypto_sync_skcipher *tfm)
{
	SYNC_SKCIPHER_REQUEST_ON_STACK(req, tfm);
	int err;

	skcipher_request_set_sync_tfm(req, tfm);
	skcipher_request_set_callback(req, 0, NULL, NULL);
	skcipher_request_set_crypt(req, env->req->src, env->req->dst,
				   env->job.len, env->req->iv);
	err = crypto_skcipher_encrypt(req);
	skcipher_request_zero(req);
	return err;
}

static void synchronous_users(struct kunit *test)
{
	struct env *env = start(test, MAX_RANDOM);
	unsigned int len = reference_key_size(env->driver->mode, 16);
	u32 flags = crypto_skcipher_tfm(env->tfm)->__crt_alg->cra_flags;
	bool fits = crypto_skcipher_reqsize(env->tfm) <= MAX_SYNC_SKCIPHER_REQSIZE;
	struct crypto_sync_skcipher *tfm;
	struct job job = plain;
	u8 key[MAX_KEY];

	/* Templates do not hand on the flag that says so, and the core warns. */
	if (!fits && flags & CRYPTO_ALG_INSTANCE)
		kunit_skip(test, "a template that is too large for synchronous users");

	tfm = crypto_alloc_sync_skcipher(env->driver->name, 0, 0);
	if (!fits || flags & CRYPTO_ALG_ASYNC) {
		KUNIT_EXPECT_EQ(test, -ENOENT, PTR_ERR_OR_ZERO(tfm));
		if (!IS_ERR(tfm))
			crypto_free_sync_skcipher(tfm);
		return;
	}
	KUNIT_ASSERT_EQ(test, 0, PTR_ERR_OR_ZERO(tfm));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_sync_tfm, tfm));

	prandom_bytes_state(&env->rng, key, sizeof(key));
	KUNIT_ASSERT_EQ(test, 0, crypto_sync_skcipher_setkey(tfm, key, len));
	KUNIT_ASSERT_EQ(test, 0, reference_setkey(env->ref, key, len));
	for (unsigned int i = 1; i < 20; i++) {
		job.len = rounddown(130 * i, env->mode->granularity);
		draw(env, &job);
		place(env);
		env->status = submit_on_stack(env, tfm);
		ASSERT_RIGHT(test, env, verify(env));
	}
}

/* All the other tests look at the context too; this one says that it is used. */
static void context_is_wiped(struct kunit *test)
{
	struct env *env = start(test, MAX_RANDOM);
	struct job job = plain;

	if (!env->ours || !crypto_skcipher_reqsize(env->tfm))
		kunit_skip(test, "keeps nothing in the request, or is not ours");

	job.len = MAX_RANDOM;
	/* What uses it is vector code, and in CBC mode some of that only decrypts. */
	job.encrypt = false;
	ASSERT_RIGHT(test, env, run(env, &job));
	KUNIT_EXPECT_TRUE_MSG(test, env->used_context,
			      "%u bytes of context, and they were not used",
			      crypto_skcipher_reqsize(env->tfm));
}

struct kunit_case skcipher_cases[] = {
	KUNIT_CASE_PARAM(properties, all_skcipher_params),
	KUNIT_CASE_PARAM(lengths, skcipher_params),
	KUNIT_CASE_PARAM(large, skcipher_params),
	KUNIT_CASE_PARAM(alignment, skcipher_params),
	KUNIT_CASE_PARAM(scattered, skcipher_params),
	KUNIT_CASE_PARAM(chained, chaining_params),
	KUNIT_CASE_PARAM(counter_wraps, ctr_params),
	KUNIT_CASE_PARAM(refused_lengths, block_params),
	KUNIT_CASE_PARAM(keys, skcipher_params),
	KUNIT_CASE_PARAM(weak_keys, xts_params),
	KUNIT_CASE_PARAM(softirqs_off, skcipher_params),
	KUNIT_CASE_PARAM(interrupts_off, skcipher_params),
	KUNIT_CASE_PARAM(softirq, skcipher_params),
#ifdef CAN_FORBID_SIMD
	KUNIT_CASE_PARAM(simd_unusable, skcipher_params),
#endif
	KUNIT_CASE_PARAM(interrupted, skcipher_params),
	KUNIT_CASE_PARAM(threads, skcipher_params),
	KUNIT_CASE_PARAM(synchronous_users, skcipher_params),
	KUNIT_CASE_PARAM(context_is_wiped, native_params),
	{}
};
