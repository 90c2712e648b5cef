// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's CRC-T10DIF library as a shash, which it was until Linux 7.0: so
 * it can be measured like another driver.
 */
#include <crypto/internal/hash.h>
#include <linux/crc-t10dif.h>
#include <linux/module.h>

static int crct10dif_init(struct shash_desc *desc)
{
	*(u16 *)shash_desc_ctx(desc) = 0;
	return 0;
}

static int crct10dif_update(struct shash_desc *desc, const u8 *data, unsigned int len)
{
	u16 *crc = shash_desc_ctx(desc);

	*crc = crc_t10dif_update(*crc, data, len);
	return 0;
}

static int crct10dif_final(struct shash_desc *desc, u8 *out)
{
	memcpy(out, shash_desc_ctx(desc), sizeof(u16));
	return 0;
}

static struct shash_alg crct10dif = {
	.base.cra_name		= "crct10dif",
	.base.cra_driver_name	= "crct10dif-lib",
	.base.cra_priority	= 100,
	.base.cra_blocksize	= 1,
	.base.cra_module	= THIS_MODULE,
	.digestsize		= sizeof(u16),
	.descsize		= sizeof(u16),
	.init			= crct10dif_init,
	.update			= crct10dif_update,
	.final			= crct10dif_final,
};

static int __init crct10dif_register(void)
{
	return crypto_register_shash(&crct10dif);
}

static void __exit crct10dif_unregister(void)
{
	crypto_unregister_shash(&crct10dif);
}

module_init(crct10dif_register);
module_exit(crct10dif_unregister);

MODULE_AUTHOR("rfl-crypto contributors");
MODULE_DESCRIPTION("The kernel's CRC-T10DIF library as a shash");
MODULE_LICENSE("GPL");
MODULE_ALIAS_CRYPTO("crct10dif-lib");
