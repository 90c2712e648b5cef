/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Camellia (RFC 3713) in ECB, CBC, CTR and XTS mode, byte-sliced, with AES-NI.
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
 * The text is in camellia-vex.h.
 */

#include "camellia-vex.h"

.macro	_tail_aesni_avx
	mov		SCRATCH, INPUT
	call		rfl_camellia_blocks_aesni_avx
	_save_output
.endm

.macro	_tail_aesni_avx2
	mov		SCRATCH, INPUT
	call		rfl_camellia_blocks_aesni_avx2
	_save_output
.endm

.macro	_tail_vaes_avx2
	mov		SCRATCH, INPUT
	call		rfl_camellia_blocks_vaes_avx2
	_save_output
.endm

/*
 * void rfl_camellia_<mode>_<tier>(const struct SlicedSchedule *keys, u8 *dst,
 *				   const u8 *src, size_t len, u8 iv[16],
 *				   u8 scratch[16 * VL]);
 *
 * Modes ecb, cbc_dec, ctr, xts as in modes.h, but for these: @scratch is aligned to VL
 * bytes, and holds secrets on return, for the caller to wipe. The stack holds return
 * addresses only.
 */
_only_features aes, avx
_set_tier 16, AESNI
_cores aesni_avx
_functions camellia, aesni_avx

#ifdef CONFIG_RFL_CRYPTO_CAMELLIA_AESNI_AVX2
_only_features aes, avx, avx2
_set_tier 32, AESNI
_cores aesni_avx2
_functions camellia, aesni_avx2, 256, aesni_avx

_only_features aes, avx, avx2, vaes
_set_tier 32, VAES
_cores vaes_avx2
_functions camellia, vaes_avx2, 256, aesni_avx
#endif
