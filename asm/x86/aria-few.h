/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rounds of ARIA (RFC 5794) for few blocks: two cores, for vectors of any length
 * up to 256 bits, with or without ternary logic.
 *
 *	_quarter	4 vectors, 4 blocks in each 128-bit lane; by GFNI, or by AES
 *			instructions, which for vectors of 256 bits are VAES
 *	_half		8 vectors, 8 blocks in each 128-bit lane; the same
 *
 * What is sliced by bytes has 16 vectors, and is idle for the most part when there
 * are few blocks. Here, a vector holds four bytes of each block, or two.
 *
 * Number the bytes of a block by bits, a + 2b + 4c + 8d. Let byte (a, b, c, d) stand
 * at place (a, b, c, d) in front of an odd round, and at (a ^ d ^ 1, b ^ c ^ 1, c, d)
 * in front of an even one. Then diffusion is the same in all rounds: to each place,
 * add those that are reached from it by turning over the bits
 *
 *	ac, abc, bd, bcd, abd, acd
 *
 * Vectors are numbered by b and c (and d), so that each of them meets in one round
 * either S1 and S2, where the S-box is an inversion and a matrix, one instruction; or
 * X1 and X2, where it is a matrix and an inversion, two. Which half of a lane a byte
 * is in tells 1 from 2. Turning over b or c is then choosing another vector, only a
 * and d need to be shuffled.
 *
 * The constants of the S-boxes are added together with the round keys. No lane knows
 * of another, so that it does not matter which blocks are in which lane.
 */
#ifndef _RFL_X86_ARIA_FEW_H
#define _RFL_X86_ARIA_FEW_H

#include "vectors.h"

.section .rodata
.p2align 5
#include "aria-few-consts.S"

.p2align 5
.Lfew_zero:
	.fill	32, 1, 0

.text

// In front of the cores: KEYS is set to the register that points to the schedule, and
// ROUND_KEYS and PAIRS, 64 and 32 bits, to such as may be clobbered.

// Name the registers, and say whether S-boxes are made of AES instructions.
.macro	_few_veclen	vl, avx512=0, aes=0
	_name_vectors	\vl, \avx512
.set	BY_AES,		\aes
.endm

// Add to \key what the S-boxes leave to be added, which with AES instructions is nothing.
.macro	_add_constants	where, key
.if !BY_AES
	vpxor		.Lfew_add_\where(%rip), \key, \key
.endif
.endm

// Add the round key at \key and the constants to V0 to V\last. Clobbers V15.
.macro	_add_outer_key	key, last
	_vbroadcast128	\key, V15
	_add_constants	outer, V15
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
.if \i <= \last
	vpxor		V15, V\i, V\i
.endif
.endr
.endm

// Interleave \a and \b, in units of b, w, d or q, to \lo and \hi.
.macro	_few_unpack	units, a, b, lo, hi
.ifc \units, b
	vpunpcklbw	\b, \a, \lo
	vpunpckhbw	\b, \a, \hi
.endif
.ifc \units, w
	vpunpcklwd	\b, \a, \lo
	vpunpckhwd	\b, \a, \hi
.endif
.ifc \units, d
	vpunpckldq	\b, \a, \lo
	vpunpckhdq	\b, \a, \hi
.endif
.ifc \units, q
	vpunpcklqdq	\b, \a, \lo
	vpunpckhqdq	\b, \a, \hi
.endif
.endm

//------------------------------------------------------------------------------
// S-boxes by AES instructions
//
// S2 is an affine map behind S1, which is the S-box of AES, and X2 one in front of X1.
// These instructions shift the rows of what they take for an AES state, which has to be
// undone.

// Apply the affine map \map, two look-ups for either half of a byte, to the halves of
// \a and \b which meet S2 or X2: the upper ones if \order is 12, the lower ones if it is 21.
// Clobbers AFFINE0 to AFFINE3.
.macro	_half_affine	map, order, a, b
.if \order == 12
	vpunpckhqdq	\b, \a, AFFINE0
.else
	vpunpcklqdq	\b, \a, AFFINE0
