/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CRC-16/T10-DIF: M * x^16 mod P for a message M, by folding.
 *
 * Tiers, instantiated at the foot of the file:
 *
 *	avx		PCLMULQDQ, AVX. 128-bit vectors. Intel since Sandy Bridge, AMD since
 *			Bulldozer.
 *	avx2		VPCLMULQDQ, AVX2. 256-bit vectors. Intel since Alder Lake, AMD
 *			since Zen 3.
 *	avx512		VPCLMULQDQ, AVX-512 with VBMI. 512-bit vectors. Intel since Ice
 *			Lake, AMD since Zen 4.
 *
 * A lane of 128 bits, with its bytes reversed, is a polynomial H * x^64 + L of lower
 * degree. What lies n bits before other lanes can be added to those as
 *
 *	H * (x^(n + 64) mod P) + L * (x^n mod P)
 *
 * without changing the remainder of the whole. So four vectors go over the data, each
 * folded into the next but three, in the end into the last vector, that into its last
 * lane, and that into 80 bits.
 *
 * As zeroes in front of a message do not count, it is the first vector and not the last
 * that is filled up: there is no rest. The CRC so far is added to the first two bytes.
 *
 * Branches and addresses depend on the length of the data, on nothing else. All vector
 * instructions are VEX- or EVEX-encoded.
 */

#include <linux/linkage.h>
#include "features.h"
#include "vectors.h"

.section .rodata
.p2align 6
#include "crct10dif-consts.S"

// Reverse the bytes of a lane. Read from 16 - n bytes further down, it is the first n
// bytes of the lane only.
.Lreverse:
	.byte	15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
	.fill	16, 1, 0x80

// Reverse the bytes of each lane of a vector of 64 bytes. With n added, modulo 64, it is
// the first n bytes only, behind zeroes if there are 64 - n zeroes behind them.
.p2align 6
.Lreverse_lanes:
.irp lane, 0, 16, 32, 48
.irp i, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
	.byte	\lane + \i
.endr
.endr

.text

// Arguments of the functions.
.set	CRC,		%edi
.set	DATA,		%rsi
.set	LEN,		%rdx
.set	LEN_32,		%edx

// Temporaries.
.set	TMP0,		%rax
.set	TMP0_32,	%eax
.set	TMP1,		%rcx
.set	TMP1_32,	%ecx

// Up to so many bytes longer vectors take more time than they save.
.set	SHORT,		48

// Set the vector length in bytes, and name the registers.
.macro	_set_veclen	vl, evex=0
	_name_vectors	\vl, \evex
.set	A0,		V0	// four vectors, in the order of the data
.set	A0_YMM,		%ymm0
.set	A0_XMM,		%xmm0
.set	A1,		V1
.set	A1_XMM,		%xmm1
.set	A2,		V2
.set	A2_XMM,		%xmm2
.set	A3,		V3
.set	A3_XMM,		%xmm3
.set	FOLD,		V4
.set	REVERSE,	V5
.set	REVERSE_XMM,	%xmm5
.set	T0,		V6
.set	T0_YMM,		%ymm6
.set	T0_XMM,		%xmm6
.set	T1,		V7
.set	T1_YMM,		%ymm7
.set	T1_XMM,		%xmm7
.endm

// Fold \a forward by what FOLD is for, and add \next. Clobbers T0.
.macro	_fold		a, next
	vpclmulqdq	$0x00, FOLD, \a, T0
	vpclmulqdq	$0x11, FOLD, \a, \a
	_xor3		T0, \next, \a
.endm

// Add \a, folded likewise, to \to. Clobbers \a and T0.
.macro	_add_folded	a, to
	vpclmulqdq	$0x00, FOLD, \a, T0
	vpclmulqdq	$0x11, FOLD, \a, \a
	_xor3		T0, \a, \to
.endm

