/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What asm/ uses of the kernel's <linux/linkage.h>, for building it on the host.
 */
#ifndef _RFL_HOST_LINUX_LINKAGE_H
#define _RFL_HOST_LINUX_LINKAGE_H

#ifdef __aarch64__
#define RFL_LANDING_PAD		bti c
#else
#define RFL_LANDING_PAD
#endif

#define SYM_FUNC_START(name)	\
	.globl name;		\
	.type name, @function;	\
	.p2align 6;		\
	name:			\
	RFL_LANDING_PAD;

#define SYM_FUNC_START_LOCAL(name)	\
	.type name, @function;	\
	.p2align 6;		\
	name:

#define SYM_FUNC_END(name)	.size name, . - name

#define RET			ret

/* The host's linker asks every object whether it needs an executable stack. */
.section .note.GNU-stack, "", @progbits

#endif