.endif
	vpand		.Llow_nibbles(%rip), AFFINE0, AFFINE1
	vpsrld		$4, AFFINE0, AFFINE0
	vpand		.Llow_nibbles(%rip), AFFINE0, AFFINE0
	_vbroadcast128	.L\map\()_lo(%rip), AFFINE2
	_vbroadcast128	.L\map\()_hi(%rip), AFFINE3
	vpshufb		AFFINE1, AFFINE2, AFFINE2
	vpshufb		AFFINE0, AFFINE3, AFFINE3
	vpxor		AFFINE2, AFFINE3, AFFINE0
.if \order == 12
	vpunpcklqdq	AFFINE0, \a, \a
	vpblendw	$0xf0, AFFINE0, \b, \b
.else
	vpblendw	$0x0f, AFFINE0, \a, \a
	vpunpckhqdq	\b, AFFINE0, \b
.endif
.endm

.macro	_aes_invert	v:vararg
.irp x, \v
	vaesdeclast	.Lfew_zero(%rip), \x, \x
.endr
.irp x, \v
	vpshufb		.Lfew_shift_rows(%rip), \x, \x
.endr
.endm

.macro	_aes_substitute	v:vararg
.irp x, \v
	vaesenclast	.Lfew_zero(%rip), \x, \x
.endr
.irp x, \v
	vpshufb		.Lfew_shift_rows_back(%rip), \x, \x
.endr
.endm

//------------------------------------------------------------------------------

// All rounds of a core, from its places to its places, where _\core\()_round is a
// round and _\core\()_substitute what the last round has of it.
.macro	_few_rounds	core
	mov		ARIA_EXTRA_PAIRS(KEYS), PAIRS
	add		$ARIA_MIN_PAIRS, PAIRS
	lea		ARIA_FIRST+16(KEYS), ROUND_KEYS
.Lnext_pair\@:
	_\core\()_round	0, (ROUND_KEYS)
	_\core\()_round	1, 16(ROUND_KEYS)
	add		$32, ROUND_KEYS
	dec		PAIRS
	jnz		.Lnext_pair\@
	_\core\()_round	0, (ROUND_KEYS)
	_\core\()_substitute 1
.endm

//------------------------------------------------------------------------------
// Quarters
//
// Place (a, b, c, d) is in vector Qbc, in dword 2a + d of the lane in front of odd
// rounds and in dword 2 (a ^ d ^ 1) + d in front of even ones, so that the upper
// dwords always meet S2 or X2. Byte n of a dword is of block n.

// Add what is named, the dwords of it in this order, and the same the other way round.
#define DWORDS(i, j, k, l)	((i) | (j) << 2 | (k) << 4 | (l) << 6)
#define SAME			DWORDS(2, 1, 0, 3)
#define TURN_A			DWORDS(0, 3, 2, 1)

.macro	_quarter_names
.set	Q00, V0
.set	Q10, V1
.set	Q01, V2
.set	Q11, V3
// To be turned over in a, for either c; in d, for either b; in both, for either b ^ c
.set	A0, V4
.set	A1, V5
.set	D0, V6
.set	D1, V7
.set	AD0, V8
.set	AD1, V9
// Round keys
.set	KEY, V10
.set	KEY00, V11
.set	KEY10, V12
.set	KEY01, V13
.set	KEY11, V14
// By AES instructions only
.set	AFFINE0, V4
.set	AFFINE1, V5
.set	AFFINE2, V6
.set	AFFINE3, V7
.endm

.macro	_quarter_substitute	even
.if \even
	_quarter_sboxes	Q00, Q11, Q10, Q01
.else
	_quarter_sboxes	Q00, Q01, Q10, Q11
.endif
.endm

.macro	_quarter_sboxes	s0, s1, x0, x1
.if BY_AES
	_half_affine	x2_to_x1, 12, \x0, \x1
	_aes_substitute	\s0, \s1
	_aes_invert	\x0, \x1
	_half_affine	s1_to_s2, 12, \s0, \s1
