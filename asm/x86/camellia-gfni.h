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
.set	MATRIX_BASIS,	V28
.set	SUM16,		V28
.set	SUM28,		V29
.set	SUM35,		V30
.endm

// \dst = \dst + \a + \b
.macro	_add_two	a, b, dst
	vpternlogd	$0x96, \a, \b, \dst
.endm

// \dst = \dst + \a + byte \i of the round key
.macro	_add_key_and	i, a, dst
.if VL == 32
	vpternlogd	$0x96, 4*(\i-1)(ROUND_KEYS){1to8}, \a, \dst
.else
	vpternlogd	$0x96, 4*(\i-1)(ROUND_KEYS){1to16}, \a, \dst
.endif
.endm

// To the key of the next round.
.macro	_advance
	add		CAMELLIA_ROUNDS_STEP(KEYS), ROUND_KEYS
.endm

// \dst = \src, turned as S4 has it
.macro	_turn		src, dst
.if VL == 32
	vgf2p8affineqb	$0, .Lgfni_turn(%rip){1to4}, \src, \dst
.else
	vgf2p8affineqb	$0, .Lgfni_turn(%rip){1to8}, \src, \dst
.endif
.endm

// A round: add the P-function of the S-boxes of the half in V\f1 to V\f8
// to the half in V\t1 to V\t8, and the round key. It has two parts.
//
// S4 is two instructions where the other S-boxes are one, and each round waits for the
// round before. So all that is not from bytes 4 and 7 is added while those are on their
// way, and they come last. That is 20 additions of three and four of two; 18 would do,
// but at a greater depth.

// T1 to T8 = the S-boxes of V\f1 to V\f8
.macro	_substitute	f1, f2, f3, f4, f5, f6, f7, f8
	vgf2p8affineinvqb $GFNI_S2_ADD, MATRIX_S2, V\f2, T2
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, V\f8, T8
	_turn		V\f4, T4
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, V\f1, T1
	_turn		V\f7, T7
	vgf2p8affineinvqb $GFNI_S3_ADD, MATRIX_S3, V\f6, T6
	vgf2p8affineinvqb $GFNI_S3_ADD, MATRIX_S3, V\f3, T3
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, T7, T7
	vgf2p8affineinvqb $GFNI_S2_ADD, MATRIX_S2, V\f5, T5
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, T4, T4
.endm

// Add the P-function of T1 to T8, and the round key, to V\t1 to V\t8.
.macro	_add_p		t1, t2, t3, t4, t5, t6, t7, t8
	vpxord		T1, T6, SUM16
	vpxord		T2, T8, SUM28
	vpxord		T3, T5, SUM35
	_add_key_and	4, SUM35, V\t4
	_add_two	T2, T6, V\t4
	_add_key_and	7, SUM35, V\t7
	_add_two	T6, T8, V\t7
	vpxord		T4, V\t7, V\t7
	_add_key_and	1, SUM16, V\t1
	_add_two	T3, T8, V\t1
	_add_key_and	8, SUM16, V\t8
	_add_key_and	2, SUM28, V\t2
	_add_two	T4, T7, V\t4
	_add_two	T1, T5, V\t2
	_add_key_and	3, SUM16, V\t3
	_add_key_and	5, SUM16, V\t5
	_add_key_and	6, SUM28, V\t6
	vpxord		T5, V\t8, V\t8
	_add_two	T4, T7, V\t1
	_add_two	T4, T7, V\t8
	_add_two	T4, T7, V\t2
	_add_two	SUM28, SUM35, V\t3
	_add_two	SUM28, T7, V\t5
	_add_two	SUM35, T7, V\t6
.endm

.macro	_left_to_right
	_substitute	0, 1, 2, 3, 4, 5, 6, 7
	_add_p		8, 9, 10, 11, 12, 13, 14, 15
	_advance
.endm
.macro	_right_to_left
	_substitute	8, 9, 10, 11, 12, 13, 14, 15
	_add_p		0, 1, 2, 3, 4, 5, 6, 7
	_advance
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

.macro	_load_matrices
	vpbroadcastq	.Lgfni_s1(%rip), MATRIX_S1
	vpbroadcastq	.Lgfni_s2(%rip), MATRIX_S2
	vpbroadcastq	.Lgfni_s3(%rip), MATRIX_S3
.endm

