/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AES (FIPS 197) in Galois/Counter Mode (SP 800-38D), in one pass over the text.
 *
 * Tiers, instantiated at the foot of the file:
 *
 *	avx512		VAES, VPCLMULQDQ, AVX-512. 512-bit vectors, 16 blocks a step. Intel
 *			since Ice Lake, AMD since Zen 4.
 *	avx512vl	The same instructions on 256-bit vectors, 8 blocks a step, for
 *			CPUs whose clock suffers from longer ones.
 *
 * A step encrypts four vectors of counters. Between the rounds it hashes four vectors
 * of ciphertext: of the step itself when it decrypts, of the step before when it
 * encrypts. The last step is of one to four vectors, the last of which may be partial.
 * If the tag is due, its mask is encrypted there too, and the lengths are one more block
 * to hash: a short message takes the time of its rounds and of one reduction.
 *
 * ghash.h has the mathematics of the hash, aes.h the rounds. Branches and addresses
 * depend on the length of data and key, on nothing else. All vector instructions are
 * VEX- or EVEX-encoded.
 */

#include <linux/linkage.h>
#include "aes.h"
#include "features.h"
#include "ghash.h"

/* Layout of struct GcmKey in rust/ciphers/aes/x86.rs, which asserts it. */
#define GCM_CIPHER		0	/* see aes.h */
#define GCM_HASH		256	/* Key, see ghash.h */
#define GCM_LANES		848	/* Lanes, see ghash.h */

/* Layout of the beginning of struct Message in rust/ciphers/gcm.rs, asserted there too. */
#define GCM_COUNTER		0
#define GCM_SUM			16
#define GCM_ASSOC_LEN		32	/* u64, in bytes */
#define GCM_TEXT_LEN		40	/* the same */

.section .rodata
.p2align 6
// The number of each block in a vector, as little-endian numbers of 128 bits.
.Lnumbers:
	.quad	0, 0, 1, 0, 2, 0, 3, 0
// How many there are in a vector of 32 bytes, and in one of 64.
.Lblocks:
	.quad	2, 0, 2, 0
	.quad	4, 0, 4, 0, 4, 0, 4, 0

.text

// Arguments of the functions.
.set	KEY,		%rdi	// struct GcmKey
.set	DST,		%rsi
.set	SRC,		%rdx
.set	LEN,		%rcx
.set	MESSAGE,	%r8	// struct Message
.set	TAG,		%r9	// where to, or 0

// Temporaries.
.set	EXTRA,		%eax
.set	EXTRA_64,	%rax
.set	TMP,		%r10
.set	TMP_32,		%r10d
.set	TMP2,		%r11
.set	TMP2_32,	%r11d
.set	COUNT,		%r10d	// the lower 32 bits of the counter
.set	COUNT_8,	%r10b
.set	RUN,		%eax
.set	RUN_64,		%rax
.set	POWERS,		%r11	// those of the last blocks
.set	MIN_RUN,	4
.set	SHORT,		64

.macro	_set_names
// V0 to V3: blocks on their way through the rounds.
.set	HASHED0,	V4	// ciphertext to be hashed
.set	HASHED1,	V5
.set	HASHED2,	V6
.set	HASHED3,	V7
.set	MI,		V8	// sum of products, and what a product takes
.set	MI_XMM,		X8
.set	HI,		V9
.set	HI_YMM,		%ymm9
.set	HI_XMM,		X9
.set	T0,		V10
.set	T0_XMM,		X10
.set	T1,		V11
.set	T2,		V12
.set	T2_XMM,		X12
.set	T3,		V13
.set	T3_XMM,		X13
.set	SUM,		V14	// the hash so far, in the lowest lane; otherwise zero
.set	SUM_YMM,	%ymm14
.set	SUM_XMM,	X14
.set	NEXT,		V15	// counters of the next vector, little-endian
.set	NEXT_XMM,	X15
.set	MASK,		NEXT	// of the tag, when there is no next vector
.set	MASK_XMM,	NEXT_XMM
// V16 to V30: round keys. Within a run, three of them and NEXT are something else.
.set	COLUMNS,	FIRST
.set	FIRST_COLUMNS,	NEXT
.set	COLUMN_KEY,	BEFORE_13
.set	REVERSE,	V31
.set	REVERSE_XMM,	X31
.endm

