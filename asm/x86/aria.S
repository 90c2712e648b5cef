/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ARIA (RFC 5794) in ECB and CTR mode, many blocks at a time.
 *
 * Tiers, instantiated at the foot of the file:
 *
 *	aesni_avx2	AES-NI, AVX, AVX2. 256-bit vectors, 16 registers, 32
 *			blocks. Intel since Haswell, AMD since Excavator.
 *
 * A tier does whole batches only; remainders are the caller's.
 *
 * The blocks of a batch are byte-sliced: vector i of the state holds byte i of
 * every block, and as a vector has as many bytes as a batch has blocks, a batch
 * is 16 vectors sliced or not. Substitution is done by AESENCLAST and AESDECLAST,
 * whose own S-boxes are two of ARIA's four and an affine map away from the other
 * two. Diffusion is 56 two-input XORs of vectors a round.
 *
 * What is not here, and why: instructions to add round keys, as the AES
 * instructions do that on their way; undoing the byte permutation of the AES
 * instructions, see "Substitution"; a second batch in flight, as one has work
 * enough for all ports.
 *
 * Branches and addresses depend on the number of batches and the length of the
 * key, on nothing else. All vector instructions are VEX-encoded.
 */

#include <linux/linkage.h>
#include "aria.h"
#include "features.h"

.section .rodata
.p2align 4
#include "aria-consts.S"

.Llow_nibbles:
	.fill	16, 1, 0x0f

// Which block of the batch each byte of a sliced vector belongs to.
.p2align 5
.Lblocks_32:
	.byte	0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
	.byte	1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31

.text

// Arguments of the functions.
.set	KEYS,		%rdi	// struct SlicedSchedule, see aria.h
.set	DST,		%rsi
.set	SRC,		%rdx
.set	BATCHES,	%rcx
.set	SCRATCH,	%r8	// 16 vectors, aligned to their length
.set	COUNTER,	%r9	// CTR only

// Temporaries: in the counter input, in the rounds, in the output.
.set	TMP0,		%rax
.set	TMP1,		%r10
.set	TMP2,		%r11
.set	PAIRS,		%r10d
.set	ROUND_KEYS,	%r11
.set	SWAP,		%rax
.set	UNSWAP,		%r10

// Set the vector length in bytes, and name the registers: V0 to V15 of that length
// and their low 128 bits X0 to X15, the latter of which the AES instructions take.
.macro	_set_veclen	vl
.set	VL,		\vl
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.set	X\i,		%xmm\i
.if VL == 16
.set	V\i,		%xmm\i
.elseif VL == 32
.set	V\i,		%ymm\i
.endif
.endr

// The rounds: sums of the rows and columns of the diffusion, two working vectors,
// a round key, the tables of an affine map, constants.
.set	ROW0,		V0
.set	ROW1,		V1
.set	ROW2,		V2
.set	ROW3,		V3
.set	COLUMN0,	V4
.set	COLUMN1,	V5
.set	COLUMN2,	V6
.set	COLUMN3,	V7
.set	A,		V8
.set	A_XMM,		X8
.set	B,		V9
.set	B_XMM,		X9
.set	ROUND_KEY_XMM,	X10
.set	AFFINE_LO,	V11
.set	AFFINE_HI,	V12
.set	LOW_NIBBLES,	V13
.set	SHIFT_ROWS_TWICE, V14

// The input: the first round key; for counters, their last byte.
.set	FIRST,		V15
.set	LAST,		V0
.set	NOT_WRAPPED,	V1
.endm

// Load 16 bytes into every 128-bit lane of \dst.
.macro	_vbroadcast128	src, dst
.if VL == 16
	vmovdqu		\src, \dst
.else
	vbroadcasti128	\src, \dst
.endif
.endm

//------------------------------------------------------------------------------
// The state
//
// SCRATCH has 16 slots of VL bytes. Where _locate puts them, the bytes of the state
// are in them between the steps of a round.

#define SLOT(i)		((i) * VL)(SCRATCH)

