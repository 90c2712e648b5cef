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

#include <linux/linkage.h>
#include <asm/frame.h>
#include "aria.h"
#include "features.h"

.section .rodata
.p2align 5
#include "aria-consts.S"

.p2align 5
// Which block of the batch each byte of a sliced vector belongs to.
.Lblocks_32:
	.byte	0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
	.byte	1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
.Lblocks_16:
.Lin_place:
	.byte	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.Lreverse:
	.byte	15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
.Lall_last:
	.fill	32, 1, 15
.Llow_nibbles:
	.fill	32, 1, 0x0f
.Lones:
	.fill	32, 1, 0x01
.Lone:
	.quad	1, 0
// x^128 modulo x^128 + x^7 + x^2 + x + 1, and the carry from the low quad
.Lcarries:
	.long	0x87, 0, 1, 0

.text

// Arguments of the functions.
.set	KEYS,		%rdi	// struct Schedule, see aria.h
.set	DST,		%rsi
.set	SRC,		%rdx
.set	LEN,		%rcx
.set	IV,		%r8	// not for ECB
.set	SCRATCH,	%r9	// 16 vectors, aligned to their length

// Temporaries.
.set	TMP0,		%rax
.set	TMP1,		%r10
.set	TMP2,		%r11
.set	PAIRS,		%r10d
.set	ROUND_KEYS,	%rax
.set	ROUND_KEYS_32,	%eax
.set	INPUT,		%r11	// of the cores
.set	SAME_ORDER,	%r10
.set	NEXT_ORDER,	%r11
.set	POS,		%rax	// in what is shorter than a batch
.set	END,		%r10

// Kinds of S-boxes
#define AESNI	0	/* for 128 bits */
#define VAES	1	/* for a whole vector */
#define GFNI	2

// Set the vector length in bytes and the kind of S-boxes, and name the registers: V0
// to V15 of that length and their low 128 bits X0 to X15.
.macro	_set_tier	vl, sboxes
.set	VL,		\vl
.set	SBOXES,		\sboxes
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.set	X\i,		%xmm\i
.if VL == 16
.set	V\i,		%xmm\i
.else
.set	V\i,		%ymm\i
.endif
.endr

// In the rounds, beside the sums. With AES instructions these are in V0 to V7, with GFNI
// in V0 to V12.
.set	LOW_NIBBLES,	V8
.set	AFFINE_LO,	V9
.set	AFFINE_HI,	V10
.set	SHIFT_ROWS_TWICE, V11
.set	A,		V13
.set	A_XMM,		X13
.set	B,		V14
.set	B_XMM,		X14
.set	T,		V15
.set	T_XMM,		X15
.endm

// Load 16 bytes into every 128-bit lane of \dst.
.macro	_vbroadcast128	src, dst
.if VL == 16
	vmovdqu		\src, \dst
.else
	vbroadcasti128	\src, \dst
.endif
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

#define SLOT(i)		((i)*VL)(SCRATCH)

// For slot \slot in front of a round that is even or not, set
//
//	BYTE	which byte of the block is in it
//	SBOX	which S-box that meets: 0 to 3 for S1, S2, X1, X2
.macro	_locate		slot, even
.set	BYTE,		(\slot) ^ ((\even) * (3 ^ (((\slot) >> 3) & 1) ^ (((\slot) >> 1) & 2)))
.set	SBOX,		(BYTE + 2 * (\even)) & 3
.endm

//------------------------------------------------------------------------------
// Slicing
//
// A stage interleaves the bytes of vectors j and j + 8 to vectors 2j and 2j + 1. In
// the binary digits of indices, a byte of vector r3 r2 r1 r0 at p3 p2 p1 p0 of its
// lane moves to vector r2 r1 r0 p3, position p2 p1 p0 r3. Hence four stages exchange
// vector and position; they slice a batch, and they undo it.
//
// Each lane is by itself: byte p of lane n comes from block p * VL / 16 + n.
//
// A stage wants a free register, so vector 15 waits in slot 15 between stages.

// Interleave \a and \b to \lo and \hi; \lo may be \a, \b may be memory.
.macro	_interleave	b, a, lo, hi
	vpunpckhbw	\b, \a, \hi
	vpunpcklbw	\b, \a, \lo
.endm

