// SPDX-License-Identifier: GPL-2.0

//! What is measured: an algorithm in a mode, a length of key, a length of message.

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Declares an enumeration whose values have a name on the command line, in JSON and in reports.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ValueEnum,
        )]
        pub enum $name {
            $($(#[$value_doc])* #[serde(rename = $text)] #[value(name = $text)] $value,)*
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self {
                    $(Self::$value => $text,)*
                })
            }
        }
    };
}

named! {
    /// A cipher or a checksum.
    Algorithm {
        /// RFC 5794.
        Aria = "aria",
        /// RFC 3713.
        Camellia = "camellia",
        /// FIPS 197.
        Aes = "aes",
        /// The checksum of the T10 data integrity field.
        CrcT10dif = "crct10dif",
    }
}

named! {
    /// A mode of operation and its direction.
    Mode {
        /// Each block by itself.
        EcbEncrypt = "ecb-encrypt",
        /// Each block by itself.
        EcbDecrypt = "ecb-decrypt",
        /// Chained, one block after the other.
        CbcEncrypt = "cbc-encrypt",
        /// Chained, but with all blocks known.
        CbcDecrypt = "cbc-decrypt",
        /// A key stream of counters, 128 bits big-endian.
        Ctr = "ctr",
        /// Tweaked by a power in GF(2^128).
        LrwEncrypt = "lrw-encrypt",
        /// Tweaked by a power in GF(2^128).
        LrwDecrypt = "lrw-decrypt",
        /// Tweaked by an encrypted number (IEEE 1619).
        XtsEncrypt = "xts-encrypt",
        /// Tweaked by an encrypted number (IEEE 1619).
        XtsDecrypt = "xts-decrypt",
        /// CTR and a tag (SP 800-38D).
        GcmEncrypt = "gcm-encrypt",
        /// CTR and a tag (SP 800-38D).
        GcmDecrypt = "gcm-decrypt",
        /// GCM as IPsec has it (RFC 4106).
        Rfc4106Encrypt = "rfc4106-encrypt",
        /// GCM as IPsec has it (RFC 4106).
        Rfc4106Decrypt = "rfc4106-decrypt",
        /// A checksum.
        Digest = "digest",
    }
}

impl Mode {
    /// Returns whether a message must be whole blocks, here or for the driver that is measured.
    ///
    /// XTS is among them: stealing ciphertext is a matter of the glue around a tier.
    pub fn whole_blocks(self) -> bool {
        !matches!(
            self,
            Self::Ctr
                | Self::GcmEncrypt
                | Self::GcmDecrypt
                | Self::Rfc4106Encrypt
                | Self::Rfc4106Decrypt
                | Self::Digest
        )
    }

    /// Returns whether the key is two keys of the cipher.
    pub fn two_keys(self) -> bool {
        matches!(self, Self::XtsEncrypt | Self::XtsDecrypt)
    }
}

/// What an implementation is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Case {
    /// The cipher or checksum.
    pub algorithm: Algorithm,
    /// The mode.
    pub mode: Mode,
    /// Length of the key in bits, both keys of XTS together; 0 for a checksum.
    pub key_bits: u32,
}

impl Case {
    /// Everything that is measured in process, with keys of 128 and 256 bits for the cipher.
    pub fn all() -> Vec<Self> {
        const MODES: [Mode; 8] = [
            Mode::EcbEncrypt,
            Mode::EcbDecrypt,
            Mode::CbcDecrypt,
            Mode::Ctr,
            Mode::XtsEncrypt,
            Mode::XtsDecrypt,
            Mode::GcmEncrypt,
            Mode::GcmDecrypt,
        ];
        let plan: [(Algorithm, &[Mode]); 3] = [
            (Algorithm::Aria, &MODES),
            (Algorithm::Camellia, &MODES),
            (
                Algorithm::Aes,
                &[Mode::Ctr, Mode::GcmEncrypt, Mode::GcmDecrypt],
            ),
        ];
        let mut cases = Vec::new();
        for (algorithm, modes) in plan {
            for &mode in modes {
                for cipher_bits in [128, 256] {
                    let key_bits = cipher_bits * if mode.two_keys() { 2 } else { 1 };
                    cases.push(Self {
                        algorithm,
                        mode,
                        key_bits,
                    });
                }
            }
        }
        cases.push(Self {
            algorithm: Algorithm::CrcT10dif,
            mode: Mode::Digest,
            key_bits: 0,
        });
        cases
    }

    /// Length of the cipher's key in bits.
    pub fn cipher_key_bits(&self) -> u32 {
        self.key_bits / if self.mode.two_keys() { 2 } else { 1 }
    }

    /// Turns lengths of messages into those that the mode can do: whole blocks where it must.
    pub fn lengths(&self, wanted: &[usize]) -> Vec<usize> {
        let unit = if self.mode.whole_blocks() { 16 } else { 1 };
        let mut lengths: Vec<usize> = wanted
            .iter()
            .map(|len| len.next_multiple_of(unit))
            .collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }

    /// Returns a name that can be part of a file's.
    pub fn slug(&self) -> String {
        match self.key_bits {
            0 => format!("{}-{}", self.algorithm, self.mode),
            bits => format!("{}-{bits}-{}", self.algorithm, self.mode),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.algorithm {
            Algorithm::Aria => "ARIA",
            Algorithm::Camellia => "Camellia",
            Algorithm::Aes => "AES",
            Algorithm::CrcT10dif => return f.write_str("CRC-T10DIF"),
        };
        write!(f, "{name}-{} {}", self.key_bits, self.mode)
    }
}
