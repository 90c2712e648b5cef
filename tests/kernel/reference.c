// SPDX-License-Identifier: GPL-2.0
/*
 * The oracle: modes of operation written out over a single-block cipher.
 * Meant to be read beside the specifications, not to be fast.
 */
#include <crypto/internal/cipher.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "crypto_test.h"

static void free_cipher(void *cipher)
{
	crypto_free_cipher(cipher);
}

static struct crypto_cipher *alloc_oracle(struct kunit *test,
					  const struct cipher_row *row)
{
	struct crypto_cipher *cipher = crypto_alloc_cipher(row->oracle, 0, 0);

	if (IS_ERR(cipher))
		cipher = crypto_alloc_cipher(row->name, 0, 0);
	if (IS_ERR(cipher))
		kunit_skip(test, "no single-block cipher %s to compare with", row->name);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_cipher, cipher));
	return cipher;
}

void reference_init(struct kunit *test, struct reference *ref,
		    const struct driver_row *driver)
{
	ref->mode = driver->mode;
	ref->cipher = alloc_oracle(test, driver->cipher);
	ref->tweak = alloc_oracle(test, driver->cipher);
}

unsigned int reference_key_size(enum mode mode, unsigned int cipher_key_size)
{
	switch (mode) {
	case MODE_XTS:
		return 2 * cipher_key_size;
	case MODE_LRW:
		return cipher_key_size + BLOCK_LEN;
	case MODE_RFC3686:
	case MODE_RFC4106:
		return cipher_key_size + 4;
	default:
		return cipher_key_size;
	}
}

int reference_setkey(struct reference *ref, const u8 *key, unsigned int len)
{
	unsigned int extra = reference_key_size(ref->mode, CIPHER_MIN_KEY) - CIPHER_MIN_KEY;
	int err;

	switch (ref->mode) {
	case MODE_XTS:
		len /= 2;
		err = crypto_cipher_setkey(ref->tweak, key + len, len);
		if (err)
			return err;
		break;
	default:
		len -= extra;
		memcpy(ref->extra, key + len, extra);
		break;
	}
	return crypto_cipher_setkey(ref->cipher, key, len);
}

static void xor_bytes(u8 *dst, const u8 *a, const u8 *b, unsigned int len)
{
	while (len--)
		*dst++ = *a++ ^ *b++;
}

/* Adds one to the last @width bytes of @block, a big-endian number. */
static void increment(u8 block[BLOCK_LEN], unsigned int width)
{
	for (unsigned int i = BLOCK_LEN; i > BLOCK_LEN - width; i--)
		if (++block[i - 1])
			break;
}

/* SP 800-38A section 6.1. */
static void ecb(const struct reference *ref, bool encrypt, u8 *dst,
		const u8 *src, unsigned int len)
{
	for (; len >= BLOCK_LEN; len -= BLOCK_LEN) {
		if (encrypt)
			crypto_cipher_encrypt_one(ref->cipher, dst, src);
		else
			crypto_cipher_decrypt_one(ref->cipher, dst, src);
		dst += BLOCK_LEN;
		src += BLOCK_LEN;
	}
}

/* SP 800-38A section 6.2. */
static void cbc(const struct reference *ref, bool encrypt, u8 *iv, u8 *dst,
		const u8 *src, unsigned int len)
{
	u8 block[BLOCK_LEN];

	for (; len >= BLOCK_LEN; len -= BLOCK_LEN) {
		if (encrypt) {
			xor_bytes(block, src, iv, BLOCK_LEN);
			crypto_cipher_encrypt_one(ref->cipher, dst, block);
			memcpy(iv, dst, BLOCK_LEN);
		} else {
			crypto_cipher_decrypt_one(ref->cipher, block, src);
			xor_bytes(dst, block, iv, BLOCK_LEN);
			memcpy(iv, src, BLOCK_LEN);
		}
		dst += BLOCK_LEN;
		src += BLOCK_LEN;
	}
}

