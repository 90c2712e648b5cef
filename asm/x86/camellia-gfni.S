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
 * One half of the state is in registers, where the S-boxes and the P-function turn it to
 * what is added to the other half, which is in memory. modes-vex.h has what is around.
 *
 * All bytes are in a basis in which they can be inverted as they are; what is added in
 * front of an inversion is in the round key of the round before.
 * rust/ciphers/camellia/sliced.rs tells about both.
 */

#include "camellia.h"
#include "modes-vex.h"

.section .rodata
.p2align 5
#include "camellia-consts.S"
.text

.set	ROUND_KEYS,	%rax
.set	GROUPS,		%r10d
.set	FL_KEYS,	%r11

.macro	_set_tier	vl
	_set_veclen	\vl
.set	MATRIX_S1,	V8
.set	MATRIX_S2,	V9
.set	MATRIX_S3,	V10
.set	MATRIX_TURN,	V11
.set	MATRIX_BASIS,	V12
.endm

// Load a matrix to all quads of \dst.
.macro	_load_matrix	mem, dst
.if VL == 16
	vmovddup	\mem, \dst
.else
	vpbroadcastq	\mem, \dst
.endif
.endm

.macro	_load_matrices
	_load_matrix	.Lgfni_s1(%rip), MATRIX_S1
	_load_matrix	.Lgfni_s2(%rip), MATRIX_S2
	_load_matrix	.Lgfni_s3(%rip), MATRIX_S3
	_load_matrix	.Lgfni_turn(%rip), MATRIX_TURN
.endm

//------------------------------------------------------------------------------
// Rounds
//
// Byte i of a half, from 0, in the other half's slots is in slot \set + i. Before a round
// the half there has the round key in it already.

// \slot = V\x + byte \i of the key of round \r, or without if \r is 6. Clobbers V\tmp.
.macro	_put		r, i, x, slot, tmp
.if (\r) == 6
	vmovdqa		V\x, SLOT(\slot)
.else
	vbroadcastss	32*(\r)+4*(\i)(ROUND_KEYS), V\tmp
	vpxor		V\x, V\tmp, V\tmp
	vmovdqa		V\tmp, SLOT(\slot)
.endif
.endm

// Round \r of a group on V\x1 to V\x8, which become V\x5 to V\x8, V\x1 to V\x4. The other
// half is in the slots from \other; the half as it was goes to those from \saved.
//
// The P-function is 16 additions: with x for what the S-boxes put out, in the end
// x5 to x8 are its bytes 1 to 4, and x1 to x4 its bytes 5 to 8.
.macro	_round		r, other, saved, x1, x2, x3, x4, x5, x6, x7, x8
	_put		\r+1, 3, \x4, \saved+3, 12
	_put		\r+1, 6, \x7, \saved+6, 13
	vgf2p8affineqb	$0, MATRIX_TURN, V\x4, V\x4
	vgf2p8affineqb	$0, MATRIX_TURN, V\x7, V\x7
	_put		\r+1, 0, \x1, \saved+0, 14
	_put		\r+1, 1, \x2, \saved+1, 15
	_put		\r+1, 2, \x3, \saved+2, 12
	_put		\r+1, 4, \x5, \saved+4, 13
	_put		\r+1, 5, \x6, \saved+5, 14
	_put		\r+1, 7, \x8, \saved+7, 15
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, V\x1, V\x1
	vgf2p8affineinvqb $GFNI_S3_ADD, MATRIX_S3, V\x6, V\x6
	vgf2p8affineinvqb $GFNI_S3_ADD, MATRIX_S3, V\x3, V\x3
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, V\x8, V\x8
	vgf2p8affineinvqb $GFNI_S2_ADD, MATRIX_S2, V\x2, V\x2
	vgf2p8affineinvqb $GFNI_S2_ADD, MATRIX_S2, V\x5, V\x5
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, V\x4, V\x4
	vgf2p8affineinvqb $GFNI_S1_ADD, MATRIX_S1, V\x7, V\x7
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