//------------------------------------------------------------------------------
// Hash

// Add HASHED\j, times the powers for it from \at (memory) on, to the sum of products; with
// \first = 1 set that. \folded is the same address with GHASH_FOLDED added. Clobbers T0 to
// T3.
.macro	_hash_vector	j, first, at, folded
	vpshufb		REVERSE, HASHED\j, HASHED\j
.if \j == 0
	vpxord		SUM, HASHED0, HASHED0
.endif
	_ghash_mul_add	HASHED\j, \j*VL+\at, \j*VL+\folded, MI, HI, T0, T1, T2, T3, \first
.endm

// Reduce the sum of products, of all lanes or one, to HI. Clobbers MI and T0.
.macro	_hash_reduce	mi=MI, hi=HI, t0=T0
	vpclmulqdq	$0x10, .Lghash_p(%rip), \mi, \t0
	vpshufd		$0x4e, \mi, \mi
	_xor3		\t0, \mi, \hi
.endm

// What is done between the rounds of a step, \before rounds from its end: hash HASHED0 to
// HASHED3, from last to first as it takes until then to know SUM.
.macro	_hash_between	before, at, folded
.if \before == 8
	_hash_vector	3, 1, \at, \folded
.elseif \before == 7
	_hash_vector	2, 0, \at, \folded
.elseif \before == 5
	_hash_vector	1, 0, \at, \folded
.elseif \before == 3
	_hash_vector	0, 0, \at, \folded
.elseif \before == 1
	_hash_reduce
.endif
.endm

// Where the powers for the blocks of a step are.
.set	STEP_POWERS,	GCM_HASH + GHASH_STEP
#define FOR_STEP(of)	STEP_POWERS-4*VL+of(KEY)

// The last step, or one after which the lanes of SUM are added up.
.macro	_hash_beside	before
	_hash_between	\before, FOR_STEP(GHASH_POWERS), FOR_STEP(GHASH_FOLDED)
.if \before == 1
	_ghash_add_lanes HI, HI_YMM, HI_XMM, SUM_YMM, SUM_XMM
.endif
.endm

// A step after which more follow. The lanes are added up at the end: see ghash.h.
.macro	_hash_lanes_beside before
.if VL == 64
	_hash_between	\before, GCM_LANES+GHASH_LANES_POWERS(KEY), GCM_LANES+GHASH_LANES_FOLDED(KEY)
.if \before == 1
	vmovdqa64	HI, SUM
.endif
.else
	_hash_beside	\before
.endif
.endm

// Hash HASHED0 to HASHED\n-1. Their powers are from \at (memory) on, see _hash_vector;
// with \first = 0, there is something in MI and HI already.
.macro	_hash		n, at, folded, first
.irp j, 0, 1, 2, 3
.if \j < \n
	_hash_vector	\j, \first&(\j==0), \at, \folded
.endif
.endr
	_hash_reduce
	_ghash_add_lanes HI, HI_YMM, HI_XMM, SUM_YMM, SUM_XMM
.endm

// Set MI and HI to the product of H and the block of the lengths, to which \also has been
// added if it is given. Clobbers T0, T2 and T3.
.macro	_hash_lengths	also
	vmovq		GCM_TEXT_LEN(MESSAGE), T2_XMM
	vpinsrq		$1, GCM_ASSOC_LEN(MESSAGE), T2_XMM, T2_XMM
	vpsllq		$3, T2_XMM, T2_XMM
.ifnb \also
	vpxor		\also, T2_XMM, T2_XMM
.endif
	_ghash_mul_add	T2_XMM, STEP_POWERS-16+GHASH_POWERS(KEY), STEP_POWERS-16+GHASH_FOLDED(KEY), MI_XMM, HI_XMM, T0_XMM, T3_XMM, , , 1
.endm

//------------------------------------------------------------------------------
// Encryption

// Set V0 to V\n-1 to counters with FIRST added, and go on to those that follow.
.macro	_counters	n
.irp i, 0, 1, 2, 3
.if \i < \n
	vpshufb		REVERSE, NEXT, V\i
	vpaddd		.Lblocks+VL-32(%rip), NEXT, NEXT
	vpxord		FIRST, V\i, V\i
