/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ARIA (RFC 5794) in ECB, CBC, CTR and XTS mode, byte-sliced, for 16 registers. The
 * tiers are in aria-aesni.S and aria-gfni.S.
 *
 * The blocks of a batch are byte-sliced: vector i of the state holds byte i of
 * every block, and as a vector has as many bytes as a batch has blocks, a batch
 * is 16 vectors sliced or not. The state does not fit into 16 registers beside what
 * works on it: it is in memory, where each byte is read and written once a round, or
 * twice by AES instructions, while the sums of which diffusion consists stay in
 * registers.
 *
 * What is shorter than a batch goes through that memory too, before and after.
 *
 * What is not here, and why: a second batch in flight, as one has work enough for all
 * ports.
 *
 * Branches and addresses depend on lengths, that of the key included, on nothing
 * else. All vector instructions are VEX-encoded.
 */
#ifndef _RFL_X86_ARIA_VEX_H
#define _RFL_X86_ARIA_VEX_H

#include "aria.h"
#include "modes-vex.h"
#include "aria-few.h"

.section .rodata
.p2align 5
#include "aria-consts.S"

.p2align 5
.Llow_nibbles:
	.fill	32, 1, 0x0f

.text

.set	PAIRS,		%r10d
.set	ROUND_KEYS,	%rax
.set	ROUND_KEYS_32,	%eax
.set	SAME_ORDER,	%r10
.set	NEXT_ORDER,	%r11

// Kinds of S-boxes
#define AESNI	0	/* for 128 bits */
#define VAES	1	/* for a whole vector */
#define GFNI	2

// Set the vector length in bytes and the kind of S-boxes, and name the registers: V0
// to V15 of that length and their low 128 bits X0 to X15.
.macro	_set_tier	vl, sboxes
	_set_veclen	\vl
.set	SBOXES,		\sboxes

// In the rounds, beside the sums. With AES instructions these are in V0 to V7, with GFNI
// in V0 to V12.
.set	LOW_NIBBLES,	V8
.set	AFFINE_LO,	V9
.set	AFFINE_HI,	V10
.set	SHIFT_ROWS_TWICE, V11
.endm

//------------------------------------------------------------------------------
// The state
//
// SCRATCH has 16 slots of VL bytes. Number the bytes of a block by bits,
// a + 2b + 4c + 8d. Byte (a, b, c, d) is in slot (a, b, c, d) in front of an odd round,
// and in slot (a ^ d ^ 1, b ^ c ^ 1, c, d) in front of an even one; for then diffusion
// is the same in all rounds. To each slot, it adds those that are reached from it by
// turning over the bits
//
//	ac, abc, bd, bcd, abd, acd
//
// which is the sum of the four slots with other a and c, and that of the four with
// other b and d; the one slot that is in both drops out.

// For slot \slot in front of a round that is even or not, set
//
//	BYTE	which byte of the block is in it
//	SBOX	which S-box that meets: 0 to 3 for S1, S2, X1, X2
.macro	_locate		slot, even
.set	BYTE,		(\slot) ^ ((\even) * (3 ^ (((\slot) >> 3) & 1) ^ (((\slot) >> 1) & 2)))
.set	SBOX,		(BYTE + 2 * (\even)) & 3
.endm

// A byte of the state behind the last round.
.macro	_load_state	j, dst
	_locate		\j, 1
	vmovdqa		SLOT(BYTE), \dst
.endm

//------------------------------------------------------------------------------
// Substitution by AES instructions
//
// S1 and X1 are the S-box of AES and its inverse. S2 is S1 followed by an affine map,
// and X2 is X1 behind another: each is two table look-ups in a register, one for
// either half of a byte.
//
// What the S-box puts out is to be added to a round key. The AES instructions do so.
// The key must have gone backwards through what comes behind it, the map of S2 and the
// diffusion; the key schedule has seen to that.
//
// AESENCLAST shifts the rows of what it takes for an AES state. Here these are sixteen
// blocks, and it is all the same in which order they are, as long as the order is that
// of all vectors. So they move on, round by round. AESDECLAST shifts in the opposite
// direction: shifting twice makes that one shift forwards. Four shifts are none; after
// 12 or 16 rounds all is back in place. After 14 (192-bit keys) it is shifted twice,
// and the last round shifts twice more.

// Apply the affine map in AFFINE_LO and AFFINE_HI to A. Clobbers B.
.macro	_affine
	vpand		LOW_NIBBLES, A, B
	vpsrld		$4, A, A
	vpand		LOW_NIBBLES, A, A
	vpshufb		B, AFFINE_LO, B
	vpshufb		A, AFFINE_HI, A
	vpxor		B, A, A
.endm

