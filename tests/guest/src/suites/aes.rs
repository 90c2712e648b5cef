// SPDX-License-Identifier: GPL-2.0

//! AES (FIPS 197), with RustCrypto's `aes` as reference.

use hex_literal::hex;

use super::reference::{cipher128, gcm128};
use super::skcipher::{Family, GcmVector, Vector};

/// The text of the vectors of GCM.
const TEXT: [u8; 60] = hex!(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e24"
    "49a6b525b16aedf5aa0de657ba637b39"
);

/// Test vectors: FIPS 197, Appendix C.
pub const AES: Family = Family {
    name: "aes",
    vectors: &[
        Vector {
            key: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: hex!("00112233445566778899aabbccddeeff"),
            cipher: hex!("69c4e0d86a7b0430d8cdb78070b4c55a"),
        },
        Vector {
            key: &hex!("000102030405060708090a0b0c0d0e0f1011121314151617"),
            plain: hex!("00112233445566778899aabbccddeeff"),
            cipher: hex!("dda97ca4864cdfe06eaf70a0ec0d7191"),
        },
        Vector {
            key: &hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
            plain: hex!("00112233445566778899aabbccddeeff"),
            cipher: hex!("8ea2b7ca516745bfeafc49904b496089"),
        },
    ],
    reference: cipher128::<aes::Aes128, aes::Aes192, aes::Aes256>,
    // McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", Appendix B: test cases 4
    // and 16.
    gcm_vectors: &[
        GcmVector {
            key: &hex!("feffe9928665731c6d6a8f9467308308"),
            iv: hex!("cafebabefacedbaddecaf888"),
            assoc: &hex!("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
            plain: &TEXT,
            sealed: &hex!(
                "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c"
                "7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47"
            ),
        },
        GcmVector {
            key: &hex!("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
            iv: hex!("cafebabefacedbaddecaf888"),
            assoc: &hex!("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
            plain: &TEXT,
            sealed: &hex!(
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3d"
                "a7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
            ),
        },
    ],
    gcm: gcm128::<aes::Aes128, aes::Aes192, aes::Aes256>,
};
