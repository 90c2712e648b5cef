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

.macro	_tail_gfni_avx
	_tail_128	GFNI, gfni_avx
.endm

.macro	_tail_gfni_avx2
	_tail_256	GFNI, gfni_avx2
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