.else
	vgf2p8affineqb	$0, .Lfew_x12(%rip), \x0, \x0
	vgf2p8affineqb	$0, .Lfew_x12(%rip), \x1, \x1
	vgf2p8affineinvqb $0, .Lfew_s12(%rip), \s0, \s0
	vgf2p8affineinvqb $0, .Lfew_s12(%rip), \s1, \s1
	vgf2p8affineinvqb $0, .Lfew_identity(%rip), \x0, \x0
	vgf2p8affineinvqb $0, .Lfew_identity(%rip), \x1, \x1
.endif
.endm

// Spread the round key at \key over KEY00 to KEY11.
.macro	_quarter_key	even, key
	_vbroadcast128	\key, KEY
.if \even
	_add_constants	even, KEY
	vpshufb		.Lquarter_key_00(%rip), KEY, KEY00
	vpshufb		.Lquarter_key_10(%rip), KEY, KEY10
.else
	_add_constants	odd, KEY
	vpshufb		.Lquarter_key_10(%rip), KEY, KEY00
	vpshufb		.Lquarter_key_00(%rip), KEY, KEY10
.endif
	vpshufb		.Lquarter_key_01(%rip), KEY, KEY01
	vpshufb		.Lquarter_key_11(%rip), KEY, KEY11
.endm

// One round of parity \even. Clobbers V4 to V14.
.macro	_quarter_round	even, key
	_quarter_key	\even, \key
	_quarter_substitute \even
.if \even
.set	TURN_D,		DWORDS(1, 2, 3, 0)
.set	TURN_AD,	DWORDS(3, 0, 1, 2)
.else
.set	TURN_D,		DWORDS(3, 0, 1, 2)
.set	TURN_AD,	DWORDS(1, 2, 3, 0)
.endif
	vpxor		Q00, Q01, D1
	vpxor		Q00, Q11, AD1
	vpxor		Q00, Q10, A1
	vpxor		Q01, Q11, A0
	vpxor		Q10, Q01, AD0
	vpxor		Q10, Q11, D0
	vpshufd		$TURN_D, D1, D1
	vpshufd		$TURN_AD, AD1, AD1
	vpshufd		$TURN_A, A1, A1
	vpshufd		$TURN_A, A0, A0
	vpshufd		$TURN_AD, AD0, AD0
	vpshufd		$TURN_D, D0, D0
.irp bc, 00, 10, 01, 11
	vpshufd		$SAME, Q\bc, Q\bc
	vpxor		KEY\bc, Q\bc, Q\bc
.endr
	_xor3		D1, AD1, Q10
	_xor3		A1, AD1, Q01
	_xor3		A0, AD0, Q00
	_xor3		D1, A1, Q11
	vpxor		A0, Q10, Q10
	vpxor		D0, Q01, Q01
	vpxor		D0, Q00, Q00
	vpxor		AD0, Q11, Q11
.endm

// Encrypt or decrypt, as KEYS has it, the blocks in V0 to V3.
// Clobbers V4 to V15, ROUND_KEYS, PAIRS.
.macro	_quarter
	_quarter_names
	_add_outer_key	ARIA_FIRST(KEYS), 3
.irp i, 0, 1, 2, 3
	vpshufb		.Lquarter_in(%rip), V\i, V\i
.endr
	_few_unpack	b, V0, V2, V4, V5
	_few_unpack	b, V1, V3, V6, V7
	_few_unpack	b, V4, V6, V0, V1
	_few_unpack	b, V5, V7, V2, V3
	_few_rounds	quarter
.irp i, 0, 1, 2, 3
	vpshufb		.Lquarter_out(%rip), V\i, V\i
.endr
	_few_unpack	w, Q10, Q01, V4, V5
	_few_unpack	w, Q00, Q11, V6, V7
	_few_unpack	w, V4, V6, V0, V1
	_few_unpack	w, V5, V7, V2, V3
	_add_outer_key	16(ROUND_KEYS), 3
.endm

//------------------------------------------------------------------------------
// Halves
//
// Place (a, b, c, d) is in vector Hbcd, in half a of the lane, block n in byte n of it.

