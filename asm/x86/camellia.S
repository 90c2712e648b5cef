/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Camellia (RFC 3713) in general purpose registers, one to three blocks at a time.
 *
 * A round is eight look-ups at addresses that the round before has made, so one
 * block waits for its loads most of the time. Three of them in turn keep the ALUs
 * busy; there are no registers for more, and there would be no gain.
 *
 * The tables have S-box and P-function in one: eight for as many bytes, 16 KiB.
 * The last four of them repeat the upper halves of the first, from which they could
 * be made at three instructions more in a round. That was 12 % slower.
 *
 * The addresses of the look-ups depend on key and data.
 */

#include <linux/linkage.h>
#include "camellia.h"
#include "features.h"

// Arguments as they arrive, of which DST waits on the stack.
.set	DST,		%rsi
.set	SRC,		%rdx

// The others, where they are kept.
.set	KEYS,		%r8	// struct Schedule, see camellia.h
.set	TABLES,		%r9	// u64[8][256]

// The state: left and right half of each block. Byte 1 of a half, which RFC 3713
// counts from its upper end, is the highest one of the register.
.set	L0,		%r10
.set	R0,		%r11
.set	L1,		%r12
.set	R1,		%r13
.set	L2,		%r14
.set	R2,		%r15

// Temporaries. Halves are copied to LOWER and UPPER, as the name of a register's
// second byte is one that only the first four have.
.set	LOWER,		%rax
.set	UPPER,		%rcx
.set	SUM,		%rdx
.set	BYTE0,		%rsi
.set	BYTE1,		%rdi

.set	GROUPS,		%rbx

// For byte \byte of a half, in \index.
#define TABLE(byte, index)	CAMELLIA_TABLE * ((byte) - 1)(TABLES, index, 8)

// Add the key at \key(KEYS) and F of half \from to half \to.
// Clobbers all temporaries.
.macro	_round		key, from, to
	mov		\from, LOWER
	mov		\from, UPPER
	shr		$32, UPPER
	movzbl		%al, %esi
	movzbl		%ah, %edi
	shr		$16, %eax
	mov		TABLE(8, BYTE0), SUM
	xor		TABLE(7, BYTE1), SUM
	xor		\key(KEYS), \to
	movzbl		%cl, %esi
	movzbl		%ch, %edi
	shr		$16, %ecx
	xor		TABLE(4, BYTE0), SUM
	xor		TABLE(3, BYTE1), \to
	movzbl		%al, %esi
	movzbl		%ah, %edi
	xor		TABLE(6, BYTE0), SUM
	xor		TABLE(5, BYTE1), \to
	movzbl		%cl, %esi
	movzbl		%ch, %edi
	xor		TABLE(2, BYTE0), SUM
	xor		TABLE(1, BYTE1), \to
	xor		SUM, \to
.endm

// The two steps of FL and its inverse, on half \half with the key at \key(KEYS): one
// changes the right word, the other the left word. Clobbers SUM.
.macro	_fl_right	key, half
	mov		\key(KEYS), SUM
	and		\half, SUM
	shr		$32, SUM
	rol		$1, %edx
	xor		SUM, \half
.endm

.macro	_fl_left	key, half
	mov		\key(KEYS), SUM
	or		\half, SUM
	shl		$32, SUM
	xor		SUM, \half
.endm

// The following macros take the halves of all blocks, in order.

.macro	_load		at, left, right, others:vararg
	mov		\at(SRC), \left
	mov		\at+8(SRC), \right
	bswap		\left
	bswap		\right
	xor		CAMELLIA_FIRST(KEYS), \left
.ifnb \others
	_load		\at+16, \others
.endif
.endm

// The last round does not exchange the halves.
.macro	_store		at, left, right, others:vararg
	xor		CAMELLIA_BEHIND+8(KEYS), \right
	bswap		\right
	bswap		\left
	mov		\right, \at(DST)
	mov		\left, \at+8(DST)
.ifnb \others
	_store		\at+16, \others
.endif
.endm

.macro	_odd_round	key, left, right, others:vararg
	_round		\key, \left, \right
.ifnb \others
	_odd_round	\key, \others
.endif
.endm

.macro	_even_round	key, left, right, others:vararg
	_round		\key, \right, \left
.ifnb \others
	_even_round	\key, \others
.endif
.endm

.macro	_six_rounds	halves:vararg
	_odd_round	0*8, \halves
	_even_round	1*8, \halves
	_odd_round	2*8, \halves
	_even_round	3*8, \halves
	_odd_round	4*8, \halves
	_even_round	5*8, \halves
.endm

.macro	_fl		left, right, others:vararg
	_fl_right	CAMELLIA_BEHIND, \left
	_fl_left	CAMELLIA_BEHIND, \left
	_fl_left	CAMELLIA_BEHIND+8, \right
	_fl_right	CAMELLIA_BEHIND+8, \right
.ifnb \others
	_fl		\others
.endif
.endm

.macro	_rounds		halves:vararg
	mov		CAMELLIA_EXTRA_GROUPS(KEYS), GROUPS
	add		$CAMELLIA_MIN_GROUPS-1, GROUPS
	add		$CAMELLIA_GROUPS, KEYS
.Lnext_group\@:
	_six_rounds	\halves
	_fl		\halves
	add		$CAMELLIA_GROUP, KEYS
	dec		GROUPS
	jnz		.Lnext_group\@
	_six_rounds	\halves
.endm

// A function: \halves in registers, of which those in \saved are the caller's.
.macro	_crypt		saved, halves:vararg
.irp reg, \saved
	push		\reg
.endr
	push		DST
	mov		%rdi, KEYS
	mov		%rcx, TABLES
	_load		0, \halves
	_rounds		\halves
	pop		DST
	_store		0, \halves
	_pop		\saved
	RET
.endm

// Pop in the opposite order.
.macro	_pop		first, others:vararg
.ifnb \others
	_pop		\others
.endif
	pop		\first
.endm

.text

/*
 * void rfl_camellia_crypt_1(const struct Schedule *keys, u8 dst[16],
 *			     const u8 src[16], const u64 tables[8][256]);
 *
 * void rfl_camellia_crypt_2(const struct Schedule *keys, u8 dst[32],
 *			     const u8 src[32], const u64 tables[8][256]);
 *
 * void rfl_camellia_crypt_3(const struct Schedule *keys, u8 dst[48],
 *			     const u8 src[48], const u64 tables[8][256]);
 *
 * Encrypt or decrypt, as @keys has it, one block or more, each by itself. @dst and
 * @src have any alignment and may overlap.
 */
_only_features
SYM_FUNC_START(rfl_camellia_crypt_1)
	_crypt		"%rbx", L0, R0
SYM_FUNC_END(rfl_camellia_crypt_1)

SYM_FUNC_START(rfl_camellia_crypt_2)
	_crypt		"%rbx, %r12, %r13", L0, R0, L1, R1
SYM_FUNC_END(rfl_camellia_crypt_2)

SYM_FUNC_START(rfl_camellia_crypt_3)
	_crypt		"%rbx, %r12, %r13, %r14, %r15", L0, R0, L1, R1, L2, R2
SYM_FUNC_END(rfl_camellia_crypt_3)