// Start with the first of the keys.
.macro	_first_keys
	mov		CAMELLIA_ROUNDS_FIRST(KEYS), ROUND_KEYS
	add		KEYS, ROUND_KEYS
	mov		CAMELLIA_FL_FIRST(KEYS), FL_KEYS
	add		KEYS, FL_KEYS
	mov		CAMELLIA_EXTRA_GROUPS(KEYS), GROUPS
	add		$CAMELLIA_MIN_GROUPS, GROUPS
.endm

.macro	_camellia_rounds
	_load_matrices
	_change_basis	to_basis
	_first_keys
	jmp		.Lgroup\@
.Lnext_group\@:
	_fl_right	0, 1, 2, 3, 4, 5, 6, 7
	_fl_left	0, 1, 2, 3, 4, 5, 6, 7
	add		CAMELLIA_FL_STEP(KEYS), FL_KEYS
	_fl_left	8, 9, 10, 11, 12, 13, 14, 15
	_fl_right	8, 9, 10, 11, 12, 13, 14, 15
	add		CAMELLIA_FL_STEP(KEYS), FL_KEYS
.Lgroup\@:
.rept 3
	_left_to_right
	_right_to_left
.endr
	dec		GROUPS
	jnz		.Lnext_group\@

	_change_basis	from_basis
	// The last round does not exchange the halves
	_transpose	8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7
.endm

//------------------------------------------------------------------------------
// Two batches
//
// A round waits for instructions more than for ports, so the rounds of two batches in
// turn take little longer than those of one. Of each batch the half that is substituted
// next is in registers: V8 to V15 for the first batch, V0 to V7 for the second. The other
// half, which the result is added to, is on the stack.

// Where halves are on the stack, in vectors.
#define SLOTS_OF_SECOND	0
#define SLOTS_OF_FIRST	8

.macro	_swap		slots, i, f, t
	_load		VL*(\slots+\i-1)(%rsp), V\t
	_store		V\f, VL*(\slots+\i-1)(%rsp)
.endm

// A round as above; the target comes from the stack to V\t1 to V\t8, the source goes
// there. In the first round of two, each register but \t2 is that of the source which was
// stored just before, and in the second one they are put back.
.macro	_round_there	slots, f1, f2, f3, f4, f5, f6, f7, f8, t1, t2, t3, t4, t5, t6, t7, t8
	_substitute	\f1, \f2, \f3, \f4, \f5, \f6, \f7, \f8
	_swap		\slots, 2, \f2, \t2
	_swap		\slots, 8, \f8, \t8
	_swap		\slots, 4, \f4, \t4
	_swap		\slots, 1, \f1, \t1
	_swap		\slots, 7, \f7, \t7
	_swap		\slots, 6, \f6, \t6
	_swap		\slots, 3, \f3, \t3
	_swap		\slots, 5, \f5, \t5
	_add_p		\t1, \t2, \t3, \t4, \t5, \t6, \t7, \t8
.endm
.macro	_round_back	slots, f1, f2, f3, f4, f5, f6, f7, f8, t1, t2, t3, t4, t5, t6, t7, t8
	_substitute	\f1, \f2, \f3, \f4, \f5, \f6, \f7, \f8
	_swap		\slots, 5, \f5, \t5
	_swap		\slots, 3, \f3, \t3
	_swap		\slots, 6, \f6, \t6
	_swap		\slots, 7, \f7, \t7
	_swap		\slots, 1, \f1, \t1
	_swap		\slots, 4, \f4, \t4
	_swap		\slots, 8, \f8, \t8
	_swap		\slots, 2, \f2, \t2
	_add_p		\t1, \t2, \t3, \t4, \t5, \t6, \t7, \t8
.endm

// Two rounds of both batches.
.macro	_two_rounds
	_round_there	SLOTS_OF_FIRST, 8, 9, 10, 11, 12, 13, 14, 15, 11, 27, 13, 15, 10, 14, 8, 9
	_round_there	SLOTS_OF_SECOND, 0, 1, 2, 3, 4, 5, 6, 7, 3, 31, 5, 7, 2, 6, 0, 1
	_advance
	_round_back	SLOTS_OF_FIRST, 11, 27, 13, 15, 10, 14, 8, 9, 8, 9, 10, 11, 12, 13, 14, 15
	_round_back	SLOTS_OF_SECOND, 3, 31, 5, 7, 2, 6, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7
	_advance
.endm

