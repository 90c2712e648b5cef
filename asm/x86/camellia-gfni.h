/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rounds of Camellia (RFC 3713) on byte-sliced blocks, with GFNI and AVX-512.
 *
 * The state is in V0 to V15, byte i of each block in V\i: the left half in the first
 * eight, the right half in the others. All bytes are in a basis in which they can be
 * inverted as they are; what is added in front of an inversion is in the round key of
 * the round before. rust/ciphers/camellia/sliced.rs tells about both.
 */
#ifndef _RFL_X86_CAMELLIA_GFNI_H
#define _RFL_X86_CAMELLIA_GFNI_H

.section .rodata
.p2align 4
#include "camellia-consts.S"
.text

.set	ROUND_KEYS,	TMP0
.set	FL_KEYS,	TMP1
.set	GROUPS,		TMP2_32

.macro	_set_camellia_veclen vl
	_set_mode_veclen \vl
// What the S-boxes make of a half.
.set	T1,		V16
.set	T2,		V17
.set	T3,		V18
.set	T4,		V19
.set	T5,		V20
.set	T6,		V21
.set	T7,		V22
.set	T8,		V23
.set	MATRIX_S1,	V24
.set	MATRIX_S2,	V25
.set	MATRIX_S3,	V26
.set	MATRIX_TURN,	V27
.set	MATRIX_BASIS,	V28
.set	SUM16,		V28
.set	SUM28,		V29
.set	SUM35,		V30
.endm

// \dst = \dst + \a + \b
.macro	_add_two	a, b, dst
	vpternlogd	$0x96, \a, \b, \dst
.endm

// \dst = \dst + \a + byte \i of the key of round \r
.macro	_add_key_and	i, r, a, dst
.if VL == 32
	vpternlogd	$0x96, 32*\r+4*(\i-1)(ROUND_KEYS){1to8}, \a, \dst
.else
	vpternlogd	$0x96, 32*\r+4*(\i-1)(ROUND_KEYS){1to16}, \a, \dst
.endif
.endm

// Round \r of a group: add the P-function of the S-boxes of the half in V\f1 to V\f8
// to the half in V\t1 to V\t8, and the round key.
//
// S4 is two instructions where the other S-boxes are one, and each round waits for the
// round before. So all that is not from bytes 4 and 7 is added while those are on their
// way, and they come last. That is 20 additions of three and four of two; 18 would do,
// but at a greater depth.
.macro	_round		r, f1, f2, f3, f4, f5, f6, f7, f8, t1, t2, t3, t4, t5, t6, t7, t8
	vgf2p8affineinvqb $GFNI_S2_ADD, MATRIX_S2, V\f2, T2
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, V\f8, T8
	vgf2p8affineqb	$0, MATRIX_TURN, V\f4, T4
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, V\f1, T1
	vgf2p8affineqb	$0, MATRIX_TURN, V\f7, T7
	vgf2p8affineinvqb $GFNI_S3_ADD, MATRIX_S3, V\f6, T6
	vgf2p8affineinvqb $GFNI_S3_ADD, MATRIX_S3, V\f3, T3
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, T7, T7
	vgf2p8affineinvqb $GFNI_S2_ADD, MATRIX_S2, V\f5, T5
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, T4, T4
	vpxord		T1, T6, SUM16
	vpxord		T2, T8, SUM28
	vpxord		T3, T5, SUM35
	_add_key_and	4, \r, SUM35, V\t4
	_add_two	T2, T6, V\t4
	_add_key_and	7, \r, SUM35, V\t7
	_add_two	T6, T8, V\t7
	vpxord		T4, V\t7, V\t7
	_add_key_and	1, \r, SUM16, V\t1
	_add_two	T3, T8, V\t1
	_add_key_and	8, \r, SUM16, V\t8
	_add_key_and	2, \r, SUM28, V\t2
	_add_two	T4, T7, V\t4
	_add_two	T1, T5, V\t2
	_add_key_and	3, \r, SUM16, V\t3
	_add_key_and	5, \r, SUM16, V\t5
	_add_key_and	6, \r, SUM28, V\t6
	vpxord		T5, V\t8, V\t8
	_add_two	T4, T7, V\t1
	_add_two	T4, T7, V\t8
	_add_two	T4, T7, V\t2
	_add_two	SUM28, SUM35, V\t3
	_add_two	SUM28, T7, V\t5
	_add_two	SUM35, T7, V\t6
.endm

