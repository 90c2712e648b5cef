// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of hashes: struct shash_alg.  The oracle goes bit by bit.
 */
#include <crypto/hash.h>
#include <crypto/internal/hash.h>
#include <linux/slab.h>

#include "crypto_test.h"

#define MAX_LENGTH	SZ_1M
/* Lengths of which everything is tried: some steps of any tier. */
#define SMALL		600
#define MAX_STATE	64

struct env {
	const struct driver_row *driver;
	struct crypto_shash *tfm;
	struct shash_desc *desc;
	struct rnd_state rng;
	u8 *area;
	u8 *data;

	/* A request: @len bytes from @at on, in pieces that end at @cuts. */
	unsigned int at;
	unsigned int len;
	unsigned int cuts[2];
	u16 found;
	int status;
};

static void free_tfm(void *tfm)
{
	crypto_free_shash(tfm);
}

static struct env *start(struct kunit *test)
{
	struct env *env = test_zalloc(test, sizeof(*env));

	env->driver = test->param_value;
	seed_rng(&env->rng, env->driver);
	env->tfm = crypto_alloc_shash(env->driver->name, 0, 0);
	if (PTR_ERR_OR_ZERO(env->tfm) == -ENOENT)
		kunit_skip(test, "not registered");
	KUNIT_ASSERT_EQ(test, 0, PTR_ERR_OR_ZERO(env->tfm));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_tfm, env->tfm));
	env->desc = test_zalloc(test, sizeof(*env->desc) + crypto_shash_descsize(env->tfm));
	env->desc->tfm = env->tfm;
	env->area = test_zalloc(test, MAX_LENGTH + 2 * PAGE_SIZE);
	env->data = PTR_ALIGN(env->area, PAGE_SIZE);
	prandom_bytes_state(&env->rng, env->data, MAX_LENGTH);
	return env;
}

/* x^16 + x^15 + x^11 + x^9 + x^8 + x^7 + x^5 + x^4 + x^2 + x + 1: SBC-3 section 4.22.4. */
static u16 crc_t10dif(const u8 *data, unsigned int len)
{
	u16 crc = 0;

	while (len--) {
		crc ^= *data++ << 8;
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ (crc & 0x8000 ? 0x8bb7 : 0);
	}
	return crc;
}

/* In up to three pieces, with the state exported and imported between them. */
static void hash(void *user)
{
	struct env *env = user;
	const u8 *data = env->data + env->at;
	unsigned int first = env->cuts[0], second = env->cuts[1] - first;
	u8 state[MAX_STATE];

	env->status = crypto_shash_init(env->desc) ?:
		crypto_shash_update(env->desc, data, first) ?:
		crypto_shash_export(env->desc, state);
	memset(shash_desc_ctx(env->desc), CANARY, crypto_shash_descsize(env->tfm));
	env->status = env->status ?:
		crypto_shash_import(env->desc, state) ?:
		crypto_shash_update(env->desc, data + first, second) ?:
		crypto_shash_finup(env->desc, data + first + second,
				   env->len - first - second, (u8 *)&env->found);
}

static void digest(void *user)
{
	struct env *env = user;

	env->status = crypto_shash_digest(env->desc, env->data + env->at, env->len,
					  (u8 *)&env->found);
}

#define ASSERT_HASH(test, env, want) do {					\
	struct env *__env = (env);						\
										\
	KUNIT_ASSERT_EQ(test, 0, __env->status);				\
	KUNIT_ASSERT_TRUE_MSG(test, __env->found == (want),			\
			      "%s: %u bytes at %u, cut at %u and %u: %#06x, not %#06x", \
			      __env->driver->name, __env->len, __env->at,	\
			      __env->cuts[0], __env->cuts[1], __env->found, want); \
} while (0)

static void properties(struct kunit *test)
{
	struct env *env = start(test);
	struct crypto_alg *alg = crypto_shash_tfm(env->tfm)->__crt_alg;

	KUNIT_EXPECT_TRUE_MSG(test, !strcmp(alg->cra_driver_name, env->driver->name),
			      "got %s", alg->cra_driver_name);
	KUNIT_EXPECT_EQ(test, crypto_shash_digestsize(env->tfm), 2);
	KUNIT_EXPECT_EQ(test, crypto_shash_blocksize(env->tfm), 1);
	KUNIT_ASSERT_TRUE_MSG(test, crypto_shash_statesize(env->tfm) <= MAX_STATE,
			      "a state of %u bytes", crypto_shash_statesize(env->tfm));
}

