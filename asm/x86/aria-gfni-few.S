/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Modes of ARIA (RFC 5794) for up to 16 blocks, by GFNI and AVX-512.
 *
 * How many blocks there are chooses the core (see aria-few.h):
 *
 *	1 to 4		quarters, in 128-bit vectors
 *	5 to 8		quarters, in 256-bit vectors
 *	9 to 16		halves, in 256-bit vectors
 *
 * Each takes about as long for one block as for all, and hardly longer than the one
 * before. What is not there of the last vectors is masked out of loads and stores.
 * The longer vectors of AVX-512 are not used: more blocks are for byte-sliced code,
 * which ends in a jump to here. Of AVX-512 come ternary logic, masks, and registers
 * for tweaks.
 *
 * Branches and addresses depend on lengths and nothing else.
 */

#include <linux/linkage.h>
#include <asm/frame.h>
#include "aria.h"
#include "features.h"

// Arguments of the functions.
.set	KEYS,		%rdi	// struct Schedule, see aria.h
.set	DST,		%rsi
.set	SRC,		%rdx
.set	LEN,		%rcx
.set	IV,		%r8	// not for ECB

// Temporaries.
.set	ROUND_KEYS,	%rax
.set	PAIRS,		%r10d
.set	TMP0,		%rax
.set	TMP1,		%r9
.set	TMP2,		%r10
.set	TMP3,		%r11

#include "aria-few.h"

.section .rodata
.p2align 5
.Lreverse:
	.byte	15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
	.byte	15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
// What to add to the counter for each block, as 128-bit numbers.
.Lindices:
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.quad	\i, 0
.endr
.Llow_quads:
	.quad	-1, 0, -1, 0

.text

// Registers that the cores leave alone: tweaks or the last block of ciphertext.
.macro	_names	vectors
.set	VECTORS,	\vectors
.set	TWEAK0, V16
.set	TWEAK1, V17
.set	TWEAK2, V18
.set	TWEAK3, V19
.set	TWEAK4, V20
.set	TWEAK5, V21
.set	TWEAK6, V22
.set	TWEAK7, V23
.endm

// Do \what for the number of each vector.
.macro	_for_vectors	what:vararg
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
.if \i < VECTORS
	\what		\i
.endif
.endr
.endm

//------------------------------------------------------------------------------
// Memory: only the last four vectors can be partial, and these have a mask each.

// Set k1 to k4. Clobbers TMP0 and TMP1.
.macro	_set_masks
	mov		$-1, TMP1
	lea		-(VECTORS-4)*VL(LEN), TMP0
	bzhi		TMP0, TMP1, TMP2
	kmovq		TMP2, %k1
.if VL == 16
	kshiftrq	$16, %k1, %k2
	kshiftrq	$32, %k1, %k3
	kshiftrq	$48, %k1, %k4
.else
	kshiftrq	$32, %k1, %k2
	xor		%r11d, %r11d
	sub		$64, TMP0
	cmovb		TMP3, TMP0
	bzhi		TMP0, TMP1, TMP2
	kmovq		TMP2, %k3
	kshiftrq	$32, %k3, %k4
.endif
.endm

// \dst = vector \i of what is at \src
.macro	_load		i, src, dst
.if \i == VECTORS-4
	vmovdqu8	\src, \dst{%k1}{z}
.elseif \i == VECTORS-3
	vmovdqu8	\src, \dst{%k2}{z}
.elseif \i == VECTORS-2
	vmovdqu8	\src, \dst{%k3}{z}
.elseif \i == VECTORS-1
	vmovdqu8	\src, \dst{%k4}{z}
.else
	vmovdqu		\src, \dst
.endif
.endm

.macro	_load_src	i
	_load		\i, \i*VL(SRC), V\i
.endm

.macro	_store_dst	i
.if \i == VECTORS-4
	vmovdqu8	V\i, \i*VL(DST){%k1}
.elseif \i == VECTORS-3
	vmovdqu8	V\i, \i*VL(DST){%k2}
.elseif \i == VECTORS-2
	vmovdqu8	V\i, \i*VL(DST){%k3}
.elseif \i == VECTORS-1
	vmovdqu8	V\i, \i*VL(DST){%k4}
.else
	vmovdqu		V\i, \i*VL(DST)