.macro	_half_names
.set	H000, V8
.set	H100, V9
.set	H010, V10
.set	H110, V11
.set	H001, V12
.set	H101, V13
.set	H011, V14
.set	H111, V15
// To be turned over in b and d and in a or not, for either b and d; in a, for either c
.set	BD00, V0
.set	BD10, V1
.set	BD01, V2
.set	BD11, V3
.set	A0, V4
.set	A1, V5
.set	KEY, V6
.set	TMP, V7
// By AES instructions only
.set	AFFINE0, V0
.set	AFFINE1, V1
.set	AFFINE2, V2
.set	AFFINE3, V3
.endm

.macro	_half_substitute	even
.if \even
	_half_sboxes	21, H000, H110, H100, H010, H001, H111, H101, H011
.else
	_half_sboxes	12, H000, H010, H100, H110, H001, H011, H101, H111
.endif
.endm

// \order is that of the S-boxes where d = 0.
.macro	_half_sboxes	order, s00, s10, x00, x10, s01, s11, x01, x11
.if BY_AES
	_half_affine	x2_to_x1, \order, \x00, \x10
	_half_affine	x2_to_x1, 12, \x01, \x11
	_aes_substitute	\s00, \s10, \s01, \s11
	_aes_invert	\x00, \x10, \x01, \x11
	_half_affine	s1_to_s2, \order, \s00, \s10
	_half_affine	s1_to_s2, 12, \s01, \s11
.else
	vgf2p8affineqb	$0, .Lfew_x\order(%rip), \x00, \x00
	vgf2p8affineqb	$0, .Lfew_x\order(%rip), \x10, \x10
	vgf2p8affineqb	$0, .Lfew_x12(%rip), \x01, \x01
	vgf2p8affineqb	$0, .Lfew_x12(%rip), \x11, \x11
	vgf2p8affineinvqb $0, .Lfew_s\order(%rip), \s00, \s00
	vgf2p8affineinvqb $0, .Lfew_s\order(%rip), \s10, \s10
	vgf2p8affineinvqb $0, .Lfew_s12(%rip), \s01, \s01
	vgf2p8affineinvqb $0, .Lfew_s12(%rip), \s11, \s11
	vgf2p8affineinvqb $0, .Lfew_identity(%rip), \x00, \x00
	vgf2p8affineinvqb $0, .Lfew_identity(%rip), \x10, \x10
	vgf2p8affineinvqb $0, .Lfew_identity(%rip), \x01, \x01
	vgf2p8affineinvqb $0, .Lfew_identity(%rip), \x11, \x11
.endif
.endm

// Add the round key in KEY, as far as byte \byte has it, to H\place.
.macro	_half_add_key	byte, place
	vpshufb		.Lhalf_key_\byte(%rip), KEY, TMP
	vpxor		TMP, H\place, H\place
.endm

// One round of parity \even. Clobbers V0 to V7.
.macro	_half_round	even, key
	_vbroadcast128	\key, KEY
.if \even
	_add_constants	even, KEY
.else
	_add_constants	odd, KEY
	vpshufb		.Lhalf_key_even(%rip), KEY, KEY
.endif
	_half_substitute \even
	vpxor		H000, H010, BD00
	vpxor		H100, H110, BD10
	vpxor		H001, H011, BD01
	vpxor		H101, H111, BD11
	vpxor		H000, H100, A0
	_xor3		H001, H101, A0
	vpxor		H010, H110, A1
	_xor3		H011, H111, A1
	vpshufd		$DWORDS(2, 3, 0, 1), A0, A0
	vpshufd		$DWORDS(2, 3, 0, 1), A1, A1
.if \even
	_half_add_key	100, 100
	_half_add_key	110, 110
	_half_add_key	101, 101
	_half_add_key	111, 111
	_half_add_key	010, 010
	_half_add_key	011, 011
	_half_add_key	000, 000
	_half_add_key	001, 001
.else
	_half_add_key	000, 100
	_half_add_key	010, 010
	_half_add_key	001, 101
	_half_add_key	011, 011
	_half_add_key	110, 110
	_half_add_key	111, 111
	_half_add_key	100, 000
	_half_add_key	101, 001
