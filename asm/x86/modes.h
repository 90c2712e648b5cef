/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Modes of operation around a byte-sliced block cipher, for any number of bytes.
 *
 * A file that uses them defines the macros below, says _set_mode_veclen, and makes each
 * function of one line, _function. In place of \cipher it has its own name.
 *
 *	_\cipher\()_key_in v	Load what is added to each block first, into every
 *				lane of vector v. May clobber TMP0.
 *	_\cipher\()_key_out v	The same for what is added to each block last.
 *	_\cipher\()_rounds	All between these two. In: slices in V0 to V15. Out:
 *				the batch in V0 to V15, in memory order. May clobber
 *				all vectors, TMP0 to TMP3, and %k2 to %k7.
 *
 * The functions all have one prototype:
 *
 *	void f(const void *keys, u8 *dst, const u8 *src, size_t len, u8 iv[16]);
 *
 *	ecb	@keys decides the direction. @iv is not used. @len is a multiple of 16,
 *		as everywhere but in ctr.
 *	cbc_dec	@iv is added to the first block, and becomes the last of @src.
 *	ctr	@iv is the counter: 128 bits, big-endian, wraps, advanced by the blocks
 *		done, a partial one included. @len is anything.
 *	xts	@iv is the tweak of the first block, advanced by the blocks done. Between
 *		input and output of a batch its tweaks are in @dst, as there are no
 *		registers for them.
 *
 * @dst is @src or does not overlap it, and has any alignment. Nothing outside the
 * buffers is read or written. The stack is used by _function_of_two alone, which wipes
 * what was there. The vector registers must be the caller's to clobber; on return they
 * are zero. Branches and addresses depend on @len, on the length of the key and, in ctr,
 * on the lowest byte of the counter.
 *
 * A batch that is not full costs as much as one that is. So a function leaves to
 * another one, by jumping there, what is too short for it.
 */
#ifndef _RFL_X86_MODES_H
#define _RFL_X86_MODES_H

#include "byteslice.h"

// Arguments of the functions.
.set	KEYS,		%rdi
.set	DST,		%rsi
.set	SRC,		%rdx
.set	LEN,		%rcx
.set	IV,		%r8

// Temporaries. Between input and output they are the cipher's.
.set	TMP0,		%rax
.set	TMP0_32,	%eax
.set	TMP1,		%r9
.set	TMP1_32,	%r9d
.set	TMP2,		%r10
.set	TMP2_32,	%r10d
.set	TMP3,		%r11
.set	TMP3_32,	%r11d

// Which bytes of the last vector there are, if it is not a whole one.
#define LAST_BYTES	%k1

.section .rodata
.p2align 6
// Which block of the batch each byte of a slice belongs to, for vectors of 64 bytes
// and of 32.
.Lblocks:
.irp lane, 0, 1, 2, 3
.irp position, 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60
	.byte	\position + \lane
.endr
.endr
.irp lane, 0, 1
.irp position, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
	.byte	\position + \lane
.endr
.endr

// Bytes of which vpshufb takes the same one everywhere.
.Lbyte_numbers:
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.fill	4, 1, \i
.endr

// By which power of x the tweaks of eight blocks differ from the first: see "XTS". For
// vectors of 64 bytes and of 32.
.Lpowers:
	.quad	0, 4, 1, 5, 2, 6, 3, 7
	.quad	0, 2, 1, 3
	.quad	4, 6, 5, 7

// Multiplying a byte by x^7 + x^2 + x + 1: matrices that make the lower and the upper
// byte of the product, for gf2p8affineqb. The first row makes bit 7. Row n of the lower
// one takes those bits n - k where x^k is in the polynomial, the upper one continues.
.Lproduct_lo:
.irp n, 7, 6, 5, 4, 3, 2, 1, 0
	.byte	(1 << 7 | 1 << 6 | 1 << 5 | 1) << \n >> 7
.endr
.Lproduct_hi:
.irp n, 7, 6, 5, 4, 3, 2, 1, 0
	.byte	((1 << 7 | 1 << 6 | 1 << 5 | 1) << \n << 1) & 0xff
.endr
.L64:
	.quad	64
.text

// The vectors of a mode: what is added to all blocks, and what was loaded.
.macro	_set_mode_veclen vl
	_name_vectors	\vl, 1
.set	WHITE,		V30
.set	LOADED,		V31

.set	BEFORE,		V29

.set	COUNTER,	V29
.set	INDEX,		V28
.set	FIRST,		V27