.endif
.endm

//------------------------------------------------------------------------------
// ECB

.macro	_input_ecb
	_for_vectors	_load_src
.endm

.macro	_output_ecb
	_for_vectors	_store_dst
.endm

//------------------------------------------------------------------------------
// CBC decryption

.macro	_input_cbc
	vmovdqu64	-16(SRC, LEN), %xmm16
	_for_vectors	_load_src
.endm

// Add the block in front of each. As DST may be SRC, the last are stored first.
.macro	_store_cbc	i
.if \i != 0
	_load		\i, \i*VL-16(SRC), V8
.else
	vmovdqu		(IV), %xmm8
.if VL == 32
	vinserti128	$1, (SRC), V8, V8
.endif
.endif
	vpxor		V8, V\i, V\i
	_store_dst	\i
.endm

.macro	_output_cbc
.irp i, 7, 6, 5, 4, 3, 2, 1, 0
.if \i < VECTORS
	_store_cbc	\i
.endif
.endr
	vmovdqu64	%xmm16, (IV)
.endm

//------------------------------------------------------------------------------
// CTR

// \sum = the counter in V8 plus \index. Clobbers \tmp.
.macro	_add_to_counter	index, sum, tmp
	vpaddq		\index, V8, \sum
	// A carry is a highest bit that is lost
	vpandn		V8, \sum, \tmp
	vpsrlq		$63, \tmp, \tmp
	vpslldq		$8, \tmp, \tmp
	vpaddq		\tmp, \sum, \sum
.endm

.macro	_make_counter	i
	_add_to_counter	.Lindices+\i*VL(%rip), V\i, V10
	vpshufb		V9, V\i, V\i
.endm

.macro	_input_ctr
	_vbroadcast128	(IV), V8
	vmovdqa		.Lreverse(%rip), V9
	vpshufb		V9, V8, V8
	_for_vectors	_make_counter

	lea		15(LEN), TMP0
	shr		$4, TMP0
	vmovq		TMP0, %xmm10
	_add_to_counter	V10, V11, V12
	vpshufb		V9, V11, V11
	vmovdqu		%xmm11, (IV)
.endm

.macro	_store_ctr	i
	_load		\i, \i*VL(SRC), V8
	vpxor		V8, V\i, V\i
	_store_dst	\i
.endm

.macro	_output_ctr
	_for_vectors	_store_ctr
.endm

//------------------------------------------------------------------------------
// XTS
//
// The tweak of a block is that of the block in front of it times x, in GF(2^128)
// modulo x^128 + x^7 + x^2 + x + 1 (IEEE 1619, section 5.2). Bit 0 is the lowest of
// the first byte.

// \dst = \src * x^\n. Clobbers V8 and V9.
.macro	_multiply	n, src, dst
	vpshufd		$DWORDS(2, 3, 0, 1), \src, V8
	vpsrlq		$64-(\n), V8, V8
	vpsllq		$(\n), \src, \dst
	// In the low quads is what goes over the top
	vpand		.Llow_quads(%rip), V8, V9
	vpxorq		V8, \dst, \dst
	vpsllq		$1, V9, V8
	vpxorq		V8, \dst, \dst
	vpsllq		$2, V9, V8
	vpsllq		$7, V9, V9
	_xor3		V8, V9, \dst
.endm

.macro	_make_tweak	i
.if \i == 0
.if VL == 16
	vmovdqu64	(IV), TWEAK0
.else
	vbroadcasti128	(IV), V10
	_multiply	1, V10, V11
	vpblendd	$0xf0, V11, V10, V10
	vmovdqa64	V10, TWEAK0
.endif
.else
	_multiply	\i*VL/16, TWEAK0, TWEAK\i
.endif
.endm

.macro	_load_xts	i
	_load_src	\i
	vpxorq		TWEAK\i, V\i, V\i
.endm

.macro	_input_xts
	_for_vectors	_make_tweak
	_for_vectors	_load_xts

	// The tweak behind the last block
	mov		LEN, TMP0
	shr		$4, TMP0
	mov		(IV), TMP1
	mov		8(IV), TMP2
	shlx		TMP0, TMP1, TMP3
	mov		TMP3, (IV)
	shlx		TMP0, TMP2, TMP3
	mov		TMP3, 8(IV)
	neg		TMP0
	shrx		TMP0, TMP1, TMP1
	shrx		TMP0, TMP2, TMP2
	xor		TMP1, 8(IV)
	mov		TMP2, TMP3
	shl		$1, TMP3
	xor		TMP2, TMP3
	shl		$2, TMP2
	xor		TMP2, TMP3
	shl		$5, TMP2
	xor		TMP2, TMP3
	xor		TMP3, (IV)
