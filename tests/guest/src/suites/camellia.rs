// SPDX-License-Identifier: GPL-2.0

//! Camellia (RFC 3713), with RustCrypto's `camellia` as reference.

use hex_literal::hex;

use super::reference::{cipher128, gcm128};
use super::skcipher::{Family, GcmVector, Vector};

/// Test vectors: RFC 3713, Appendix A.
pub const CAMELLIA: Family = Family {
    name: "camellia",
    vectors: &[
        Vector {
            key: &hex!("0123456789abcdeffedcba9876543210"),
            plain: hex!("0123456789abcdeffedcba9876543210"),
            cipher: hex!("67673138549669730857065648eabe43"),
        },
        Vector {
            key: &hex!("0123456789abcdeffedcba98765432100011223344556677"),
            plain: hex!("0123456789abcdeffedcba9876543210"),
            cipher: hex!("b4993401b3e996f84ee5cee7d79b09b9"),
        },
        Vector {
            key: &hex!("0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff"),
            plain: hex!("0123456789abcdeffedcba9876543210"),
            cipher: hex!("9acc237dff16d76c20ef7c919e3a7509"),
        },
    ],
    reference: cipher128::<camellia::Camellia128, camellia::Camellia192, camellia::Camellia256>,
    // draft-kato-ipsec-camellia-modes, the first two of Camellia-GCM.
    gcm_vectors: &[
        GcmVector {
            key: &[0; 16],
            iv: [0; 12],
            assoc: &[],
            plain: &[],
            sealed: &hex!("f5574acc3148dfcb9015200631024df9"),
        },
        GcmVector {
            key: &[0; 16],
            iv: [0; 12],
            assoc: &[],
            plain: &[0; 16],
            sealed: &hex!("defe3e0b5c54c94b4f2a0f5a46f6210df672b94d192266c7c8c8dbb427cc989a"),
        },
    ],
    gcm: gcm128::<camellia::Camellia128, camellia::Camellia192, camellia::Camellia256>,
};
