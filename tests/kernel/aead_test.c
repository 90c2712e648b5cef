// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of authenticated encryption: struct aead_alg.
 *
 * A message is drawn, sealed by the oracle, and sealed and opened by the driver:
 * with source and destination apart, the same, or two lists of the same bytes,
 * in pieces of all sizes.  The destination is verified byte by byte with what
 * lies around and between its pieces; so is the source, and whether the driver
 * left anything in the request context.
 */
#include <crypto/aead.h>
#include <crypto/internal/aead.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "crypto_test.h"

#define MAX_ASSOC	9000
#define MAX_TEXT	(SZ_64K + 2 * BLOCK_LEN)
#define MAX_MESSAGE	(MAX_ASSOC + MAX_TEXT + BLOCK_LEN)

/**
 * struct job - a message and how it lies in memory
 * @assoc_len: length of the associated data
 * @text_len: length of the text
 * @place: where source and destination are
 * @max_piece: longest piece of the scatterlists, 0 for unbroken ones
 */
struct job {
	unsigned int assoc_len;
	unsigned int text_len;
	enum place place;
	unsigned int max_piece;
};

/* One user of a tfm. */
struct env {
	const struct driver_row *driver;
	struct crypto_aead *tfm;
	bool ours;
	struct reference *ref;
	struct rnd_state rng;
	struct aead_request *req;
	context_t *context;

	struct job job;
	unsigned int tag_len;
	bool encrypt;
	int status;
	/* Associated data, text; associated data, encrypted text, tag. */
	u8 *plain;
	u8 *sealed;
	/* What is in the destination before. */
	u8 *before;
	u8 *want;
	u8 *src_area;
	u8 *dst_area;
	u8 *image;
	struct pieces *src;
	struct pieces *dst;
	u8 iv[BLOCK_LEN];

	/* What went wrong, for people. */
	char report[200];
	struct completion done;
	bool failed;
};

static void free_tfm(void *tfm)
{
	crypto_free_aead(tfm);
}

static void free_request(void *req)
{
	aead_request_free(req);
}

static unsigned int mode_iv_size(enum mode mode)
{
	return mode == MODE_GCM ? 12 : mode == MODE_RFC4106 ? 8 : 16;
}

static bool mode_has_tag(enum mode mode, unsigned int size)
{
	switch (mode) {
	case MODE_GCM:
		return size == 4 || size == 8 || (size >= 12 && size <= 16);
	case MODE_RFC4106:
		return size == 8 || size == 12 || size == 16;
	default:
		return size >= 4 && size <= 16 && size % 2 == 0;
	}
}

static bool mode_has_assoc(enum mode mode, unsigned int len)
{
	return mode != MODE_RFC4106 || len == 16 || len == 20;
}

/* Makes a user of @tfm. */
static struct env *join(struct kunit *test, struct crypto_aead *tfm, struct reference *ref)
{
	struct env *env = test_zalloc(test, sizeof(*env));

	env->driver = test->param_value;
	env->tfm = tfm;
	env->ours = is_ours(crypto_aead_tfm(tfm)->__crt_alg);
	env->ref = ref;
	env->tag_len = BLOCK_LEN;
	seed_rng(&env->rng, env->driver);
	init_completion(&env->done);

	env->plain = test_zalloc(test, MAX_MESSAGE);
	env->sealed = test_zalloc(test, MAX_MESSAGE);
	env->before = test_zalloc(test, MAX_MESSAGE);
	env->want = test_zalloc(test, MAX_MESSAGE);
	env->src_area = test_zalloc(test, AREA_SIZE(MAX_MESSAGE));
	env->dst_area = test_zalloc(test, AREA_SIZE(MAX_MESSAGE));
	env->image = test_zalloc(test, AREA_SIZE(MAX_MESSAGE));
	env->src = test_zalloc(test, sizeof(*env->src));
	env->dst = test_zalloc(test, sizeof(*env->dst));
	env->req = aead_request_alloc(tfm, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, env->req);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_request, env->req));
	return env;
}

