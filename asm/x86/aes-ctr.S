/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AES (FIPS 197) in counter mode (SP 800-38A, section 6.5), and its S-box for the key
 * schedule.
 *
 * Tiers, instantiated at the foot of the file:
 *
 *	avx512		VAES, AVX-512. 512-bit vectors, 16 blocks a step. Intel since
 *			Ice Lake, AMD since Zen 4.
 *	avx512vl	The same instructions on 256-bit vectors, 8 blocks a step, for
 *			CPUs whose clock suffers from longer ones.
 *
 * Either has 32 registers, so that round keys stay where they are, and masks, so that
 * the last step finishes a message of any length: it does up to four vectors, the last
 * of which is loaded and stored in part.
 *
 * Branches and addresses depend on the length of data and key, on nothing else. All
 * vector instructions are VEX- or EVEX-encoded.
 */

#include <linux/linkage.h>
#include "aes.h"
#include "features.h"

.section .rodata
.p2align 6
// The number of each block in a vector, as little-endian numbers of 128 bits.
.Lnumbers:
	.quad	0, 0, 1, 0, 2, 0, 3, 0
// How many there are in a vector of 32 bytes, and in one of 64.
.Lblocks:
	.quad	2, 0
.p2align 5
	.quad	4, 0
// Between little- and big-endian.
.Lreverse:
	.byte	15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0

.text

// Arguments of the functions.
.set	KEY,		%rdi	// struct Key, see aes.h
.set	DST,		%rsi
.set	SRC,		%rdx
.set	LEN,		%rcx
.set	COUNTER,	%r8

// Temporaries.
.set	EXTRA,		%eax
.set	EXTRA_64,	%rax
.set	TMP,		%r9
.set	TMP_32,		%r9d
.set	RUN,		%r10d
.set	RUN_8,		%r10b
.set	RUN_64,		%r10
.set	MIN_RUN,	8
.set	SHORT,		128

.macro	_set_names
.set	T,		V4
.set	NEXT,		V5	// counters of the next vector, little-endian
.set	STEP,		V6	// blocks in a vector
.set	REVERSE,	V7
.set	COLUMNS,	V8	// for the first round, see aes.h
.set	FIRST_COLUMNS,	V9
.set	COLUMN_KEY,	V10
.endm

// Set V0 to V\n-1 to counters with FIRST added, and go on to those that follow.
.macro	_counters	n
.irp i, 0, 1, 2, 3
.if \i < \n
	vpshufb		REVERSE, NEXT, V\i
	vpaddq		STEP, NEXT, NEXT
	vpxord		FIRST, V\i, V\i
.endif
.endr
.endm

// Finish V\i and add it to the data. With \mask it is the last vector, a part of which %k1
// names. Clobbers T.
.macro	_last_round	i, mask=0
.if \mask
	vmovdqu8	\i*VL(SRC), T{%k1}{z}
	vpxord		LAST, T, T
	vaesenclast	T, V\i, V\i
	vmovdqu8	V\i, \i*VL(DST){%k1}
.else
	vpxord		\i*VL(SRC), LAST, T
	vaesenclast	T, V\i, V\i
	vmovdqu64	V\i, \i*VL(DST)
.endif
.endm

// Do \n vectors, the last of which in part if \last is 1.
.macro	_vectors	n, last=0
	_counters	\n
	_aes_rounds	\n, EXTRA
.irp i, 0, 1, 2, 3
.if \i < \n
	_last_round	\i, \last&(\i==\n-1)
.endif
.endr
.endm

.macro	_ctr
.if VL == 64
	// Shorter vectors are faster as long as one or two steps of them do it
	cmp		$SHORT, LEN
	jbe		rfl_aes_ctr_avx512vl
.endif
	_load_round_keys KEY, EXTRA, EXTRA_64, TMP
	vbroadcasti32x4	.Lreverse(%rip), REVERSE
	vbroadcasti32x4	(COUNTER), NEXT
	vpshufb		REVERSE, NEXT, NEXT

	// Advance the counter. Its lower half may have come to its end just now
	lea		15(LEN), TMP
	shr		$4, TMP
	vmovq		TMP, X0
	vpaddq		X0, X5, X0
	vpxor		X1, X1, X1
	vpcmpeqq	X1, X0, X1
	vpslldq		$8, X1, X1
	vpsubq		X1, X0, X0
	vpshufb		X7, X0, X0
	vmovdqu		X0, (COUNTER)

	vpaddq		.Lnumbers(%rip), NEXT, NEXT
	vbroadcasti32x4	.Lblocks+VL-32(%rip), STEP

	sub		$4*VL, LEN
	jb		.Llast_step\@

	// Steps until the last byte of the counter wraps, or as there are if those are fewer