// Load or store the half on the stack.
.macro	_load_half	slots, v0, v1, v2, v3, v4, v5, v6, v7
	_load		VL*(\slots+0)(%rsp), V\v0
	_load		VL*(\slots+1)(%rsp), V\v1
	_load		VL*(\slots+2)(%rsp), V\v2
	_load		VL*(\slots+3)(%rsp), V\v3
	_load		VL*(\slots+4)(%rsp), V\v4
	_load		VL*(\slots+5)(%rsp), V\v5
	_load		VL*(\slots+6)(%rsp), V\v6
	_load		VL*(\slots+7)(%rsp), V\v7
.endm
.macro	_store_half	slots, v0, v1, v2, v3, v4, v5, v6, v7
	_store		V\v0, VL*(\slots+0)(%rsp)
	_store		V\v1, VL*(\slots+1)(%rsp)
	_store		V\v2, VL*(\slots+2)(%rsp)
	_store		V\v3, VL*(\slots+3)(%rsp)
	_store		V\v4, VL*(\slots+4)(%rsp)
	_store		V\v5, VL*(\slots+5)(%rsp)
	_store		V\v6, VL*(\slots+6)(%rsp)
	_store		V\v7, VL*(\slots+7)(%rsp)
.endm

// Exchange the half on the stack for V\v0 to V\v7. Clobbers V16 to V23.
.macro	_exchange_half	slots, v0, v1, v2, v3, v4, v5, v6, v7
	_load_half	\slots, 16, 17, 18, 19, 20, 21, 22, 23
	_store_half	\slots, \v0, \v1, \v2, \v3, \v4, \v5, \v6, \v7
	vmovdqa64	V16, V\v0
	vmovdqa64	V17, V\v1
	vmovdqa64	V18, V\v2
	vmovdqa64	V19, V\v3
	vmovdqa64	V20, V\v4
	vmovdqa64	V21, V\v5
	vmovdqa64	V22, V\v6
	vmovdqa64	V23, V\v7
.endm

// Apply _fl_left and _fl_right to the half on the stack. Clobbers V16 to V31.
.macro	_fl_on_stack	slots
	_load_half	\slots, 24, 25, 26, 27, 28, 29, 30, 31
	_fl_left	24, 25, 26, 27, 28, 29, 30, 31
	_fl_right	24, 25, 26, 27, 28, 29, 30, 31
	_store_half	\slots, 24, 25, 26, 27, 28, 29, 30, 31
.endm

.macro	_camellia_park
	_change_basis	to_basis
	_store_half	0, 0, 1, 2, 3, 4, 5, 6, 7
	_store_half	8, 8, 9, 10, 11, 12, 13, 14, 15
.endm

.macro	_camellia_unpark
	_load_half	0, 0, 1, 2, 3, 4, 5, 6, 7
	_load_half	8, 8, 9, 10, 11, 12, 13, 14, 15
	_change_basis	from_basis
	_slice
.endm

.macro	_camellia_rounds_of_two
	_change_basis	to_basis
	_exchange_half	SLOTS_OF_SECOND, 8, 9, 10, 11, 12, 13, 14, 15
	_first_keys
	jmp		.Lgroup\@
.Lnext_group\@:
	_fl_right	8, 9, 10, 11, 12, 13, 14, 15
	_fl_right	0, 1, 2, 3, 4, 5, 6, 7
	_fl_left	8, 9, 10, 11, 12, 13, 14, 15
	_fl_left	0, 1, 2, 3, 4, 5, 6, 7
	add		CAMELLIA_FL_STEP(KEYS), FL_KEYS
	_fl_on_stack	SLOTS_OF_FIRST
	_fl_on_stack	SLOTS_OF_SECOND
	add		CAMELLIA_FL_STEP(KEYS), FL_KEYS
.Lgroup\@:
	_load_matrices
.rept 3
	_two_rounds
.endr
	dec		GROUPS
	jnz		.Lnext_group\@

	// The last round does not exchange the halves
	_exchange_half	SLOTS_OF_FIRST, 0, 1, 2, 3, 4, 5, 6, 7
	_change_basis	from_basis
	_slice
.endm

.macro	_camellia_key_in v
	vbroadcasti32x4	CAMELLIA_INPUT(KEYS), \v
.endm

.macro	_camellia_key_out v
	vbroadcasti32x4	CAMELLIA_OUTPUT(KEYS), \v
.endm

#endif
