/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Camellia (RFC 3713) in ECB, CBC, CTR and XTS mode, byte-sliced, for 16 registers. The
 * tiers are in camellia-aesni.S and camellia-gfni.S.
 *
 * One half of the state is in registers, where the S-boxes and the P-function turn it to
 * what is added to the other half, which is in memory. modes-vex.h has what is around.
 *
 * All bytes are in a basis in which they can be inverted as they are.
 * rust/ciphers/camellia/sliced.rs tells about it.
 *
 * Branches and addresses depend on lengths, that of the key included, on nothing else.
 * All vector instructions are VEX-encoded.
 */
#ifndef _RFL_X86_CAMELLIA_VEX_H
#define _RFL_X86_CAMELLIA_VEX_H

#include "camellia.h"
#include "modes-vex.h"

.section .rodata
.p2align 5
#include "camellia-consts.S"
.Llow_nibbles:
	.fill	32, 1, 0x0f
.text

.set	ROUND_KEYS,	%rax
.set	GROUPS,		%r10d
.set	FL_KEYS,	%r11

// Kinds of S-boxes
#define AESNI	0	/* for 128 bits */
#define VAES	1	/* for a whole vector */
#define GFNI	2

// Set the vector length in bytes and the kind of S-boxes, and name the registers: V0
// to V15 of that length and their low 128 bits X0 to X15.
.macro	_set_tier	vl, sboxes
	_set_veclen	\vl
.set	SBOXES,		\sboxes

// With GFNI
.set	MATRIX_S1,	V8
.set	MATRIX_S2,	V9
.set	MATRIX_S3,	V10
.set	MATRIX_TURN,	V11
.set	MATRIX_BASIS,	V12

// With AES instructions
.set	LOW_NIBBLES,	V8
.set	LOOKUP_LO,	V9
.set	LOOKUP_HI,	V10
.set	ZERO,		V9	// in FL
.endm

// To the key of the next round.
.macro	_advance
	add		CAMELLIA_ROUNDS_STEP(KEYS), ROUND_KEYS
.endm

//------------------------------------------------------------------------------
// By GFNI
//
// A round key is added to the half that the round adds to, when that half goes to its
// slots. What is added in front of an inversion is in the round key of the round before.

// Load a matrix to all quads of \dst.
.macro	_load_matrix	mem, dst
.if VL == 16
	vmovddup	\mem, \dst
.else
	vpbroadcastq	\mem, \dst
.endif
.endm

.macro	_constants_gfni
	_load_matrix	.Lgfni_s1(%rip), MATRIX_S1
	_load_matrix	.Lgfni_s2(%rip), MATRIX_S2
	_load_matrix	.Lgfni_s3(%rip), MATRIX_S3
	_load_matrix	.Lgfni_turn(%rip), MATRIX_TURN
.endm

// \slot = V\x + byte \i of the round key. Clobbers V\tmp.
.macro	_put_keyed	i, x, slot, tmp
	vbroadcastss	4*\i(ROUND_KEYS), V\tmp
	vpxor		V\x, V\tmp, V\tmp
	vmovdqa		V\tmp, SLOT(\slot)
.endm

// \slot = V\x, for round \r of a group: with the key of the next one, unless it is the
// last.
.macro	_put_gfni	r, i, x, slot, tmp
.if \r == 5
	vmovdqa		V\x, SLOT(\slot)
.else
	_put_keyed	\i, \x, \slot, \tmp
.endif
.endm

.macro	_sboxes_gfni	r, saved, x1, x2, x3, x4, x5, x6, x7, x8
	_put_gfni	\r, 3, \x4, \saved+3, 12
	_put_gfni	\r, 6, \x7, \saved+6, 13
	vgf2p8affineqb	$0, MATRIX_TURN, V\x4, V\x4
	vgf2p8affineqb	$0, MATRIX_TURN, V\x7, V\x7
	_put_gfni	\r, 0, \x1, \saved+0, 14
	_put_gfni	\r, 1, \x2, \saved+1, 15
	_put_gfni	\r, 2, \x3, \saved+2, 12
	_put_gfni	\r, 4, \x5, \saved+4, 13
	_put_gfni	\r, 5, \x6, \saved+5, 14
	_put_gfni	\r, 7, \x8, \saved+7, 15
