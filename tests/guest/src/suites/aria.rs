// SPDX-License-Identifier: GPL-2.0

//! ARIA (RFC 5794), with RustCrypto's `aria` as reference.

use hex_literal::hex;

use super::reference::{cipher128, gcm128};
use super::skcipher::{Family, GcmVector, Vector};

/// Test vectors: RFC 5794, Appendix A.
pub const ARIA: Family = Family {
    name: "aria",
    vectors: &[
        Vector {
            key: &hex!("000102030405060708090a0b0c0d0e0f"),
            plain: hex!("00112233445566778899aabbccddeeff"),
            cipher: hex!("d718fbd6ab644c739da95f3be6451778"),
        },
        Vector {
            key: &hex!("000102030405060708090a0b0c0d0e0f1011121314151617"),
            plain: hex!("00112233445566778899aabbccddeeff"),
            cipher: hex!("26449c1805dbe7aa25a468ce263a9e79"),
        },
        Vector {
            key: &hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
            plain: hex!("00112233445566778899aabbccddeeff"),
            cipher: hex!("f92bd7c79fb72e2f2b8f80c1972d24fc"),
        },
    ],
    reference: cipher128::<aria::Aria128, aria::Aria192, aria::Aria256>,
    // RFC 8269, Appendix A.2.
    gcm_vectors: &[
        GcmVector {
            key: &hex!("e91e5e75da65554a48181f3846349562"),
            iv: hex!("000020e8f5eb00000000315e"),
            assoc: &hex!("8008315ebf2e6fe020e8f5eb"),
            plain: &RTP_PAYLOAD,
            sealed: &hex!(
                "4d8a9a0675550c704b17d8c9ddc81a5cd6f7da34f2fe1b3db7cb3dfb9697102ea0f3c1fc2dbc873d"
                "44bceeae8e4442974ba21ff6789d3272613fb9631a7cf3f14bacbeb421633a90ffbe58c2fa6bdca5"
                "34f10d0de0502ce1d531b6336e58878278531e5c22bc6c85bbd784d78d9e680aa19031aaf89101d6"
                "69d7a3965c1f7e16229d7463e0535f4e253f5d18187d40b8ae0f564bd970b5e7e2adfb211e89a953"
                "5abace3f37f5a736f4be984bbffbedc1"
            ),
        },
        GcmVector {
            key: &hex!("0c5ffd37a11edc42c325287fc0604f2e3e8cd5671a00fe3216aa5eb105783b54"),
            iv: hex!("000020e8f5eb00000000315e"),
            assoc: &hex!("8008315ebf2e6fe020e8f5eb"),
            plain: &RTP_PAYLOAD,
            sealed: &hex!(
                "6f9e4bcbc8c85fc0128fb1e4a0a20cb9932ff74581f54fc013dd054b19f99371425b352d97d3f337"
                "b90b63d1b082adeeea9d2d7391897d591b985e55fb50cb5350cf7d38dc27dda127c078a149c8eb98"
                "083d66363a46e3726af217d3a00275ad5bf772c7610ea4c23006878f0ee69a8397703169a419303f"
                "40b72e4573714d19e2697df61e7c7252e5abc6bade876ac4961bfac4d5e867afca351a48aed52822"
                "e210d6ced2cf430ff841472915e7ef48"
            ),
        },
    ],
    gcm: gcm128::<aria::Aria128, aria::Aria192, aria::Aria256>,
};

/// RFC 8269, Appendix A.2.
const RTP_PAYLOAD: [u8; 160] = hex!(
    "f57af5fd4ae19562976ec57a5a7ad55a5af5c5e5c5fdf5c55ad57a4a7272d57262e9729566ed66e9"
    "7ac54a4a5a7ad5e15ae5fdd5fd5ac5d56ae56ad5c572d54ae54ac55a956afd6aed5a4ac562957a95"
    "16991691d572fd14e97ae962ed7a9f4a955af572e162f57a956666e17ae1f54a95f566d54a66e16e"
    "4afd6a9f7ae1c5c55ae5d56afde916c5e94a6ec56695e14afde1148416e94ad57ac5146ed59d1cc5"
);