.macro	_left_to_right	r
	_round		\r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.endm
.macro	_right_to_left	r
	_round		\r, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7
.endm

// \dst = matrix \n of those at \kind(FL_KEYS), applied to \src
.macro	_fl_map		kind, n, src, dst
.if VL == 32
	vgf2p8affineqb	$0, \kind+8*\n(FL_KEYS){1to4}, \src, \dst
.else
	vgf2p8affineqb	$0, \kind+8*\n(FL_KEYS){1to8}, \src, \dst
.endif
.endm

// The two steps of FL and its inverse: what the left word, V\a to V\d, adds to the right
// word, V\e to V\h, and the opposite. Clobber T1 to T8.
.macro	_fl_right	a, b, c, d, e, f, g, h
	_fl_map		CAMELLIA_FL_MOVED_UP, 0, V\a, T1
	_fl_map		CAMELLIA_FL_MOVED_OUT, 1, V\b, T5
	_fl_map		CAMELLIA_FL_MOVED_UP, 1, V\b, T2
	_fl_map		CAMELLIA_FL_MOVED_OUT, 2, V\c, T6
	_fl_map		CAMELLIA_FL_MOVED_UP, 2, V\c, T3
	_fl_map		CAMELLIA_FL_MOVED_OUT, 3, V\d, T7
	_fl_map		CAMELLIA_FL_MOVED_UP, 3, V\d, T4
	_fl_map		CAMELLIA_FL_MOVED_OUT, 0, V\a, T8
	_add_two	T1, T5, V\e
	_add_two	T2, T6, V\f
	_add_two	T3, T7, V\g
	_add_two	T4, T8, V\h
.endm

.macro	_fl_left	a, b, c, d, e, f, g, h
	_fl_map		CAMELLIA_FL_BACK, 0, V\e, T1
	_fl_map		CAMELLIA_FL_BACK, 1, V\f, T2
	_fl_map		CAMELLIA_FL_BACK, 2, V\g, T3
	_fl_map		CAMELLIA_FL_BACK, 3, V\h, T4
	vpxord		T1, V\a, V\a
	vpxord		T2, V\b, V\b
	vpxord		T3, V\c, V\c
	vpxord		T4, V\d, V\d
.endm

.macro	_change_basis	matrix
	vpbroadcastq	.Lgfni_\matrix(%rip), MATRIX_BASIS
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vgf2p8affineqb	$0, MATRIX_BASIS, V\i, V\i
.endr
.endm

.macro	_camellia_rounds
	vpbroadcastq	.Lgfni_s1(%rip), MATRIX_S1
	vpbroadcastq	.Lgfni_s2(%rip), MATRIX_S2
	vpbroadcastq	.Lgfni_s3(%rip), MATRIX_S3
	vpbroadcastq	.Lgfni_turn(%rip), MATRIX_TURN
	_change_basis	to_basis

	lea		CAMELLIA_SLICED(KEYS), ROUND_KEYS
	mov		CAMELLIA_FL_FIRST(KEYS), FL_KEYS
	add		KEYS, FL_KEYS
	mov		CAMELLIA_EXTRA_GROUPS(KEYS), GROUPS
	add		$CAMELLIA_MIN_GROUPS, GROUPS
	jmp		.Lgroup\@
.Lnext_group\@:
	_fl_right	0, 1, 2, 3, 4, 5, 6, 7
	_fl_left	0, 1, 2, 3, 4, 5, 6, 7
	add		CAMELLIA_FL_STEP(KEYS), FL_KEYS
	_fl_left	8, 9, 10, 11, 12, 13, 14, 15
	_fl_right	8, 9, 10, 11, 12, 13, 14, 15
	add		CAMELLIA_FL_STEP(KEYS), FL_KEYS
.Lgroup\@:
	_left_to_right	0
	_right_to_left	1
	_left_to_right	2
	_right_to_left	3
	_left_to_right	4
	_right_to_left	5
	add		$CAMELLIA_SLICED_GROUP, ROUND_KEYS
	dec		GROUPS
	jnz		.Lnext_group\@

	_change_basis	from_basis
	// The last round does not exchange the halves
	_transpose	8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7
.endm

.macro	_camellia_key_in v
	vbroadcasti32x4	CAMELLIA_INPUT(KEYS), \v
.endm

.macro	_camellia_key_out v
	vbroadcasti32x4	CAMELLIA_OUTPUT(KEYS), \v
.endm

#endif