// For byte \i of the state at the start of an odd (\even = 0) or even (1) round, set
//
//	PLACE	its slot. In odd rounds that is \i. Diffusion writes each byte over
//		the one that only it still needs, its center (see "Diffusion"), so in
//		even rounds the slot is \i ^ (3, 1, 2, 0)[\i / 4]. That is its own
//		inverse: the next diffusion puts everything back.
//	SBOX	which S-box it meets: 0 to 3 for S1, S2, X1, X2
.macro	_locate		i, even
.set	SBOX,		((\i) + 2 * (\even)) & 3
.set	PLACE,		(\i) ^ ((\even) * (3 ^ (((\i) >> 3) & 1) ^ (((\i) >> 1) & 2)))
.endm

//------------------------------------------------------------------------------
// Slicing
//
// A stage interleaves the bytes of vectors j and j + 8 to vectors 2j and 2j + 1. In
// the binary digits of indices, a byte of vector r3 r2 r1 r0 at p3 p2 p1 p0 of its
// lane moves to vector r2 r1 r0 p3, position p2 p1 p0 r3. Hence four stages exchange
// vector and position; they slice a batch, and they undo it.
//
// Each lane is by itself: byte p of lane n comes from block p * VL / 16 + n.
//
// A stage wants a free register, so vector 15 waits in slot 15 between stages.

// Interleave \a and \b to \lo and \hi; \lo may be \a, \b may be memory.
.macro	_interleave	b, a, lo, hi
	vpunpckhbw	\b, \a, \hi
	vpunpcklbw	\b, \a, \lo
.endm

// Do \stages stages on V\r0 to V\r14 and slot 15; V\t is free. The results are in
// slot 15 and in S0 to S14, names that are set here.
.macro	_stages		stages, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, t
.if \stages
	_interleave	V\r8, V\r0, V\r0, V\t
	_interleave	V\r9, V\r1, V\r1, V\r8
	_interleave	V\r10, V\r2, V\r2, V\r9
	_interleave	V\r11, V\r3, V\r3, V\r10
	_interleave	V\r12, V\r4, V\r4, V\r11
	_interleave	V\r13, V\r5, V\r5, V\r12
	_interleave	V\r14, V\r6, V\r6, V\r13
	_interleave	SLOT(15), V\r7, V\r7, V\r14
	vmovdqa		V\r14, SLOT(15)
	_stages		\stages-1, \r0, \t, \r1, \r8, \r2, \r9, \r3, \r10, \r4, \r11, \r5, \r12, \r6, \r13, \r7, \r14
.else
	.set S0, V\r0;	 .set S1, V\r1;	  .set S2, V\r2;   .set S3, V\r3
	.set S4, V\r4;	 .set S5, V\r5;	  .set S6, V\r6;   .set S7, V\r7
	.set S8, V\r8;	 .set S9, V\r9;	  .set S10, V\r10; .set S11, V\r11
	.set S12, V\r12; .set S13, V\r13; .set S14, V\r14
.endif
.endm

// First stage for vectors \j and \j8 of what _load_\from loads. Clobbers \tmp.
.macro	_first_stage	from, j, j8, lo, hi, tmp
	_load_\from	\j, \lo
	_load_\from	\j8, \tmp
	_interleave	\tmp, \lo, \lo, \hi
.endm

// All stages for the 16 vectors that _load_\from loads, results as in _stages.
// Clobbers V0 to V15; _load_\from may use V15 until it has loaded vector 6.
.macro	_slice		from
	_first_stage	\from, 7, 15, V14, V12, V13
	vmovdqa		V12, SLOT(15)
	_first_stage	\from, 0, 8, V0, V1, V13
	_first_stage	\from, 1, 9, V2, V3, V13
	_first_stage	\from, 2, 10, V4, V5, V13
	_first_stage	\from, 3, 11, V6, V7, V13
	_first_stage	\from, 4, 12, V8, V9, V13
	_first_stage	\from, 5, 13, V10, V11, V13
	// Vector 14 takes V15: let go of it.
	_load_\from	6, V12
	_load_\from	14, V15
	_interleave	V15, V12, V12, V13
	_stages		3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.endm