/* What catalogues of CRCs list for the digits from 1 to 9. */
static void known_answer(struct kunit *test)
{
	struct env *env = start(test);

	memcpy(env->data, "123456789", 9);
	env->len = 9;
	digest(env);
	ASSERT_HASH(test, env, 0xd0db);
	KUNIT_EXPECT_EQ(test, crc_t10dif(env->data, 9), 0xd0db);
}

/* Each length at each offset, none included. */
static void lengths(struct kunit *test)
{
	struct env *env = start(test);

	for (env->len = 0; env->len <= SMALL; env->len++) {
		for (env->at = 0; env->at < 64; env->at += env->len < 80 ? 1 : 7) {
			digest(env);
			ASSERT_HASH(test, env, crc_t10dif(env->data + env->at, env->len));
		}
		cond_resched();
	}
}

/* Each place to cut, and two of them at random. */
static void splits(struct kunit *test)
{
	struct env *env = start(test);

	for (env->len = 0; env->len <= SMALL; env->len += 1 + env->len / 8) {
		u16 want = crc_t10dif(env->data, env->len);

		for (unsigned int cut = 0; cut <= env->len; cut++) {
			env->cuts[0] = cut;
			env->cuts[1] = cut + draw_up_to(&env->rng, env->len - cut);
			hash(env);
			ASSERT_HASH(test, env, want);
		}
	}
	for (unsigned int i = 0; i < 300; i++) {
		env->len = draw_up_to(&env->rng, 20000);
		env->cuts[0] = draw_up_to(&env->rng, env->len);
		env->cuts[1] = env->cuts[0] + draw_up_to(&env->rng, env->len - env->cuts[0]);
		env->at = draw_up_to(&env->rng, 100);
		hash(env);
		ASSERT_HASH(test, env, crc_t10dif(env->data + env->at, env->len));
		cond_resched();
	}
}

static void large(struct kunit *test)
{
	static const unsigned int large_lengths[] = {
		PAGE_SIZE, SZ_32K - 1, SZ_32K, SZ_32K + 1, SZ_64K + 15, MAX_LENGTH,
	};
	struct env *env = start(test);

	for (size_t i = 0; i < ARRAY_SIZE(large_lengths); i++) {
		env->len = large_lengths[i];
		digest(env);
		ASSERT_HASH(test, env, crc_t10dif(env->data, env->len));
	}
}

static void run_there(struct kunit *test, context_t *context)
{
	struct env *env = start(test);

	for (unsigned int i = 0; i < 60; i++) {
		env->len = draw_up_to(&env->rng, 5000);
		env->cuts[0] = draw_up_to(&env->rng, env->len);
		env->cuts[1] = env->cuts[0];
		context(hash, env);
		ASSERT_HASH(test, env, crc_t10dif(env->data, env->len));
		context(digest, env);
		ASSERT_HASH(test, env, crc_t10dif(env->data, env->len));
	}
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
/* Where vector registers may not be used, scalar code makes the same. */
static void simd_unusable(struct kunit *test)
{
	run_there(test, call_without_simd);
}
#endif

struct kunit_case shash_cases[] = {
	KUNIT_CASE_PARAM(properties, all_shash_params),
	KUNIT_CASE_PARAM(known_answer, shash_params),
	KUNIT_CASE_PARAM(lengths, shash_params),
	KUNIT_CASE_PARAM(splits, shash_params),
	KUNIT_CASE_PARAM(large, shash_params),
	KUNIT_CASE_PARAM(softirqs_off, shash_params),
	KUNIT_CASE_PARAM(interrupts_off, shash_params),
	KUNIT_CASE_PARAM(softirq, shash_params),
#ifdef CAN_FORBID_SIMD
	KUNIT_CASE_PARAM(simd_unusable, shash_params),
#endif
	{}
};