.endif
.endr
.endm

// Finish V\i and add it to the data. When encrypting, the result is what is hashed.
// Clobbers T0.
.macro	_last_round	i, encrypts
	vpxord		\i*VL(SRC), LAST, T0
	vaesenclast	T0, V\i, V\i
	vmovdqu64	V\i, \i*VL(DST)
.if \encrypts
	vmovdqa64	V\i, HASHED\i
.endif
.endm

// The same for a last vector, of which %k1 names the bytes there are.
.macro	_last_round_masked i, encrypts
	vmovdqu8	\i*VL(SRC), T0{%k1}{z}
	vpxord		LAST, T0, T0
	vaesenclast	T0, V\i, V\i
	vmovdqu8	V\i, \i*VL(DST){%k1}
.if \encrypts
	vmovdqu8	V\i, HASHED\i{%k1}{z}
.endif
.endm

// When decrypting, load what is hashed.
.macro	_load_hashed	encrypts
.if !\encrypts
.irp i, 3, 2, 1, 0
	vmovdqu64	\i*VL(SRC), HASHED\i
.endr
.endif
.endm

// Do four vectors, and \beside between the rounds, if it is given.
.macro	_step		encrypts, beside
	_counters	4
	_load_hashed	\encrypts
	_aes_rounds	4, AES_EXTRA_ROUNDS(KEY), \beside
.irp i, 0, 1, 2, 3
	_last_round	\i, \encrypts
.endr
	add		$4*VL, SRC
	add		$4*VL, DST
	sub		$4*VL, LEN
.endm

// Do four vectors the first round of which takes COLUMNS, see aes.h.
.macro	_step_of_run	encrypts, beside
	_first_round	KEY, COLUMNS, FIRST_COLUMNS, COLUMN_KEY, T0
	_load_hashed	\encrypts
	_aes_rounds_but_first 4, AES_EXTRA_ROUNDS(KEY), \beside
.irp i, 0, 1, 2, 3
	_last_round	\i, \encrypts
.endr
	add		$4*VL, SRC
	add		$4*VL, DST
	sub		$4*VL, LEN
.endm

// While steps are left, and another one behind them if not \encrypts, and something behind
// all: until the last byte of the counter wraps in runs, and otherwise one by one.
.macro	_steps		encrypts
.Lnext_run\@:
.if !\encrypts
	cmp		$4*VL, LEN
	jbe		.Lno_run\@
.endif
	vmovd		NEXT_XMM, COUNT
	movzbl		COUNT_8, RUN
	neg		RUN
	add		$256, RUN
	shr		$LOG_BLOCKS, RUN
	lea		-1(LEN), TMP2
	shr		$LOG_BLOCKS+4, TMP2
.if \encrypts
	inc		TMP2
.endif
	cmp		TMP2, RUN_64
	cmova		TMP2_32, RUN
	cmp		$MIN_RUN, RUN
	jb		.Lone_step\@
	mov		RUN, TMP2_32
	shl		$LOG_BLOCKS, TMP2_32
	add		TMP2_32, COUNT
	_prepare_columns KEY, NEXT, REVERSE, T1, T2, COLUMN_KEY, T0, TMP2_32
	vmovdqa64	T1, COLUMNS
	vmovdqa64	T2, FIRST_COLUMNS
.Lnext_of_run\@:
	_step_of_run	\encrypts, _hash_lanes_beside
	dec		RUN
	jnz		.Lnext_of_run\@
	// Have the registers of the run back for what they are otherwise
	vbroadcasti32x4	AES_ROUND_KEYS(KEY), FIRST
	vbroadcasti32x4	AES_ROUND_KEYS+16(KEY), BEFORE_13
	vbroadcasti32x4	GCM_COUNTER(MESSAGE), NEXT
	vpshufb		REVERSE, NEXT, NEXT
	vpbroadcastd	COUNT, NEXT{%k2}
	vpaddd		.Lnumbers(%rip), NEXT, NEXT
	test		LEN, LEN
	jg		.Lnext_run\@
	jmp		.Lno_run\@