.macro	_load_affine	map
	_vbroadcast128	.L\map\()_lo(%rip), AFFINE_LO
	_vbroadcast128	.L\map\()_hi(%rip), AFFINE_HI
.endm

// Shuffle A by what is at \order. Clobbers B.
.macro	_reorder	order
	_vbroadcast128	\order, B
	vpshufb		B, A, A
.endm

// A = \op of what is in \slot. Clobbers B and T.
.macro	_aes		op, key, slot
.if SBOXES == VAES || VL == 16
	vbroadcastss	\key, T
	vmovdqa		SLOT(\slot), A
	\op		T, A, A
.else
	vbroadcastss	\key, T_XMM
	vmovdqa		SLOT(\slot), A_XMM
	vmovdqa		16+SLOT(\slot), B_XMM
	\op		T_XMM, A_XMM, A_XMM
	\op		T_XMM, B_XMM, B_XMM
	vinserti128	$1, B_XMM, A, A
.endif
.endm

.macro	_substitute_aes	key, slot, last
.if SBOX < 2
	_aes		vaesenclast, \key, \slot
.if \last
	_reorder	(SAME_ORDER)
.endif
.if SBOX == 1
	_affine
.endif
.else
	_aes		vaesdeclast, \key, \slot
.if \last
	_reorder	(NEXT_ORDER)
.else
	vpshufb		SHIFT_ROWS_TWICE, A, A
.endif
.endif
.endm

// Set what S1 and S2 are reordered by in the last round, and X1 and X2.
.macro	_set_orders
	lea		.Lin_place(%rip), SAME_ORDER
	lea		.Lshift_rows_twice(%rip), NEXT_ORDER
	testl		$1, ARIA_EXTRA_PAIRS(KEYS)
	jz		.Lset_\@
	xchg		SAME_ORDER, NEXT_ORDER
.Lset_\@:
.endm

//------------------------------------------------------------------------------
// Substitution by GFNI
//
// S1 and S2 are an inversion in GF(2^8) followed by an affine map, which is one
// instruction, X1 and X2 an affine map followed by the inversion.
//
// Round keys are added in front of the S-boxes, as there is nothing that adds them behind.
// Four bytes go through together: that keeps more ports busy than one after the other.

// The first of the two instructions, or the only one, for what _locate found.
.macro	_substitute_gfni x
.if SBOX == 0
	vgf2p8affineinvqb $GFNI_S1_ADD, .Lmatrix_s1(%rip), \x, \x
.elseif SBOX == 1
	vgf2p8affineinvqb $GFNI_S2_ADD, .Lmatrix_s2(%rip), \x, \x
.elseif SBOX == 2
	vgf2p8affineqb	$GFNI_X1_ADD, .Lmatrix_x1(%rip), \x, \x
.else
	vgf2p8affineqb	$GFNI_X2_ADD, .Lmatrix_x2(%rip), \x, \x
.endif
.endm

//------------------------------------------------------------------------------
// Rounds
//
// A round is diffusion, from what the one before has left in the slots and in sums,
// and substitution, which leaves the same for the next.
//
// \kind is first, without the diffusion, or inner, or last, without sums.

// \x = the byte in \slot behind diffusion. \ac and \bd are numbers of vectors.
.macro	_diffuse	kind, slot, ac, bd, x
.ifc \kind, first
	vmovdqa		SLOT(\slot), \x
.else
.if SBOXES == GFNI
	vbroadcastss	4*BYTE(ROUND_KEYS), \x
	vpxor		SLOT(\slot), \x, \x
	vpxor		V\ac, \x, \x
.else
	vpxor		SLOT(\slot), V\ac, \x
.endif
	vpxor		V\bd, \x, \x
.endif
.endm

// Store \x, and add it to the sums \ac and \bd; \new_ac and \new_bd tell whether there
// is nothing in these so far.
.macro	_collect	kind, slot, x, ac, bd, new_ac, new_bd
	vmovdqa		\x, SLOT(\slot)
.ifnc \kind, last
.if \new_bd
	vmovdqa		\x, V\bd
.else
	vpxor		\x, V\bd, V\bd
.endif
.if \new_ac
	vmovdqa		\x, V\ac
.else
	vpxor		\x, V\ac, V\ac
.endif
.endif
.endm

// A round for one slot, by AES instructions, in two passes. The first is up to these
// instructions, between which and the second bytes are in memory: where vectors must be
// taken apart for them, that is cheaper from there, but not right after they were written.
.macro	_first_pass	kind, even, slot, ac, bd
	_locate		\slot, \even
	_diffuse	\kind, \slot, \ac, \bd, A
.if SBOX == 3
	_affine