.if \r != 5
	_advance
.endif
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, V\x1, V\x1
	vgf2p8affineinvqb $GFNI_S3_ADD, MATRIX_S3, V\x6, V\x6
	vgf2p8affineinvqb $GFNI_S3_ADD, MATRIX_S3, V\x3, V\x3
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, V\x8, V\x8
	vgf2p8affineinvqb $GFNI_S2_ADD, MATRIX_S2, V\x2, V\x2
	vgf2p8affineinvqb $GFNI_S2_ADD, MATRIX_S2, V\x5, V\x5
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, V\x4, V\x4
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, V\x7, V\x7
.endm

// V\b = V\b + matrix \n of those at \kind(FL_KEYS), applied to V\a. Clobbers V\tmp.
.macro	_fl_matrix	kind, n, a, b, tmp
	_load_matrix	\kind+8*\n(FL_KEYS), V\tmp
	vgf2p8affineqb	$0, V\tmp, V\a, V\tmp
	vpxor		V\tmp, V\b, V\b
.endm

.macro	_fl_right_gfni
	_fl_matrix	CAMELLIA_FL_MOVED_UP, 0, 0, 4, 8
	_fl_matrix	CAMELLIA_FL_MOVED_UP, 1, 1, 5, 9
	_fl_matrix	CAMELLIA_FL_MOVED_UP, 2, 2, 6, 10
	_fl_matrix	CAMELLIA_FL_MOVED_UP, 3, 3, 7, 11
	_fl_matrix	CAMELLIA_FL_MOVED_OUT, 1, 1, 4, 12
	_fl_matrix	CAMELLIA_FL_MOVED_OUT, 2, 2, 5, 13
	_fl_matrix	CAMELLIA_FL_MOVED_OUT, 3, 3, 6, 14
	_fl_matrix	CAMELLIA_FL_MOVED_OUT, 0, 0, 7, 15
.endm

.macro	_fl_left_gfni
	_fl_matrix	CAMELLIA_FL_BACK, 0, 4, 0, 8
	_fl_matrix	CAMELLIA_FL_BACK, 1, 5, 1, 9
	_fl_matrix	CAMELLIA_FL_BACK, 2, 6, 2, 10
	_fl_matrix	CAMELLIA_FL_BACK, 3, 7, 3, 11
.endm

//------------------------------------------------------------------------------
// By AES instructions
//
// AESENCLAST is the inversion, a map of its own, and an addition, which is that of the
// round key. S1 to S3 are other maps behind: two table look-ups in a register, one for
// either half of a byte.
//
// It shifts the rows of what it takes for an AES state. Here these are sixteen blocks,
// in an order that may be any, if only what is added has it too. So the right half of
// the state has its rows shifted from the beginning. What comes of it, to be added to
// the left half, has them shifted twice: there they have to be shifted twice more, and
// four times is none.

.macro	_load_lookup	map
	_vbroadcast128	.Llookup_\map(%rip), LOOKUP_LO
	_vbroadcast128	16+.Llookup_\map(%rip), LOOKUP_HI
.endm

.macro	_constants_aes
	vmovdqa		.Llow_nibbles(%rip), LOW_NIBBLES
.endm

// V\x = low nibbles of V\a, V\y = high nibbles.
.macro	_nibbles	a, x, y
	vpand		LOW_NIBBLES, V\a, V\x
	vpsrld		$4, V\a, V\y
	vpand		LOW_NIBBLES, V\y, V\y
.endm

