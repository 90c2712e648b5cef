/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout of the key schedule of ARIA, struct Schedule in rust/ciphers/aria.rs.
 * rust/ciphers/aria/x86.rs asserts the same numbers.
 */
#ifndef _RFL_X86_ARIA_H
#define _RFL_X86_ARIA_H

#define ARIA_EXTRA_PAIRS	0	/* u32: pairs of rounds beyond 12 */
#define ARIA_SLICED		4	/* u32: distance from here to the sliced form */
#define ARIA_FIRST		16	/* 16 bytes: added to the input */

#define ARIA_SLICED_LAYER	64	/* per round: 16 dwords, see Sliced */

#define ARIA_MIN_PAIRS		5	/* pairs of rounds before the last pair */

#endif
