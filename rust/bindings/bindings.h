/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Input of bindgen: the part of the kernel crypto API that rust/crypto uses.
 *
 * What bindgen emits from here is declarations only.  Inline functions and
 * macros have a C twin in helpers.c and are declared below.
 */
#include <crypto/algapi.h>
#include <crypto/internal/aead.h>
#include <crypto/internal/cipher.h>
#include <crypto/internal/hash.h>
#include <crypto/internal/skcipher.h>
#include <crypto/scatterwalk.h>
#include <linux/crypto.h>
#include <linux/scatterlist.h>
#include <linux/types.h>
#ifdef CONFIG_X86_64
#include <asm/cpufeatures.h>
#endif

/* Macros whose values bindgen cannot evaluate by itself. */
static const u32 RFL_CRYPTO_MINALIGN = CRYPTO_MINALIGN;
static const u32 RFL_MAX_SYNC_SKCIPHER_REQSIZE = MAX_SYNC_SKCIPHER_REQSIZE;
static const u32 RFL_HASH_MAX_STATESIZE = HASH_MAX_STATESIZE;
static const u32 RFL_CRYPTO_ALG_SKCIPHER_REQSIZE_LARGE =
	CRYPTO_ALG_SKCIPHER_REQSIZE_LARGE;

void rfl_helper_memzero_explicit(void *s, size_t count);
bool rfl_helper_crypto_memneq(const void *a, const void *b, size_t size);
int rfl_helper_xts_verify_key(struct crypto_skcipher *tfm, const u8 *key,
			      unsigned int keylen);
unsigned int rfl_helper_scatterwalk_next(struct scatter_walk *walk,
					 unsigned int total);
void rfl_helper_scatterwalk_done_src(struct scatter_walk *walk,
				     unsigned int nbytes);
void rfl_helper_scatterwalk_start(struct scatter_walk *walk,
				  struct scatterlist *sg);
const void *rfl_helper_sg_linear(struct scatterlist *sg, unsigned int nbytes);

#ifdef CONFIG_X86_64
bool rfl_helper_kernel_fpu_begin(void);
void rfl_helper_kernel_fpu_end(void);
bool rfl_helper_boot_cpu_has(unsigned int bit);
bool rfl_helper_saves_ymm(void);
bool rfl_helper_saves_zmm(void);
#endif
