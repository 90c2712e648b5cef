/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GHASH (SP 800-38D, section 6.4).
 *
 * Tiers, instantiated at the foot of the file:
 *
 *	avx		PCLMULQDQ, AVX. 128-bit vectors. Intel since Sandy Bridge, AMD since
 *			Bulldozer.
 *	avx2		VPCLMULQDQ, AVX2. 256-bit vectors. Intel since Alder Lake, AMD
 *			since Zen 3.
 *	avx512		VPCLMULQDQ, AVX-512. 512-bit vectors. Intel since Ice Lake, AMD
 *			since Zen 4.
 *
 * Sixteen blocks are a step: each is multiplied by a power of the key of its own, and
 * their sum is reduced once. The last blocks, sixteen at most, go with as many powers;
 * so nothing is left for another routine. Of a last partial block no byte too many is
 * read: with AVX-512 by a masked load, otherwise by loads of 8, 4, 2 bytes and 1.
 *
 * The mathematics is in ghash.h. Branches and addresses depend on the length of the
 * data, on nothing else. All vector instructions are VEX- or EVEX-encoded.
 */

#include <linux/linkage.h>
#include "features.h"
#include "ghash.h"

.text

// Arguments of the functions.
.set	KEY,		%rdi	// struct Key, see ghash.h
.set	ACC,		%rsi
.set	DATA,		%rdx
.set	LEN,		%rcx

// Temporaries.
.set	POWERS,		%rdi	// of the blocks to come
.set	TMP0,		%rax
.set	TMP1,		%r8

// Up to so many bytes AVX-512 leaves to AVX2.
.set	SHORT,		64

// Set the vector length in bytes, and name the registers.
.macro	_set_veclen	vl, evex=0
	_name_vectors	\vl, \evex
.set	SUM,		V0	// the hash so far, in the lowest lane; otherwise zero
.set	SUM_YMM,	%ymm0
.set	SUM_XMM,	%xmm0
.set	BLOCKS,		V1
.set	BLOCKS_XMM,	%xmm1
.set	MI,		V2
.set	MI_XMM,		%xmm2
.set	HI,		V3
.set	HI_YMM,		%ymm3
.set	HI_XMM,		%xmm3
.set	T0,		V4
.set	T0_XMM,		%xmm4
.set	T1,		V5
.set	T2,		V6
.set	T3,		V7
.set	REVERSE,	V8
.set	REVERSE_XMM,	%xmm8
.set	P,		V9

.if VL == 64
// The powers for many steps.
.set	LANES0,		%zmm16
.set	LANES1,		%zmm17
.set	LANES2,		%zmm18
.set	LANES3,		%zmm19
.set	LANES_FOLDED0,	%zmm20
.set	LANES_FOLDED1,	%zmm21
.set	LANES_FOLDED2,	%zmm22
.set	LANES_FOLDED3,	%zmm23
.endif
.endm

// Load the LEN bytes that are left, less than VL, to the beginning of BLOCKS. The rest of
// it becomes zero. Clobbers TMP0 and %k1.
.macro	_load_masked
	mov		$-1, TMP0
	bzhi		LEN, TMP0, TMP0
	kmovq		TMP0, %k1
	vmovdqu8	(DATA), BLOCKS{%k1}{z}
.endm

// The same for less than 16 bytes, without AVX-512. From the last byte to the first, as
// LEN is a sum of powers of two. Clobbers TMP0, TMP1 and DATA.
.macro	_load_pieces
	xor		%eax, %eax
	lea		(DATA, LEN), DATA
	test		$1, %cl
	jz		.Lno_byte\@
	dec		DATA
	movzbl		(DATA), %eax
.Lno_byte\@:
	test		$2, %cl
	jz		.Lno_word\@
	sub		$2, DATA
	shl		$16, TMP0
	movzwl		(DATA), %r8d
	or		TMP1, TMP0
.Lno_word\@:
	test		$4, %cl
	jz		.Lno_dword\@
	sub		$4, DATA
	shl		$32, TMP0
	mov		(DATA), %r8d
	or		TMP1, TMP0
.Lno_dword\@:
	vmovq		TMP0, BLOCKS_XMM
	test		$8, %cl
	jz		.Lno_qword\@
	vmovq		-8(DATA), T0_XMM
	vpunpcklqdq	BLOCKS_XMM, T0_XMM, BLOCKS_XMM
.Lno_qword\@:
.endm

// Add the next \len bytes, which are in BLOCKS, and what is in SUM, times the powers at
// POWERS, to the sum of products. Clears SUM, clobbers BLOCKS and T0 to T3.
.macro	_take_rest	len
	vpshufb		REVERSE, BLOCKS, BLOCKS
	_xor		SUM, BLOCKS, BLOCKS
	vpxor		SUM_XMM, SUM_XMM, SUM_XMM
	_ghash_mul_add	BLOCKS, GHASH_POWERS(POWERS), GHASH_FOLDED(POWERS), MI, HI, T0, T1, T2, T3
	add		$\len, DATA
	add		$\len, POWERS
.endm

// Reduce the sum of products to SUM. Clobbers T0.
.macro	_reduce
	_ghash_reduce	MI, HI, P, T0
	_ghash_add_lanes HI, HI_YMM, HI_XMM, SUM_YMM, SUM_XMM