.Lone_step\@:
	_step		\encrypts, _hash_lanes_beside
	ja		.Lnext_run\@
.Lno_run\@:
.endm

// Set MASK to what is to be encrypted for it, FIRST added. Clobbers TMP.
.macro	_prepare_mask
	mov		$1, TMP_32
	vpinsrd		$0, TMP_32, NEXT_XMM, MASK_XMM
	vpshufb		REVERSE, MASK, MASK
	vpxord		FIRST, MASK, MASK
.endm

// Begin the sum of products for the last blocks, with the lengths if the tag is due. Then
// each block is multiplied by one power more. Clobbers T0, T2 and T3.
.macro	_begin_last_hash
	vpxor		MI_XMM, MI_XMM, MI_XMM
	vpxor		HI_XMM, HI_XMM, HI_XMM
	test		TAG, TAG
	jz		.Lno_lengths\@
	_hash_lengths
	sub		$16, POWERS
.Lno_lengths\@:
.endm

// Do the last \n vectors, the last of which %k1 masks, and hash them, to SUM. MASK becomes
// what it is. When encrypting, \beside is done between the rounds, if it is given.
.macro	_last_step	n, encrypts, beside
	_counters	\n
	_prepare_mask
.if \encrypts
	_aes_rounds	\n, AES_EXTRA_ROUNDS(KEY), \beside, MASK
.else
.irp i, 0, 1, 2, 3
.if \i < \n - 1
	vmovdqu64	\i*VL(SRC), HASHED\i
.elseif \i == \n - 1
	vmovdqu8	\i*VL(SRC), HASHED\i{%k1}{z}
.endif
.endr
	_begin_last_hash
	_aes_rounds	\n, AES_EXTRA_ROUNDS(KEY), , MASK
	_hash		\n, GHASH_POWERS(POWERS), GHASH_FOLDED(POWERS), 0
.endif
.irp i, 0, 1, 2, 3
.if \i < \n - 1
	_last_round	\i, \encrypts
.elseif \i == \n - 1
	_last_round_masked \i, \encrypts
.endif
.endr
	vaesenclast	LAST, MASK, MASK
.if \encrypts
	_begin_last_hash
	_hash		\n, GHASH_POWERS(POWERS), GHASH_FOLDED(POWERS), 0
.endif
.endm

// Do the LEN bytes that are left, from one on, see _last_step, and go to \then.
.macro	_last_steps	then, encrypts, beside
	// How much of the last vector: from 1 to VL
	lea		-1(LEN), TMP_32
	and		$VL-1, TMP_32
	mov		$-2, TMP2
	shlx		TMP, TMP2, TMP2
	not		TMP2
.if VL == 64
	kmovq		TMP2, %k1
.else
	kmovd		TMP2_32, %k1
.endif
	lea		15(LEN), POWERS
	and		$-16, POWERS
	neg		POWERS
	lea		STEP_POWERS(KEY, POWERS), POWERS
	cmp		$2*VL, LEN
	ja		.Lthree_or_four\@
	cmp		$VL, LEN
	ja		.Ltwo\@
	_last_step	1, \encrypts, \beside
	jmp		\then
.Ltwo\@:
	_last_step	2, \encrypts, \beside
	jmp		\then
.Lthree_or_four\@:
	cmp		$3*VL, LEN
	ja		.Lfour\@
	_last_step	3, \encrypts, \beside
	jmp		\then
.Lfour\@:
	_last_step	4, \encrypts, \beside
	jmp		\then
.endm

.macro	_crypt		encrypts
.if VL == 64
	// Shorter vectors are faster as long as one or two steps of them do it
	cmp		$SHORT, LEN
.if \encrypts
	jbe		rfl_aes_gcm_encrypt_avx512vl
.else
	jbe		rfl_aes_gcm_decrypt_avx512vl
