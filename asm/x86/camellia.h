/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout of the key schedule of Camellia, struct Schedule in rust/ciphers/camellia.rs.
 * rust/ciphers/camellia/x86.rs asserts the same numbers.
 */
#ifndef _RFL_X86_CAMELLIA_H
#define _RFL_X86_CAMELLIA_H

#define CAMELLIA_EXTRA_GROUPS	0	/* u64: groups of six rounds beyond 3 */
#define CAMELLIA_FIRST		8	/* u64: added to the left half of the input */
#define CAMELLIA_GROUPS		16	/* per group: 6 + 2 u64, see the type */
#define CAMELLIA_GROUP		64
#define CAMELLIA_BEHIND		48

#define CAMELLIA_MIN_GROUPS	3

#define CAMELLIA_TABLE		2048	/* bytes of one of the tables */

#endif
