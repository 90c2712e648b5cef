/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the ARIA drivers' assembly finds the parts of a key.  The kernel's build
 * computes this when these drivers are part of its configuration.
 */
#ifndef RFL_INTREE_ARIA_CTX_H
#define RFL_INTREE_ARIA_CTX_H

#define ARIA_CTX_enc_key	0
#define ARIA_CTX_dec_key	272
#define ARIA_CTX_rounds		544

#ifndef __ASSEMBLER__
#include <crypto/aria.h>

static_assert(offsetof(struct aria_ctx, enc_key) == ARIA_CTX_enc_key);
static_assert(offsetof(struct aria_ctx, dec_key) == ARIA_CTX_dec_key);
static_assert(offsetof(struct aria_ctx, rounds) == ARIA_CTX_rounds);
#endif

#endif /* RFL_INTREE_ARIA_CTX_H */