// Apply the map in LOOKUP_LO and LOOKUP_HI to V\x. Clobbers V\tmp.
.macro	_lookup		x, tmp
	_nibbles	\x, \tmp, \x
	vpshufb		V\tmp, LOOKUP_LO, V\tmp
	vpshufb		V\x, LOOKUP_HI, V\x
	vpxor		V\tmp, V\x, V\x
.endm

// AESENCLAST for byte \i of the half, in V\x and, if \turned is 0, \slot. Clobbers V14
// and V15.
.macro	_aes		i, x, slot, turned=0
	vbroadcastss	4*\i(ROUND_KEYS), V15
.if SBOXES == VAES || VL == 16
	vaesenclast	V15, V\x, V\x
.else
.if \turned
	vextracti128	$1, V\x, X14
.else
	vmovdqa		16+SLOT(\slot), X14
.endif
	vaesenclast	X15, X\x, X\x
	vaesenclast	X15, X14, X14
	vinserti128	$1, X14, V\x, V\x
.endif
.endm

.macro	_sboxes_aes	r, saved, x1, x2, x3, x4, x5, x6, x7, x8
	_load_lookup	turn
	vmovdqa		V\x4, SLOT(\saved+3)
	vmovdqa		V\x7, SLOT(\saved+6)
	vmovdqa		V\x1, SLOT(\saved+0)
	vmovdqa		V\x2, SLOT(\saved+1)
	vmovdqa		V\x3, SLOT(\saved+2)
	vmovdqa		V\x5, SLOT(\saved+4)
	vmovdqa		V\x6, SLOT(\saved+5)
	vmovdqa		V\x8, SLOT(\saved+7)
	_lookup		\x4, 11
	_lookup		\x7, 12
	_aes		0, \x1, \saved+0
	_aes		7, \x8, \saved+7
	_aes		3, \x4, \saved+3, 1
	_aes		6, \x7, \saved+6, 1
	_aes		1, \x2, \saved+1
	_aes		4, \x5, \saved+4
	_aes		2, \x3, \saved+2
	_aes		5, \x6, \saved+5
	_advance
.if \r & 1
	_vbroadcast128	.Lshift_rows_twice(%rip), V15
.irp x, \x1, \x8, \x4, \x7, \x2, \x5, \x3, \x6
	vpshufb		V15, V\x, V\x
.endr
.endif
	_load_lookup	s1
	_lookup		\x1, 11
	_lookup		\x8, 12
	_lookup		\x4, 13
	_lookup		\x7, 14
	_load_lookup	s2
	_lookup		\x2, 11
	_lookup		\x5, 12
	_load_lookup	s3
	_lookup		\x3, 13
	_lookup		\x6, 14
.endm

// V\b = V\b + map \n of those at \kind(FL_KEYS), applied to V\a. Clobbers V11 to V14.
.macro	_fl_lookup	kind, n, a, b
	_vbroadcast128	\kind+32*\n(FL_KEYS), V13
	_vbroadcast128	\kind+32*\n+16(FL_KEYS), V14
	_nibbles	\a, 11, 12
	vpshufb		V11, V13, V11
	vpshufb		V12, V14, V12
	vpxor		V11, V\b, V\b
	vpxor		V12, V\b, V\b
.endm

// Add to V\b what the highest bits of V\a, byte \n of the left word, add to that.
// Clobbers V10 and V15.
.macro	_fl_highest	n, a, b
	vpcmpgtb	V\a, ZERO, V15
	vbroadcastss	CAMELLIA_FL_HIGHEST_OUT+4*\n(FL_KEYS), V10
	vpand		V10, V15, V15
	vpxor		V15, V\b, V\b
.endm

