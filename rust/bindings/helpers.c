// SPDX-License-Identifier: GPL-2.0
/*
 * C twins of the inline functions and macros that rust/crypto calls.
 *
 * Every module links its own copy under its own object name (see Kbuild), so
 * that no symbol has to be exported and modules do not depend on each other.
 */
#include <crypto/internal/simd.h>
#include <crypto/scatterwalk.h>
#include <crypto/utils.h>
#include <crypto/xts.h>
#include <linux/string.h>
#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#endif
#ifdef CONFIG_X86
#include <asm/fpu/types.h>
#endif

#include "bindings.h"

void rfl_helper_memzero_explicit(void *s, size_t count)
{
	memzero_explicit(s, count);
}

bool rfl_helper_crypto_memneq(const void *a, const void *b, size_t size)
{
	return crypto_memneq(a, b, size);
}

int rfl_helper_xts_verify_key(struct crypto_skcipher *tfm, const u8 *key,
			      unsigned int keylen)
{
	return xts_verify_key(tfm, key, keylen);
}

void rfl_helper_scatterwalk_start(struct scatter_walk *walk,
				  struct scatterlist *sg)
{
	scatterwalk_start(walk, sg);
}

unsigned int rfl_helper_scatterwalk_next(struct scatter_walk *walk,
					 unsigned int total)
{
	return scatterwalk_next(walk, total);
}

void rfl_helper_scatterwalk_done_src(struct scatter_walk *walk,
				     unsigned int nbytes)
{
	scatterwalk_done_src(walk, nbytes);
}

/*
 * Where the first @nbytes of a list are, if they lie in one piece of at most a page
 * which is always mapped.
 */
const void *rfl_helper_sg_linear(struct scatterlist *sg, unsigned int nbytes)
{
	struct scatter_walk walk;

	if (IS_ENABLED(CONFIG_HIGHMEM))
		return NULL;
	scatterwalk_start(&walk, sg);
	return scatterwalk_next(&walk, nbytes) == nbytes ? walk.addr : NULL;
}

#ifdef CONFIG_X86_64
bool rfl_helper_kernel_fpu_begin(void)
{
	if (!crypto_simd_usable())
		return false;
	kernel_fpu_begin();
	return true;
}

void rfl_helper_kernel_fpu_end(void)
{
	kernel_fpu_end();
}

bool rfl_helper_boot_cpu_has(unsigned int bit)
{
	return boot_cpu_has(bit);
}

/*
 * Whether the kernel saves the SSE and AVX registers of a task, and whether those
 * of AVX-512.  User Mode Linux is a process itself, and sees no feature in its
 * host's /proc/cpuinfo whose registers the host would not save.
 */
#ifdef CONFIG_X86
bool rfl_helper_saves_ymm(void)
{
	return cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL);
}

bool rfl_helper_saves_zmm(void)
{
	return cpu_has_xfeatures(XFEATURE_MASK_AVX512, NULL);
}
#else
bool rfl_helper_saves_ymm(void)
{
	return true;
}

bool rfl_helper_saves_zmm(void)
{
	return true;
}
#endif
#endif
