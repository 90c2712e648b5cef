/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Multiplication of GHASH (SP 800-38D, section 6.3), for vectors of VL bytes. The
 * length and the kind of instructions are those of _name_vectors in vectors.h.
 *
 * Elements are blocks with their bytes reversed. "Element" in rust/ciphers/ghash.rs
 * says what that is as a polynomial, and why the key is kept multiplied by x. Of
 * powers of the key the table has b = H^i * x and c = b * x^-64, so that a block
 * a = a_H * x^64 + a_L times the power, and times x^-64, is a sum of four products
 * over only three words:
 *
 *	HI * x^64 + MI = (a_H * b_H + a_L * c_H) * x^64 + (a_H * b_L + a_L * c_L)
 *
 * Sums over many blocks stay in that form. At their end one step of reduction, which
 * takes another x^64 away, leaves two words: HI + swap(MI) + MI_L * (x^63 + x^62 + x^57).
 *
 * With Karatsuba's method it would be three products, but two more instructions for
 * the sums of the halves, on ports that are just as busy: no gain on Zen 4.
 */
#ifndef _RFL_X86_GHASH_H
#define _RFL_X86_GHASH_H

#include "vectors.h"

/*
 * Layout of Key and of Lanes in rust/ciphers/ghash.rs; rust/ciphers/ghash/x86.rs asserts
 * it. Key has H^17 * x, ..., H^1 * x, Lanes four of those, see below, in full vectors.
 */
#define GHASH_POWERS		16	/* from H^16 on */
#define GHASH_FOLDED		288	/* the same times x^-64 */
#define GHASH_STEP		256	/* bytes of data for H^16 to H^1 */
#define GHASH_LANES_POWERS	0
#define GHASH_LANES_FOLDED	256

.pushsection .rodata
.p2align 6
.Lghash_reverse:
.rept 4
	.byte	15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
.endr
// x^63 + x^62 + x^57, in the upper half of each lane.
.Lghash_p:
.rept 4
	.quad	0, 0xc200000000000000
.endr
.popsection

// \dst = \a + \b
.macro	_xor		a, b, dst
.if EVEX
	vpxord		\a, \b, \dst
.else
	vpxor		\a, \b, \dst
.endif
.endm

// Add the elements in \a, times the powers \b, which folded are \c, to the sum \mi, \hi;
// with \first = 1 set the sum. All are vectors, \b and \c may be memory. Clobbers \t0 to
// \t3.
.macro	_ghash_mul_add	a, b:req, c:req, mi, hi, t0, t1, t2, t3, first=0
.if \first
	vpclmulqdq	$0x00, \c, \a, \mi
	vpclmulqdq	$0x10, \c, \a, \hi
	vpclmulqdq	$0x01, \b, \a, \t0
	vpclmulqdq	$0x11, \b, \a, \t1
	_xor		\t0, \mi, \mi
	_xor		\t1, \hi, \hi
.else
	vpclmulqdq	$0x00, \c, \a, \t0
	vpclmulqdq	$0x10, \c, \a, \t1
	vpclmulqdq	$0x01, \b, \a, \t2
	vpclmulqdq	$0x11, \b, \a, \t3
	_xor3		\t0, \t2, \mi
	_xor3		\t1, \t3, \hi
.endif
.endm

// While more steps of 64-byte vectors follow, the lanes of the sum need not be added up:
// with H^16, H^12, H^8 and H^4 in all lanes, four sums go over the data side by side,
// each over every fourth block, and a last step with a power of its own for each block
// makes the hash of them.

// Reduce the sum \mi, \hi to one element per lane, in \hi. \p has .Lghash_p in each
// lane. All are vectors. Clobbers \mi and \t0.
.macro	_ghash_reduce	mi, hi, p, t0
	vpclmulqdq	$0x01, \mi, \p, \t0
	vpshufd		$0x4e, \mi, \mi
	_xor3		\t0, \mi, \hi
.endm

// Add up the lanes of \x in the lowest lane of \dst; the others become zero. Both are
// given in all their lengths. Clobbers \x.
.macro	_ghash_add_lanes x, x_ymm, x_xmm, dst_ymm, dst_xmm
.if VL == 64
	vextracti64x4	$1, \x, \dst_ymm
	vpxor		\dst_ymm, \x_ymm, \x_ymm
.endif
.if VL >= 32
	vextracti128	$1, \x_ymm, \dst_xmm
	vpxor		\x_xmm, \dst_xmm, \dst_xmm
.else
	vmovdqa		\x_xmm, \dst_xmm
.endif
.endm

#endif
