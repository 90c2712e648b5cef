// SPDX-License-Identifier: GPL-2.0

//! Tests of AES: the scalar code and every tier that this CPU can run.

use crate::support::{
    modes::{self, Peer, Subject},
    rustcrypto::RustCrypto,
    Suite,
};
use ctr::cipher::KeyInit;
use hex_literal::hex;
use rfl_ciphers::{
    aes::{Aes, INVERSE_SBOX, SBOX},
    inout::InOut,
    tier::{scalar, BlockCipher},
};

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
fn fips197() {
    let key_bytes = hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    let plain = hex!("00112233445566778899aabbccddeeff");
    let vectors = [
        (16, hex!("69c4e0d86a7b0430d8cdb78070b4c55a")),
        (24, hex!("dda97ca4864cdfe06eaf70a0ec0d7191")),
        (32, hex!("8ea2b7ca516745bfeafc49904b496089")),
    ];
    for (len, cipher) in vectors {
        let key = modes::key::<Aes>(&key_bytes[..len]);
        assert_eq!(Aes::encrypt_block(&key, &plain), cipher);
        assert_eq!(Aes::decrypt_block(&key, &cipher), plain);
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

/// SP 800-38A, section F.5: counter mode.
fn sp800_38a() {
    let plain = hex!(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
        "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
    );
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
        let key = modes::key::<Aes>(bytes);
        let mut counter = hex!("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
        let mut data = plain;
        scalar::ctr::<Aes>(&key, &mut counter, InOut::in_place(&mut data));
        assert_eq!(data, expected);
    }
}

/// Adds the tests of this file.
pub fn add(suite: &mut Suite) {
    suite.add("aes::sboxes".to_owned(), sboxes);
    suite.add("aes::fips197".to_owned(), fips197);
    suite.add("aes::key_expansion".to_owned(), key_expansion);
    suite.add("aes::sp800_38a".to_owned(), sp800_38a);
    modes::add_scalar::<Aes>(suite, "aes");
}