/* SP 800-38A section 6.5; the counter is the last @width bytes. */
static void ctr(const struct reference *ref, unsigned int width, u8 *counter,
		u8 *dst, const u8 *src, unsigned int len)
{
	u8 pad[BLOCK_LEN];

	while (len) {
		unsigned int n = min(len, BLOCK_LEN);

		crypto_cipher_encrypt_one(ref->cipher, pad, counter);
		increment(counter, width);
		xor_bytes(dst, src, pad, n);
		dst += n;
		src += n;
		len -= n;
	}
}

/* RFC 3686 section 4. */
static void rfc3686(const struct reference *ref, const u8 *iv, u8 *dst,
		    const u8 *src, unsigned int len)
{
	u8 counter[BLOCK_LEN];

	memcpy(counter, ref->extra, 4);
	memcpy(counter + 4, iv, 8);
	put_unaligned_be32(1, counter + 12);
	ctr(ref, 4, counter, dst, src, len);
}

/* SP 800-38A addendum, CBC-CS3; a single block is plain CBC. */
static void cts(const struct reference *ref, bool encrypt, const u8 *iv,
		u8 *dst, const u8 *src, unsigned int len)
{
	u8 chain[BLOCK_LEN], block[BLOCK_LEN], last[BLOCK_LEN] = {};
	unsigned int tail, head;

	memcpy(chain, iv, BLOCK_LEN);
	if (len <= BLOCK_LEN)
		return cbc(ref, encrypt, chain, dst, src, len);

	tail = (len - 1) % BLOCK_LEN + 1;
	head = len - tail - BLOCK_LEN;
	cbc(ref, encrypt, chain, dst, src, head);
	dst += head;
	src += head;
	memcpy(last, src + BLOCK_LEN, tail);
	if (encrypt) {
		cbc(ref, true, chain, block, src, BLOCK_LEN);
		cbc(ref, true, chain, dst, last, BLOCK_LEN);
		memcpy(dst + BLOCK_LEN, block, tail);
	} else {
		crypto_cipher_decrypt_one(ref->cipher, block, src);
		/* The stolen end of the block before is still in there. */
		memcpy(last + tail, block + tail, BLOCK_LEN - tail);
		xor_bytes(dst + BLOCK_LEN, block, last, tail);
		cbc(ref, false, chain, dst, last, BLOCK_LEN);
	}
}

/* Multiplies by x: IEEE 1619 section 5.2, little-endian. */
static void xts_double(u8 tweak[BLOCK_LEN])
{
	u8 carry = 0;

	for (unsigned int i = 0; i < BLOCK_LEN; i++) {
		u8 next = tweak[i] >> 7;

		tweak[i] = tweak[i] << 1 | carry;
		carry = next;
	}
	if (carry)
		tweak[0] ^= 0x87;
}

static void tweaked_block(const struct reference *ref, bool encrypt,
			  const u8 *tweak, u8 *dst, const u8 *src)
{
	u8 block[BLOCK_LEN];

	xor_bytes(block, src, tweak, BLOCK_LEN);
	ecb(ref, encrypt, block, block, BLOCK_LEN);
	xor_bytes(dst, block, tweak, BLOCK_LEN);
}

/* IEEE 1619 section 5.3. */
static void xts(const struct reference *ref, bool encrypt, const u8 *iv,
		u8 *dst, const u8 *src, unsigned int len)
{
	unsigned int tail = len % BLOCK_LEN;
	unsigned int whole = len - tail - (tail ? BLOCK_LEN : 0);
	u8 tweak[BLOCK_LEN], next[BLOCK_LEN], block[BLOCK_LEN], last[BLOCK_LEN];

	crypto_cipher_encrypt_one(ref->tweak, tweak, iv);
	for (; whole; whole -= BLOCK_LEN) {
		tweaked_block(ref, encrypt, tweak, dst, src);
		xts_double(tweak);
		dst += BLOCK_LEN;
		src += BLOCK_LEN;
	}
	if (!tail)
		return;

	/* The last two blocks; decryption uses their tweaks in reverse. */
	memcpy(next, tweak, BLOCK_LEN);
	xts_double(next);
	tweaked_block(ref, encrypt, encrypt ? tweak : next, block, src);
	memcpy(last, block, BLOCK_LEN);
	memcpy(last, src + BLOCK_LEN, tail);
	tweaked_block(ref, encrypt, encrypt ? next : tweak, dst, last);
	memcpy(dst + BLOCK_LEN, block, tail);
}