.endm

// Take a step. Backwards, as it takes until the end of the last step
// to know SUM. With \lanes = 1 the powers are those for many steps, see ghash.h.
.macro	_step		lanes=0
.set	OFFSET,		GHASH_STEP - VL
.rept GHASH_STEP / VL
	_vload		OFFSET(DATA), BLOCKS
	vpshufb		REVERSE, BLOCKS, BLOCKS
.if OFFSET == 0
	_xor		SUM, BLOCKS, BLOCKS
.endif
.if \lanes
.irp i, 0, 1, 2, 3
.if \i * VL == OFFSET
	_ghash_mul_add	BLOCKS, LANES\i, LANES_FOLDED\i, MI, HI, T0, T1, T2, T3, (\i == 3)
.endif
.endr
.else
	_ghash_mul_add	BLOCKS, GHASH_POWERS+OFFSET(KEY), GHASH_FOLDED+OFFSET(KEY), MI, HI, T0, T1, T2, T3, (OFFSET == GHASH_STEP - VL)
.endif
.set	OFFSET,		OFFSET - VL
.endr
	add		$GHASH_STEP, DATA
	sub		$GHASH_STEP, LEN
.endm

.macro	_update
.if VL == 64
	// Adding up fewer lanes is faster
	cmp		$SHORT, LEN
	jbe		rfl_ghash_avx2
.else
	test		LEN, LEN
	jz		.Ldone\@
.endif
	_vload		.Lghash_reverse(%rip), REVERSE
	_vload		.Lghash_p(%rip), P
	vmovdqu		(ACC), SUM_XMM
	vpshufb		REVERSE_XMM, SUM_XMM, SUM_XMM
.if VL == 64
	sub		$2*GHASH_STEP, LEN
	jb		.Llast_whole_step\@
.irp i, 0, 1, 2, 3
	vbroadcasti32x4	GHASH_POWERS+64*\i(KEY), LANES\i
	vbroadcasti32x4	GHASH_FOLDED+64*\i(KEY), LANES_FOLDED\i
.endr
.Lnext_step\@:
	_step		lanes=1
	_ghash_reduce	MI, HI, P, T0
	vmovdqa64	HI, SUM
	jae		.Lnext_step\@
.Llast_whole_step\@:
	add		$GHASH_STEP, LEN
	jnc		.Llast_step\@
	_step
	_reduce
.else
	sub		$GHASH_STEP, LEN
	jb		.Llast_step\@
.Lnext_step\@:
	_step
	_reduce
	jae		.Lnext_step\@
.endif

	// What is left takes as many of the lowest powers
.Llast_step\@:
	add		$GHASH_STEP, LEN
	jz		.Lstore\@
	lea		15(LEN), TMP0
	and		$-16, TMP0
	neg		TMP0
	lea		GHASH_STEP(KEY, TMP0), POWERS
	vpxor		MI_XMM, MI_XMM, MI_XMM
	vpxor		HI_XMM, HI_XMM, HI_XMM
	sub		$VL, LEN
	jb		.Lpart_of_vector\@
.Lnext_vector\@:
	_vload		(DATA), BLOCKS
	_take_rest	VL
	sub		$VL, LEN
	jae		.Lnext_vector\@
.Lpart_of_vector\@:
	add		$VL, LEN
	jz		.Lreduce\@
.if EVEX
	_load_masked
	_take_rest	VL
.else
.if VL > 16
	cmp		$16, LEN
	jb		.Lpart_of_block\@
	vmovdqu		(DATA), BLOCKS_XMM
	_take_rest	16
	sub		$16, LEN
	jz		.Lreduce\@
.Lpart_of_block\@:
.endif
	_load_pieces
	_take_rest	16
.endif
.Lreduce\@:
	_reduce

.Lstore\@:
	vpshufb		REVERSE_XMM, SUM_XMM, SUM_XMM
	vmovdqu		SUM_XMM, (ACC)
	// No secret stays in a register, and no upper half is left in use
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	vpxor		%xmm\i, %xmm\i, %xmm\i
.endr
.if VL == 64
.irp i, 16, 17, 18, 19, 20, 21, 22, 23
	vpxord		%xmm\i, %xmm\i, %xmm\i
.endr
.endif
.if VL > 16
	vzeroupper
.endif
.Ldone\@:
	RET
.endm

/*
 * void rfl_ghash_<tier>(const struct Key *key, u8 acc[16], const u8 *data, size_t len);
 *
 * Take @data into the hash @acc, a final partial block filled up with zeroes. @acc
 * overlaps nothing else. The vector registers must be the caller's to clobber; on
 * return they are zero. The stack is not used.
 */
_only_features pclmul, avx
_set_veclen 16
SYM_FUNC_START(rfl_ghash_avx)
	_update
SYM_FUNC_END(rfl_ghash_avx)

_only_features vpclmulqdq, avx2
_set_veclen 32
SYM_FUNC_START(rfl_ghash_avx2)
	_update
SYM_FUNC_END(rfl_ghash_avx2)

_only_features vpclmulqdq, avx512bw, avx512vl, bmi2
_set_veclen 64, 1
SYM_FUNC_START(rfl_ghash_avx512)
	_update
SYM_FUNC_END(rfl_ghash_avx512)