// V\b = V\b + matrix \n of those at \kind(FL_KEYS), applied to V\a. Clobbers V\tmp.
.macro	_fl_add		kind, n, a, b, tmp
	_load_matrix	\kind+8*\n(FL_KEYS), V\tmp
	vgf2p8affineqb	$0, V\tmp, V\a, V\tmp
	vpxor		V\tmp, V\b, V\b
.endm

// The two steps of FL and its inverse, on the half in V0 to V7: what the left word adds
// to the right word, and the opposite. Clobber V8 to V15.
.macro	_fl_right
	_fl_add		CAMELLIA_FL_MOVED_UP, 0, 0, 4, 8
	_fl_add		CAMELLIA_FL_MOVED_UP, 1, 1, 5, 9
	_fl_add		CAMELLIA_FL_MOVED_UP, 2, 2, 6, 10
	_fl_add		CAMELLIA_FL_MOVED_UP, 3, 3, 7, 11
	_fl_add		CAMELLIA_FL_MOVED_OUT, 1, 1, 4, 12
	_fl_add		CAMELLIA_FL_MOVED_OUT, 2, 2, 5, 13
	_fl_add		CAMELLIA_FL_MOVED_OUT, 3, 3, 6, 14
	_fl_add		CAMELLIA_FL_MOVED_OUT, 0, 0, 7, 15
.endm

.macro	_fl_left
	_fl_add		CAMELLIA_FL_BACK, 0, 4, 0, 8
	_fl_add		CAMELLIA_FL_BACK, 1, 5, 1, 9
	_fl_add		CAMELLIA_FL_BACK, 2, 6, 2, 10
	_fl_add		CAMELLIA_FL_BACK, 3, 7, 3, 11
.endm

// Load slots \from to \from+7 to V0 to V7.
.macro	_get_half	from
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa		SLOT(\from+\i), V\i
.endr
.endm

// Store V0 to V7 to slots \to to \to+7, with the key of round \r as in _put.
.macro	_put_half	r, to
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	_put		\r, \i, \i, \to+\i, 15
.endr
.endm

// Change the basis of V0 to V7.
.macro	_change_basis
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	vgf2p8affineqb	$0, MATRIX_BASIS, V\i, V\i
.endr
.endm

// All rounds, from slots in the basis of the input to slots of the output.
.macro	_rounds
	lea		CAMELLIA_SLICED(KEYS), ROUND_KEYS
	mov		CAMELLIA_FL_FIRST(KEYS), FL_KEYS
	add		KEYS, FL_KEYS
	mov		CAMELLIA_EXTRA_GROUPS(KEYS), GROUPS
	add		$CAMELLIA_MIN_GROUPS, GROUPS

	_load_matrix	.Lgfni_to_basis(%rip), MATRIX_BASIS
	_get_half	8
	_change_basis
	_put_half	0, 8
	_get_half	0
	_change_basis
	jmp		.Lgroup\@
.Lnext_group\@:
	_fl_right
	_fl_left
	_put_half	6, 0
	add		CAMELLIA_FL_STEP(KEYS), FL_KEYS
	_get_half	8
	_fl_left
	_fl_right
	add		CAMELLIA_FL_STEP(KEYS), FL_KEYS
	_put_half	0, 8
	_get_half	0
.Lgroup\@:
	_load_matrices
	_six_rounds
	add		$CAMELLIA_SLICED_GROUP, ROUND_KEYS
	dec		GROUPS
	jnz		.Lnext_group\@

	// The last round does not exchange the halves
	_put_half	6, 0
	_load_matrix	.Lgfni_from_basis(%rip), MATRIX_BASIS
	_change_basis
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa		SLOT(8+\i), V8
	vmovdqa		V\i, SLOT(8+\i)
	vgf2p8affineqb	$0, MATRIX_BASIS, V8, V8
	vmovdqa		V8, SLOT(\i)
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
_set_tier 16
_cores gfni_avx
_functions camellia, gfni_avx

_only_features avx, avx2, gfni
_set_tier 32
_cores gfni_avx2
_functions camellia, gfni_avx2, 256, gfni_avx
