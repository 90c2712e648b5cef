/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ARIA (RFC 5794) in ECB, CBC, CTR and XTS mode, with GFNI and without AVX-512.
 *
 * Tiers:
 *
 *	gfni_avx	AVX, 128-bit vectors, 16 blocks.
 *	gfni_avx2	AVX2, 256-bit vectors, 32 blocks. Intel since Alder Lake, and
 *			CPUs whose AVX-512 is not to be used.
 *
 * The text is in aria-vex.h, that for few blocks in aria-few.h.
 */

#include "aria-vex.h"
#include "aria-few.h"

.macro	_tail_gfni_avx
	cmp		$4*16, LEN
	ja		.Lmore_than_4_\@
	_few_tail	quarter, 16, 4
	jmp		.Ldone_\@
.Lmore_than_4_\@:
	cmp		$8*16, LEN
	ja		.Lmore_than_8_\@
	_few_tail	half, 16, 8
	jmp		.Ldone_\@
.Lmore_than_8_\@:
	_set_tier	16, GFNI
	mov		SCRATCH, INPUT
	call		rfl_aria_blocks_gfni_avx
	_save_output
.Ldone_\@:
.endm

.macro	_tail_gfni_avx2
	cmp		$4*16, LEN
	ja		.Lmore_than_4_\@
	_few_tail	quarter, 16, 4
	jmp		.Ldone_\@
.Lmore_than_4_\@:
	cmp		$8*16, LEN
	ja		.Lmore_than_8_\@
	_few_tail	quarter, 32, 4
	jmp		.Ldone_\@
.Lmore_than_8_\@:
	cmp		$16*16, LEN
	ja		.Lmore_than_16_\@
	_few_tail	half, 32, 8
	jmp		.Ldone_\@
.Lmore_than_16_\@:
	_set_tier	32, GFNI
	mov		SCRATCH, INPUT
	call		rfl_aria_blocks_gfni_avx2
	_save_output
.Ldone_\@:
.endm

/*
 * The functions are those of aria-aesni.S, but for the name of the tier.
 */
_only_features avx, gfni
_few_core quarter, 16
_few_core half, 16
_set_tier 16, GFNI
_cores gfni_avx
_functions aria, gfni_avx

#ifdef CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX2
_only_features avx, avx2, gfni
_few_core quarter, 32
_few_core half, 32
_set_tier 32, GFNI
_cores gfni_avx2
_functions aria, gfni_avx2
#endif