//------------------------------------------------------------------------------
// Substitution
//
// S1 and X1 are the S-box of AES and its inverse. S2 is S1 followed by an affine map,
// and X2 is X1 behind another: each is two table look-ups in a register, one for
// either half of a byte. X2's map is applied where the byte is stored (_put), while
// it is in a full vector anyway.
//
// What the S-box puts out is to be XORed with a round key. The AES instructions do so.
// The key must have gone backwards through what comes behind it, the map of S2 and the
// diffusion; the key schedule has seen to that.
//
// AESENCLAST shifts the rows of what it takes for an AES state. Here these are sixteen
// blocks, and it is all the same in which order they are, as long as the order is that
// of all vectors. So they move on, round by round. AESDECLAST shifts in the opposite
// direction: shifting twice makes that one shift forwards. Four shifts are none; after
// 12 or 16 rounds all is back in place, after 14 (192-bit keys) it is shifted twice.
// That is to exchange block p and block p ^ 8 for odd p, and is done by _output.

// Apply the affine map in AFFINE_LO and AFFINE_HI to \x. Clobbers \tmp.
.macro	_affine		x, tmp
	vpand		LOW_NIBBLES, \x, \tmp
	vpsrld		$4, \x, \x
	vpand		LOW_NIBBLES, \x, \x
	vpshufb		\tmp, AFFINE_LO, \tmp
	vpshufb		\x, AFFINE_HI, \x
	vpxor		\tmp, \x, \x
.endm

.macro	_load_affine	map
	_vbroadcast128	.L\map\()_lo(%rip), AFFINE_LO
	_vbroadcast128	.L\map\()_hi(%rip), AFFINE_HI
.endm

// Store byte \i of the state, in \x, for a round of parity \even.
// The map x2_to_x1 must be loaded. Clobbers \x and \tmp.
.macro	_put		i, even, x, tmp
	_locate		\i, \even
.if SBOX == 3
	_affine		\x, \tmp
.endif
	vmovdqa		\x, SLOT(PLACE)
.endm

// Substitute byte \i of the state in a round of parity \even, and add the round key.
// The map s1_to_s2 must be loaded. The result is in A. Clobbers B and ROUND_KEY_XMM.
.macro	_substitute	i, even
	_locate		\i, \even
	vbroadcastss	\even*ARIA_SLICED_LAYER+4*\i(ROUND_KEYS), ROUND_KEY_XMM
	vmovdqa		SLOT(PLACE), A_XMM
.if VL == 32
	vmovdqa		16+SLOT(PLACE), B_XMM
.endif
.if SBOX < 2
	vaesenclast	ROUND_KEY_XMM, A_XMM, A_XMM
.if VL == 32
	vaesenclast	ROUND_KEY_XMM, B_XMM, B_XMM
.endif
.else
	vaesdeclast	ROUND_KEY_XMM, A_XMM, A_XMM
.if VL == 32
	vaesdeclast	ROUND_KEY_XMM, B_XMM, B_XMM
.endif
.endif
.if VL == 32
	vinserti128	$1, B_XMM, A, A
.endif
.if SBOX == 1
	_affine		A, B
.elseif SBOX >= 2
	vpshufb		SHIFT_ROWS_TWICE, A, A
.endif
.endm

//------------------------------------------------------------------------------
// Diffusion
//
// Let byte i of word w of the state stand in row i ^ (0, 3, 0, 3)[w] and in column
// i ^ (0, 1, 1, 0)[w] of a grid of 4 x 4. The diffusion layer, seven inputs for each
// output, then is: one byte, plus the sum of a row, plus the sum of a column, where
// one input is in both and drops out. For byte i of word w these are
//
//	center	byte i ^ (3, 1, 2, 0)[w] of word w
//	row	i ^ (1, 0, 0, 1)[w]
//	column	i ^ (1, 2, 1, 2)[w]

// Add A to the sum \sum0 to \sum3 with the number \n. \live has a bit for each sum that
// holds something already, and is kept up.
.macro	_add_to_sum	sum, n, live
.irp k, 0, 1, 2, 3
.if (\n) == \k
.if (\live >> \k) & 1
	vpxor		A, \sum\k, \sum\k
.else
	vmovdqa		A, \sum\k
.set	\live,		\live | (1 << \k)
.endif
.endif
.endr
.endm

// A = ROW\row + COLUMN\column
.macro	_add_sums	row, column
.irp r, 0, 1, 2, 3
.if (\row) == \r
.irp c, 0, 1, 2, 3
.if (\column) == \c
	vpxor		ROW\r, COLUMN\c, A
