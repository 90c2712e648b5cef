// SPDX-License-Identifier: GPL-2.0

//! Assembles `asm/` for the host, every tier of it.

use std::{collections::BTreeSet, env, path::Path};

/// Tiers by the symbol that Kconfig has for them, and the file that they are in.
const X86_64: &[(&str, &str)] = &[
    ("CONFIG_RFL_CRYPTO_AES_X86", "x86/aes-ctr.S"),
    ("CONFIG_RFL_CRYPTO_AES_X86", "x86/aes-gcm.S"),
    ("CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX", "x86/aria-aesni.S"),
    ("CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX2", "x86/aria-aesni.S"),
    ("CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX", "x86/aria-gfni.S"),
    ("CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX2", "x86/aria-gfni.S"),
    ("CONFIG_RFL_CRYPTO_CRCT10DIF_PCLMUL", "x86/crct10dif.S"),
    ("CONFIG_RFL_CRYPTO_CRCT10DIF_AVX512", "x86/crct10dif.S"),
    ("CONFIG_RFL_CRYPTO_GHASH_X86", "x86/ghash.S"),
    (
        "CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512VL",
        "x86/aria-gfni-avx512.S",
    ),
    (
        "CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512VL",
        "x86/aria-gfni-few.S",
    ),
    (
        "CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512",
        "x86/aria-gfni-avx512.S",
    ),
    ("CONFIG_RFL_CRYPTO_CAMELLIA_ASM", "x86/camellia.S"),
    (
        "CONFIG_RFL_CRYPTO_CAMELLIA_AESNI_AVX",
        "x86/camellia-aesni.S",
    ),
    (
        "CONFIG_RFL_CRYPTO_CAMELLIA_AESNI_AVX2",
        "x86/camellia-aesni.S",
    ),
    ("CONFIG_RFL_CRYPTO_CAMELLIA_SLICED", "x86/camellia-gfni.S"),
    (
        "CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX2",
        "x86/camellia-gfni.S",
    ),
    (
        "CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX512VL",
        "x86/camellia-gfni-avx512.S",
    ),
    (
        "CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX512",
        "x86/camellia-gfni-avx512.S",
    ),
];

const AARCH64: &[(&str, &str)] = &[("CONFIG_RFL_CRYPTO_AES_ARM64", "arm64/aes.S")];

fn main() {
    for (config, _) in X86_64.iter().chain(AARCH64) {
        println!("cargo::rustc-check-cfg=cfg({config})");
    }
    let tiers = match env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("x86_64") => X86_64,
        Ok("aarch64") => AARCH64,
        _ => return,
    };

    let asm = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../asm");
    let mut build = cc::Build::new();
    build.include(asm.join("host"));
    for (config, _) in tiers {
        println!("cargo::rustc-cfg={config}");
        build.define(config, "1");
    }
    let files: BTreeSet<_> = tiers.iter().map(|(_, file)| asm.join(file)).collect();
    build.files(files);
    build.compile("rfl-asm");
    println!("cargo::rerun-if-changed={}", asm.display());
}