/* The first user of a tfm of the driver, which has no key yet. */
static struct env *start_unkeyed(struct kunit *test)
{
	const struct driver_row *driver = test->param_value;
	struct reference *ref = test_zalloc(test, sizeof(*ref));
	struct crypto_aead *tfm = crypto_alloc_aead(driver->name, 0, 0);

	if (PTR_ERR_OR_ZERO(tfm) == -ENOENT)
		kunit_skip(test, "not registered");
	KUNIT_ASSERT_EQ(test, 0, PTR_ERR_OR_ZERO(tfm));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_tfm, tfm));
	reference_init(test, ref, driver);
	return join(test, tfm, ref);
}

/* Sets a random key that goes with one of the cipher's of that length. */
static void rekey(struct kunit *test, struct env *env, unsigned int cipher_key_size)
{
	unsigned int len = reference_key_size(env->driver->mode, cipher_key_size);
	u8 key[MAX_KEY];

	prandom_bytes_state(&env->rng, key, sizeof(key));
	KUNIT_ASSERT_EQ(test, 0, crypto_aead_setkey(env->tfm, key, len));
	KUNIT_ASSERT_EQ(test, 0, reference_setkey(env->ref, key, len));
}

static void set_tag_len(struct kunit *test, struct env *env, unsigned int len)
{
	KUNIT_ASSERT_EQ(test, 0, crypto_aead_setauthsize(env->tfm, len));
	env->tag_len = len;
}

static struct env *start(struct kunit *test)
{
	struct env *env = start_unkeyed(test);

	rekey(test, env, draw_key_size(&env->rng));
	set_tag_len(test, env, BLOCK_LEN);
	return env;
}

/* Draws a message, and has the oracle seal it. */
static void draw(struct env *env, const struct job *job)
{
	unsigned int assoc_len = job->assoc_len, text_len = job->text_len;
	u8 tag[BLOCK_LEN];

	env->job = *job;
	prandom_bytes_state(&env->rng, env->plain, assoc_len + text_len + BLOCK_LEN);
	prandom_bytes_state(&env->rng, env->before, assoc_len + text_len + BLOCK_LEN);
	prandom_bytes_state(&env->rng, env->iv, sizeof(env->iv));
	if (env->driver->mode == MODE_CCM) {
		/* Length field of 3 to 8 bytes, so that all lengths here fit. */
		env->iv[0] = 2 + draw_up_to(&env->rng, 5);
		memset(env->iv + BLOCK_LEN - 1 - env->iv[0], 0, env->iv[0] + 1);
	}
	memcpy(env->sealed, env->plain, assoc_len);
	if (!mode_has_assoc(env->driver->mode, assoc_len))
		return;
	reference_aead(env->ref, true, env->iv, tag, env->tag_len, env->plain,
		       assoc_len, env->sealed + assoc_len, env->plain + assoc_len,
		       text_len);
	memcpy(env->sealed + assoc_len + text_len, tag, env->tag_len);
}

static void draw_random(struct env *env, unsigned int max_text)
{
	static const unsigned int max_pieces[] = { 0, 1, 15, 16, 17, 64, 700 };
	static const unsigned int assoc_lengths[] = { 0, 1, 13, 16, 20, 33, 300, 4099 };
	enum mode mode = env->driver->mode;
	struct job job = {
		.assoc_len = mode == MODE_RFC4106 ? 16 + 4 * draw_up_to(&env->rng, 1) :
			assoc_lengths[draw_up_to(&env->rng, ARRAY_SIZE(assoc_lengths) - 1)],
		.text_len = draw_up_to(&env->rng, max_text),
		.place = draw_up_to(&env->rng, PLACES - 1),
		.max_piece = max_pieces[draw_up_to(&env->rng, ARRAY_SIZE(max_pieces) - 1)],
	};

	draw(env, &job);
}

static void submit(void *user)
{
	struct env *env = user;

	env->status = env->encrypt ? crypto_aead_encrypt(env->req) :
				     crypto_aead_decrypt(env->req);
}

