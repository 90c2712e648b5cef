/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Encryption with AES (FIPS 197) by VAES and AVX-512, in vectors of VL bytes, with all
 * round keys in registers.
 */
#ifndef _RFL_X86_AES_H
#define _RFL_X86_AES_H

#include "vectors.h"

/* Layout of struct Key in rust/ciphers/aes.rs; rust/ciphers/aes/x86.rs asserts it. */
#define AES_ROUND_KEYS		0	/* 16 bytes each */
#define AES_EXTRA_ROUNDS	240	/* u32: 0, 2 or 4, beyond 10 */

// Set the vector length in bytes, and name the registers: V0 to V31 of that length.
//
// V16 to V30 are round keys: FIRST is added to the input, LAST in the last round, and the
// others are called by how far they are from LAST. BEFORE_13 to BEFORE_10 are of longer
// keys only.
.macro	_set_veclen	vl
	_name_vectors	\vl, 1
.set	FIRST,		V16
.set	BEFORE_13,	V17
.set	BEFORE_12,	V18
.set	BEFORE_11,	V19
.set	BEFORE_10,	V20
.set	BEFORE_9,	V21
.set	BEFORE_8,	V22
.set	BEFORE_7,	V23
.set	BEFORE_6,	V24
.set	BEFORE_5,	V25
.set	BEFORE_4,	V26
.set	BEFORE_3,	V27
.set	BEFORE_2,	V28
.set	BEFORE_1,	V29
.set	LAST,		V30
.endm

// Load the round keys of \key, and how many extra rounds it has to \extra. \extra64 is the
// same register, \last another one to clobber.
.macro	_load_round_keys key, extra, extra64, last
	mov		AES_EXTRA_ROUNDS(\key), \extra
	mov		\extra64, \last
	shl		$4, \last
	lea		AES_ROUND_KEYS+160(\key, \last), \last
	vbroadcasti32x4	AES_ROUND_KEYS(\key), FIRST
	cmpl		$2, \extra
	jb		.Lloads_10\@
	je		.Lloads_12\@
	vbroadcasti32x4	-16*13(\last), BEFORE_13
	vbroadcasti32x4	-16*12(\last), BEFORE_12
.Lloads_12\@:
	vbroadcasti32x4	-16*11(\last), BEFORE_11
	vbroadcasti32x4	-16*10(\last), BEFORE_10
.Lloads_10\@:
.irp i, 9, 8, 7, 6, 5, 4, 3, 2, 1
	vbroadcasti32x4	-16*\i(\last), BEFORE_\i
.endr
	vbroadcasti32x4	(\last), LAST
.endm

// One round for vectors V0 to V\n-1, and \also, if it is given.
.macro	_aes_round	n, key, also
.irp i, 0, 1, 2, 3
.if \i < \n
	vaesenc		\key, V\i, V\i
.endif
.endr
.ifnb \also
	vaesenc		\key, \also, \also
.endif
.endm

// All rounds but the last one for vectors V0 to V\n-1 and \also, if it is given, to which
// FIRST has been added. Behind each round, \beside is called with the number of rounds to
// go, if it is given: other work for the time in between. It is called for the last nine
// rounds only.
.macro	_aes_rounds	n, extra, beside, also
	cmpl		$2, \extra
	jb		.Lrounds_10\@
	je		.Lrounds_12\@
	_aes_round	\n, BEFORE_13, \also
	_aes_round	\n, BEFORE_12, \also
.Lrounds_12\@:
	_aes_round	\n, BEFORE_11, \also
	_aes_round	\n, BEFORE_10, \also
.Lrounds_10\@:
.irp before, 9, 8, 7, 6, 5, 4, 3, 2, 1
	_aes_round	\n, BEFORE_\before, \also
.ifnb \beside
	\beside		\before
.endif
.endr
.endm

// The same when the first round is done.
.macro	_aes_rounds_but_first n, extra, beside
	cmpl		$2, \extra
	jb		.Lrounds_10\@
	je		.Lrounds_12\@
	_aes_round	\n, BEFORE_12
	_aes_round	\n, BEFORE_11
.Lrounds_12\@:
	_aes_round	\n, BEFORE_10
	_aes_round	\n, BEFORE_9
