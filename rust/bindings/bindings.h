/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Input of bindgen: the part of the kernel crypto API that rust/crypto uses.
 *
 * What bindgen emits from here is declarations only.  Inline functions and
 * macros have a C twin in helpers.c and are declared below.
 */
#include <crypto/algapi.h>
#include <crypto/internal/cipher.h>
#include <crypto/internal/skcipher.h>
#include <linux/crypto.h>
#include <linux/types.h>
#ifdef CONFIG_X86_64
#include <asm/cpufeatures.h>
#endif

/* Macros whose values bindgen cannot evaluate by itself. */
static const u32 RFL_CRYPTO_MINALIGN = CRYPTO_MINALIGN;
static const u32 RFL_MAX_SYNC_SKCIPHER_REQSIZE = MAX_SYNC_SKCIPHER_REQSIZE;
static const u32 RFL_CRYPTO_ALG_SKCIPHER_REQSIZE_LARGE =
	CRYPTO_ALG_SKCIPHER_REQSIZE_LARGE;

void rfl_helper_memzero_explicit(void *s, size_t count);

#ifdef CONFIG_X86_64
bool rfl_helper_crypto_simd_usable(void);
void rfl_helper_kernel_fpu_begin(void);
void rfl_helper_kernel_fpu_end(void);
bool rfl_helper_boot_cpu_has(unsigned int bit);
bool rfl_helper_saves_ymm(void);
bool rfl_helper_saves_zmm(void);
#endif