/* Says what the last request was and what is wrong with it. */
static bool __printf(2, 3) wrong(struct env *env, const char *fmt, ...)
{
	const struct job *job = &env->job;
	int n = scnprintf(env->report, sizeof(env->report),
			  "%s %u+%u bytes, tag %u, %s, %u+%u pieces: ",
			  env->encrypt ? "encrypt" : "decrypt", job->assoc_len,
			  job->text_len, env->tag_len, place_names[job->place],
			  env->src->count, env->dst->count);
	va_list args;

	va_start(args, fmt);
	vscnprintf(env->report + n, sizeof(env->report) - n, fmt, args);
	va_end(args);
	env->failed = true;
	return false;
}

/*
 * Makes the request: @in lies in the source; where it ends in a destination that
 * is longer, there is room.
 */
static void request(struct env *env, const u8 *in, unsigned int in_len, unsigned int out_len)
{
	bool separate = env->job.place == SEPARATE;
	unsigned int src_len = separate ? in_len : max(in_len, out_len);
	struct scatterlist *dst = env->dst->sg;
	u8 iv[BLOCK_LEN];

	memcpy(iv, env->iv, sizeof(iv));
	if (env->ours)
		memset(aead_request_ctx(env->req), CANARY, crypto_aead_reqsize(env->tfm));
	cut(env->src, &env->rng, env->src_area, draw_up_to(&env->rng, PAGE_SIZE - 1),
	    src_len, env->job.max_piece, MAX_GAP);
	put_pieces(env->src, env->src_area, in);
	switch (env->job.place) {
	case SEPARATE:
		cut(env->dst, &env->rng, env->dst_area, draw_up_to(&env->rng, PAGE_SIZE - 1),
		    out_len, env->job.max_piece, MAX_GAP);
		put_pieces(env->dst, env->dst_area, env->before);
		break;
	case TWO_LISTS:
		cut_again(env->dst, env->src, &env->rng, env->src_area, env->job.max_piece);
		break;
	default:
		dst = env->src->sg;
		break;
	}

	aead_request_set_callback(env->req, 0, NULL, NULL);
	aead_request_set_ad(env->req, env->job.assoc_len);
	aead_request_set_crypt(env->req, env->src->sg, dst, in_len - env->job.assoc_len, iv);
	if (env->context)
		env->context(submit, env);
	else
		submit(env);
}

static bool context_is_clean(struct env *env)
{
	const u8 *context = aead_request_ctx(env->req);

	for (unsigned int i = 0; env->ours && i < crypto_aead_reqsize(env->tfm); i++)
		if (context[i] != 0 && context[i] != CANARY)
			return wrong(env, "byte %u of the request context is left", i);
	return true;
}

/*
 * Looks at source and destination.  Of @in_len bytes at @in, those from the end
 * of the associated data on became @out_len bytes at @out, tag included.
 */
static bool memory_is(struct env *env, const u8 *in, unsigned int in_len,
		      const u8 *out, unsigned int out_len)
{
	unsigned int assoc_len = env->job.assoc_len;
	bool separate = env->job.place == SEPARATE;
	int at;

	/* In place, a tag that was opened stays, and what was to become one goes. */
	memcpy(env->want, separate ? env->before : in,
	       separate ? assoc_len + out_len : max(in_len, assoc_len + out_len));
	memcpy(env->want + assoc_len, out, out_len);
	if (separate) {
		at = compare_pieces(env->src, env->src_area, env->image, in);
		if (at >= 0)
			return wrong(env, "the source was written at %d", at);
		at = compare_pieces(env->dst, env->dst_area, env->image, env->want);
	} else {
		at = compare_pieces(env->src, env->src_area, env->image, env->want);
	}
	return at < 0 || wrong(env, "wrong byte at %d", at);
}

