// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of AEAD templates over our drivers, and of combinations that make no
 * sense.  Templates that make skciphers are rows of the skcipher tests.
 */
#include <crypto/aead.h>
#include <crypto/hash.h>
#include <crypto/skcipher.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "crypto_test.h"

#define MAX_ASSOC	64
#define MAX_TEXT	2048
#define MAX_MESSAGE	(MAX_ASSOC + MAX_TEXT + BLOCK_LEN)

struct env {
	const struct driver_row *driver;
	struct crypto_aead *tfm;
	struct reference ref;
	struct rnd_state rng;
	struct aead_request *req;
	/* AAD, plaintext; AAD, ciphertext, tag. */
	u8 plain[MAX_MESSAGE];
	u8 sealed[MAX_MESSAGE];
	/* What the destination holds before: of the AAD there, all is left. */
	u8 before[MAX_MESSAGE];
	u8 want[MAX_MESSAGE];
	u8 iv[BLOCK_LEN];
	u8 *src_area;
	u8 *dst_area;
	u8 *image;
	struct pieces src;
	struct pieces dst;
};

static void free_tfm(void *tfm)
{
	crypto_free_aead(tfm);
}

static void free_request(void *req)
{
	aead_request_free(req);
}

static struct env *start(struct kunit *test)
{
	struct env *env = test_zalloc(test, sizeof(*env));

	env->driver = test->param_value;
	seed_rng(&env->rng, env->driver);
	env->tfm = crypto_alloc_aead(env->driver->name, 0, 0);
	if (PTR_ERR_OR_ZERO(env->tfm) == -ENOENT)
		kunit_skip(test, "not registered");
	KUNIT_ASSERT_EQ(test, 0, PTR_ERR_OR_ZERO(env->tfm));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_tfm, env->tfm));
	reference_init(test, &env->ref, env->driver);

	env->src_area = test_zalloc(test, AREA_SIZE(MAX_MESSAGE));
	env->dst_area = test_zalloc(test, AREA_SIZE(MAX_MESSAGE));
	env->image = test_zalloc(test, AREA_SIZE(MAX_MESSAGE));
	env->req = aead_request_alloc(env->tfm, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, env->req);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_request, env->req));
	KUNIT_ASSERT_EQ(test, 0, crypto_aead_setauthsize(env->tfm, BLOCK_LEN));
	return env;
}

/*
 * Makes the request: @in lies in the source, and @want must lie in the
 * destination in the end, which is @out_len bytes long. Returns what is wrong.
 */
static const char *run(struct env *env, bool encrypt, bool in_place, int status,
		       unsigned int assoc_len, const u8 *in, unsigned int in_len,
		       const u8 *want, unsigned int out_len)
{
	static const unsigned int max_pieces[] = { 0, 1, 15, 17, 200 };
	unsigned int max_piece = max_pieces[draw_up_to(&env->rng, ARRAY_SIZE(max_pieces) - 1)];
	struct pieces *dst = in_place ? &env->src : &env->dst;
	u8 *dst_area = in_place ? env->src_area : env->dst_area;
	u8 iv[BLOCK_LEN];
	int err;

	/* In place the longer of the two decides; what is behind stays. */
	cut(&env->src, &env->rng, env->src_area, draw_up_to(&env->rng, PAGE_SIZE - 1),
	    in_place ? max(in_len, out_len) : in_len, max_piece, MAX_GAP);
	put_pieces(&env->src, env->src_area, in);
	if (!in_place) {
		cut(&env->dst, &env->rng, env->dst_area,
		    draw_up_to(&env->rng, PAGE_SIZE - 1), out_len, max_piece, MAX_GAP);
		put_pieces(&env->dst, env->dst_area, env->before);
	}

	memcpy(iv, env->iv, sizeof(iv));
	aead_request_set_callback(env->req, 0, NULL, NULL);
	aead_request_set_ad(env->req, assoc_len);
	aead_request_set_crypt(env->req, env->src.sg, dst->sg, in_len - assoc_len, iv);
	err = encrypt ? crypto_aead_encrypt(env->req) : crypto_aead_decrypt(env->req);

	if (err != status)
		return "status";
	if (!in_place && compare_pieces(&env->src, env->src_area, env->image, in) >= 0)
		return "the source was written";
	/* What a refused message leaves behind is nobody's business. */
	if (!status && compare_pieces(dst, dst_area, env->image, want) >= 0)
		return "wrong bytes";
	return NULL;
}