// Do \stages stages on V\r0 to V\r14 and slot 15; V\t is free. The results are in
// slot 15 and in S0 to S14, names that are set here as is FREE.
.macro	_stages		stages, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, t
.if \stages
	_interleave	V\r8, V\r0, V\r0, V\t
	_interleave	V\r9, V\r1, V\r1, V\r8
	_interleave	V\r10, V\r2, V\r2, V\r9
	_interleave	V\r11, V\r3, V\r3, V\r10
	_interleave	V\r12, V\r4, V\r4, V\r11
	_interleave	V\r13, V\r5, V\r5, V\r12
	_interleave	V\r14, V\r6, V\r6, V\r13
	_interleave	SLOT(15), V\r7, V\r7, V\r14
	vmovdqa		V\r14, SLOT(15)
	_stages		\stages-1, \r0, \t, \r1, \r8, \r2, \r9, \r3, \r10, \r4, \r11, \r5, \r12, \r6, \r13, \r7, \r14
.else
	.set S0, V\r0;	 .set S1, V\r1;	  .set S2, V\r2;   .set S3, V\r3
	.set S4, V\r4;	 .set S5, V\r5;	  .set S6, V\r6;   .set S7, V\r7
	.set S8, V\r8;	 .set S9, V\r9;	  .set S10, V\r10; .set S11, V\r11
	.set S12, V\r12; .set S13, V\r13; .set S14, V\r14
	.set FREE, V\t;	 .set FREE_XMM, X\t
.endif
.endm

// First stage for vectors \j and \j8 of what _load_\from loads. Clobbers \tmp.
.macro	_first_stage	from, j, j8, lo, hi, tmp
	_load_\from	\j, \lo
	_load_\from	\j8, \tmp
	_interleave	\tmp, \lo, \lo, \hi
.endm

// All stages for the 16 vectors that _load_\from loads, results as in _stages.
// Clobbers V0 to V15; _load_\from may use V15 until it has loaded vector 6.
.macro	_slice		from
	_first_stage	\from, 7, 15, V14, V12, V13
	vmovdqa		V12, SLOT(15)
	_first_stage	\from, 0, 8, V0, V1, V13
	_first_stage	\from, 1, 9, V2, V3, V13
	_first_stage	\from, 2, 10, V4, V5, V13
	_first_stage	\from, 3, 11, V6, V7, V13
	_first_stage	\from, 4, 12, V8, V9, V13
	_first_stage	\from, 5, 13, V10, V11, V13
	// Vector 14 takes V15: let go of it.
	_load_\from	6, V12
	_load_\from	14, V15
	_interleave	V15, V12, V12, V13
	_stages		3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.endm

// A vector of the input, the first round key in V15 added.
.macro	_load_input	j, dst
	vpxor		\j*VL(INPUT), V15, \dst
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
	_vbroadcast128	ARIA_FIRST(KEYS), V15
	_slice		input
.irp j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
	vmovdqa		S\j, SLOT(\j)
.endr
	jmp		rfl_aria_sliced_\tier
SYM_FUNC_END(rfl_aria_blocks_\tier)
.endm

//------------------------------------------------------------------------------
// Modes
//
// For each there are
//
//	_batch	a whole batch
//	_fill	the input of a core to the slots, as blocks in a row, for END bytes
//	_drain	the output from there to DST, for LEN bytes, backwards
//
// Where blocks of the source are needed after those before them have been written,
// which is in CBC mode when DST is SRC, what is written first is the last.

// Do \what for number and register of all vectors of a batch that a core returned.
.macro	_for_output	what
	vmovdqa		SLOT(15), FREE
	\what		15, FREE
.irp j, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
	\what		\j, S\j
.endr
.endm

.macro	_save_output
.irp j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
	vmovdqa		S\j, SLOT(\j)
.endr
.endm

// ECB
.macro	_write_ecb	j, x
	vmovdqu		\x, \j*VL(DST)
.endm

.macro	_batch_ecb	tier
	mov		SRC, INPUT
	call		rfl_aria_blocks_\tier
	_for_output	_write_ecb
.endm

.macro	_fill_ecb
	xor		%eax, %eax
.Lfill_\@:
	vmovdqu		(SRC, POS), X0
	vmovdqa		X0, (SCRATCH, POS)
	add		$16, POS
	cmp		END, POS
	jb		.Lfill_\@
.endm

.macro	_drain_ecb
	lea		-16(LEN), POS
.Ldrain_\@:
	vmovdqa		(SCRATCH, POS), X0
	vmovdqu		X0, (DST, POS)
	sub		$16, POS
	jae		.Ldrain_\@
.endm

// CBC decryption
.macro	_write_cbc_dec	j, x
.if \j != 0
	vpxor		\j*VL-16(SRC), \x, \x
.elseif VL == 16
	vpxor		(IV), \x, \x
.else
	vmovdqu		(IV), FREE_XMM
	vinserti128	$1, (SRC), FREE, FREE
	vpxor		FREE, \x, \x
.endif
	vmovdqu		\x, \j*VL(DST)
.endm