/* Seals and opens the message that was drawn. */
static bool run(struct env *env)
{
	unsigned int assoc_len = env->job.assoc_len, text_len = env->job.text_len;
	unsigned int plain_len = assoc_len + text_len, sealed_len = plain_len + env->tag_len;

	env->encrypt = true;
	request(env, env->plain, plain_len, sealed_len);
	if (env->status)
		return wrong(env, "status %d", env->status);
	if (!memory_is(env, env->plain, plain_len, env->sealed + assoc_len,
		       text_len + env->tag_len) || !context_is_clean(env))
		return false;

	env->encrypt = false;
	request(env, env->sealed, sealed_len, plain_len);
	if (env->status)
		return wrong(env, "status %d", env->status);
	return memory_is(env, env->sealed, sealed_len, env->plain + assoc_len, text_len) &&
	       context_is_clean(env);
}

static bool run_job(struct env *env, const struct job *job)
{
	draw(env, job);
	return run(env);
}

static bool run_random(struct env *env, unsigned int max_text)
{
	draw_random(env, max_text);
	return run(env);
}

/*
 * Opens the message that was drawn with one bit flipped.  Of ours, no text may be
 * left; what others leave behind is nobody's business.
 */
static bool run_forged(struct env *env, unsigned int byte)
{
	unsigned int assoc_len = env->job.assoc_len, text_len = env->job.text_len;
	unsigned int sealed_len = assoc_len + text_len + env->tag_len;
	u8 flip = 1 << draw_up_to(&env->rng, 7), *nothing = env->plain + assoc_len;
	bool right;

	env->encrypt = false;
	env->sealed[byte] ^= flip;
	request(env, env->sealed, sealed_len, assoc_len + text_len);
	right = env->status == -EBADMSG || wrong(env, "byte %u: status %d", byte, env->status);
	if (right && env->ours) {
		memset(nothing, 0, text_len);
		right = memory_is(env, env->sealed, sealed_len, nothing, text_len) &&
			context_is_clean(env);
	}
	env->sealed[byte] ^= flip;
	return right;
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
	struct env *env = start_unkeyed(test);
	struct crypto_alg *alg = crypto_aead_tfm(env->tfm)->__crt_alg;

	KUNIT_EXPECT_TRUE_MSG(test, !strcmp(alg->cra_driver_name, env->driver->name),
			      "got %s", alg->cra_driver_name);
	KUNIT_EXPECT_EQ(test, crypto_aead_ivsize(env->tfm), mode_iv_size(env->driver->mode));
	KUNIT_EXPECT_EQ(test, crypto_aead_maxauthsize(env->tfm), BLOCK_LEN);
	KUNIT_EXPECT_EQ(test, crypto_aead_authsize(env->tfm), BLOCK_LEN);
	KUNIT_EXPECT_EQ(test, crypto_aead_blocksize(env->tfm), 1);
	if (env->ours)
		KUNIT_EXPECT_EQ(test, 0, alg->cra_flags &
				(CRYPTO_ALG_ASYNC | CRYPTO_ALG_ALLOCATES_MEMORY |
				 CRYPTO_ALG_NEED_FALLBACK));
}

/* The text may be empty; then template's drivers are asked for nothing. */
static void lengths(struct kunit *test)
{
	struct env *env = start(test);
	unsigned int stride = env->ours ? 1 : 7;
	struct job job = {};

	for (job.text_len = 0; job.text_len <= 1100; job.text_len += stride) {
		job.assoc_len = env->driver->mode == MODE_RFC4106 ? 16 : job.text_len % 37;
		job.place = job.text_len % PLACES;
		ASSERT_RIGHT(test, env, run_job(env, &job));
		cond_resched();
	}
}

