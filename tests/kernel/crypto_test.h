/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of crypto drivers from within the kernel: what the files share.
 *
 * One test body per kind of algorithm; the ciphers and their drivers are rows
 * of the tables in crypto_test.c.
 */
#ifndef RFL_CRYPTO_TEST_H
#define RFL_CRYPTO_TEST_H

#include <linux/crypto.h>
#include <linux/prandom.h>
#include <linux/scatterlist.h>
#include <linux/types.h>

#include "ktest.h"

#define BLOCK_LEN	16
#define CIPHER_MIN_KEY	16
#define CIPHER_MAX_KEY	32
/* XTS: twice the cipher's. */
#define MAX_KEY		(2 * CIPHER_MAX_KEY)

/* What free bytes around the data are filled with. */
#define CANARY		0xa5

/**
 * struct cipher_row - a block cipher with 128-bit blocks and keys of 16, 24, 32 bytes
 * @name: algorithm name
 * @oracle: single-block driver of the kernel to compare with; without it, any
 * @key: key of the known answers, of which shorter keys are the beginning
 * @plaintext: block that is encrypted
 * @ciphertext: what becomes of it under the keys of 16, 24 and 32 bytes
 */
struct cipher_row {
	const char *name;
	const char *oracle;
	u8 key[CIPHER_MAX_KEY];
	u8 plaintext[BLOCK_LEN];
	u8 ciphertext[3][BLOCK_LEN];
};

enum mode {
	MODE_SINGLE,
	/* Whole blocks, or at least one. */
	MODE_ECB,
	MODE_LRW,
	MODE_XTS,
	MODE_CTS,
	MODE_CBC,
	/* Any length. */
	MODE_CTR,
	MODE_RFC3686,
	MODE_GCM,
	MODE_RFC4106,
	MODE_CCM,
	/* Names that the core has to refuse. */
	MODE_NO_SKCIPHER,
	MODE_NO_AEAD,
	MODE_NO_SHASH,
	/* No cipher at all. */
	MODE_SHASH,
};

/**
 * struct driver_row - a driver to be tested
 * @cipher: the block cipher; none for a hash
 * @mode: what the driver makes of it
 * @name: driver name, possibly of a template instance
 * @found: whether it is registered, or can be made
 */
struct driver_row {
	const struct cipher_row *cipher;
	enum mode mode;
	char name[CRYPTO_MAX_ALG_NAME];
	bool found;
};

/* The driver inside all templates, the first one of the innermost. */
void innermost(const char *name, char inner[CRYPTO_MAX_ALG_NAME]);

/*
 * Parameters of test cases: all drivers of a kind, for the case that reports
 * the missing ones as skipped...
 */
const void *all_single_params(struct kunit *test, const void *prev, char *desc);
const void *all_skcipher_params(struct kunit *test, const void *prev, char *desc);
const void *all_aead_params(struct kunit *test, const void *prev, char *desc);
const void *all_shash_params(struct kunit *test, const void *prev, char *desc);
/* ... and those that are there. */
const void *single_params(struct kunit *test, const void *prev, char *desc);
const void *skcipher_params(struct kunit *test, const void *prev, char *desc);
const void *aead_params(struct kunit *test, const void *prev, char *desc);
/* No instances of templates. */
const void *native_params(struct kunit *test, const void *prev, char *desc);
const void *native_aead_params(struct kunit *test, const void *prev, char *desc);
/* With lengths that are refused. */
const void *block_params(struct kunit *test, const void *prev, char *desc);
/* With an IV that goes on from one request to the next. */
const void *chaining_params(struct kunit *test, const void *prev, char *desc);
const void *xts_params(struct kunit *test, const void *prev, char *desc);
const void *ctr_params(struct kunit *test, const void *prev, char *desc);
const void *shash_params(struct kunit *test, const void *prev, char *desc);
const void *nonsense_params(struct kunit *test, const void *prev, char *desc);

extern struct kunit_case cipher_cases[];
extern struct kunit_case skcipher_cases[];
extern struct kunit_case aead_cases[];
extern struct kunit_case shash_cases[];
extern struct kunit_case template_cases[];

/* Seeds a generator so that each test draws the same whatever runs before. */
void seed_rng(struct rnd_state *rng, const struct driver_row *driver);

/* Returns a number from 0 to @max. */
static inline u32 draw_up_to(struct rnd_state *rng, u32 max)
{
	return prandom_u32_state(rng) % (max + 1);
}