.endif
.endr
.endif
.endr
.endm

// One round of parity \even, from slots to slots. Clobbers all that _set_veclen names
// for the rounds, but the constants.
.macro	_round		even
	_load_affine	s1_to_s2
.set	ROWS_LIVE,	0
.set	COLUMNS_LIVE,	0
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	_substitute	\i, \even
	vmovdqa		A, SLOT(PLACE)
	_add_to_sum	ROW, (\i & 3) ^ (3 * ((\i >> 2) & 1)), ROWS_LIVE
	_add_to_sum	COLUMN, (\i & 3) ^ (((\i >> 2) ^ (\i >> 3)) & 1), COLUMNS_LIVE
.endr

	_load_affine	x2_to_x1
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	_add_sums	(\i & 3) ^ (((\i >> 2) ^ (\i >> 3) ^ 1) & 1), (\i & 3) ^ (1 + ((\i >> 2) & 1))
	_locate		\i, 1-\even
	vpxor		SLOT(PLACE), A, A
	_put		\i, 1-\even, A, B
.endr
.endm

// The last round, which is even and has no diffusion.
.macro	_last_round
	_load_affine	s1_to_s2
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	_substitute	\i, 1
	vmovdqa		A, SLOT(PLACE)
.endr
.endm

// All rounds, from the slots of an odd round to those of an even one.
.macro	_rounds
	lea		ARIA_SLICED(KEYS), ROUND_KEYS
	mov		ARIA_EXTRA_PAIRS(KEYS), PAIRS
	add		$ARIA_MIN_PAIRS, PAIRS
.Lnext_pair\@:
	_round		0
	_round		1
	add		$2*ARIA_SLICED_LAYER, ROUND_KEYS
	dec		PAIRS
	jnz		.Lnext_pair\@
	_round		0
	_last_round
.endm

//------------------------------------------------------------------------------
// Input, from SRC or COUNTER to the slots of an odd round, the first round key added
//
// Leaves LOW_NIBBLES and SHIFT_ROWS_TWICE loaded.

.macro	_load_consts
	_vbroadcast128	.Llow_nibbles(%rip), LOW_NIBBLES
	_vbroadcast128	.Lshift_rows_twice(%rip), SHIFT_ROWS_TWICE
.endm

// ECB: the blocks at SRC.
.macro	_load_block	j, dst
	vpxor		\j*VL(SRC), FIRST, \dst
.endm

.macro	_input_ecb
	_vbroadcast128	ARIA_FIRST(KEYS), FIRST
	_slice		block
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
	vmovdqa		S\i, SLOT(\i)
.endr
	_load_consts
	_load_affine	x2_to_x1
.irp i, 3, 7, 11, 15
	vmovdqa		SLOT(\i), A
	_put		\i, 0, A, B
.endr
.endm

// CTR: the counter and those that follow it, made sliced, and the counter advanced.
//
// The last byte of a batch of counters wraps at most once. Up to there their other
// bytes are those of the counter, from there on those of the counter plus 256; both
// are the same but for a few. So: byte i = counter ^ (change & wrapped).
.macro	_input_ctr
	_load_consts
	_load_affine	x2_to_x1

	// counter ^ first round key in slot 14, change in slot 15
	vmovdqu		ARIA_FIRST(KEYS), A_XMM
	vpxor		(COUNTER), A_XMM, A_XMM
	vmovdqa		A_XMM, SLOT(14)
	mov		8(COUNTER), TMP0
	mov		(COUNTER), TMP1
	bswap		TMP0
	bswap		TMP1
	mov		TMP0, TMP2
	add		$256, TMP2
	mov		TMP1, TMP2
	adc		$0, TMP2
	xor		TMP1, TMP2
	bswap		TMP2
	mov		TMP2, SLOT(15)
	mov		TMP0, TMP2
	add		$256, TMP2
	xor		TMP0, TMP2
	bswap		TMP2
	mov		TMP2, 8+SLOT(15)

	// The last byte of each counter, and where it is not smaller than the first's
	vpbroadcastb	15(COUNTER), A
	vpaddb		.Lblocks_32(%rip), A, LAST
	vpmaxub		LAST, A, NOT_WRAPPED
	vpcmpeqb	LAST, NOT_WRAPPED, NOT_WRAPPED
	vpbroadcastb	15+ARIA_FIRST(KEYS), A
	vpxor		A, LAST, LAST

	add		$VL, TMP0
	adc		$0, TMP1
	bswap		TMP0
	bswap		TMP1
	mov		TMP0, 8(COUNTER)
	mov		TMP1, (COUNTER)

	// Byte 14 is built before slots 14 and 15 are overwritten
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
	vpbroadcastb	\i+SLOT(14), A
	vpbroadcastb	\i+SLOT(15), B
	vpandn		B, NOT_WRAPPED, B
	vpxor		B, A, A
	_put		\i, 0, A, B