static void assoc_lengths(struct kunit *test)
{
	static const unsigned int long_lengths[] = { 4095, 4096, 4097, MAX_ASSOC };
	struct env *env = start(test);
	struct job job = { .text_len = 40 };

	for (unsigned int i = 0; i < 64 + ARRAY_SIZE(long_lengths); i++) {
		job.assoc_len = i < 64 ? i : long_lengths[i - 64];
		job.place = i % PLACES;
		job.max_piece = i % 2 ? 0 : 21;
		if (mode_has_assoc(env->driver->mode, job.assoc_len)) {
			ASSERT_RIGHT(test, env, run_job(env, &job));
			continue;
		}
		draw(env, &job);
		for (unsigned int encrypt = 0; encrypt < 2; encrypt++) {
			unsigned int len = job.assoc_len + job.text_len;

			env->encrypt = encrypt;
			request(env, env->plain, len + (encrypt ? 0 : env->tag_len),
				len + (encrypt ? env->tag_len : 0));
			ASSERT_RIGHT(test, env, env->status == -EINVAL ||
				     wrong(env, "status %d", env->status));
		}
	}
}

static void large(struct kunit *test)
{
	static const unsigned int large_lengths[] = {
		PAGE_SIZE, PAGE_SIZE + BLOCK_LEN, SZ_64K - BLOCK_LEN, SZ_64K, MAX_TEXT,
	};
	struct env *env = start(test);
	struct job job = { .assoc_len = 20 };

	for (size_t i = 0; i < ARRAY_SIZE(large_lengths); i++) {
		job.text_len = large_lengths[i] - i;
		job.place = i % PLACES;
		ASSERT_RIGHT(test, env, run_job(env, &job));
	}
}

/* Pieces of 1 to 15 bytes, so that no block is in one piece, and other sizes. */
static void scattered(struct kunit *test)
{
	struct env *env = start(test);
	struct job job = { .max_piece = 15 };

	for (unsigned int i = 0; i < 24; i++) {
		job.assoc_len = env->driver->mode == MODE_RFC4106 ? 20 : i * 5;
		job.text_len = i * i * 5;
		job.place = i % PLACES;
		ASSERT_RIGHT(test, env, run_job(env, &job));
	}
	for (unsigned int i = 0; i < 100; i++) {
		ASSERT_RIGHT(test, env, run_random(env, 4096));
		cond_resched();
	}
}

/* All lengths of tags: refused, or a wrong tag is, and then a right one is not. */
static void tags(struct kunit *test)
{
	struct env *env = start(test);
	enum mode mode = env->driver->mode;

	for (unsigned int len = 0; len <= 2 * BLOCK_LEN; len++) {
		if (!mode_has_tag(mode, len)) {
			KUNIT_ASSERT_EQ(test, -EINVAL, crypto_aead_setauthsize(env->tfm, len));
			continue;
		}
		set_tag_len(test, env, len);
		for (unsigned int i = 0; i < len + 8; i++) {
			struct job job = {
				.assoc_len = 16,
				.text_len = (i * 93 + 1) % 1300,
				.place = i % PLACES,
				.max_piece = i % 2 ? 0 : 33,
			};
			unsigned int tag = job.assoc_len + job.text_len;

			draw(env, &job);
			/* Each byte of the tag, then some byte of the text and of the rest. */
			ASSERT_RIGHT(test, env, run_forged(env, i < len ? tag + i :
				     i % 2 ? job.assoc_len + draw_up_to(&env->rng, job.text_len - 1) :
					     draw_up_to(&env->rng, 7)));
			draw(env, &job);
			ASSERT_RIGHT(test, env, run(env));
		}
	}
}

/* Less than a tag. */
static void too_short(struct kunit *test)
{
	struct env *env = start(test);
	struct job job = { .assoc_len = 16 };

	for (unsigned int len = 0; len < BLOCK_LEN; len++) {
		draw(env, &job);
		env->encrypt = false;
		request(env, env->sealed, job.assoc_len + len, job.assoc_len + len);
		ASSERT_RIGHT(test, env, env->status == -EINVAL ||
			     wrong(env, "status %d", env->status));
	}
}