.endif
	vmovdqa		A, SLOT(\slot)
.endm

.macro	_first_pass_row	kind, even, ac, s0, s1, s2, s3
	_first_pass	\kind, \even, \s0, \ac, 3
	_first_pass	\kind, \even, \s1, \ac, 2
	_first_pass	\kind, \even, \s2, \ac, 1
	_first_pass	\kind, \even, \s3, \ac, 0
.endm

.macro	_second_pass	kind, even, slot, ac, bd, new_ac, new_bd
	_locate		\slot, \even
.ifc \kind, last
	_substitute_aes	4*BYTE(ROUND_KEYS), \slot, 1
.else
	_substitute_aes	4*BYTE(ROUND_KEYS), \slot, 0
.endif
	_collect	\kind, \slot, A, \ac, \bd, \new_ac, \new_bd
.endm

.macro	_second_pass_row kind, even, ac, new_bd, s0, s1, s2, s3
	_second_pass	\kind, \even, \s0, \ac, 0, 1, \new_bd
	_second_pass	\kind, \even, \s1, \ac, 1, 0, \new_bd
	_second_pass	\kind, \even, \s2, \ac, 2, 0, \new_bd
	_second_pass	\kind, \even, \s3, \ac, 3, 0, \new_bd
.endm

// The sums for b + 2d are in V0 to V3, those for a + 2c in V4 to V7.
.macro	_round_aes	kind, even
	_load_affine	x2_to_x1
	_first_pass_row	\kind, \even, 7, 0, 2, 8, 10
	_first_pass_row	\kind, \even, 6, 1, 3, 9, 11
	_first_pass_row	\kind, \even, 5, 4, 6, 12, 14
	_first_pass_row	\kind, \even, 4, 5, 7, 13, 15
	_load_affine	s1_to_s2
	_second_pass_row \kind, \even, 4, 1, 0, 2, 8, 10
	_second_pass_row \kind, \even, 5, 0, 1, 3, 9, 11
	_second_pass_row \kind, \even, 6, 0, 4, 6, 12, 14
	_second_pass_row \kind, \even, 7, 0, 5, 7, 13, 15
	add		$ARIA_SLICED_LAYER, ROUND_KEYS
.endm

.macro	_rounds_aes
	mov		ARIA_SLICED(KEYS), ROUND_KEYS_32
	add		KEYS, ROUND_KEYS
	mov		ARIA_EXTRA_PAIRS(KEYS), PAIRS
	add		$ARIA_MIN_PAIRS, PAIRS
	vmovdqa		.Llow_nibbles(%rip), LOW_NIBBLES
	_vbroadcast128	.Lshift_rows_twice(%rip), SHIFT_ROWS_TWICE
	_round_aes	first, 0
.Lnext_pair\@:
	_round_aes	inner, 1
	_round_aes	inner, 0
	dec		PAIRS
	jnz		.Lnext_pair\@
	_set_orders
	_round_aes	last, 1
.endm

// A round for four slots, by GFNI: two that meet X1 and X2, two that meet S1 and S2. The
// last round key is added here.
.macro	_round_gfni_4	kind, even, ac, next_ac, new_bd, xs0, xb0, xn0, xs1, xb1, xn1, ss0, sb0, sn0, ss1, sb1, sn1
	_locate		\xs0, \even
	_diffuse	\kind, \xs0, \ac, \xb0, A
	_locate		\xs1, \even
	_diffuse	\kind, \xs1, \ac, \xb1, B
	_locate		\ss0, \even
	_diffuse	\kind, \ss0, \ac, \sb0, V\next_ac
	_locate		\ss1, \even
	_diffuse	\kind, \ss1, \ac, \sb1, T
	_locate		\xs0, \even
	_substitute_gfni A
	_locate		\xs1, \even
	_substitute_gfni B
	_locate		\ss0, \even
	_substitute_gfni V\next_ac
	_locate		\ss1, \even
	_substitute_gfni T
	vgf2p8affineinvqb $0, .Lfew_identity(%rip), A, A
	vgf2p8affineinvqb $0, .Lfew_identity(%rip), B, B
.ifc \kind, last
	_add_last_key	\ss0, V\next_ac, \sn0
	_add_last_key	\ss1, T, \sn1
	_add_last_key	\xs0, A, \xn0
	_add_last_key	\xs1, B, \xn1
.endif
	_collect	\kind, \ss0, V\next_ac, \next_ac, \sn0, 1, \new_bd
	_collect	\kind, \ss1, T, \next_ac, \sn1, 0, \new_bd
	_collect	\kind, \xs0, A, \next_ac, \xn0, 0, \new_bd
	_collect	\kind, \xs1, B, \next_ac, \xn1, 0, \new_bd
