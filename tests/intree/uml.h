/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What drivers for x86 use and User Mode Linux does not have.  Included before
 * the driver's own headers.
 */
#ifndef RFL_INTREE_UML_H
#define RFL_INTREE_UML_H

#include <asm/cpufeature.h>
#include <linux/bits.h>
#include <linux/mod_devicetable.h>

#define XFEATURE_MASK_SSE	BIT(1)
#define XFEATURE_MASK_YMM	BIT(2)
#define XFEATURE_MASK_AVX512	(BIT(5) | BIT(6) | BIT(7))

/*
 * User Mode Linux takes the features from the host's /proc/cpuinfo, and the
 * host's kernel lists only those whose state it saves.
 */
static inline bool cpu_has_xfeatures(u64 xfeatures, const char **feature_name)
{
	return true;
}

/* OSXSAVE is not listed there, but AVX is not without it. */
static inline bool uml_cpu_has(unsigned int feature)
{
	return cpu_has(&boot_cpu_data,
		       feature == X86_FEATURE_OSXSAVE ? X86_FEATURE_AVX : feature);
}

#undef boot_cpu_has
#define boot_cpu_has	uml_cpu_has

/* For tables with one entry: a feature. */
static inline const struct x86_cpu_id *uml_match_cpu(const struct x86_cpu_id *match)
{
	return uml_cpu_has(match->feature) ? match : NULL;
}

#define x86_match_cpu	uml_match_cpu

/* So that no model of CPU is recognised. */
static const struct {
	int x86_vendor, x86, x86_model;
} uml_cpu __maybe_unused;

#define X86_VENDOR_INTEL	(-1)
#define boot_cpu_data		uml_cpu

#endif /* RFL_INTREE_UML_H */