.macro	_batch_cbc_dec	tier
	mov		SRC, INPUT
	call		rfl_aria_blocks_\tier
	mov		16*VL-16(SRC), TMP1
	mov		16*VL-8(SRC), TMP2
	_for_output	_write_cbc_dec
	mov		TMP1, (IV)
	mov		TMP2, 8(IV)
.endm

.macro	_fill_cbc_dec
	_fill_ecb
.endm

.macro	_drain_cbc_dec
	vmovdqu		-16(SRC, LEN), X1
	lea		-16(LEN), POS
	test		POS, POS
	jz		.Lfirst_\@
.Ldrain_\@:
	vmovdqa		(SCRATCH, POS), X0
	vpxor		-16(SRC, POS), X0, X0
	vmovdqu		X0, (DST, POS)
	sub		$16, POS
	jnz		.Ldrain_\@
.Lfirst_\@:
	vmovdqa		(SCRATCH), X0
	vpxor		(IV), X0, X0
	vmovdqu		X0, (DST)
	vmovdqu		X1, (IV)
.endm

// CTR
//
// The last byte of a batch of counters wraps at most once. Up to there their other
// bytes are those of the counter, from there on those of the counter plus 256. So
// there are two values for each byte, side by side in a table.
// Set TMP2 to the lower half of the counter in TMP1 and TMP0 plus \n, do \lower; then the
// same for the upper half.
.macro	_add_to_counter	n, lower, upper
	mov		TMP0, TMP2
	add		$\n, TMP2
	bswap		TMP2
	\lower
	mov		TMP1, TMP2
	adc		$0, TMP2
	bswap		TMP2
	\upper
.endm

// Copy the lowest lane of V\v to the others.
.macro	_spread_lane	v
.if VL == 32
	vinserti128	$1, X\v, V\v, V\v
.endif
.endm

.macro	_count_batch
.set	COUNTER,	V0
.set	NEXT,		V1
.set	LAST,		V2
.set	WHICH,		V3
.set	TWO,		V4
.set	TABLE0,		V5
.set	TABLE1,		V6
	mov		8(IV), TMP0
	mov		(IV), TMP1
	// By halves, as it has been written
	vmovq		TMP0, X2
	vmovq		TMP1, X0
	vpunpcklqdq	X2, X0, X0
	_spread_lane	0
	bswap		TMP0
	bswap		TMP1
	_add_to_counter	256, "vmovq TMP2, X2", "vmovq TMP2, X1"
	vpunpcklqdq	X2, X1, X1
	_spread_lane	1

	// The last byte of each counter, and whether it is smaller than the first's
	vpshufb		.Lall_last(%rip), COUNTER, A
.if VL == 16
	vpaddb		.Lblocks_16(%rip), A, LAST
.else
	vpaddb		.Lblocks_32(%rip), A, LAST
.endif
	vpmaxub		LAST, A, WHICH
	vpcmpeqb	LAST, WHICH, WHICH
	vmovdqa		.Lones(%rip), TWO
	vpaddb		TWO, WHICH, WHICH
	vpaddb		TWO, TWO, TWO

	_add_to_counter	VL, "mov TMP2, 8(IV)", "mov TMP2, (IV)"

	_vbroadcast128	ARIA_FIRST(KEYS), T
	vpxor		T, COUNTER, COUNTER
	vpxor		T, NEXT, NEXT
	vpshufb		.Lall_last(%rip), T, T
	vpxor		T, LAST, LAST
	vmovdqa		LAST, SLOT(15)
	vpunpcklbw	NEXT, COUNTER, TABLE0
	vpunpckhbw	NEXT, COUNTER, TABLE1
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	vpshufb		WHICH, TABLE0, A
	vmovdqa		A, SLOT(\i)
	vpaddb		TWO, WHICH, WHICH
.endr
	// An index counts modulo 16
.irp i, 8, 9, 10, 11, 12, 13, 14
	vpshufb		WHICH, TABLE1, A
	vmovdqa		A, SLOT(\i)
	vpaddb		TWO, WHICH, WHICH
.endr
.endm

.macro	_write_ctr	j, x
	vpxor		\j*VL(SRC), \x, \x
	vmovdqu		\x, \j*VL(DST)
.endm

.macro	_batch_ctr	tier
	_count_batch
	call		rfl_aria_sliced_\tier
	_for_output	_write_ctr
.endm

.macro	_fill_ctr
	vmovdqu		(IV), X0
	vmovdqa		.Lreverse(%rip), X1
	vmovdqa		.Lone(%rip), X2
	vpxor		X3, X3, X3
	xor		%eax, %eax
	// The counter in two, each half where it is in 128 bits: that is a short way from
	// one to the next
	vpshufb		X1, X0, X5
	vmovq		X5, X4
	vpxor		X4, X5, X5
