// SPDX-License-Identifier: GPL-2.0
/*
 * Combinations of templates and drivers that make no sense.  Those that do are
 * rows of the other tests.
 */
#include <crypto/aead.h>
#include <crypto/hash.h>
#include <crypto/skcipher.h>

#include "crypto_test.h"

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
	KUNIT_CASE_PARAM(nonsense, nonsense_params),
	{}
};