// Load the vector at \at (memory) and fold \a into it. Clobbers T0 and T1.
.macro	_fold_into	at:req, a
	_vload		\at, T1
	vpshufb		REVERSE, T1, T1
	_fold		\a, T1
.endm

.macro	_load_fold	bytes
.irp n, 16, 32, 48, 64, 96, 128, 192, 256
.if \bytes == \n
	_vbroadcast128	.Lfold_\n(%rip), FOLD
.endif
.endr
.endm

// Load the first vector, the CRC so far added, to A0: as many bytes as make the rest
// whole vectors, at least one, and before them zeroes. Advances DATA and LEN. Loads
// REVERSE. Clobbers T0, T1, TMP0, TMP1, %k1.
.macro	_first_vector
	_vbroadcast128	.Lreverse(%rip), REVERSE
	bswap		CRC
	shr		$16, CRC
	vmovd		CRC, T0_XMM
	mov		LEN_32, TMP1_32
	and		$VL-1, TMP1_32
	jnz		.Lfill_up\@
.if VL == 64
	vpxord		(DATA), T0, A0
.else
	vpxor		(DATA), T0, A0
.endif
	vpshufb		REVERSE, A0, A0
	add		$VL, DATA
	sub		$VL, LEN
	jmp		.Lloaded\@

.Lfill_up\@:
.if VL == 64
	mov		$-1, TMP0
	bzhi		TMP1, TMP0, TMP0
	kmovq		TMP0, %k1
	vmovdqu8	(DATA), A0{%k1}{z}
	vpxord		T0, A0, A0
	// Beyond what was loaded there are zeroes, so let indices wrap into these
	vpbroadcastb	TMP1_32, T1
	vpaddb		.Lreverse_lanes(%rip), T1, T1
	vpermb		A0, T1, A0
.else
	vpxor		(DATA), T0_XMM, A0_XMM
	lea		.Lreverse(%rip), TMP0
	sub		TMP1, TMP0
.if VL == 32
	cmp		$16, TMP1_32
	jbe		.Llast_lane_only\@
	// Part of the first lane, all of the second
	vmovdqu		-16(DATA, TMP1), T1_XMM
	vpshufb		REVERSE_XMM, T1_XMM, T1_XMM
	vpshufb		32(TMP0), A0_XMM, A0_XMM
	vinserti128	$1, T1_XMM, A0, A0
	jmp		.Lfilled\@
.Llast_lane_only\@:
.endif
	vpshufb		16(TMP0), A0_XMM, A0_XMM
.if VL == 32
	vpxor		T1_XMM, T1_XMM, T1_XMM
	vinserti128	$1, A0_XMM, T1, A0
.Lfilled\@:
.endif
.endif
	add		TMP1, DATA
	sub		TMP1, LEN
.Lloaded\@:
.endm

// Fold the lanes of A0 into the last one, to A0_XMM. Clobbers T0 and T1.
.macro	_fold_lanes
.if VL == 64
	_vload		.Lfold_48(%rip), FOLD
	vextracti32x4	$3, A0, T1_XMM
.elseif VL == 32
	_vload		.Lfold_16(%rip), FOLD
	vextracti128	$1, A0, T1_XMM
.endif
.if VL > 16
	vpclmulqdq	$0x00, FOLD, A0, T0
	vpclmulqdq	$0x11, FOLD, A0, A0
.if VL == 64
	vpxord		T0, A0, A0
	vextracti64x4	$1, A0, T0_YMM
.endif
	vpxor		T0_YMM, A0_YMM, A0_YMM
	vextracti128	$1, A0_YMM, T0_XMM
	vpxor		T1_XMM, A0_XMM, A0_XMM
	vpxor		T0_XMM, A0_XMM, A0_XMM
.endif
.endm