.endr
	_put		15, 0, LAST, B
.endm

//------------------------------------------------------------------------------
// Output, from the slots of an even round to DST

.macro	_load_slot	j, dst
	_locate		\j, 1
	vmovdqa		SLOT(PLACE), \dst
.endm

// Write \x to \dst: as it is, or added to what is at \src.
.macro	_write_ecb	x, src, dst
	vmovdqu		\x, \dst
.endm
.macro	_write_ctr	x, src, dst
	vpxor		\src, \x, \x
	vmovdqu		\x, \dst
.endm

// Write vector \j of the batch, or for odd \j the one it is exchanged with: see
// "Substitution". SWAP is how far that is upwards, UNSWAP downwards.
.macro	_write		mode, j, x
.if \j % 2 == 0
	_write_\mode	\x, "\j*VL(SRC)", "\j*VL(DST)"
.elseif \j < 8
	_write_\mode	\x, "\j*VL(SRC, SWAP)", "\j*VL(DST, SWAP)"
.else
	_write_\mode	\x, "\j*VL(SRC, UNSWAP)", "\j*VL(DST, UNSWAP)"
.endif
.endm

.macro	_output		mode
	_slice		slot
	// 8 * VL for the one key length with an odd number of extra pairs
	mov		ARIA_EXTRA_PAIRS(KEYS), %eax
	and		$1, %eax
	imul		$8*VL, SWAP, SWAP
	mov		SWAP, UNSWAP
	neg		UNSWAP
.irp j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
	_write		\mode, \j, S\j
.endr
	vmovdqa		SLOT(15), S0
	_write		\mode, 15, S0
.endm

//------------------------------------------------------------------------------
// Functions

.macro	_crypt		mode
	test		BATCHES, BATCHES
	jz		.Ldone\@
.Lnext_batch\@:
	_input_\mode
	_rounds
	_output		\mode
	add		$16*VL, SRC
	add		$16*VL, DST
	dec		BATCHES
	jnz		.Lnext_batch\@
	// No secret stays in a register, and no upper half is left in use
	vzeroall
.Ldone\@:
	RET
.endm

/*
 * void rfl_aria_ecb_aesni_avx2(const struct SlicedSchedule *keys, u8 *dst,
 *				const u8 *src, size_t batches,
 *				u8 scratch[512]);
 *
 * Encrypt or decrypt, as @keys has it, @batches times 512 bytes, each block by
 * itself.
 *
 * void rfl_aria_ctr_aesni_avx2(const struct SlicedSchedule *keys, u8 *dst,
 *				const u8 *src, size_t batches,
 *				u8 scratch[512], u8 counter[16]);
 *
 * XOR the encryptions of @counter, @counter + 1, ... to @batches times 512 bytes.
 * @counter is big-endian, has 128 bits and wraps; it is advanced by the blocks done.
 *
 * For both: @dst is @src or does not overlap it, and has any alignment. @scratch is
 * aligned to 32 bytes; it holds secrets on return, for the caller to wipe. The
 * vector registers must be the caller's to clobber; on return they are zero. The
 * stack is not used.
 */
_only_features aes, avx, avx2
_set_veclen 32
SYM_FUNC_START(rfl_aria_ecb_aesni_avx2)
	_crypt		ecb
SYM_FUNC_END(rfl_aria_ecb_aesni_avx2)

SYM_FUNC_START(rfl_aria_ctr_aesni_avx2)
	_crypt		ctr
SYM_FUNC_END(rfl_aria_ctr_aesni_avx2)
