// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's AES in C, lib/crypto/aes.c, as it is on CPUs for which it has no
 * assembly. -I says where that file is.
 */
#undef CONFIG_CRYPTO_LIB_AES_ARCH
#include "aes.c"

void (*const rfl_generic_encrypt)(const u32 rndkeys[], int nrounds,
				  u8 out[AES_BLOCK_SIZE],
				  const u8 in[AES_BLOCK_SIZE]) = aes_encrypt_generic;
void (*const rfl_generic_decrypt)(const u32 inv_rndkeys[], int nrounds,
				  u8 out[AES_BLOCK_SIZE],
				  const u8 in[AES_BLOCK_SIZE]) = aes_decrypt_generic;