.endif
.irp bd, 00, 10, 01, 11
	vpshufd		$DWORDS(2, 3, 0, 1), BD\bd, TMP
	vpxor		TMP, BD\bd, BD\bd
.endr
.if \even
	_half_add_sums	100, 110, 101, 111, 010, 011, 000, 001
.else
	_half_add_sums	100, 010, 101, 011, 110, 111, 000, 001
.endif
.endm

// Add the sums to the vectors, in this order: those that meet X1 and X2 next take longest.
.macro	_half_add_sums	places:vararg
.irp place, \places
.ifc \place, 000
	_xor3		BD11, A1, H000
.endif
.ifc \place, 100
	_xor3		BD01, A1, H100
.endif
.ifc \place, 010
	_xor3		BD11, A0, H010
.endif
.ifc \place, 110
	_xor3		BD01, A0, H110
.endif
.ifc \place, 001
	_xor3		BD10, A1, H001
.endif
.ifc \place, 101
	_xor3		BD00, A1, H101
.endif
.ifc \place, 011
	_xor3		BD10, A0, H011
.endif
.ifc \place, 111
	_xor3		BD00, A0, H111
.endif
.endr
.endm

// Encrypt or decrypt, as KEYS has it, the blocks in V0 to V7.
// Clobbers V8 to V15, ROUND_KEYS, PAIRS.
.macro	_half
	_half_names
	_add_outer_key	ARIA_FIRST(KEYS), 7
	_few_unpack	b, V0, V4, V8, V9
	_few_unpack	b, V1, V5, V10, V11
	_few_unpack	b, V2, V6, V12, V13
	_few_unpack	b, V3, V7, V14, V15
	_few_unpack	b, V8, V12, V0, V1
	_few_unpack	b, V9, V13, V2, V3
	_few_unpack	b, V10, V14, V4, V5
	_few_unpack	b, V11, V15, V6, V7
	_few_unpack	b, V0, V4, V8, V9
	_few_unpack	b, V1, V5, V10, V11
	_few_unpack	b, V2, V6, V12, V13
	_few_unpack	b, V3, V7, V14, V15
	_few_rounds	half
.irp h, H000, H100, H010, H110
	vpshufb		.Lhalf_out_0(%rip), \h, \h
.endr
.irp h, H001, H101, H011, H111
	vpshufb		.Lhalf_out_1(%rip), \h, \h
.endr
	_few_unpack	w, H100, H000, V0, V1
	_few_unpack	w, H010, H110, V2, V3
	_few_unpack	w, H101, H001, V4, V5
	_few_unpack	w, H011, H111, V6, V7
	_few_unpack	d, V0, V2, V8, V9
	_few_unpack	d, V1, V3, V10, V11
	_few_unpack	d, V4, V6, V12, V13
	_few_unpack	d, V5, V7, V14, V15
	_few_unpack	q, V8, V12, V0, V1
	_few_unpack	q, V9, V13, V2, V3
	_few_unpack	q, V10, V14, V4, V5
	_few_unpack	q, V11, V15, V6, V7
	_add_outer_key	16(ROUND_KEYS), 7
.endm

//------------------------------------------------------------------------------
// Functions

// A core as a local function.
.macro	_few_core	core, vl, avx512=0, aes=0
	_few_veclen	\vl, \avx512, \aes
SYM_FUNC_START_LOCAL(rfl_aria_\core\()_\vl)
	_\core
	RET
SYM_FUNC_END(rfl_aria_\core\()_\vl)
.endm

// Call a core without AVX-512 on what is at SCRATCH, so many vectors.
.macro	_few_tail	core, vl, vectors
	_few_veclen	\vl
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
.if \i < \vectors
	vmovdqa		\i*VL(SCRATCH), V\i
.endif
.endr
	call		rfl_aria_\core\()_\vl
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
.if \i < \vectors
	vmovdqa		V\i, \i*VL(SCRATCH)
.endif
.endr
.endm

#endif
