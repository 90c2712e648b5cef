/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ARIA (RFC 5794) in ECB, CBC, CTR and XTS mode, byte-sliced, with GFNI and AVX-512.
 *
 * Tiers, instantiated at the foot of the file:
 *
 *	gfni_avx512vl	AVX-512VL, 256-bit vectors, 32 registers, 32 blocks. CPUs as
 *			below, without the lower clock that some have for 512 bits.
 *			Leaves 16 blocks and less to aria-gfni-few.S.
 *	gfni_avx512	AVX-512, 512-bit vectors, 64 blocks. Intel since Ice Lake, AMD
 *			since Zen 4. Leaves up to 48 blocks to the former, whose 32
 *			and the few behind them take no longer than 64 here.
 *
 * The state stays in registers; modes.h has what is around the rounds. Substitution
 * is an affine map and an inversion in GF(2^8), one before the other, which is one
 * instruction for S1 and S2, and two for X1 and X2. Diffusion is 32 additions of three
 * vectors a round and 9 of two, those of the round key included.
 *
 * What is not here, and why: a second batch in flight, as one has work enough for all
 * ports.
 */

#include <linux/linkage.h>
#include "aria.h"
#include "features.h"
#include "modes.h"

.section .rodata
.p2align 4
#include "aria-consts.S"

.Lgfni_identity:
	.byte	0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01

.text

.set	PAIRS,		TMP1_32
.set	ROUND_KEYS,	TMP0
.set	ROUND_KEYS_32,	TMP0_32

// V0 to V15 are the state. Here are the sums of rows and columns, and the matrices.
.macro	_set_aria_veclen vl
	_set_mode_veclen \vl
.set	ROW0,		V16
.set	ROW1,		V17
.set	ROW2,		V18
.set	ROW3,		V19
.set	COLUMN0,	V20
.set	COLUMN1,	V21
.set	COLUMN2,	V22
.set	COLUMN3,	V23
.set	MATRIX_S1,	V24
.set	MATRIX_S2,	V25
.set	MATRIX_X1,	V26
.set	MATRIX_X2,	V27
.set	IDENTITY,	V28
.endm

//------------------------------------------------------------------------------
// The grid
//
// Let byte i of word w of the state stand in row i ^ (0, 3, 0, 3)[w] and in column
// i ^ (0, 1, 1, 0)[w] of a grid of 4 x 4. The diffusion layer, seven inputs for each
// output, then is: for every place, the byte that stands there, plus the sum of row
// r ^ 2, plus the sum of column c ^ 2, where one byte is in both sums and drops out.
// What results at a place is byte i ^ (3, 1, 2, 0)[w] of word w. So in the even rounds
// the bytes of the state are in other registers than in the odd ones; the next
// diffusion puts them back.
//
// The round key goes into the sums where it can, as a third operand: Schedule's
// Form of it has, in the order of the grid, what to add to the sums of the rows in
// column 0, to the sums of columns 1 to 3 in row 0, and to the bytes themselves, before
// they are summed up, elsewhere. Column 0 needs none.

// For row \r and column \c in a round of parity \even (0 in odd rounds), set
//
//	BYTE	the register of the byte that stands there
//	SBOX	which S-box it meets: 0 to 3 for S1, S2, X1, X2
//	NEXT	which S-box what results there meets in the next round
//	KEY	offset of the round key
.macro	_at		r, c, even
.set	WORD,		((\r) ^ (\c)) >> 1 | (((\r) ^ (\c)) & 1) << 1
.set	INDEX_IN_WORD,	(\r) ^ (3 * (WORD & 1))
.set	MOVE,		3 ^ (WORD >> 1) ^ ((WORD & 1) << 1)
.set	SBOX,		(INDEX_IN_WORD + 2 * (\even)) & 3
.set	NEXT,		((INDEX_IN_WORD ^ MOVE) + 2 * (1 - (\even))) & 3
.set	PLACE,		(4 * WORD + INDEX_IN_WORD) ^ ((\even) * MOVE)
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.if PLACE == \i
.set	BYTE,		V\i
.endif
.endr
.set	KEY,		(\even) * ARIA_SLICED_LAYER + 4 * (4 * (\r) + (\c))
.endm

// Set ROW and COLUMN to the sums of row \r and column \c.
.macro	_sums		r, c
.irp n, 0, 1, 2, 3
.if (\r) == \n
.set	ROW,		ROW\n
.endif
.if (\c) == \n
.set	COLUMN,		COLUMN\n
.endif
.endr
.endm