.macro	_fl_right_aes
	vpxor		ZERO, ZERO, ZERO
	_fl_lookup	CAMELLIA_FL_LOOKUP_UP, 0, 0, 4
	_fl_lookup	CAMELLIA_FL_LOOKUP_UP, 1, 1, 5
	_fl_lookup	CAMELLIA_FL_LOOKUP_UP, 2, 2, 6
	_fl_lookup	CAMELLIA_FL_LOOKUP_UP, 3, 3, 7
	_fl_highest	1, 1, 4
	_fl_highest	2, 2, 5
	_fl_highest	3, 3, 6
	_fl_highest	0, 0, 7
.endm

.macro	_fl_left_aes
	_fl_lookup	CAMELLIA_FL_LOOKUP_BACK, 0, 4, 0
	_fl_lookup	CAMELLIA_FL_LOOKUP_BACK, 1, 5, 1
	_fl_lookup	CAMELLIA_FL_LOOKUP_BACK, 2, 6, 2
	_fl_lookup	CAMELLIA_FL_LOOKUP_BACK, 3, 7, 3
.endm

//------------------------------------------------------------------------------
// Rounds
//
// Byte i of a half, from 0, in the other half's slots is in slot \set + i.

// Round \r of a group, from 0, on V\x1 to V\x8, which become V\x5 to V\x8, V\x1 to
// V\x4. The other half is in the slots from \other; the half as it was goes to those
// from \saved.
//
// The P-function is 16 additions: with x for what the S-boxes put out, in the end
// x5 to x8 are its bytes 1 to 4, and x1 to x4 its bytes 5 to 8.
.macro	_round		r, other, saved, x1, x2, x3, x4, x5, x6, x7, x8
.if SBOXES == GFNI
	_sboxes_gfni	\r, \saved, \x1, \x2, \x3, \x4, \x5, \x6, \x7, \x8
.else
	_sboxes_aes	\r, \saved, \x1, \x2, \x3, \x4, \x5, \x6, \x7, \x8
.endif
	_add		\x6, \x1
	_add		\x8, \x3
	_add		\x7, \x2
	_add		\x5, \x4
	_add		\x3, \x5
	_add		\x1, \x7
	_add		\x4, \x6
	_add		\x2, \x8
	_add		\x8, \x1
	_add		\x5, \x2
	_add		\x6, \x3
	_add		\x7, \x4
	_add		\x4, \x5
	_add		\x1, \x6
	_add		\x2, \x7
	_add		\x3, \x8
	vpxor		SLOT(\other+4), V\x1, V\x1
	vpxor		SLOT(\other+5), V\x2, V\x2
	vpxor		SLOT(\other+6), V\x3, V\x3
	vpxor		SLOT(\other+7), V\x4, V\x4
	vpxor		SLOT(\other+0), V\x5, V\x5
	vpxor		SLOT(\other+1), V\x6, V\x6
	vpxor		SLOT(\other+2), V\x7, V\x7
	vpxor		SLOT(\other+3), V\x8, V\x8
.endm

// V\b = V\a + V\b
.macro	_add		a, b
	vpxor		V\a, V\b, V\b
.endm

// From the left half in V0 to V7 and the right one in slots 8 to 15 to the same.
.macro	_six_rounds
.irp r, 0, 2, 4
	_round		\r, 8, 0, 0, 1, 2, 3, 4, 5, 6, 7
	_round		(\r+1), 0, 8, 4, 5, 6, 7, 0, 1, 2, 3
.endr
.endm

// The two steps of FL and its inverse, on the half in V0 to V7: what the left word adds
// to the right word, and the opposite. Clobber V9 to V15, and with GFNI V8.
.macro	_fl_right
.if SBOXES == GFNI
	_fl_right_gfni
.else
	_fl_right_aes
.endif
.endm

.macro	_fl_left
.if SBOXES == GFNI
	_fl_left_gfni
.else
	_fl_left_aes
.endif
.endm

.macro	_load_constants
.if SBOXES == GFNI
	_constants_gfni
.else
	_constants_aes
.endif
.endm

// Load slots \from to \from+7 to V0 to V7.
.macro	_get_half	from
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa		SLOT(\from+\i), V\i
.endr
.endm

