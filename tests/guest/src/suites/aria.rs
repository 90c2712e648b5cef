// SPDX-License-Identifier: GPL-2.0

//! ARIA (RFC 5794), with RustCrypto's `aria` as reference.

use hex_literal::hex;

use super::reference::cipher128;
use super::skcipher::{Family, Vector};

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
};
