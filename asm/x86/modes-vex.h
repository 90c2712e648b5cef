/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Modes of operation around a byte-sliced block cipher, for any number of bytes and for 16
 * vector registers, VEX-encoded. See modes.h for AVX-512.
 *
 * The blocks of a batch are byte-sliced: vector i of the state holds byte i of every
 * block, and as a vector has as many bytes as a batch has blocks, a batch is 16 vectors
 * sliced or not. What does not fit into registers beside them is in memory.
 *
 * A file that uses them defines, with names of its own for \cipher and \tier,
 *
 *	_\cipher\()_key_in v	A macro that loads what is added to each block first,
 *				into every lane of vector v.
 *	rfl_\cipher\()_blocks_\tier
 *				A local function, from 16 vectors of blocks at INPUT.
 *	rfl_\cipher\()_sliced_\tier
 *				The same from slices in the slots, what is added first
 *				added. Both return vectors of blocks in S0 to S14 and
 *				slot 15; FREE is free.
 *	_tail_\tier		A macro for what is shorter than a batch, from slots to
 *				slots, where it is a row of blocks.
 *
 * and makes its functions by _functions.
 */
#ifndef _RFL_X86_MODES_VEX_H
#define _RFL_X86_MODES_VEX_H

#include <linux/linkage.h>
#include <asm/frame.h>
#include "features.h"
#include "vectors.h"

.section .rodata
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
.Lones:
	.fill	32, 1, 0x01
.Lone:
	.quad	1, 0
// x^128 modulo x^128 + x^7 + x^2 + x + 1, and the carry from the low quad
.Lcarries:
	.long	0x87, 0, 1, 0

.text

// Arguments of the functions.
.set	KEYS,		%rdi	// the cipher's
.set	DST,		%rsi
.set	SRC,		%rdx
.set	LEN,		%rcx
.set	IV,		%r8	// not for ECB
.set	SCRATCH,	%r9	// 16 vectors, aligned to their length

// Temporaries.
.set	TMP0,		%rax
.set	TMP1,		%r10
.set	TMP2,		%r11
.set	INPUT,		%r11	// of the cores
.set	POS,		%rax	// in what is shorter than a batch
.set	END,		%r10

// Set the vector length in bytes, and name the registers: V0 to V15 of that length and
// their low 128 bits X0 to X15.
.macro	_set_veclen	vl
	_name_vectors	\vl
.set	A,		V13
.set	A_XMM,		X13
.set	B,		V14
.set	B_XMM,		X14
.set	T,		V15
.set	T_XMM,		X15
.endm

// SCRATCH has 16 slots of VL bytes.
#define SLOT(i)		((i)*VL)(SCRATCH)

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

.macro	_batch_ecb	cipher, tier
	mov		SRC, INPUT
	call		rfl_\cipher\()_blocks_\tier
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

.macro	_batch_cbc_dec	cipher, tier
	mov		SRC, INPUT
	call		rfl_\cipher\()_blocks_\tier
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

.macro	_count_batch	cipher
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

	_\cipher\()_key_in T
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

.macro	_batch_ctr	cipher, tier
	_count_batch	\cipher
	call		rfl_\cipher\()_sliced_\tier
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

.macro	_batch_xts	cipher, tier
	mov		$16*VL, %r10d
	_fill_xts
	mov		SCRATCH, INPUT
	call		rfl_\cipher\()_blocks_\tier
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
.macro	_function	cipher, tier, mode, limit=0, rest
SYM_FUNC_START(rfl_\cipher\()_\mode\()_\tier)
	FRAME_BEGIN
	cmp		$16*VL, LEN
	jb		.Ltail_\@
.Lnext_batch_\@:
	_batch_\mode	\cipher, \tier
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
SYM_FUNC_END(rfl_\cipher\()_\mode\()_\tier)
.endm

.macro	_functions	cipher, tier, limit, rest
.ifb \rest
	_function	\cipher, \tier, ecb
	_function	\cipher, \tier, cbc_dec
	_function	\cipher, \tier, ctr
	_function	\cipher, \tier, xts
.else
	_function	\cipher, \tier, ecb, \limit, rfl_\cipher\()_ecb_\rest
	_function	\cipher, \tier, cbc_dec, \limit, rfl_\cipher\()_cbc_dec_\rest
	_function	\cipher, \tier, ctr, \limit, rfl_\cipher\()_ctr_\rest
	_function	\cipher, \tier, xts, \limit, rfl_\cipher\()_xts_\rest
.endif
.endm

#endif