/* LRW as in the drafts of IEEE 1619: the IV is the index of the first block. */
static void lrw(const struct reference *ref, bool encrypt, const u8 *iv,
		u8 *dst, const u8 *src, unsigned int len)
{
	u8 index[BLOCK_LEN];

	memcpy(index, iv, BLOCK_LEN);
	for (; len >= BLOCK_LEN; len -= BLOCK_LEN) {
		u64 hi = 0, lo = 0;
		u8 tweak[BLOCK_LEN];

		/* Index times second key in GF(2^128), most significant bit first. */
		for (unsigned int bit = 0; bit < 8 * BLOCK_LEN; bit++) {
			u64 reduce = hi >> 63 ? 0x87 : 0;

			hi = hi << 1 | lo >> 63;
			lo = lo << 1 ^ reduce;
			if (index[bit / 8] & 0x80 >> bit % 8) {
				hi ^= get_unaligned_be64(ref->extra);
				lo ^= get_unaligned_be64(ref->extra + 8);
			}
		}
		put_unaligned_be64(hi, tweak);
		put_unaligned_be64(lo, tweak + 8);
		tweaked_block(ref, encrypt, tweak, dst, src);
		increment(index, BLOCK_LEN);
		dst += BLOCK_LEN;
		src += BLOCK_LEN;
	}
}

void reference_skcipher(const struct reference *ref, bool encrypt, u8 *iv,
			u8 *dst, const u8 *src, unsigned int len)
{
	switch (ref->mode) {
	case MODE_ECB:
		return ecb(ref, encrypt, dst, src, len);
	case MODE_CBC:
		return cbc(ref, encrypt, iv, dst, src, len);
	case MODE_CTR:
		return ctr(ref, BLOCK_LEN, iv, dst, src, len);
	case MODE_RFC3686:
		return rfc3686(ref, iv, dst, src, len);
	case MODE_CTS:
		return cts(ref, encrypt, iv, dst, src, len);
	case MODE_XTS:
		return xts(ref, encrypt, iv, dst, src, len);
	case MODE_LRW:
		return lrw(ref, encrypt, iv, dst, src, len);
	default:
		break;
	}
}

/* SP 800-38D section 6.3: bits in the order of the bytes' bits, first to last. */
static void ghash_block(u8 hash[BLOCK_LEN], const u8 key[BLOCK_LEN],
			const u8 *data, unsigned int len)
{
	u64 hi = 0, lo = 0, vhi = get_unaligned_be64(key), vlo = get_unaligned_be64(key + 8);

	xor_bytes(hash, hash, data, len);
	for (unsigned int bit = 0; bit < 8 * BLOCK_LEN; bit++) {
		u64 reduce = vlo & 1 ? 0xe1ULL << 56 : 0;

		if (hash[bit / 8] & 0x80 >> bit % 8) {
			hi ^= vhi;
			lo ^= vlo;
		}
		vlo = vlo >> 1 | vhi << 63;
		vhi = vhi >> 1 ^ reduce;
	}
	put_unaligned_be64(hi, hash);
	put_unaligned_be64(lo, hash + 8);
}

static void ghash(u8 hash[BLOCK_LEN], const u8 key[BLOCK_LEN],
		  const u8 *data, unsigned int len)
{
	for (unsigned int n; len; len -= n, data += n) {
		n = min(len, BLOCK_LEN);
		ghash_block(hash, key, data, n);
	}
}

/* SP 800-38D section 7, with a 12-byte IV. */
static void gcm(const struct reference *ref, bool encrypt, const u8 *iv,
		u8 tag[BLOCK_LEN], const u8 *assoc, unsigned int assoc_len,
		u8 *dst, const u8 *src, unsigned int len)
{
	u8 key[BLOCK_LEN] = {}, hash[BLOCK_LEN] = {}, lengths[BLOCK_LEN];
	u8 counter[BLOCK_LEN], pad[BLOCK_LEN];

	crypto_cipher_encrypt_one(ref->cipher, key, key);
	memcpy(counter, iv, 12);
	put_unaligned_be32(1, counter + 12);
	crypto_cipher_encrypt_one(ref->cipher, pad, counter);
	increment(counter, 4);
	ctr(ref, 4, counter, dst, src, len);

	ghash(hash, key, assoc, assoc_len);
	ghash(hash, key, encrypt ? dst : src, len);
	put_unaligned_be64(8ULL * assoc_len, lengths);
	put_unaligned_be64(8ULL * len, lengths + 8);
	ghash(hash, key, lengths, BLOCK_LEN);
	xor_bytes(tag, hash, pad, BLOCK_LEN);
}

