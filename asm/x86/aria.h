/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout of the key schedule of ARIA, struct SlicedSchedule in
 * rust/ciphers/aria/x86.rs, which asserts the same numbers.
 */
#ifndef _RFL_X86_ARIA_H
#define _RFL_X86_ARIA_H

#define ARIA_EXTRA_PAIRS	0	/* u32: pairs of rounds beyond 12 */
#define ARIA_FIRST		16	/* 16 bytes: added to the input */
#define ARIA_SLICED		288	/* per round: 16 dwords, see the type */
#define ARIA_SLICED_LAYER	64

#define ARIA_MIN_PAIRS		5	/* pairs of rounds before the last pair */

#endif
