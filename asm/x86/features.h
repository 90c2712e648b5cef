/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hold a tier to the CPU features that it declares.
 */
#ifndef _RFL_X86_FEATURES_H
#define _RFL_X86_FEATURES_H

/*
 * From here on have the assembler refuse every instruction beyond the x86-64
 * baseline and the \features, which are those that the Features type of the tier
 * lists in rust/ciphers, and every vector instruction without a VEX or EVEX prefix.
 * LLVM's assembler has no such directives; what it assembles, GNU as has checked.
 */
.macro	_only_features	features:vararg
#ifndef __clang__
.arch	generic64
.irp feature, \features
.ifnb \feature
.arch	.\feature
.endif
.endr
.sse_check error
#endif
.endm

#endif
