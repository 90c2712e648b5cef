/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout of the key schedules of Camellia. Their Rust types assert the same numbers.
 */
#ifndef _RFL_X86_CAMELLIA_H
#define _RFL_X86_CAMELLIA_H

/* struct Schedule in rust/ciphers/camellia.rs */
#define CAMELLIA_EXTRA_GROUPS	0	/* u64: groups of six rounds beyond 3 */
#define CAMELLIA_FIRST		8	/* u64: added to the left half of the input */
#define CAMELLIA_GROUPS		16	/* per group: 6 + 2 u64, see the type */
#define CAMELLIA_GROUP		64
#define CAMELLIA_BEHIND		48

#define CAMELLIA_MIN_GROUPS	3

#define CAMELLIA_TABLE		2048	/* bytes of one of the tables */

/* struct SlicedSchedule in rust/ciphers/camellia/sliced.rs, beginning as the other */
#define CAMELLIA_FL_FIRST	8	/* s64: from here to the first FL */
#define CAMELLIA_FL_STEP	16	/* s64: from one FL to the next */
#define CAMELLIA_ROUNDS_FIRST	24	/* s64: from here to the key of the first round, 8 dwords */
#define CAMELLIA_ROUNDS_STEP	32	/* s64: from one to the next */
#define CAMELLIA_INPUT		40	/* 16 bytes: added to the input */
#define CAMELLIA_OUTPUT		56	/* 16 bytes: added to the output */

/* struct Matrices: FL for GFNI, each matrix of four bytes of a word */
#define CAMELLIA_FL_MOVED_UP	0
#define CAMELLIA_FL_MOVED_OUT	32
#define CAMELLIA_FL_BACK	64

/* struct Tables: FL for table look-ups, 32 bytes for each of four bytes of a word */
#define CAMELLIA_FL_LOOKUP_UP	0
#define CAMELLIA_FL_LOOKUP_BACK	128
#define CAMELLIA_FL_HIGHEST_OUT	256	/* 4 dwords */

#endif