.Lfill_\@:
	vmovdqa		X0, (SCRATCH, POS)
	vpaddq		X2, X4, X4
	// All ones, which is -1, where the lower half has become 0
	vpcmpeqq	X3, X4, X6
	vpslldq		$8, X6, X6
	vpsubq		X6, X5, X5
	vpor		X4, X5, X0
	vpshufb		X1, X0, X0
	add		$16, POS
	cmp		END, POS
	jb		.Lfill_\@
	vmovdqu		X0, (IV)
.endm

.macro	_drain_ctr
	mov		LEN, END
	mov		LEN, POS
	and		$-16, POS
.Lbytes_\@:
	cmp		POS, END
	je		.Ldrain_\@
	dec		END
	movzbl		(SRC, END), %r11d
	xor		(SCRATCH, END), %r11b
	mov		%r11b, (DST, END)
	jmp		.Lbytes_\@
.Ldrain_\@:
	sub		$16, POS
	jb		.Ldrained_\@
	vmovdqa		(SCRATCH, POS), X0
	vpxor		(SRC, POS), X0, X0
	vmovdqu		X0, (DST, POS)
	jmp		.Ldrain_\@
.Ldrained_\@:
.endm

// XTS, the tweaks being at DST in the meantime
//
// The tweak of a block is that of the block in front of it times x, in GF(2^128)
// modulo x^128 + x^7 + x^2 + x + 1 (IEEE 1619, section 5.2). Bit 0 is the lowest of
// the first byte.
.macro	_write_xts	j, x
	vpxor		\j*VL(DST), \x, \x
	vmovdqu		\x, \j*VL(DST)
.endm

.macro	_batch_xts	tier
	mov		$16*VL, %r10d
	_fill_xts
	mov		SCRATCH, INPUT
	call		rfl_aria_blocks_\tier
	_for_output	_write_xts
.endm

.macro	_fill_xts
	vmovdqu		(IV), X0
	vmovdqa		.Lcarries(%rip), X2
	xor		%eax, %eax
.Lfill_\@:
	vpxor		(SRC, POS), X0, X1
	vmovdqa		X1, (SCRATCH, POS)
	vmovdqu		X0, (DST, POS)
	vpsrad		$31, X0, X1
	// The signs of the high and of the low quad to where they go
	vpshufd		$0x13, X1, X1
	vpand		X2, X1, X1
	vpaddq		X0, X0, X0
	vpxor		X1, X0, X0
	add		$16, POS
	cmp		END, POS
	jb		.Lfill_\@
	vmovdqu		X0, (IV)
.endm

.macro	_drain_xts
	lea		-16(LEN), POS
.Ldrain_\@:
	vmovdqa		(SCRATCH, POS), X0
	vpxor		(DST, POS), X0, X0
	vmovdqu		X0, (DST, POS)
	sub		$16, POS
	jae		.Ldrain_\@
.endm

//------------------------------------------------------------------------------
// Functions

// The function of \mode of \tier. Its last bytes, if they are at most \limit, are done
// by the function \rest if there is one. What is less than a batch is done by
// _tail_\tier, from slots to slots, where it is a row of blocks.
.macro	_function	tier, mode, limit=0, rest
SYM_FUNC_START(rfl_aria_\mode\()_\tier)
	FRAME_BEGIN
	cmp		$16*VL, LEN
	jb		.Ltail_\@
.Lnext_batch_\@:
	_batch_\mode	\tier
	add		$16*VL, SRC
	add		$16*VL, DST
	sub		$16*VL, LEN
	cmp		$16*VL, LEN
	jae		.Lnext_batch_\@
.Ltail_\@:
	test		LEN, LEN
	jz		.Ldone_\@
.ifnb \rest
	cmp		$\limit, LEN
	ja		.Lslice_tail_\@
	FRAME_END
	jmp		\rest
.Lslice_tail_\@:
.endif
	mov		LEN, END
	_fill_\mode
	_tail_\tier
	_drain_\mode
.Ldone_\@:
	// No secret stays in a register, and no upper half is left in use
	vzeroall
	FRAME_END
	RET
SYM_FUNC_END(rfl_aria_\mode\()_\tier)
.endm

.macro	_functions	tier, limit, rest
.ifb \rest
	_function	\tier, ecb
	_function	\tier, cbc_dec
	_function	\tier, ctr
	_function	\tier, xts
.else
	_function	\tier, ecb, \limit, rfl_aria_ecb_\rest
	_function	\tier, cbc_dec, \limit, rfl_aria_cbc_dec_\rest
	_function	\tier, ctr, \limit, rfl_aria_ctr_\rest
	_function	\tier, xts, \limit, rfl_aria_xts_\rest
.endif
.endm

#endif