static void keys(struct kunit *test)
{
	static const unsigned int sizes[] = { 16, 32, 24, 16, 24, 32, 16 };
	struct env *env = start_unkeyed(test);
	enum mode mode = env->driver->mode;
	struct job job = { .assoc_len = 16, .text_len = 700 };
	u8 key[MAX_KEY + 8];

	/* Any key will do for the oracle, whose answers are not compared. */
	KUNIT_ASSERT_EQ(test, 0, reference_setkey(env->ref, env->driver->cipher->key,
						  reference_key_size(mode, 16)));
	draw(env, &job);
	request(env, env->plain, 716, 716 + BLOCK_LEN);
	ASSERT_RIGHT(test, env, env->status == -ENOKEY || wrong(env, "status %d", env->status));

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		rekey(test, env, sizes[i]);
		for (job.text_len = 0; job.text_len < 700; job.text_len += 113)
			ASSERT_RIGHT(test, env, run_job(env, &job));
	}

	for (unsigned int len = 0; len <= sizeof(key); len++) {
		if (len == reference_key_size(mode, 16) ||
		    len == reference_key_size(mode, 24) ||
		    len == reference_key_size(mode, 32))
			continue;
		rekey(test, env, draw_key_size(&env->rng));
		prandom_bytes_state(&env->rng, key, sizeof(key));
		KUNIT_ASSERT_EQ(test, -EINVAL, crypto_aead_setkey(env->tfm, key, len));
		draw(env, &job);
		request(env, env->plain, job.assoc_len + job.text_len,
			job.assoc_len + job.text_len + BLOCK_LEN);
		ASSERT_RIGHT(test, env, env->status == -ENOKEY ||
			     wrong(env, "status %d", env->status));
	}
}

/* Some messages in a context, and a forged one. */
static void run_there(struct kunit *test, context_t *context)
{
	struct env *env = start(test);

	env->context = context;
	for (unsigned int i = 0; i < 40; i++)
		ASSERT_RIGHT(test, env, run_random(env, i * 64));
	draw_random(env, 1000);
	ASSERT_RIGHT(test, env, run_forged(env, env->job.assoc_len + env->job.text_len));
}

static void softirqs_off(struct kunit *test)
{
	run_there(test, call_without_softirqs);
}

static void interrupts_off(struct kunit *test)
{
	run_there(test, call_without_interrupts);
}

static void softirq(struct kunit *test)
{
	run_there(test, call_in_softirq);
}

#ifdef CAN_FORBID_SIMD
/* Where vector registers may not be used, scalar code makes the same bytes. */
static void simd_unusable(struct kunit *test)
{
	run_there(test, call_without_simd);
}
#endif

static int use_tfm(void *data)
{
	struct env *env = data;

	for (unsigned int i = 0; i < 40 && run_random(env, 2000); i++)
		cond_resched();
	kthread_complete_and_exit(&env->done, 0);
}

/* One tfm, many users, each with a request of its own. */
static void threads(struct kunit *test)
{
	struct env *env = start(test), *users[4];
	int cpu = cpumask_first(cpu_online_mask);

	for (size_t i = 0; i < ARRAY_SIZE(users); i++) {
		users[i] = join(test, env->tfm, env->ref);
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

struct kunit_case aead_cases[] = {
	KUNIT_CASE_PARAM(properties, all_aead_params),
	KUNIT_CASE_PARAM(lengths, aead_params),
	KUNIT_CASE_PARAM(assoc_lengths, aead_params),
	KUNIT_CASE_PARAM(large, native_aead_params),
	KUNIT_CASE_PARAM(scattered, aead_params),
	KUNIT_CASE_PARAM(tags, aead_params),
	KUNIT_CASE_PARAM(too_short, aead_params),
	KUNIT_CASE_PARAM(keys, aead_params),
	KUNIT_CASE_PARAM(softirqs_off, native_aead_params),
	KUNIT_CASE_PARAM(interrupts_off, native_aead_params),
	KUNIT_CASE_PARAM(softirq, native_aead_params),
#ifdef CAN_FORBID_SIMD
	KUNIT_CASE_PARAM(simd_unusable, native_aead_params),
#endif
	KUNIT_CASE_PARAM(threads, native_aead_params),
	{}
};