static void one_message(struct kunit *test, struct env *env,
			unsigned int assoc_len, unsigned int len)
{
	unsigned int plain_len = assoc_len + len, sealed_len = plain_len + BLOCK_LEN;
	u8 *want = env->want;
	const char *error;

	prandom_bytes_state(&env->rng, env->plain, sizeof(env->plain));
	prandom_bytes_state(&env->rng, env->before, sizeof(env->before));
	prandom_bytes_state(&env->rng, env->iv, sizeof(env->iv));
	if (env->ref.mode == MODE_CCM) {
		/* Length field of 3 to 8 bytes, so that all lengths here fit. */
		env->iv[0] = 2 + draw_up_to(&env->rng, 5);
		memset(env->iv + BLOCK_LEN - 1 - env->iv[0], 0, env->iv[0] + 1);
	}
	memcpy(env->sealed, env->plain, assoc_len);
	reference_aead(&env->ref, true, env->iv, env->sealed + plain_len, env->plain,
		       assoc_len, env->sealed + assoc_len, env->plain + assoc_len, len);

	for (unsigned int in_place = 0; in_place < 2; in_place++) {
		memcpy(want, in_place ? env->plain : env->before, MAX_MESSAGE);
		memcpy(want + assoc_len, env->sealed + assoc_len, len + BLOCK_LEN);
		error = run(env, true, in_place, 0, assoc_len, env->plain,
			    plain_len, want, sealed_len);
		KUNIT_ASSERT_TRUE_MSG(test, !error, "encrypt %u+%u bytes, in place %u: %s",
				      assoc_len, len, in_place, error);

		memcpy(want, in_place ? env->sealed : env->before, MAX_MESSAGE);
		memcpy(want + assoc_len, env->plain + assoc_len, len);
		error = run(env, false, in_place, 0, assoc_len, env->sealed,
			    sealed_len, want, plain_len);
		KUNIT_ASSERT_TRUE_MSG(test, !error, "decrypt %u+%u bytes, in place %u: %s",
				      assoc_len, len, in_place, error);

		env->sealed[draw_up_to(&env->rng, sealed_len - 1)] ^= 1 << draw_up_to(&env->rng, 7);
		error = run(env, false, in_place, -EBADMSG, assoc_len, env->sealed,
			    sealed_len, want, plain_len);
		KUNIT_ASSERT_TRUE_MSG(test, !error, "forged %u+%u bytes, in place %u: %s",
				      assoc_len, len, in_place, error);
		/* As it was. */
		memcpy(env->sealed, env->plain, assoc_len);
		reference_aead(&env->ref, true, env->iv, env->sealed + plain_len,
			       env->plain, assoc_len, env->sealed + assoc_len,
			       env->plain + assoc_len, len);
	}
}

/* The text may be empty; then the driver is asked for nothing, and says 0. */
static void aead(struct kunit *test)
{
	static const unsigned int assoc_lengths[] = { 0, 1, 8, 15, 16, 20, 31, 64 };
	static const unsigned int lengths[] = {
		0, 1, 15, 16, 17, 31, 32, 63, 64, 65, 255, 256, 495, 496, 497, 511,
		512, 513, 528, 1023, 1024, 1420, 2048,
	};
	struct env *env = start(test);

	for (unsigned int size = CIPHER_MIN_KEY; size <= CIPHER_MAX_KEY; size += 8) {
		u8 key[CIPHER_MAX_KEY];

		prandom_bytes_state(&env->rng, key, sizeof(key));
		KUNIT_ASSERT_EQ(test, 0, crypto_aead_setkey(env->tfm, key, size));
		KUNIT_ASSERT_EQ(test, 0, reference_setkey(&env->ref, key, size));
		for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
			one_message(test, env,
				    assoc_lengths[(i + size) % ARRAY_SIZE(assoc_lengths)],
				    lengths[i]);
	}
}

/* Refused with an error that says so; expect_no_warning() looks at the rest. */
static void nonsense(struct kunit *test)
{
	const struct driver_row *row = test->param_value;
	struct crypto_skcipher *skcipher;
	struct crypto_shash *shash;
	struct crypto_aead *tfm;
	int err;

	switch (row->mode) {
	case MODE_NO_SKCIPHER:
		skcipher = crypto_alloc_skcipher(row->name, 0, 0);
		err = PTR_ERR_OR_ZERO(skcipher);
		if (!err)
			crypto_free_skcipher(skcipher);
		break;
	case MODE_NO_AEAD:
		tfm = crypto_alloc_aead(row->name, 0, 0);
		err = PTR_ERR_OR_ZERO(tfm);
		if (!err)
			crypto_free_aead(tfm);
		break;
	default:
		shash = crypto_alloc_shash(row->name, 0, 0);
		err = PTR_ERR_OR_ZERO(shash);
		if (!err)
			crypto_free_shash(shash);
		break;
	}
	KUNIT_EXPECT_TRUE_MSG(test, err == -ENOENT || err == -EINVAL || err == -ELOOP,
			      "%s: %d", row->name, err);
}

struct kunit_case template_cases[] = {
	KUNIT_CASE_PARAM(aead, all_aead_params),
	KUNIT_CASE_PARAM(nonsense, nonsense_params),
	{}
};
