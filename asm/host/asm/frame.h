/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What asm/ uses of the kernel's <asm/frame.h>, for building it on the host, where
 * nobody walks frame pointers.
 */
#ifndef _RFL_HOST_ASM_FRAME_H
#define _RFL_HOST_ASM_FRAME_H

#define FRAME_BEGIN
#define FRAME_END

#endif