//------------------------------------------------------------------------------
// Rounds
//
// The order of instructions matters as much as their number. All compete for two ports
// in 512-bit code on Intel CPUs, one of which takes GFNI; AMD's Zen 4 is slow on sums of
// three that are all still to come. So GFNI comes in groups, the matrices in front of
// inversions while bytes of the state are still being put together.

// \sum = \sum + \a + \b
.macro	_add_two	a, b, sum
	vpternlogd	$0x96, \a, \b, \sum
.endm

// The same with the bytes at two places.
.macro	_add_places	even, r0, c0, r1, c1, sum
	_at		\r0, \c0, \even
.set	OTHER,		BYTE
	_at		\r1, \c1, \even
	_add_two	OTHER, BYTE, \sum
.endm

// \x = \x + the round key that belongs to the place
.macro	_add_key	x
.if VL == 32
	vpxord		KEY(ROUND_KEYS){1to8}, \x, \x
.else
	vpxord		KEY(ROUND_KEYS){1to16}, \x, \x
.endif
.endm

// \sum = \sum + \a + the round key that belongs to the place
.macro	_add_key_and	a, sum
.if VL == 32
	vpternlogd	$0x96, KEY(ROUND_KEYS){1to8}, \a, \sum
.else
	vpternlogd	$0x96, KEY(ROUND_KEYS){1to16}, \a, \sum
.endif
.endm

// Apply what S-box number \sbox has in front of its inversion to BYTE.
.macro	_map		sbox
.if \sbox == 2
	vgf2p8affineqb	$GFNI_X1_ADD, MATRIX_X1, BYTE, BYTE
.elseif \sbox == 3
	vgf2p8affineqb	$GFNI_X2_ADD, MATRIX_X2, BYTE, BYTE
.endif
.endm

// Substitute the bytes of row \r, which have been through _map.
.macro	_invert_row	even, r
.irp c, 0, 1, 2, 3
	_at		\r, \c, \even
.if SBOX == 0
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, BYTE, BYTE
.elseif SBOX == 1
	vgf2p8affineinvqb $GFNI_S2_ADD, MATRIX_S2, BYTE, BYTE
.else
	vgf2p8affineinvqb $0, IDENTITY, BYTE, BYTE
.endif
.endr
.endm

// Add the round key to the bytes of row \r, and sum them up.
.macro	_sum_row	even, r
.if \r
.irp c, 1, 2, 3
	_at		\r, \c, \even
	_add_key	BYTE
.endr
.endif
	_sums		\r, 0
	_at		\r, 0, \even
	vmovdqa64	BYTE, ROW
	_add_places	\even, \r, 1, \r, 2, ROW
	_at		\r, 3, \even
.set	OTHER,		BYTE
	_at		\r, 0, \even
	_add_key_and	OTHER, ROW
.endm

// Sum up the bytes of column \c but for row 0.
.macro	_sum_column	even, c
	_sums		0, \c
	_at		1, \c, \even
	vmovdqa64	BYTE, COLUMN
	_add_places	\even, 2, \c, 3, \c, COLUMN
.endm

// Add the byte in row 0 to the sum of column \c.
.macro	_end_column	even, c
	_sums		0, \c
	_at		0, \c, \even
.if \c
	_add_key_and	BYTE, COLUMN
.else
	vpxord		BYTE, COLUMN, COLUMN
.endif
.endm

// Make the bytes that result in row \r.
.macro	_diffuse_row	even, r
.irp c, 0, 1, 2, 3
	_sums		(\r)^2, \c^2
	_at		\r, \c, \even
	_add_two	ROW, COLUMN, BYTE
.endr
.endm

// Put what results in row \r through _map.
.macro	_map_row	even, r
.irp c, 0, 1, 2, 3
	_at		\r, \c, \even
	_map		NEXT
.endr
.endm

// A round of parity \even, on a state that has been through _map, as is the result.
.macro	_round		even
.irp r, 3, 2, 1
	_invert_row	\even, \r
	_sum_row	\even, \r
.endr
.irp c, 0, 1, 2, 3
	_sum_column	\even, \c
.endr
	_invert_row	\even, 0
	_sum_row	\even, 0
.irp c, 0, 1, 2, 3
	_end_column	\even, \c
.endr

	// What results in two of the rows meets X1 and X2.
