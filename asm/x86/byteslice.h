/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Byte-slicing of blocks of 16 bytes, on 32 vector registers of 32 or 64 bytes.
 *
 * A batch is VL blocks of 16 bytes, which fill V0 to V15. As they come from memory,
 * lane l of vector j (a lane being 128 bits) is block VL / 16 * j + l. Sliced, vector
 * i has byte i of every block, in lane l at position p that of block VL / 16 * p + l.
 */
#ifndef _RFL_X86_BYTESLICE_H
#define _RFL_X86_BYTESLICE_H

#include "vectors.h"

// Clear every vector register, and leave no upper half in use.
.macro	_clear_vectors
.irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vpxord		%xmm\i, %xmm\i, %xmm\i
.endr
	vzeroall
.endm

//------------------------------------------------------------------------------
// Slicing
//
// A stage interleaves the bytes of vectors j and j + 8 to vectors 2j and 2j + 1. In
// the binary digits of indices, a byte of vector r3 r2 r1 r0 at p3 p2 p1 p0 of its
// lane moves to vector r2 r1 r0 p3, position p2 p1 p0 r3. Hence four stages exchange
// vector and position; they slice a batch, and they undo it.

.macro	_interleave	a, b, lo, hi
	vpunpcklbw	V\b, V\a, V\lo
	vpunpckhbw	V\b, V\a, V\hi
.endm

// One stage from the registers with the sixteen numbers to V\o to V\o+15.
.macro	_stage	o0, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, o11, o12, o13, o14, o15, i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15
	_interleave	\i0, \i8, \o0, \o1
	_interleave	\i1, \i9, \o2, \o3
	_interleave	\i2, \i10, \o4, \o5
	_interleave	\i3, \i11, \o6, \o7
	_interleave	\i4, \i12, \o8, \o9
	_interleave	\i5, \i13, \o10, \o11
	_interleave	\i6, \i14, \o12, \o13
	_interleave	\i7, \i15, \o14, \o15
.endm

.macro	_stage_up	in:vararg
	_stage		16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, \in
.endm
.macro	_stage_down
	_stage		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
.endm

// Slice the batch in V0 to V15, or make a batch of slices: of those in the registers
// whose sixteen numbers are \from. The result is in V0 to V15. Clobbers the others.
.macro	_transpose	from:vararg
	_stage_up	\from
	_stage_down
	_stage_up	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	_stage_down
.endm

.macro	_slice
	_transpose	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.endm

#endif