/* RFC 4106: the end of what is associated is the IV once more. */
static void rfc4106(const struct reference *ref, bool encrypt, const u8 *iv,
		    u8 tag[BLOCK_LEN], const u8 *assoc, unsigned int assoc_len,
		    u8 *dst, const u8 *src, unsigned int len)
{
	u8 nonce[12];

	memcpy(nonce, ref->extra, 4);
	memcpy(nonce + 4, iv, 8);
	gcm(ref, encrypt, nonce, tag, assoc, assoc_len - 8, dst, src, len);
}

/* Chains @len bytes into @mac, which already took @filled bytes of a block. */
static unsigned int cbcmac(const struct reference *ref, u8 mac[BLOCK_LEN],
			   unsigned int filled, const u8 *data, unsigned int len)
{
	while (len--) {
		mac[filled++] ^= *data++;
		if (filled == BLOCK_LEN) {
			crypto_cipher_encrypt_one(ref->cipher, mac, mac);
			filled = 0;
		}
	}
	return filled;
}

static void cbcmac_pad(const struct reference *ref, u8 mac[BLOCK_LEN],
		       unsigned int filled)
{
	if (filled)
		crypto_cipher_encrypt_one(ref->cipher, mac, mac);
}

/* SP 800-38C appendix A, with less than 0xff00 bytes of AAD. */
static void ccm(const struct reference *ref, bool encrypt, const u8 *iv,
		u8 tag[BLOCK_LEN], unsigned int tag_len,
		const u8 *assoc, unsigned int assoc_len,
		u8 *dst, const u8 *src, unsigned int len)
{
	u8 mac[BLOCK_LEN], counter[BLOCK_LEN], pad[BLOCK_LEN], prefix[2];
	unsigned int filled, length_size = iv[0] + 1;

	memcpy(counter, iv, BLOCK_LEN);
	memset(counter + BLOCK_LEN - length_size, 0, length_size);
	memcpy(mac, counter, BLOCK_LEN);
	mac[0] |= (tag_len - 2) / 2 << 3 | (assoc_len ? 0x40 : 0);
	for (unsigned int i = 0; i < min(length_size, 4); i++)
		mac[BLOCK_LEN - 1 - i] = len >> 8 * i;

	crypto_cipher_encrypt_one(ref->cipher, mac, mac);
	crypto_cipher_encrypt_one(ref->cipher, pad, counter);
	increment(counter, length_size);
	ctr(ref, length_size, counter, dst, src, len);

	if (assoc_len) {
		put_unaligned_be16(assoc_len, prefix);
		filled = cbcmac(ref, mac, 0, prefix, sizeof(prefix));
		filled = cbcmac(ref, mac, filled, assoc, assoc_len);
		cbcmac_pad(ref, mac, filled);
	}
	filled = cbcmac(ref, mac, 0, encrypt ? src : dst, len);
	cbcmac_pad(ref, mac, filled);
	xor_bytes(tag, mac, pad, BLOCK_LEN);
}

void reference_aead(const struct reference *ref, bool encrypt, const u8 *iv,
		    u8 tag[BLOCK_LEN], unsigned int tag_len, const u8 *assoc,
		    unsigned int assoc_len, u8 *dst, const u8 *src, unsigned int len)
{
	switch (ref->mode) {
	case MODE_GCM:
		return gcm(ref, encrypt, iv, tag, assoc, assoc_len, dst, src, len);
	case MODE_RFC4106:
		return rfc4106(ref, encrypt, iv, tag, assoc, assoc_len, dst, src, len);
	case MODE_CCM:
		return ccm(ref, encrypt, iv, tag, tag_len, assoc, assoc_len, dst, src, len);
	default:
		break;
	}
}