/* Returns the length of a key for the cipher. */
static inline unsigned int draw_key_size(struct rnd_state *rng)
{
	return CIPHER_MIN_KEY + 8 * draw_up_to(rng, 2);
}

/* Zeroed, linearly mapped memory that is freed at the end of the test. */
void *test_zalloc(struct kunit *test, size_t size);

/* Whether an algorithm is one of this project's, from a module "..._rust". */
bool is_ours(const struct crypto_alg *alg);

/**
 * struct reference - a mode in plain code over a single-block cipher
 * @mode: the mode
 * @cipher: does the data
 * @tweak: does the tweak of XTS
 * @extra: what the key holds beside the key of the cipher: nonce of RFC 3686,
 *	salt of RFC 4106, second key of LRW
 *
 * Setting the key aside, any number of calls may run at once, in any context.
 */
struct reference {
	enum mode mode;
	struct crypto_cipher *cipher;
	struct crypto_cipher *tweak;
	u8 extra[BLOCK_LEN];
};

/* Skips the test if there is no oracle for the cipher of @driver. */
void reference_init(struct kunit *test, struct reference *ref,
		    const struct driver_row *driver);
unsigned int reference_key_size(enum mode mode, unsigned int cipher_key_size);
int reference_setkey(struct reference *ref, const u8 *key, unsigned int len);
/* @iv is advanced where the mode defines what it is after a request. */
void reference_skcipher(const struct reference *ref, bool encrypt, u8 *iv,
			u8 *dst, const u8 *src, unsigned int len);
/*
 * Encrypts, or decrypts and makes the tag that should have been there, of which
 * @tag_len bytes are the tag: CCM has the length in all of it.
 */
void reference_aead(const struct reference *ref, bool encrypt, const u8 *iv,
		    u8 tag[BLOCK_LEN], unsigned int tag_len, const u8 *assoc, unsigned int assoc_len,
		    u8 *dst, const u8 *src, unsigned int len);

/* Calls a function in a context. */
typedef void (context_t)(void (*function)(void *arg), void *arg);

context_t call_without_softirqs;
context_t call_without_interrupts;
context_t call_in_softirq;
#if (defined(CONFIG_X86) && !defined(CONFIG_UML)) || defined(CONFIG_CRYPTO_SELFTESTS_FULL)
#define CAN_FORBID_SIMD
context_t call_without_simd;
#endif

#define MAX_PIECES	1024
#define MAX_GAP		31
#define GUARD		64

/**
 * struct pieces - where in an area some bytes lie, and the scatterlist for it
 * @count: number of pieces
 * @end: one past the last byte
 * @piece: place and length of each piece
 * @sg: the same as a scatterlist
 */
struct pieces {
	unsigned int count;
	unsigned int end;
	struct {
		unsigned int at;
		unsigned int len;
	} piece[MAX_PIECES];
	struct scatterlist sg[MAX_PIECES];
};

/* Where source and destination of a request are. */
enum place {
	SEPARATE,
	/* One scatterlist for source and destination. */
	IN_PLACE,
	/* Two scatterlists of the same bytes. */
	TWO_LISTS,
	PLACES,
};

extern const char * const place_names[PLACES];

/* Size of an area for @len bytes in whatever pieces. */
#define AREA_SIZE(len) \
	((len) + PAGE_SIZE + MAX_PIECES * (MAX_GAP + 1) + GUARD)

/*
 * Cuts @len bytes from @offset of @area on into pieces of at most @max_piece
 * bytes (0: one piece) with up to @max_gap bytes between them.
 */
void cut(struct pieces *pieces, struct rnd_state *rng, u8 *area,
	 unsigned int offset, unsigned int len, unsigned int max_piece,
	 unsigned int max_gap);
/* Cuts the same bytes as @whole in another way. */
void cut_again(struct pieces *pieces, const struct pieces *whole,
	       struct rnd_state *rng, u8 *area, unsigned int max_piece);
/* Fills the area with canaries, and the pieces with @bytes. */
void put_pieces(const struct pieces *pieces, u8 *area, const u8 *bytes);
/*
 * Returns the first place where the area is not what put_pieces() would make
 * of it, or -1. @image is scratch memory as large as the area.
 */
int compare_pieces(const struct pieces *pieces, const u8 *area, u8 *image,
		   const u8 *bytes);

#endif /* RFL_CRYPTO_TEST_H */