.set	POWERS,		V24
.set	POWERS_TO_64,	V25
.set	CARRY,		V26
.set	SHIFTED,	V27
.set	PRODUCT_LO,	V28
.set	PRODUCT_HI,	V29
.endm
.set	LOADED_XMM,	%xmm31
.set	BEFORE_XMM,	%xmm29
.set	COUNTER_XMM,	%xmm29

//------------------------------------------------------------------------------
// The vectors of a batch
//
// LEN counts from the start of the batch, which is full if there are as many bytes.

// Do \op for each vector that there is, first to last, as "\op number", then for a
// partial one "\op number, LAST_BYTES".
.macro	_each		op
.irp j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	cmp		$(\j + 1) * VL, LEN
	jb		.Lpart_\@_\j
	\op		\j
	je		.Lall_\@
.endr
	jmp		.Lall_\@
.irp j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.Lpart_\@_\j:
	\op		\j, LAST_BYTES
	jmp		.Lall_\@
.endr
.Lall_\@:
.endm

// The same, last to first.
.macro	_each_backwards	op
.irp j, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
	cmp		$(\j + 1) * VL, LEN
	jae		.Lfull_\@_\j
	cmp		$\j * VL, LEN
	ja		.Lpart_\@_\j
.endr
.irp j, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
.Lfull_\@_\j:
	\op		\j
.Lbelow_\@_\j:
.endr
	jmp		.Lall_\@
.irp j, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
.Lpart_\@_\j:
	\op		\j, LAST_BYTES
	jmp		.Lbelow_\@_\j
.endr
.Lall_\@:
.endm

// Load from \mem to \dst; with a mask those bytes, and zeroes.
.macro	_load		mem, dst, mask
.ifb \mask
	vmovdqu8	\mem, \dst
.else
	vmovdqu8	\mem, \dst{\mask}{z}
.endif
.endm

// Store \src to \mem; with a mask those bytes.
.macro	_store		src, mem, mask
.ifb \mask
	vmovdqu8	\src, \mem
.else
	vmovdqu8	\src, \mem{\mask}
.endif
.endm

// \dst = \dst + \b + what is at \mem. With a mask, clobbers LOADED.
.macro	_add_loaded	mem, b, dst, mask
.ifb \mask
	vpternlogd	$0x96, \mem, \b, \dst
.else
	vmovdqu8	\mem, LOADED{\mask}{z}
	vpternlogd	$0x96, LOADED, \b, \dst
.endif
.endm

// \dst = min(LEN, \max)
.macro	_min_len	max, dst, dst32
	mov		$\max, \dst32
	cmp		\dst, LEN
	cmovb		LEN, \dst
.endm

//------------------------------------------------------------------------------
// ECB

.macro	_read_ecb	j, mask
.ifb \mask
	vpxord		\j*VL(SRC), WHITE, V\j
.else
	_load		\j*VL(SRC), V\j, \mask
	vpxord		WHITE, V\j, V\j
.endif
.endm

.macro	_write_ecb	j, mask
	vpxord		WHITE, V\j, V\j
	_store		V\j, \j*VL(DST), \mask
.endm

.macro	_input_ecb	cipher
	_\cipher\()_key_in WHITE
	_each		_read_ecb
	_slice
.endm

.macro	_output_ecb	cipher
	_\cipher\()_key_out WHITE
	_each		_write_ecb
.endm

//------------------------------------------------------------------------------
// CBC, decryption
//
// What is added to a vector is the ciphertext 16 bytes before it. Last to first, as in
// place each vector overwrites what is to be added to the next.

.macro	_write_cbc_dec	j, mask
.if \j
	_add_loaded	"\j*VL-16(SRC)", WHITE, V\j, \mask
.else
	vpternlogd	$0x96, BEFORE, WHITE, V\j
.endif
	_store		V\j, \j*VL(DST), \mask
.endm

.macro	_input_cbc_dec	cipher
	_input_ecb	\cipher
.endm

.macro	_output_cbc_dec	cipher
	// BEFORE = IV and the ciphertext behind it
	_min_len	VL, TMP0, TMP0_32
	mov		$-1, TMP1
	bzhi		TMP0, TMP1, TMP1
	xor		$0xffff, TMP1
	kmovq		TMP1, %k2
	vmovdqu8	(IV), BEFORE_XMM
	vmovdqu8	-16(SRC), BEFORE{%k2}
	// IV = the last block of ciphertext
	_min_len	16*VL, TMP0, TMP0_32
	vmovdqu8	-16(SRC, TMP0), LOADED_XMM
	vmovdqu8	LOADED_XMM, (IV)

	_\cipher\()_key_out WHITE
	_each_backwards	_write_cbc_dec
.endm

