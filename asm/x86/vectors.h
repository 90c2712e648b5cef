/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Vector registers by names that do not tell their length, so that one text serves
 * several, and what takes another instruction for each length.
 */
#ifndef _RFL_X86_VECTORS_H
#define _RFL_X86_VECTORS_H

// Set VL, the length of vectors in bytes (16, 32 or 64), and name the registers: V0 to V15
// of that length and their low 128 bits X0 to X15. With \evex = 1, EVEX-encoded
// instructions may be used for what has no other form, and it is V0 to V31 and X0 to X31.
.macro	_name_vectors	vl, evex=0
.set	VL,		\vl
.set	EVEX,		\evex
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
.if \i < 16 + 16 * EVEX
.set	X\i,		%xmm\i
.if VL == 16
.set	V\i,		%xmm\i
.elseif VL == 32
.set	V\i,		%ymm\i
.else
.set	V\i,		%zmm\i
.endif
.endif
.endr
.endm

// Load a vector.
.macro	_vload		src:req, dst
.if VL == 64
	vmovdqu64	\src, \dst
.else
	vmovdqu		\src, \dst
.endif
.endm

// Load 16 bytes into every 128-bit lane of \dst.
.macro	_vbroadcast128	src, dst
.if VL == 16
	vmovdqu		\src, \dst
.elseif VL == 32
	vbroadcasti128	\src, \dst
.else
	vbroadcasti32x4	\src, \dst
.endif
.endm

// \dst = \a + \b + \dst
.macro	_xor3		a, b, dst
.if EVEX
	vpternlogd	$0x96, \a, \b, \dst
.else
	vpxor		\a, \dst, \dst
	vpxor		\b, \dst, \dst
.endif
.endm

#endif
