// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of single-block ciphers: struct cipher_alg.
 */
#include <crypto/internal/cipher.h>
#include <linux/hrtimer.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include "crypto_test.h"

struct env {
	const struct cipher_row *row;
	struct crypto_cipher *tfm;
	struct rnd_state rng;
};

static void free_tfm(void *tfm)
{
	crypto_free_cipher(tfm);
}

static struct env *start(struct kunit *test)
{
	const struct driver_row *driver = test->param_value;
	struct env *env = test_zalloc(test, sizeof(*env));

	env->row = driver->cipher;
	seed_rng(&env->rng, driver);
	env->tfm = crypto_alloc_cipher(driver->name, 0, 0);
	if (PTR_ERR_OR_ZERO(env->tfm) == -ENOENT)
		kunit_skip(test, "not registered");
	KUNIT_ASSERT_EQ(test, 0, PTR_ERR_OR_ZERO(env->tfm));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_tfm, env->tfm));
	return env;
}

/* At all alignments, in place and not, both directions with one key. */
static void known_answers(struct kunit *test)
{
	struct env *env = start(test);
	u8 a[2 * BLOCK_LEN], b[2 * BLOCK_LEN];

	for (unsigned int size = 0; size < 3; size++) {
		KUNIT_ASSERT_EQ(test, 0, crypto_cipher_setkey(env->tfm, env->row->key,
							      16 + 8 * size));
		for (unsigned int offset = 0; offset < BLOCK_LEN; offset++) {
			u8 *text = a + offset, *other = b + BLOCK_LEN - offset;
			const u8 *want = env->row->ciphertext[size];

			memcpy(text, want, BLOCK_LEN);
			crypto_cipher_decrypt_one(env->tfm, other, text);
			KUNIT_ASSERT_TRUE_MSG(test,
					      !memcmp(other, env->row->plaintext, BLOCK_LEN),
					      "decryption, key size %u", size);
			crypto_cipher_encrypt_one(env->tfm, text, other);
			KUNIT_ASSERT_TRUE_MSG(test, !memcmp(text, want, BLOCK_LEN),
					      "encryption, key size %u", size);
			crypto_cipher_encrypt_one(env->tfm, other, other);
			KUNIT_ASSERT_TRUE_MSG(test, !memcmp(other, want, BLOCK_LEN),
					      "encryption in place, key size %u", size);
			crypto_cipher_decrypt_one(env->tfm, text, text);
			KUNIT_ASSERT_TRUE_MSG(test,
					      !memcmp(text, env->row->plaintext, BLOCK_LEN),
					      "decryption in place, key size %u", size);
		}
	}
}

/*
 * A refused key has no effect.  The core keeps no "needs a key" flag for these
 * ciphers, so a schedule half overwritten would be used.
 */
static void refused_keys(struct kunit *test)
{
	struct env *env = start(test);
	u8 key[CIPHER_MAX_KEY + 8], block[BLOCK_LEN];

	for (unsigned int good = 0; good < 3; good++) {
		KUNIT_ASSERT_EQ(test, 0, crypto_cipher_setkey(env->tfm, env->row->key,
							      16 + 8 * good));
		for (unsigned int len = 0; len <= sizeof(key); len++) {
			if (len == 16 || len == 24 || len == 32)
				continue;
			prandom_bytes_state(&env->rng, key, sizeof(key));
			KUNIT_ASSERT_EQ(test, -EINVAL,
					crypto_cipher_setkey(env->tfm, key, len));
			crypto_cipher_encrypt_one(env->tfm, block, env->row->plaintext);
			KUNIT_ASSERT_TRUE_MSG(test,
					      !memcmp(block, env->row->ciphertext[good], BLOCK_LEN),
					      "a key of %u bytes was refused, not ignored", len);
		}
	}
}