.Lrounds_10\@:
.irp before, 8, 7, 6, 5, 4, 3, 2, 1
	_aes_round	\n, BEFORE_\before
.ifnb \beside
	\beside		\before
.endif
.endr
.endm

//------------------------------------------------------------------------------
// The first round of many counters
//
// Of counters that differ in their last byte only, the first round makes states that
// differ in the first column only: ShiftRows moves that byte, of row 3, there. So the
// other columns are computed once, in COLUMNS. The first columns of as many blocks as a
// step has come of one instruction, as a lane has four columns: its state FIRST_COLUMNS
// has in all columns the bytes of rows 0 to 2 that meet in the first one, and in row 3
// the last bytes of four counters, each where ShiftRows takes it from.

// What the last byte of a counter, the highest one of a dword, is ahead of the first's.
// Column c of the result, from row 3 of column c + 3, becomes the first one of vector c.
.macro	_put_ahead	blocks
.irp lane, 0, 1, 2, 3
.if \lane < \blocks
.irp column, 0, 1, 2, 3
	.long	(\blocks * ((\column + 1) & 3) + \lane) << 24
.endr
.endif
.endr
.endm

.pushsection .rodata
.p2align 6
.Laes_ahead:
	_put_ahead	4
	_put_ahead	2
// Bytes that row 0 to 2 of the first column come from, in each column.
.Laes_rows:
.rept 4
	.byte	0, 5, 10, 0x80
.endr
.Laes_rows_mask:
	.long	0x00ffffff
// How far ahead the next step is, of vectors of 32 and of 64 bytes.
.Laes_step:
	.long	8 << 24, 16 << 24
.popsection

// Prepare for counters from the first lane of \next on, which is little-endian. Sets
// \columns, \first_columns, \column_key and %k2. Clobbers \t and \tmp.
.macro	_prepare_columns key, next, reverse, columns, first_columns, column_key, t, tmp
	mov		$0x1111, \tmp
	kmovw		\tmp, %k2
	vshufi32x4	$0, \next, \next, \t
	vpslld		$24, \t, \first_columns
	vpshufd		$0, \first_columns, \first_columns
.if VL == 64
	vpaddd		.Laes_ahead(%rip), \first_columns, \first_columns
.else
	vpaddd		.Laes_ahead+64(%rip), \first_columns, \first_columns
.endif
	vpshufb		\reverse, \t, \t
	vpxord		FIRST, \t, \t
	vbroadcasti32x4	AES_ROUND_KEYS+16(\key), \columns
	vaesenc		\columns, \t, \columns
	// _first_columns adds the bytes 12 to 15 of the key to all of it: 15 is due there,
	// 12 to 14 are taken off here
	vpbroadcastd	AES_ROUND_KEYS+12(\key), \column_key
.if VL == 64
	vpandd		.Laes_rows_mask(%rip){1to16}, \column_key, \column_key
.else
	vpandd		.Laes_rows_mask(%rip){1to8}, \column_key, \column_key
.endif
	vpxord		\column_key, \first_columns, \first_columns
	vbroadcasti32x4	.Laes_rows(%rip), \column_key
	vpshufb		\column_key, \t, \t
	vpxord		\t, \first_columns, \first_columns
	vpbroadcastd	AES_ROUND_KEYS+16(\key), \column_key
.endm

// Set V0 to V3 to the states of the next step behind the first round. Clobbers \t.
.macro	_first_round	key, columns, first_columns, column_key, t
.if VL == 64
	vpxord		AES_ROUND_KEYS+12(\key){1to16}, \first_columns, \t
.else
	vpxord		AES_ROUND_KEYS+12(\key){1to8}, \first_columns, \t
.endif
.if VL == 64
	vpaddd		.Laes_step+VL/8-4(%rip){1to16}, \first_columns, \first_columns
.else
	vpaddd		.Laes_step+VL/8-4(%rip){1to8}, \first_columns, \first_columns
.endif
	vaesenc		\column_key, \t, \t
.irp i, 0, 1, 2, 3
	vmovdqa64	\columns, V\i
	vpshufd		$0x55*\i, \t, V\i{%k2}
.endr
.endm

#endif