//------------------------------------------------------------------------------
// CTR
//
// The counters are made sliced. The last byte of a batch of counters wraps at most
// once. Up to there their other bytes are those of the counter, from there on those of
// the counter plus 256.

// Make bytes 0 to 14 of all blocks, or of those that \mask has, those of COUNTER.
.macro	_spread_counter	mask
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
	vpbroadcastd	.Lbyte_numbers+4*\i(%rip), INDEX
	vpshufb		INDEX, COUNTER, V\i\mask
.endr
.endm

.macro	_input_ctr	cipher
	_\cipher\()_key_in WHITE
	vbroadcasti32x4	(IV), COUNTER
	vpxord		WHITE, COUNTER, COUNTER
	_spread_counter

	// The last byte, and in %k2 where it has wrapped
	vpbroadcastb	15(IV), FIRST
	vpaddb		.Lblocks+2*(64-VL)(%rip), FIRST, V15
	vpcmpltub	FIRST, V15, %k2
	vpbroadcastd	.Lbyte_numbers+4*15(%rip), INDEX
	vpshufb		INDEX, WHITE, INDEX
	vpxord		INDEX, V15, V15

	mov		8(IV), TMP0
	mov		(IV), TMP1
	bswap		TMP0
	bswap		TMP1
	movzbl		%al, TMP2_32
	cmp		$256 - VL, TMP2_32
	jbe		.Lno_wrap\@
	mov		TMP0, TMP2
	mov		TMP1, TMP3
	add		$256, TMP2
	adc		$0, TMP3
	bswap		TMP2
	bswap		TMP3
	vmovq		TMP3, COUNTER_XMM
	vpinsrq		$1, TMP2, COUNTER_XMM, COUNTER_XMM
	vshufi32x4	$0, COUNTER, COUNTER, COUNTER
	vpxord		WHITE, COUNTER, COUNTER
	_spread_counter	"{%k2}"
.Lno_wrap\@:

	_min_len	16*VL, TMP2, TMP2_32
	add		$15, TMP2
	shr		$4, TMP2
	add		TMP2, TMP0
	adc		$0, TMP1
	bswap		TMP0
	bswap		TMP1
	mov		TMP0, 8(IV)
	mov		TMP1, (IV)
.endm

.macro	_write_ctr	j, mask
	_add_loaded	\j*VL(SRC), WHITE, V\j, \mask
	_store		V\j, \j*VL(DST), \mask
.endm

.macro	_output_ctr	cipher
	_\cipher\()_key_out WHITE
	_each		_write_ctr
.endm

//------------------------------------------------------------------------------
// XTS
//
// The tweak of a block is x times that of the block before, modulo x^128 + x^7 + x^2 +
// x + 1. Those of eight blocks are kept as vectors LO and HI of their lower and upper
// quads, one such pair if that fills vectors of 64 bytes, two pairs of 32 bytes. The
// next eight are theirs times x^8, which moves all bytes up by one, and the uppermost
// byte multiplied by x^7 + x^2 + x + 1 to the lowest two.
//
// The even quads of a pair are the tweaks of one vector of blocks, in order, the odd
// ones those of the next vector.

.macro	_set_pair	n
.if (\n) == 0
.set	LO,		V16
.set	HI,		V17
.else
.set	LO,		V18
.set	HI,		V19
.endif
.endm

// Make pair \n of the tweak at IV: multiply it by all the POWERS.
.macro	_first_tweaks	n
	_set_pair	\n
	vmovdqu8	.Lpowers+2*(64-VL)+\n*VL(%rip), POWERS
	vpbroadcastq	.L64(%rip), POWERS_TO_64
	vpsubq		POWERS, POWERS_TO_64, POWERS_TO_64
	vpbroadcastq	(IV), LO
	vpbroadcastq	8(IV), HI
	vpsrlvq		POWERS_TO_64, HI, CARRY
	vpsllvq		POWERS, HI, HI
	vpsrlvq		POWERS_TO_64, LO, SHIFTED
	vpord		SHIFTED, HI, HI
	vpsllvq		POWERS, LO, LO
	vpsllq		$1, CARRY, SHIFTED
	vpternlogd	$0x96, SHIFTED, CARRY, LO
	vpsllq		$2, CARRY, SHIFTED
	vpsllq		$7, CARRY, CARRY
	vpternlogd	$0x96, SHIFTED, CARRY, LO
.endm

// Multiply LO and HI by x^8.
.macro	_next_tweaks
	vpsrlq		$56, HI, CARRY
	vpsrlq		$56, LO, SHIFTED
	vpsllq		$8, HI, HI
	vpord		SHIFTED, HI, HI
	vgf2p8affineqb	$0, PRODUCT_HI, CARRY, SHIFTED
	vgf2p8affineqb	$0, PRODUCT_LO, CARRY, CARRY
	vpxord		SHIFTED, LO, LO
	vpsllq		$8, LO, LO
	vpxord		CARRY, LO, LO