/* Against the oracle, unless that is the driver itself. */
static void random_blocks(struct kunit *test)
{
	struct env *env = start(test);
	struct reference ref = {};
	u8 key[CIPHER_MAX_KEY], in[BLOCK_LEN], out[BLOCK_LEN], want[BLOCK_LEN];

	reference_init(test, &ref, test->param_value);
	if (crypto_cipher_tfm(ref.cipher)->__crt_alg == crypto_cipher_tfm(env->tfm)->__crt_alg)
		kunit_skip(test, "this is the oracle");

	for (unsigned int i = 0; i < 300; i++) {
		unsigned int len = draw_key_size(&env->rng);

		prandom_bytes_state(&env->rng, key, sizeof(key));
		KUNIT_ASSERT_EQ(test, 0, crypto_cipher_setkey(env->tfm, key, len));
		KUNIT_ASSERT_EQ(test, 0, crypto_cipher_setkey(ref.cipher, key, len));
		prandom_bytes_state(&env->rng, in, sizeof(in));
		crypto_cipher_encrypt_one(env->tfm, out, in);
		crypto_cipher_encrypt_one(ref.cipher, want, in);
		KUNIT_ASSERT_TRUE_MSG(test, !memcmp(out, want, BLOCK_LEN),
				      "encryption %u", i);
		crypto_cipher_decrypt_one(env->tfm, out, in);
		crypto_cipher_decrypt_one(ref.cipher, want, in);
		KUNIT_ASSERT_TRUE_MSG(test, !memcmp(out, want, BLOCK_LEN),
				      "decryption %u", i);
	}
}

struct timer_state {
	struct hrtimer timer;
	struct crypto_cipher *tfm;
	const struct cipher_row *row;
	unsigned int calls;
	unsigned int wrong;
};

static bool one_block_is_right(struct crypto_cipher *tfm, const struct cipher_row *row)
{
	u8 block[BLOCK_LEN];

	crypto_cipher_encrypt_one(tfm, block, row->plaintext);
	if (memcmp(block, row->ciphertext[0], BLOCK_LEN))
		return false;
	crypto_cipher_decrypt_one(tfm, block, block);
	return !memcmp(block, row->plaintext, BLOCK_LEN);
}

static enum hrtimer_restart encrypt_in_timer(struct hrtimer *timer)
{
	struct timer_state *state = container_of(timer, struct timer_state, timer);

	if (!in_hardirq() || !one_block_is_right(state->tfm, state->row))
		state->wrong++;
	state->calls++;
	hrtimer_forward_now(timer, us_to_ktime(200));
	return HRTIMER_RESTART;
}

/* Single blocks may be asked for in any context, also amid another one. */
static void hard_interrupt(struct kunit *test)
{
	struct env *env = start(test);
	struct timer_state *state = test_zalloc(test, sizeof(*state));
	unsigned long end = jiffies + 2 * HZ;
	bool right = true;

	KUNIT_ASSERT_EQ(test, 0, crypto_cipher_setkey(env->tfm, env->row->key, 16));
	state->tfm = env->tfm;
	state->row = env->row;
	hrtimer_setup(&state->timer, encrypt_in_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hrtimer_start(&state->timer, us_to_ktime(200), HRTIMER_MODE_REL_HARD);
	while (READ_ONCE(state->calls) < 20 && time_before(jiffies, end)) {
		for (unsigned int i = 0; i < 100; i++)
			right &= one_block_is_right(env->tfm, env->row);
		cond_resched();
	}
	hrtimer_cancel(&state->timer);

	KUNIT_EXPECT_TRUE_MSG(test, state->calls, "the timer never fired");
	KUNIT_EXPECT_TRUE_MSG(test, !state->wrong, "%u of %u wrong in hard interrupts",
			      state->wrong, state->calls);
	KUNIT_EXPECT_TRUE_MSG(test, right, "wrong in process context");
}

struct kunit_case cipher_cases[] = {
	KUNIT_CASE_PARAM(known_answers, all_single_params),
	KUNIT_CASE_PARAM(refused_keys, single_params),
	KUNIT_CASE_PARAM(random_blocks, single_params),
	KUNIT_CASE_PARAM(hard_interrupt, single_params),
	{}
};
