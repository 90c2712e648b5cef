/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Camellia (RFC 3713) in ECB, CBC, CTR and XTS mode, byte-sliced, with GFNI and AVX-512.
 *
 * Tiers, instantiated at the foot of the file:
 *
 *	gfni_avx512vl	AVX-512VL, 256-bit vectors, 32 registers, 32 blocks. CPUs as
 *			below, without the lower clock that some have for 512 bits.
 *			Two batches at a time, as one does not keep the ports busy.
 *	gfni_avx512	AVX-512, 512-bit vectors, 64 blocks. Intel since Ice Lake, AMD
 *			since Zen 4. Leaves what fits into 256-bit vectors to those.
 *
 * A batch stays in registers, and of two batches half of each; modes.h has what is around
 * the rounds.
 *
 * What is not here, and why: two batches of 512-bit vectors. They would take twice the
 * stack, and on Zen 4, which stores such a vector in two cycles, they are slower than one.
 */

#include <linux/linkage.h>
#include "camellia.h"
#include "features.h"
#include "modes.h"
#include "camellia-gfni.h"

/*
 * void rfl_camellia_<mode>_<tier>(const struct SlicedSchedule *keys, u8 *dst,
 *				   const u8 *src, size_t len, u8 iv[16]);
 *
 * Modes ecb, cbc_dec, ctr, xts as in modes.h.
 */
_only_features avx512f, avx512bw, avx512dq, avx512vl, bmi2, gfni

_set_camellia_veclen 32
SYM_FUNC_START(rfl_camellia_ecb_gfni_avx512vl)
	_function_of_two camellia, ecb
SYM_FUNC_END(rfl_camellia_ecb_gfni_avx512vl)

SYM_FUNC_START(rfl_camellia_cbc_dec_gfni_avx512vl)
	_function_of_two camellia, cbc_dec
SYM_FUNC_END(rfl_camellia_cbc_dec_gfni_avx512vl)

SYM_FUNC_START(rfl_camellia_ctr_gfni_avx512vl)
	_function_of_two camellia, ctr
SYM_FUNC_END(rfl_camellia_ctr_gfni_avx512vl)

SYM_FUNC_START(rfl_camellia_xts_gfni_avx512vl)
	_function_of_two camellia, xts
SYM_FUNC_END(rfl_camellia_xts_gfni_avx512vl)

#ifdef CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX512
_set_camellia_veclen 64
SYM_FUNC_START(rfl_camellia_ecb_gfni_avx512)
	_function	camellia, ecb, 512, rfl_camellia_ecb_gfni_avx512vl
SYM_FUNC_END(rfl_camellia_ecb_gfni_avx512)

SYM_FUNC_START(rfl_camellia_cbc_dec_gfni_avx512)
	_function	camellia, cbc_dec, 512, rfl_camellia_cbc_dec_gfni_avx512vl
SYM_FUNC_END(rfl_camellia_cbc_dec_gfni_avx512)

SYM_FUNC_START(rfl_camellia_ctr_gfni_avx512)
	_function	camellia, ctr, 512, rfl_camellia_ctr_gfni_avx512vl
SYM_FUNC_END(rfl_camellia_ctr_gfni_avx512)

SYM_FUNC_START(rfl_camellia_xts_gfni_avx512)
	_function	camellia, xts, 512, rfl_camellia_xts_gfni_avx512vl
SYM_FUNC_END(rfl_camellia_xts_gfni_avx512)
#endif