// Store V0 to V7 to slots \to to \to+7: as they are, or as the half that the next round
// adds to.
.macro	_put_half	to
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa		V\i, SLOT(\to+\i)
.endr
.endm

.macro	_put_next_half	to
.if SBOXES == GFNI
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	_put_keyed	\i, \i, \to+\i, 15
.endr
	_advance
.else
	_put_half	\to
.endif
.endm

// Change the basis of V\x by what _load_basis has loaded. Clobbers V14 where there is no
// GFNI.
.macro	_load_basis	change
.if SBOXES == GFNI
	_load_matrix	.Lgfni_\change(%rip), MATRIX_BASIS
.else
	_load_lookup	\change
.endif
.endm

.macro	_change_basis	x
.if SBOXES == GFNI
	vgf2p8affineqb	$0, MATRIX_BASIS, V\x, V\x
.else
	_lookup		\x, 14
.endif
.endm

// Shift the rows of V\x, if the S-boxes do so too. Clobbers V15.
.macro	_shift_rows	how, x
.if SBOXES != GFNI
	_vbroadcast128	.Lshift_rows_\how(%rip), V15
	vpshufb		V15, V\x, V\x
.endif
.endm

// All rounds, from slots in the basis of the input to slots of the output.
.macro	_rounds
	mov		CAMELLIA_ROUNDS_FIRST(KEYS), ROUND_KEYS
	add		KEYS, ROUND_KEYS
	mov		CAMELLIA_FL_FIRST(KEYS), FL_KEYS
	add		KEYS, FL_KEYS
	mov		CAMELLIA_EXTRA_GROUPS(KEYS), GROUPS
	add		$CAMELLIA_MIN_GROUPS, GROUPS

	_load_constants
	_load_basis	to_basis
	_get_half	8
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	_change_basis	\i
	_shift_rows	once, \i
.endr
	_put_next_half	8
	_get_half	0
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	_change_basis	\i
.endr
	jmp		.Lgroup\@
.Lnext_group\@:
	_fl_right
	_fl_left
	_put_half	0
	add		CAMELLIA_FL_STEP(KEYS), FL_KEYS
	_get_half	8
	_fl_left
	_fl_right
	add		CAMELLIA_FL_STEP(KEYS), FL_KEYS
	_put_next_half	8
	_get_half	0
	_load_constants
.Lgroup\@:
	_six_rounds
	dec		GROUPS
	jnz		.Lnext_group\@

	// The last round does not exchange the halves
	_load_basis	from_basis
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	_change_basis	\i
	vmovdqa		SLOT(8+\i), V13
	vmovdqa		V\i, SLOT(8+\i)
	_change_basis	13
	_shift_rows	back, 13
	vmovdqa		V13, SLOT(\i)
.endr
.endm

//------------------------------------------------------------------------------
// Cores: see modes-vex.h

.macro	_camellia_key_in v
	_vbroadcast128	CAMELLIA_INPUT(KEYS), \v
.endm

.macro	_load_state	j, dst
	vmovdqa		SLOT(\j), \dst
.endm

.macro	_cores		tier
SYM_FUNC_START_LOCAL(rfl_camellia_sliced_\tier)
	_rounds
	_slice		state
	_vbroadcast128	CAMELLIA_OUTPUT(KEYS), FREE
.irp j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
	vpxor		FREE, S\j, S\j
.endr
	vpxor		SLOT(15), FREE, FREE
	vmovdqa		FREE, SLOT(15)
	RET
SYM_FUNC_END(rfl_camellia_sliced_\tier)

SYM_FUNC_START_LOCAL(rfl_camellia_blocks_\tier)
	_camellia_key_in V15
	_slice		input
.irp j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
	vmovdqa		S\j, SLOT(\j)
.endr
	jmp		rfl_camellia_sliced_\tier
SYM_FUNC_END(rfl_camellia_blocks_\tier)
.endm

#endif
