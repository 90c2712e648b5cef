/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What asm/arm64/aes.S knows of rust/ciphers/aes/arm64.rs, which has the same
 * numbers and asserts them.
 */
#ifndef _RFL_ARM64_AES_H
#define _RFL_ARM64_AES_H

/* struct Tables: words, bytes, and the size of both. */
#define AES_BYTES	1024
#define AES_TABLES	1280

/* By which they are aligned. */
#define CACHE_LINE	64

#endif
