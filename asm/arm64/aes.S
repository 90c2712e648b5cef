/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AES (FIPS 197) in general purpose registers, one block at a time.
 *
 * SubBytes, ShiftRows and MixColumns of a column are four look-ups of words in one
 * table of 1 KiB, rotated as they are added. The other three tables that are often
 * kept beside it would save nothing: a rotation costs no instruction here. The last
 * round, which lacks MixColumns, has a table of bytes behind the table of words.
 *
 * The state is kept as two pairs of columns, so that one load brings a round key:
 * a round is 16 extractions, 16 look-ups, 16 additions and that load.
 *
 * Bytes are numbered from the lower end of a column in registers, for either byte
 * order of the CPU. What that changes is which column of a pair is in the lower half,
 * since round keys are words in memory, and that blocks are turned on their way.
 *
 * The addresses of the look-ups depend on key and data. The tables are fetched into
 * the cache first, all of them, so that what was evicted before the call tells
 * nothing. That is a hindrance to watching the cache, not a protection.
 *
 * Nothing goes to the stack, and only registers are used that every call may change.
 * As after compiled code, these are left as they are.
 */

#include <linux/linkage.h>
#include "aes.h"

KEYS		.req	x0	// u32[][4]: round keys, in the order of their use
DST		.req	x1
SRC		.req	x2
EXTRA_ROUNDS	.req	w3	// beyond 10: 0, 2 or 4
WORDS		.req	x4	// struct Tables, see aes.h
BYTES		.req	x5	// its part for the last round

// The state, behind an even and an odd number of rounds.
EVEN0		.req	x6
EVEN1		.req	x7
ODD0		.req	x8
ODD1		.req	x9

// Temporaries are x10 to x17.

// Where in a pair its first and its second column are.
#ifdef __AARCH64EB__
#define FIRST		32
#define SECOND		0
#else
#define FIRST		0
#define SECOND		32
#endif

// A block is a sequence of bytes.
.macro	_from_block	pair0, pair1
#ifdef __AARCH64EB__
	rev32		\pair0, \pair0
	rev32		\pair1, \pair1
#endif
.endm

.macro	_to_block	pair0, pair1
	_from_block	\pair0, \pair1
.endm

// x\to = byte \row of column \column of the state IN0, IN1.
.macro	_byte		to, column, row
.if (\column) & 3 == 0
	ubfx		x\to, IN0, #FIRST + 8 * \row, #8
.elseif (\column) & 3 == 1
	ubfx		x\to, IN0, #SECOND + 8 * \row, #8
.elseif (\column) & 3 == 2
	ubfx		x\to, IN1, #FIRST + 8 * \row, #8
.else
	ubfx		x\to, IN1, #SECOND + 8 * \row, #8
.endif
.endm

// w\at = the entry for byte x\at.
.macro	_look_up_word	at
	ldr		w\at, [WORDS, x\at, lsl #2]
.endm

.macro	_look_up_byte	at
	ldrb		w\at, [BYTES, x\at]
.endm

// Add columns \column and \column + 1 of the next state to \sum. Byte \row of each
// comes from the column that is \shift * \row to the right. Clobbers x10 to x17.
.macro	_pair		look_up, shift, column, sum
	_byte		10, \column, 0
	_byte		11, \column + 1, 0
	_byte		12, \column + \shift, 1
	_byte		13, \column + 1 + \shift, 1
	\look_up	10
	\look_up	11
	_byte		14, \column + 2 * \shift, 2
	_byte		15, \column + 1 + 2 * \shift, 2
	\look_up	12
	\look_up	13
	_byte		16, \column + 3 * \shift, 3
	_byte		17, \column + 1 + 3 * \shift, 3
	\look_up	14
	\look_up	15
	eor		w10, w10, w12, ror #24
	eor		w11, w11, w13, ror #24
	\look_up	16
	\look_up	17
	eor		w10, w10, w14, ror #16
	eor		w11, w11, w15, ror #16
	eor		w10, w10, w16, ror #8
	eor		w11, w11, w17, ror #8
	eor		\sum, \sum, x10, lsl #FIRST
	eor		\sum, \sum, x11, lsl #SECOND
.endm

// \out0, \out1 = the state after a round of \in0, \in1. Advances KEYS.
.macro	_round		look_up, shift, in0, in1, out0, out1
IN0		.req	\in0
IN1		.req	\in1
	ldp		\out0, \out1, [KEYS], #16
	_pair		\look_up, \shift, 0, \out0
	_pair		\look_up, \shift, 2, \out1
	.unreq		IN0
	.unreq		IN1
.endm

.macro	_two_rounds	shift
	_round		_look_up_word, \shift, EVEN0, EVEN1, ODD0, ODD1
	_round		_look_up_word, \shift, ODD0, ODD1, EVEN0, EVEN1
.endm

// Fetch the tables from offset \at on into the L1 cache.
.macro	_prefetch	at
	prfm		pldl1keep, [WORDS, #\at]
.if \at + CACHE_LINE < AES_TABLES
	_prefetch	\at + CACHE_LINE
.endif
.endm

// 10, 12 or 14 rounds, of which shorter keys do the last. There is no loop, as its
// bookkeeping would be one instruction in a hundred. \shift is 1 to encrypt and -1 to decrypt.
.macro	_crypt		shift
	ldp		EVEN0, EVEN1, [SRC]
	ldp		ODD0, ODD1, [KEYS], #16
	_prefetch	0
	_from_block	EVEN0, EVEN1
	eor		EVEN0, EVEN0, ODD0
	eor		EVEN1, EVEN1, ODD1
	add		BYTES, WORDS, #AES_BYTES

	cbz		EXTRA_ROUNDS, .Lten_rounds\@
	tbz		EXTRA_ROUNDS, #2, .Ltwelve_rounds\@
	_two_rounds	\shift
.Ltwelve_rounds\@:
	_two_rounds	\shift
.Lten_rounds\@:
.rept	4
	_two_rounds	\shift
.endr
	_round		_look_up_word, \shift, EVEN0, EVEN1, ODD0, ODD1
	_round		_look_up_byte, \shift, ODD0, ODD1, EVEN0, EVEN1
	_to_block	EVEN0, EVEN1
	stp		EVEN0, EVEN1, [DST]
	ret
.endm

.text

// void rfl_aes_encrypt(const u32 (*round_keys)[4], u8 dst[16], const u8 src[16],
//			u32 extra_rounds, const struct Tables *tables);
//
// Encrypts a block. Needs no alignment; DST and SRC may be the same.
SYM_FUNC_START(rfl_aes_encrypt)
	_crypt		1
SYM_FUNC_END(rfl_aes_encrypt)

// void rfl_aes_decrypt(const u32 (*round_keys)[4], u8 dst[16], const u8 src[16],
//			u32 extra_rounds, const struct Tables *tables);
//
// Decrypts a block as the equivalent inverse cipher (FIPS 197, section 5.3.5), with
// the round keys and the tables of that.
SYM_FUNC_START(rfl_aes_decrypt)
	_crypt		-1
SYM_FUNC_END(rfl_aes_decrypt)
