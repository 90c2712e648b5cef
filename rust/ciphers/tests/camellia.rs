// SPDX-License-Identifier: GPL-2.0

//! Tests of Camellia: the scalar code and every tier that this CPU can run.

use crate::support::{
    gcm,
    modes::{self, Peer, Subject},
    rustcrypto::RustCrypto,
    xts, Suite,
};
use ctr::cipher::KeyInit;
use hex_literal::hex;
use rfl_ciphers::{
    camellia::{Camellia, SBOXES},
    gcm::CtrGhash,
    ghash,
    inout::InOut,
    tier::{scalar, Block, BlockCipher, Cbc, Ctr, Ecb, Xts},
};

impl Subject for Camellia {
    const KEY_LENGTHS: &'static [usize] = &[16, 24, 32];

    fn peer(key: &[u8]) -> Box<dyn Peer> {
        use camellia::{Camellia128, Camellia192, Camellia256};
        match key.len() {
            16 => Box::new(RustCrypto(Camellia128::new_from_slice(key).unwrap())),
            24 => Box::new(RustCrypto(Camellia192::new_from_slice(key).unwrap())),
            _ => Box::new(RustCrypto(Camellia256::new_from_slice(key).unwrap())),
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Subject for rfl_ciphers::camellia::x86::Asm {
    const KEY_LENGTHS: &'static [usize] = Camellia::KEY_LENGTHS;

    fn peer(key: &[u8]) -> Box<dyn Peer> {
        Camellia::peer(key)
    }
}

/// RFC 3713, section 2.4.3: the table of SBOX1, and how the others follow from it.
fn sboxes() {
    const SBOX1: [u8; 256] = hex!(
        "70822cecb327c0e5e4855735ea0cae4123ef6b934519a521ed0e4f4e1d6592bd"
        "86b8af8f7ceb1fce3e30dc5f5ec50b1aa6e139cad5475d3dd9015ad651566c4d"
        "8b0d9a66fbccb02d74122b20f0b18499df4ccbc2347e76056db7a931d11704d7"
        "14583a61de1b111c320f9c165318f222fe44cfb2c3b57a912408e8a860fc6950"
        "aad0a07da1896297545b1e95e0ff64d210c40048a3f775db8a03e6da093fdd94"
        "875c8302cd4a90337367f6f39d7fbfe2529bd826c837c63b81966f4b13be632e"
        "e979a78c9f6ebc8e29f5f9b62ffdb4597898066ae74671bad425ab4288a28dfa"
        "7207b955f8eeac0a36492a683c38f1a44028d37bbbc943c115e3adf477c7809e"
    );
    let [s1, s2, s3, s4] = &SBOXES;
    assert_eq!(s1, &SBOX1);
    for x in 0..=255_u8 {
        let at = usize::from(x);
        assert_eq!(s2[at], SBOX1[at].rotate_left(1));
        assert_eq!(s3[at], SBOX1[at].rotate_left(7));
        assert_eq!(s4[at], SBOX1[usize::from(x.rotate_left(1))]);
    }
}

/// RFC 3713, appendix A.
fn rfc3713() {
    let key_bytes = hex!("0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff");
    let plain = hex!("0123456789abcdeffedcba9876543210");
    let vectors = [
        (16, hex!("67673138549669730857065648eabe43")),
        (24, hex!("b4993401b3e996f84ee5cee7d79b09b9")),
        (32, hex!("9acc237dff16d76c20ef7c919e3a7509")),
    ];
    for (len, cipher) in vectors {
        let key = modes::key::<Camellia>(&key_bytes[..len]);
        assert_eq!(Camellia::encrypt_block(&key, &plain), cipher);
        assert_eq!(Camellia::decrypt_block(&key, &cipher), plain);
    }
}

/// RFC 5528, section 4: test vectors 1 to 4 and 7.
fn rfc5528() {
    type Vector<'a> = (&'a [u8], Block, &'a [u8], &'a [u8]);
    let vectors: [Vector<'_>; 5] = [
        (
            &hex!("ae6852f8121067cc4bf7a5765577f39e"),
            hex!("00000030000000000000000000000001"),
            &hex!("53696e676c6520626c6f636b206d7367"),
            &hex!("d09dc29a8214619a20877c76db1f0b3f"),
        ),
        (
            &hex!("7e24067817fae0d743d6ce1f32539163"),
            hex!("006cb6dbc0543b59da48d90b00000001"),
            &hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
            &hex!("dbf3c78dc08396d4da7c907765bbcb442b8e8e0f31f0dca72c7417e35360e048"),
        ),
        (
            &hex!("7691be035e5020a8ac6e618529f9a0dc"),
            hex!("00e0017b27777f3f4a1786f000000001"),
            &hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223"),
            &hex!("b19d1fcdcb75eb882f849ce24d85cf739ce64b2b5c9d73f14f2d5d9dce9889cddf508696"),
        ),
        (
            &hex!("16af5b145fc9f579c175f93e3bfb0eed863d06ccfdb78515"),
            hex!("0000004836733c147d6d93cb00000001"),
            &hex!("53696e676c6520626c6f636b206d7367"),
            &hex!("2379399e8a8d2b2b16702fc78b9e9696"),
        ),
        (
            &hex!("776beff2851db06f4c8a0542c8696f6c6a81af1eec96b4d37fc1d689e6c1c104"),
            hex!("00000060db5672c97aa8f0b200000001"),
            &hex!("53696e676c6520626c6f636b206d7367"),
            &hex!("3401f9c8247effcebd6994714c1bbb11"),
        ),
    ];
    for (key, counter, plain, cipher) in vectors {
        let key = modes::key::<Camellia>(key);
        let (mut data, mut counter) = (plain.to_vec(), counter);
        scalar::ctr::<Camellia>(&key, &mut counter, InOut::in_place(&mut data));
        assert_eq!(data, cipher);
    }
}

/// The assembly keeps the calling convention and leaves no secret in a vector register.
#[cfg(target_arch = "x86_64")]
fn add_abi(suite: &mut Suite) {
    use crate::support::abi;
    use rfl_ciphers::camellia::x86::{avx512, vex};
    use std::ffi::c_void;

    macro_rules! add {
        ($tier:ty, $name:literal, $($routine:ident)*) => {{
            extern "C" {
                $(fn $routine();)*
            }
            abi::add_tier::<$tier>(suite, $name, [$($routine as *const c_void),*]);
        }};
    }

    add!(vex::AesniAvx, "camellia::aesni_avx", rfl_camellia_ecb_aesni_avx
        rfl_camellia_cbc_dec_aesni_avx rfl_camellia_ctr_aesni_avx rfl_camellia_xts_aesni_avx);
    add!(vex::AesniAvx2, "camellia::aesni_avx2", rfl_camellia_ecb_aesni_avx2
        rfl_camellia_cbc_dec_aesni_avx2 rfl_camellia_ctr_aesni_avx2 rfl_camellia_xts_aesni_avx2);
    add!(vex::VaesAvx2, "camellia::vaes_avx2", rfl_camellia_ecb_vaes_avx2
        rfl_camellia_cbc_dec_vaes_avx2 rfl_camellia_ctr_vaes_avx2 rfl_camellia_xts_vaes_avx2);
    add!(vex::GfniAvx, "camellia::gfni_avx", rfl_camellia_ecb_gfni_avx
        rfl_camellia_cbc_dec_gfni_avx rfl_camellia_ctr_gfni_avx rfl_camellia_xts_gfni_avx);
    add!(vex::GfniAvx2, "camellia::gfni_avx2", rfl_camellia_ecb_gfni_avx2
        rfl_camellia_cbc_dec_gfni_avx2 rfl_camellia_ctr_gfni_avx2 rfl_camellia_xts_gfni_avx2);
    add!(avx512::GfniAvx512vl, "camellia::gfni_avx512vl", rfl_camellia_ecb_gfni_avx512vl
        rfl_camellia_cbc_dec_gfni_avx512vl rfl_camellia_ctr_gfni_avx512vl
        rfl_camellia_xts_gfni_avx512vl);
    add!(avx512::GfniAvx512, "camellia::gfni_avx512", rfl_camellia_ecb_gfni_avx512
        rfl_camellia_cbc_dec_gfni_avx512 rfl_camellia_ctr_gfni_avx512
        rfl_camellia_xts_gfni_avx512);
}

/// Adds the tests of all modes of a tier, with the GHASH that it has in drivers.
#[cfg(target_arch = "x86_64")]
fn add_tier<T, G>(suite: &mut Suite, name: &str)
where
    T: Ecb + Cbc + Ctr + Xts,
    T::Cipher: Subject,
    G: ghash::Tier,
{
    modes::tier::<T>().ecb().cbc().ctr().xts().add(suite, name);
    xts::add_tier::<T>(suite, name);
    gcm::add_tier::<CtrGhash<T, G>>(suite, name);
}

/// Adds the tests of this file.
pub fn add(suite: &mut Suite) {
    suite.add("camellia::sboxes".to_owned(), sboxes);
    suite.add("camellia::rfc3713".to_owned(), rfc3713);
    suite.add("camellia::rfc5528".to_owned(), rfc5528);
    modes::add_scalar::<Camellia>(suite, "camellia");
    #[cfg(target_arch = "x86_64")]
    {
        use rfl_ciphers::{
            camellia::x86::{self, avx512, vex},
            ghash::x86 as ghash,
        };

        modes::add_scalar::<x86::Asm>(suite, "camellia::asm");
        modes::tier::<x86::Asm>()
            .ecb()
            .cbc()
            .ctr()
            .xts()
            .add(suite, "camellia::asm::together");
        add_tier::<vex::AesniAvx, ghash::Avx>(suite, "camellia::aesni_avx");
        add_tier::<vex::AesniAvx2, ghash::Avx>(suite, "camellia::aesni_avx2");
        add_tier::<vex::VaesAvx2, ghash::Avx2>(suite, "camellia::vaes_avx2");
        gcm::add_tier::<CtrGhash<vex::VaesAvx2, ghash::Avx>>(
            suite,
            "camellia::vaes_avx2_ghash_avx",
        );
        add_tier::<vex::GfniAvx, ghash::Avx>(suite, "camellia::gfni_avx");
        add_tier::<vex::GfniAvx2, ghash::Avx2>(suite, "camellia::gfni_avx2");
        gcm::add_tier::<CtrGhash<vex::GfniAvx2, ghash::Avx>>(
            suite,
            "camellia::gfni_avx2_ghash_avx",
        );
        add_tier::<avx512::GfniAvx512vl, ghash::Avx2>(suite, "camellia::gfni_avx512vl");
        add_tier::<avx512::GfniAvx512, ghash::Avx512>(suite, "camellia::gfni_avx512");
        add_abi(suite);
    }
}