// Set CRC to the remainder of A0_XMM * x^16. Clobbers A2, A3, T0.
//
// With A0_XMM = H * x^64 + L, a = H * (x^80 mod P) + L * x^16 is congruent to that and
// has 80 bits. Of a = a1 * x^16 + a0, with floor(x^80 / P) = x^64 + m (Barrett),
//
//	q = floor(a / P) = a1 + floor(a1 * m / x^64),
//
// and the remainder is a0 plus the lowest 16 bits of q * P. Everything is kept multiplied by
// x^48, so that a1 is an upper half and a0 is at the top of a lower one.
.macro	_reduce
	vmovdqa		.Lbarrett(%rip), T0_XMM
	vpclmulqdq	$0x11, .Lfold_last(%rip), A0_XMM, A2_XMM
	vpslldq		$8, A0_XMM, A0_XMM
	vpxor		A2_XMM, A0_XMM, A0_XMM
	vpclmulqdq	$0x01, T0_XMM, A0_XMM, A3_XMM
	vpxor		A0_XMM, A3_XMM, A3_XMM
	vpclmulqdq	$0x11, T0_XMM, A3_XMM, A3_XMM
	vpxor		A2_XMM, A3_XMM, A3_XMM
	vmovq		A3_XMM, TMP0
	shr		$48, TMP0
.endm

.macro	_update
.if VL > 16
	cmp		$SHORT, LEN
	jbe		rfl_crct10dif_avx
.endif
	_first_vector
	_load_fold	VL
	cmp		$3*VL, LEN
	jb		.Lshort\@

	// Until the rest is three vectors and whole steps
.Lalign\@:
	lea		VL(LEN), TMP0_32
	test		$3*VL, TMP0_32
	jz		.Laligned\@
	_fold_into	(DATA), A0
	add		$VL, DATA
	sub		$VL, LEN
	jmp		.Lalign\@
.Laligned\@:
.irp i, 1, 2, 3
	_vload		(\i-1)*VL(DATA), A\i
	vpshufb		REVERSE, A\i, A\i
.endr
	add		$3*VL, DATA
	sub		$3*VL, LEN
	jz		.Lcombine\@
	_load_fold	4*VL
.Lnext_step\@:
.irp i, 0, 1, 2, 3
	_fold_into	\i*VL(DATA), A\i
.endr
	add		$4*VL, DATA
	sub		$4*VL, LEN
	jnz		.Lnext_step\@

.Lcombine\@:
	_load_fold	3*VL
	_fold		A0, A3
	_load_fold	2*VL
	_add_folded	A1, A0
	_load_fold	VL
	_add_folded	A2, A0
	jmp		.Llanes\@

.Lnext_vector\@:
	_fold_into	(DATA), A0
	add		$VL, DATA
	sub		$VL, LEN
.Lshort\@:
	test		LEN, LEN
	jnz		.Lnext_vector\@

.Llanes\@:
	_fold_lanes
	_reduce
.if VL > 16
	vzeroupper
.endif
	RET
.endm

/*
 * u16 rfl_crct10dif_<tier>(u16 crc, const u8 *data, size_t len);
 *
 * Return the CRC of what has the CRC @crc, and @len more bytes at @data. @len is at
 * least 16, and not one more than a multiple of 16: @crc must meet its two bytes in
 * one lane. The vector registers must be the caller's to clobber. The stack is not
 * used.
 */
_only_features pclmul, avx
_set_veclen 16
SYM_FUNC_START(rfl_crct10dif_avx)
	_update
SYM_FUNC_END(rfl_crct10dif_avx)

_only_features vpclmulqdq, avx2
_set_veclen 32
SYM_FUNC_START(rfl_crct10dif_avx2)
	_update
SYM_FUNC_END(rfl_crct10dif_avx2)

#ifdef CONFIG_RFL_CRYPTO_CRCT10DIF_AVX512
_only_features vpclmulqdq, avx512bw, avx512vl, avx512vbmi, bmi2
_set_veclen 64, 1
SYM_FUNC_START(rfl_crct10dif_avx512)
	_update
SYM_FUNC_END(rfl_crct10dif_avx512)
#endif
