/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ARIA (RFC 5794) in ECB, CBC, CTR and XTS mode, byte-sliced, with AES-NI.
 *
 * Tiers:
 *
 *	aesni_avx	AVX, 128-bit vectors, 16 blocks. Intel since Sandy Bridge,
 *			AMD since Bulldozer.
 *	aesni_avx2	AVX2, 256-bit vectors, 32 blocks. Intel since Haswell, AMD
 *			since Excavator. Leaves 16 blocks and less to the first.
 *	vaes_avx2	The same with VAES. Of use on AMD's Zen 3, as others that have
 *			it have GFNI.
 *
 * The text is in aria-vex.h, that for few blocks in aria-few.h.
 */

#include "aria-vex.h"

.macro	_tail_aesni_avx
	_tail_128	AESNI, aesni_avx
.endm

.macro	_tail_aesni_avx2
	_batch_tail	32, AESNI, aesni_avx2
.endm

.macro	_tail_vaes_avx2
	_tail_256	VAES, vaes_avx2
.endm

/*
 * void rfl_aria_<mode>_<tier>(const struct Schedule *keys, u8 *dst,
 *			       const u8 *src, size_t len, u8 iv[16],
 *			       u8 scratch[16 * VL]);
 *
 * ecb		Encrypt or decrypt, as @keys has it, each block by itself.
 * cbc_dec	Decrypt in CBC mode. @iv becomes the last block of ciphertext.
 * ctr		XOR the encryptions of @iv, @iv + 1, ... to the text. @iv is big-endian,
 *		has 128 bits and wraps; it is advanced by the blocks done, a partial
 *		one included.
 * xts		Encrypt or decrypt, as @keys has it, each block between two additions
 *		of its tweak. @iv is the first tweak, and advanced by the blocks done.
 *
 * @len is a multiple of 16 except in CTR mode. @dst is @src or does not overlap it,
 * and has any alignment. @scratch is aligned to VL bytes; it holds secrets on return,
 * for the caller to wipe. The vector registers must be the caller's to clobber; on
 * return they are zero. The stack holds return addresses only.
 */
_only_features aes, avx
_few_core quarter, 16, 0, 1
_few_core half, 16, 0, 1
_set_tier 16, AESNI
_cores aesni_avx
_functions aria, aesni_avx

#ifdef CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX2
_only_features aes, avx, avx2
_set_tier 32, AESNI
_cores aesni_avx2
_functions aria, aesni_avx2, 256, aesni_avx

_only_features aes, avx, avx2, vaes
_few_core quarter, 32, 0, 1
_few_core half, 32, 0, 1
_set_tier 32, VAES
_cores vaes_avx2
_functions aria, vaes_avx2
#endif
