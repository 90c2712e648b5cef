/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Camellia (RFC 3713) in ECB, CBC, CTR and XTS mode, byte-sliced, with GFNI and without
 * AVX-512.
 *
 * Tiers:
 *
 *	gfni_avx	AVX, 128-bit vectors, 16 blocks. For the other one's use.
 *	gfni_avx2	AVX2, 256-bit vectors, 32 blocks. Intel since Alder Lake, and
 *			CPUs whose AVX-512 is not to be used. Leaves 16 blocks and less
 *			to the first.
 *
 * The text is in camellia-vex.h.
 */

#include "camellia-vex.h"

.macro	_tail_gfni_avx
	mov		SCRATCH, INPUT
	call		rfl_camellia_blocks_gfni_avx
	_save_output
.endm

.macro	_tail_gfni_avx2
	mov		SCRATCH, INPUT
	call		rfl_camellia_blocks_gfni_avx2
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
_only_features avx, gfni
_set_tier 16, GFNI
_cores gfni_avx
_functions camellia, gfni_avx

_only_features avx, avx2, gfni
_set_tier 32, GFNI
_cores gfni_avx2
_functions camellia, gfni_avx2, 256, gfni_avx