.set	MAPPED,		2 * (1 - \even)
	_diffuse_row	\even, MAPPED
	_diffuse_row	\even, MAPPED+1
	_map_row	\even, MAPPED
	_map_row	\even, MAPPED+1
	_diffuse_row	\even, MAPPED^2
	_diffuse_row	\even, (MAPPED+1)^2
.endm

// All rounds. The first is odd and the last is even, which has no diffusion.
.macro	_aria_rounds
	vpbroadcastq	.Lgfni_s(%rip), MATRIX_S1
	vpbroadcastq	.Lgfni_s+8(%rip), MATRIX_S2
	vpbroadcastq	.Lgfni_x(%rip), MATRIX_X1
	vpbroadcastq	.Lgfni_x+8(%rip), MATRIX_X2
	vpbroadcastq	.Lgfni_identity(%rip), IDENTITY
.irp r, 0, 1, 2, 3
.irp c, 2, 3
	_at		\r, \c, 0
	_map		SBOX
.endr
.endr

	mov		ARIA_SLICED(KEYS), ROUND_KEYS_32
	add		KEYS, ROUND_KEYS
	mov		ARIA_EXTRA_PAIRS(KEYS), PAIRS
	add		$ARIA_MIN_PAIRS, PAIRS
.Lnext_pair\@:
	_round		0
	_round		1
	add		$2*ARIA_SLICED_LAYER, ROUND_KEYS
	dec		PAIRS
	jnz		.Lnext_pair\@
	_round		0
.irp r, 3, 2, 1, 0
	_invert_row	1, \r
.endr
	_transpose	3, 2, 1, 0, 5, 4, 7, 6, 10, 11, 8, 9, 12, 13, 14, 15
.endm

.macro	_aria_key_in	v
	vbroadcasti32x4	ARIA_FIRST(KEYS), \v
.endm

.macro	_aria_key_out	v
	mov		ARIA_EXTRA_PAIRS(KEYS), TMP0_32
	shl		$5, TMP0_32
	vbroadcasti32x4	ARIA_FIRST+16*12(KEYS, TMP0), \v
.endm

/*
 * void rfl_aria_<mode>_<tier>(const struct Schedule *keys, u8 *dst,
 *			       const u8 *src, size_t len, u8 iv[16]);
 *
 * Modes ecb, cbc_dec, ctr, xts as in modes.h.
 */
_only_features avx512f, avx512bw, avx512dq, avx512vl, bmi2, gfni

_set_aria_veclen 32
SYM_FUNC_START(rfl_aria_ecb_gfni_avx512vl)
	_function	aria, ecb, 256, rfl_aria_ecb_gfni_few
SYM_FUNC_END(rfl_aria_ecb_gfni_avx512vl)

SYM_FUNC_START(rfl_aria_cbc_dec_gfni_avx512vl)
	_function	aria, cbc_dec, 256, rfl_aria_cbc_dec_gfni_few
SYM_FUNC_END(rfl_aria_cbc_dec_gfni_avx512vl)

SYM_FUNC_START(rfl_aria_ctr_gfni_avx512vl)
	_function	aria, ctr, 256, rfl_aria_ctr_gfni_few
SYM_FUNC_END(rfl_aria_ctr_gfni_avx512vl)

SYM_FUNC_START(rfl_aria_xts_gfni_avx512vl)
	_function	aria, xts, 256, rfl_aria_xts_gfni_few
SYM_FUNC_END(rfl_aria_xts_gfni_avx512vl)

#ifdef CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512
_set_aria_veclen 64
SYM_FUNC_START(rfl_aria_ecb_gfni_avx512)
	_function	aria, ecb, 768, rfl_aria_ecb_gfni_avx512vl
SYM_FUNC_END(rfl_aria_ecb_gfni_avx512)

SYM_FUNC_START(rfl_aria_cbc_dec_gfni_avx512)
	_function	aria, cbc_dec, 768, rfl_aria_cbc_dec_gfni_avx512vl
SYM_FUNC_END(rfl_aria_cbc_dec_gfni_avx512)

SYM_FUNC_START(rfl_aria_ctr_gfni_avx512)
	_function	aria, ctr, 768, rfl_aria_ctr_gfni_avx512vl
SYM_FUNC_END(rfl_aria_ctr_gfni_avx512)

SYM_FUNC_START(rfl_aria_xts_gfni_avx512)
	_function	aria, xts, 768, rfl_aria_xts_gfni_avx512vl
SYM_FUNC_END(rfl_aria_xts_gfni_avx512)
#endif