.endif
.endif
	_load_round_keys KEY, EXTRA, EXTRA_64, TMP
	vbroadcasti32x4	.Lghash_reverse(%rip), REVERSE
	vmovdqu		GCM_SUM(MESSAGE), SUM_XMM
	vpshufb		REVERSE_XMM, SUM_XMM, SUM_XMM
	vbroadcasti32x4	GCM_COUNTER(MESSAGE), NEXT
	vpshufb		REVERSE, NEXT, NEXT

	// Blocks there are; the count is the lowest 32 bits and wraps there
	lea		15(LEN), TMP
	shr		$4, TMP
	vmovd		TMP_32, X0
	vpaddd		X0, NEXT_XMM, X0
	vpshufb		REVERSE_XMM, X0, X0
	vmovdqu		X0, GCM_COUNTER(MESSAGE)
	vpaddd		.Lnumbers(%rip), NEXT, NEXT

	sub		$4*VL, LEN
	jbe		.Lno_steps\@
.if \encrypts
	_step		1
	jbe		.Lone_to_hash\@
	_steps		1
.Lone_to_hash\@:
	add		$4*VL, LEN
	_last_steps	.Lhashed\@, 1, _hash_beside
.else
	_steps		0
	_step		0, _hash_beside
	add		$4*VL, LEN
	jmp		.Llast_step\@
.endif

.Lno_steps\@:
	add		$4*VL, LEN
	jz		.Lnothing\@
.Llast_step\@:
	_last_steps	.Lhashed\@, \encrypts

.Lhashed\@:
	vpshufb		REVERSE_XMM, SUM_XMM, SUM_XMM
	test		TAG, TAG
	jz		.Lno_tag\@
	vpxor		MASK_XMM, SUM_XMM, SUM_XMM
	vmovdqu		SUM_XMM, (TAG)
	jmp		.Ldone\@
.Lno_tag\@:
	vmovdqu		SUM_XMM, GCM_SUM(MESSAGE)
	jmp		.Ldone\@

	// There was no text at all
.Lnothing\@:
	test		TAG, TAG
	jz		.Ldone\@
	_prepare_mask
	_aes_rounds	0, AES_EXTRA_ROUNDS(KEY), also=MASK
	vaesenclast	LAST, MASK, MASK
	_hash_lengths	SUM_XMM
	_hash_reduce	MI_XMM, HI_XMM, T0_XMM
	vmovdqa		HI_XMM, SUM_XMM
	jmp		.Lhashed\@

.Ldone\@:
	// No secret stays in a register, and no upper half is left in use
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vpxor		X\i, X\i, X\i
.endr
.irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vpxord		X\i, X\i, X\i
.endr
	vzeroupper
	RET
.endm

/*
 * void rfl_aes_gcm_encrypt_<tier>(const struct GcmKey *key, u8 *dst, const u8 *src,
 *				   size_t len, struct Message *message, u8 tag[16]);
 * void rfl_aes_gcm_decrypt_<tier>(same);
 *
 * Encrypt or decrypt @len bytes, and take the ciphertext into the hash of @message, a
 * final partial block filled up with zeroes. The counter of @message is advanced by
 * the blocks done; it counts in 32 bits, which wrap. @dst is @src or does not overlap
 * it. If @tag is not null, the message ends here, @message has its lengths, and @tag
 * becomes its tag; the hash of @message is then nothing any more. The vector registers
 * must be the caller's to clobber; on return they are zero. The stack is not used.
 */
_only_features vaes, vpclmulqdq, avx512bw, avx512vl, bmi2
_set_veclen 64
.set LOG_BLOCKS, 4
_set_names
SYM_FUNC_START(rfl_aes_gcm_encrypt_avx512)
	_crypt		1
SYM_FUNC_END(rfl_aes_gcm_encrypt_avx512)

SYM_FUNC_START(rfl_aes_gcm_decrypt_avx512)
	_crypt		0
SYM_FUNC_END(rfl_aes_gcm_decrypt_avx512)

_set_veclen 32
.set LOG_BLOCKS, 3
_set_names
SYM_FUNC_START(rfl_aes_gcm_encrypt_avx512vl)
	_crypt		1
SYM_FUNC_END(rfl_aes_gcm_encrypt_avx512vl)

SYM_FUNC_START(rfl_aes_gcm_decrypt_avx512vl)
	_crypt		0
SYM_FUNC_END(rfl_aes_gcm_decrypt_avx512vl)