.endm

.macro	_read_xts	j, mask
	_set_pair	(\j/2)%(64/VL)
	_load		\j*VL(SRC), LOADED, \mask
.if \j % 2 == 0
	vpunpcklqdq	HI, LO, V\j
.else
	vpunpckhqdq	HI, LO, V\j
	_next_tweaks
.endif
	_store		V\j, \j*VL(DST), \mask
	vpternlogd	$0x96, LOADED, WHITE, V\j
.endm

.macro	_write_xts	j, mask
	_add_loaded	\j*VL(DST), WHITE, V\j, \mask
	_store		V\j, \j*VL(DST), \mask
.endm

.macro	_input_xts	cipher
	_\cipher\()_key_in WHITE
	_first_tweaks	0
.if VL == 32
	_first_tweaks	1
.endif
	vpbroadcastq	.Lproduct_lo(%rip), PRODUCT_LO
	vpbroadcastq	.Lproduct_hi(%rip), PRODUCT_HI
	_each		_read_xts

	// IV = the last tweak times x
	_min_len	16*VL, TMP0, TMP0_32
	mov		-16(DST, TMP0), TMP1
	mov		-8(DST, TMP0), TMP2
	mov		TMP2, TMP3
	sar		$63, TMP3
	and		$0x87, TMP3_32
	add		TMP1, TMP1
	adc		TMP2, TMP2
	xor		TMP3, TMP1
	mov		TMP1, (IV)
	mov		TMP2, 8(IV)

	_slice
.endm

.macro	_output_xts	cipher
	_\cipher\()_key_out WHITE
	_each		_write_xts
.endm

//------------------------------------------------------------------------------
// Functions

// LAST_BYTES, from LEN. Clobbers TMP0 and TMP1.
.macro	_set_last_bytes
	mov		$-1, TMP1
	mov		LEN, TMP0
	and		$VL - 1, TMP0_32
	bzhi		TMP0, TMP1, TMP1
	kmovq		TMP1, LAST_BYTES
.endm

// The body of a function. While more than \limit bytes are left it does a batch; what is
// left then is done by the function \rest, if there is one.
.macro	_function	cipher, mode, limit=0, rest
	cmp		$\limit, LEN
	jle		.Lrest\@
	_set_last_bytes
.Lnext\@:
	_input_\mode	\cipher
	_\cipher\()_rounds
	_output_\mode	\cipher
	sub		$16*VL, LEN
	jbe		.Ldone\@
	add		$16*VL, SRC
	add		$16*VL, DST
	cmp		$\limit, LEN
	ja		.Lnext\@
.Lrest\@:
.ifnb \rest
	jmp		\rest
.endif
.Ldone\@:
	_clear_vectors
	RET
.endm

// The same for a cipher that does two batches at once, which is done while there is more
// than one. Besides the macros above it has these, which may clobber the same registers;
// there are 16*VL bytes at (%rsp), aligned to VL:
//
//	_\cipher\()_park	Put the slices in V0 to V15 there.
//	_\cipher\()_rounds_of_two
//				In: the first batch, parked, and slices of the second one in
//				V0 to V15. Out: the first batch in V0 to V15, in memory
//				order, and the second one parked.
//	_\cipher\()_unpark	Get the second batch in V0 to V15, in memory order.
.macro	_function_of_two cipher, mode
	cmp		$16*VL, LEN
	jbe		.Lone\@
	_set_last_bytes
	push		%rbp
	mov		%rsp, %rbp
	sub		$16*VL, %rsp
	and		$-VL, %rsp
.Lnext\@:
	_input_\mode	\cipher
	_\cipher\()_park
	_step		add, sub
	_input_\mode	\cipher
	_\cipher\()_rounds_of_two
	_step		sub, add
	_output_\mode	\cipher
	_step		add, sub
	_\cipher\()_unpark
	_output_\mode	\cipher
	_step		add, sub
	cmp		$16*VL, LEN
	jg		.Lnext\@

	vpxord		V0, V0, V0
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	_store		V0, \i*VL(%rsp)
.endr
	mov		%rbp, %rsp
	pop		%rbp
.Lone\@:
	_function	\cipher, \mode
.endm

// Move on to the next batch, or back to the one before.
.macro	_step		op, op_len
	\op		$16*VL, SRC
	\op		$16*VL, DST
	\op_len	$16*VL, LEN
.endm

#endif