.Lnext_run\@:
	vmovd		X5, RUN
	movzbl		RUN_8, RUN
	neg		RUN
	add		$256, RUN
	shr		$LOG_BLOCKS, RUN
	mov		LEN, TMP
	shr		$LOG_BLOCKS+4, TMP
	inc		TMP
	cmp		TMP, RUN_64
	cmova		TMP_32, RUN
	cmp		$MIN_RUN, RUN
	jb		.Lone_step\@
	_prepare_columns KEY, NEXT, REVERSE, COLUMNS, FIRST_COLUMNS, COLUMN_KEY, T, TMP_32
	mov		RUN, TMP_32
	shl		$LOG_BLOCKS, TMP_32
	vmovd		TMP_32, X4
	vshufi32x4	$0, T, T, T
	vpaddq		T, NEXT, NEXT
.Lnext_step\@:
	_first_round	KEY, COLUMNS, FIRST_COLUMNS, COLUMN_KEY, T
	_aes_rounds_but_first 4, EXTRA
.irp i, 0, 1, 2, 3
	_last_round	\i
.endr
	add		$4*VL, SRC
	add		$4*VL, DST
	sub		$4*VL, LEN
	dec		RUN
	jnz		.Lnext_step\@
	test		LEN, LEN
	jns		.Lnext_run\@
	jmp		.Llast_step\@

.Lone_step\@:
	_vectors	4
	add		$4*VL, SRC
	add		$4*VL, DST
	sub		$4*VL, LEN
	jae		.Lnext_run\@

.Llast_step\@:
	add		$4*VL, LEN
	jz		.Ldone\@
	// How much of the last vector: from 1 to VL
	lea		-1(LEN), %r10d
	and		$VL-1, %r10d
	mov		$-2, TMP
	shlx		%r10, TMP, TMP
	not		TMP
.if VL == 64
	kmovq		TMP, %k1
.else
	kmovd		%r9d, %k1
.endif
	cmp		$2*VL, LEN
	ja		.Lthree_or_four\@
	cmp		$VL, LEN
	ja		.Ltwo\@
	_vectors	1, last=1
	jmp		.Ldone\@
.Ltwo\@:
	_vectors	2, last=1
	jmp		.Ldone\@
.Lthree_or_four\@:
	cmp		$3*VL, LEN
	ja		.Lfour\@
	_vectors	3, last=1
	jmp		.Ldone\@
.Lfour\@:
	_vectors	4, last=1

.Ldone\@:
	// No secret stays in a register, and no upper half is left in use
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	vpxor		X\i, X\i, X\i
.endr
.irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
	vpxord		X\i, X\i, X\i
.endr
	vzeroupper
	RET
.endm

/*
 * void rfl_aes_ctr_<tier>(const struct Key *key, u8 *dst, const u8 *src, size_t len,
 *			   u8 counter[16]);
 *
 * XOR the encryptions of @counter, @counter + 1, ... to @len bytes, and advance
 * @counter, which is big-endian and has 128 bits, by the blocks done, a final partial
 * one included. Its lower 64 bits must not wrap before the last block. @dst is @src or
 * does not overlap it. The vector registers must be the caller's to clobber; on return
 * they are zero. The stack is not used.
 */
_only_features vaes, avx512bw, avx512vl, bmi2
_set_veclen 64
.set LOG_BLOCKS, 4
_set_names
SYM_FUNC_START(rfl_aes_ctr_avx512)
	_ctr
SYM_FUNC_END(rfl_aes_ctr_avx512)

_set_veclen 32
.set LOG_BLOCKS, 3
_set_names
SYM_FUNC_START(rfl_aes_ctr_avx512vl)
	_ctr
SYM_FUNC_END(rfl_aes_ctr_avx512vl)

/*
 * u32 rfl_aes_sub_word(u32 word);
 *
 * Send each byte of @word through the S-box: SubWord() of FIPS 197, section 5.2. The
 * vector registers must be the caller's to clobber; those that are used are zero on
 * return.
 */
SYM_FUNC_START(rfl_aes_sub_word)
	// Shifting the rows does nothing to four columns that are the same
	vpbroadcastd	%edi, %xmm16
	vpxord		%xmm17, %xmm17, %xmm17
	vaesenclast	%xmm17, %xmm16, %xmm16
	vmovd		%xmm16, %eax
	vpxord		%xmm16, %xmm16, %xmm16
	RET
SYM_FUNC_END(rfl_aes_sub_word)