.endm

.macro	_add_last_key	slot, x, tmp
	_locate		\slot, 1
	vbroadcastss	ARIA_SLICED_LAYER+4*BYTE(ROUND_KEYS), V\tmp
	vpxor		V\tmp, \x, \x
.endm

// The four slots with a and c as \a and \c tell. Vectors \b0 to \b3 have the sums for
// b + 2d, and \n0 to \n3 will have them next.
.macro	_round_gfni_row	kind, even, a, c, ac, next_ac, b0, b1, b2, b3, n0, n1, n2, n3
.if \even & \c
	_round_gfni_4	\kind, \even, \ac, \next_ac, (\a+\c==0), \
			\a+4*\c+0, \b3, \n0, \a+4*\c+8, \b1, \n2, \a+4*\c+2, \b2, \n1, \a+4*\c+10, \b0, \n3
.else
	_round_gfni_4	\kind, \even, \ac, \next_ac, (\a+\c==0), \
			\a+4*\c+2, \b2, \n1, \a+4*\c+10, \b0, \n3, \a+4*\c+0, \b3, \n0, \a+4*\c+8, \b1, \n2
.endif
.endm

// Vectors \r0 to \r3 have the sums for a + 2c, \free is none of them. The next ones are
// in \free, \r3, \r2, \r1, each made when the one that was there has been used: two
// rounds bring all back to where it was.
.macro	_round_gfni	kind, even, r0, r1, r2, r3, free, sums:vararg
	_round_gfni_row	\kind, \even, 0, 0, \r3, \free, \sums
	_round_gfni_row	\kind, \even, 1, 0, \r2, \r3, \sums
	_round_gfni_row	\kind, \even, 0, 1, \r1, \r2, \sums
	_round_gfni_row	\kind, \even, 1, 1, \r0, \r1, \sums
.endm

.macro	_rounds_gfni
	mov		ARIA_SLICED(KEYS), ROUND_KEYS_32
	add		KEYS, ROUND_KEYS
	mov		ARIA_EXTRA_PAIRS(KEYS), PAIRS
	add		$ARIA_MIN_PAIRS, PAIRS
	_round_gfni	first, 0, 8, 9, 10, 11, 12, 0, 1, 2, 3, 4, 5, 6, 7
.Lnext_pair\@:
	_round_gfni	inner, 1, 12, 11, 10, 9, 8, 4, 5, 6, 7, 0, 1, 2, 3
	add		$ARIA_SLICED_LAYER, ROUND_KEYS
	_round_gfni	inner, 0, 8, 9, 10, 11, 12, 0, 1, 2, 3, 4, 5, 6, 7
	add		$ARIA_SLICED_LAYER, ROUND_KEYS
	dec		PAIRS
	jnz		.Lnext_pair\@
	_round_gfni	last, 1, 12, 11, 10, 9, 8, 4, 5, 6, 7, 0, 1, 2, 3
.endm

//------------------------------------------------------------------------------
// Cores
//
// The functions rfl_aria_blocks_\tier, from 16 vectors of blocks at INPUT, and
// rfl_aria_sliced_\tier, from the slots of an odd round with the first round key added.
// Both return vectors of blocks in S0 to S14 and slot 15; FREE is free.

.macro	_aria_key_in	v
	_vbroadcast128	ARIA_FIRST(KEYS), \v
.endm

.macro	_cores		tier
SYM_FUNC_START_LOCAL(rfl_aria_sliced_\tier)
.if SBOXES == GFNI
	_rounds_gfni
.else
	_rounds_aes
.endif
	_slice		state
	RET
SYM_FUNC_END(rfl_aria_sliced_\tier)

SYM_FUNC_START_LOCAL(rfl_aria_blocks_\tier)
	_aria_key_in	V15
	_slice		input
.irp j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
	vmovdqa		S\j, SLOT(\j)
.endr
	jmp		rfl_aria_sliced_\tier
SYM_FUNC_END(rfl_aria_blocks_\tier)
.endm

//------------------------------------------------------------------------------
// What is shorter than a batch
//
// The cores for few blocks that \tier uses must be there, in the lengths named here.

// A batch of \tier, of vectors of \vl bytes, from slots to slots.
.macro	_batch_tail	vl, sboxes, tier
	_set_tier	\vl, \sboxes
	mov		SCRATCH, INPUT
	call		rfl_aria_blocks_\tier
	_save_output
.endm

.macro	_tail_128	sboxes, tier
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
	_batch_tail	16, \sboxes, \tier
.Ldone_\@:
.endm

.macro	_tail_256	sboxes, tier
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
	_batch_tail	32, \sboxes, \tier
.Ldone_\@:
.endm

#endif