.endm

.macro	_store_xts	i
	vpxorq		TWEAK\i, V\i, V\i
	_store_dst	\i
.endm

.macro	_output_xts
	_for_vectors	_store_xts
.endm

//------------------------------------------------------------------------------
// Functions

// The cores, each once for all modes: the blocks in V0 and on are replaced.
_only_features avx, avx2, gfni, avx512f, avx512vl
_few_core quarter, 16, 1
_few_core quarter, 32, 1
_few_core half, 32, 1

.macro	_crypt_by	core, vl, vectors, mode
	_few_veclen	\vl, 1
	_names		\vectors
	_set_masks
	_input_\mode
	call		rfl_aria_\core\()_\vl
	_output_\mode
.endm

.macro	_crypt		mode
	FRAME_BEGIN
	test		LEN, LEN
	jz		.Ldone\@
	cmp		$4*16, LEN
	ja		.Lmore_than_4\@
	_crypt_by	quarter, 16, 4, \mode
.Ldone\@:
	vzeroall
.irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vpxord		%xmm\i, %xmm\i, %xmm\i
.endr
.irp i, 1, 2, 3, 4
	kxorq		%k\i, %k\i, %k\i
.endr
	FRAME_END
	RET
.Lmore_than_4\@:
	cmp		$8*16, LEN
	ja		.Lmore_than_8\@
	_crypt_by	quarter, 32, 4, \mode
	jmp		.Ldone\@
.Lmore_than_8\@:
	_crypt_by	half, 32, 8, \mode
	jmp		.Ldone\@
.endm

/*
 * void rfl_aria_ecb_gfni_few(const struct Schedule *keys, u8 *dst,
 *			      const u8 *src, size_t len);
 *
 * Encrypt or decrypt, as @keys has it, each block by itself.
 *
 * void rfl_aria_cbc_dec_gfni_few(const struct Schedule *keys, u8 *dst,
 *				  const u8 *src, size_t len, u8 iv[16]);
 *
 * Decrypt in CBC mode. @iv becomes the last block of ciphertext.
 *
 * void rfl_aria_ctr_gfni_few(const struct Schedule *keys, u8 *dst,
 *			      const u8 *src, size_t len, u8 counter[16]);
 *
 * XOR the encryptions of @counter, @counter + 1, ... to the text. @counter is
 * big-endian, has 128 bits and wraps; it is advanced by the blocks done, a partial
 * one included.
 *
 * void rfl_aria_xts_gfni_few(const struct Schedule *keys, u8 *dst,
 *			      const u8 *src, size_t len, u8 tweak[16]);
 *
 * Encrypt or decrypt, as @keys has it, each block between two additions of its
 * tweak. @tweak is that of the first block, and advanced by the blocks done.
 *
 * For all: @len is 0 to 256, and a multiple of 16 except in CTR mode. @dst is @src
 * or does not overlap it, and has any alignment. The vector and mask registers must
 * be the caller's to clobber. On return the vector registers are zero, those that
 * the caller left something in included. The stack holds return addresses only.
 */
_only_features avx, avx2, bmi2, gfni, avx512f, avx512bw, avx512dq, avx512vl
SYM_FUNC_START(rfl_aria_ecb_gfni_few)
	_crypt		ecb
SYM_FUNC_END(rfl_aria_ecb_gfni_few)

SYM_FUNC_START(rfl_aria_cbc_dec_gfni_few)
	_crypt		cbc
SYM_FUNC_END(rfl_aria_cbc_dec_gfni_few)

SYM_FUNC_START(rfl_aria_ctr_gfni_few)
	_crypt		ctr
SYM_FUNC_END(rfl_aria_ctr_gfni_few)

SYM_FUNC_START(rfl_aria_xts_gfni_few)
	_crypt		xts
SYM_FUNC_END(rfl_aria_xts_gfni_few)
