// SPDX-License-Identifier: GPL-2.0

//! Tests of GHASH: the scalar code and every tier that this CPU can run.

use std::mem::MaybeUninit;

use crate::support::{self, guarded::Guarded, seeded, Suite};
use ::ghash::{universal_hash::UniversalHash, GHash};
use hex_literal::hex;
use rand::{rngs::StdRng, Rng, RngExt};
use rfl_ciphers::{
    ghash::{scalar, Key},
    tier::Block,
};

/// An implementation.
trait Update {
    fn update(&self, key: &Key, acc: &mut Block, data: &[u8]);
}

struct Scalar;

impl Update for Scalar {
    fn update(&self, key: &Key, acc: &mut Block, data: &[u8]) {
        scalar::update(key, acc, data);
    }
}

/// Makes the key in memory that ends at a guard page, and gives it to `f`.
fn with_key(h: &Block, f: impl FnOnce(&Key)) {
    let mut memory = Guarded::new(size_of::<Key>());
    let bytes = memory.bytes();
    let start = bytes.len() - size_of::<Key>();
    let key = bytes[start..].as_mut_ptr().cast::<MaybeUninit<Key>>();
    assert!(key.is_aligned());
    // SAFETY: There are as many bytes up to the end of the page, aligned and borrowed. They are
    // zero, which `Context` promises to be a value.
    let key = unsafe { (*key).assume_init_mut() };
    key.set(h);
    f(key);
}

/// What RustCrypto makes of a hash and what follows it.
fn peer(h: &Block, acc: &Block, data: &[u8]) -> Block {
    let mut first = *acc;
    for (byte, data) in first.iter_mut().zip(data) {
        *byte ^= data;
    }
    let mut peer = GHash::new(h.into());
    if !data.is_empty() {
        peer.update(&[first.into()]);
        peer.update_padded(data.get(16..).unwrap_or_default());
        return peer.finalize().into();
    }
    *acc
}

/// The intermediate values of test cases 2 to 4 in appendix B of McGrew and Viega, "The
/// Galois/Counter Mode of Operation (GCM)", the submission to NIST.
fn submission(update: &dyn Update) {
    let text = hex!(
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
        "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"
    );
    let h = hex!("b83b533708bf535d0aa6e52980d53b78");
    let assoc = hex!("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let cases: [(Block, &[&[u8]], Block); 3] = [
        (
            hex!("66e94bd4ef8a2c3b884cfa59ca342b2e"),
            &[
                &hex!("0388dace60b6a392f328c2b971b2fe78"),
                &hex!("00000000000000000000000000000080"),
            ],
            hex!("f38cbb1ad69223dcc3457ae5b6b0f885"),
        ),
        (
            h,
            &[&text, &hex!("00000000000000000000000000000200")],
            hex!("7f1b32b81b820d02614f8895ac1d4eac"),
        ),
        (
            h,
            &[
                &assoc,
                &text[..60],
                &hex!("00000000000000a000000000000001e0"),
            ],
            hex!("698e57f70e6ecc7fd9463b7260a9ae5f"),
        ),
    ];
    for (h, pieces, expected) in cases {
        with_key(&h, |key| {
            let mut acc = [0; 16];
            for piece in pieces {
                update.update(key, &mut acc, piece);
            }
            assert_eq!(acc, expected);
        });
    }
}

/// Every length up to a few steps, against either guard page, and some longer ones.
fn lengths(update: &dyn Update, rng: &mut StdRng) {
    let mut memory = Guarded::new(8192);
    let longer = [(); 100].map(|()| rng.random_range(0..=8192));
    for len in (0..=1100).chain(longer) {
        let data = memory.bytes();
        rng.fill_bytes(data);
        let (h, acc): (Block, Block) = (rng.random(), rng.random());
        with_key(&h, |key| {
            for data in [&data[..len], &data[data.len() - len..]] {
                let mut result = acc;
                update.update(key, &mut result, data);
                assert_eq!(result, peer(&h, &acc, data), "{len} bytes, H {h:02x?}");
            }
        });
    }
}

/// Keys and data of few bits, and of many: the ends of what a multiplication has to carry.
fn extremes(update: &dyn Update) {
    let sparse = (0..128).map(|bit| 1 << bit);
    let dense = (0..128).map(|bit| !(1_u128 << bit));
    let values: Vec<Block> = [0, u128::MAX]
        .into_iter()
        .chain(sparse)
        .chain(dense)
        .map(u128::to_be_bytes)
        .collect();
    for h in &values {
        with_key(h, |key| {
            for data in &values {
                let mut acc = [0; 16];
                update.update(key, &mut acc, data);
                assert_eq!(acc, peer(h, &[0; 16], data), "{h:02x?} {data:02x?}");
            }
        });
    }
}

fn add_update<P: Send + Clone + 'static, U: Update + 'static>(
    suite: &mut Suite,
    name: &str,
    proof: Result<P, String>,
    update: fn(P) -> U,
) {
    type Body = fn(&dyn Update, &mut StdRng);
    let bodies: [(&str, Body); 3] = [
        ("submission", |update, _| submission(update)),
        ("lengths", lengths),
        ("extremes", |update, _| extremes(update)),
    ];
    for (test, body) in bodies {
        let name = format!("ghash::{name}::{test}");
        suite.add_for(proof.clone(), name, move |proof| {
            let update = update(proof);
            seeded(|rng| body(&update, rng));
        });
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::{ffi::c_void, marker::PhantomData};

    use rfl_ciphers::{
        ghash::{
            x86::{Avx, Avx2, Avx512},
            Tier,
        },
        simd::Cpu,
    };

    use super::{
        support::{abi, cpu},
        *,
    };

    struct Vector<T: Tier>(Cpu<T::Features>, PhantomData<T>);

    impl<T: Tier> Update for Vector<T> {
        fn update(&self, key: &Key, acc: &mut Block, data: &[u8]) {
            cpu::with_simd(self.0, |simd| T::update(simd, key, acc, data));
        }
    }

    fn add_tier<T: Tier>(suite: &mut Suite, name: &str, routine: unsafe extern "C" fn()) {
        let cpu = cpu::detect::<T::Features>();
        add_update(suite, name, cpu.clone(), |cpu| {
            Vector::<T>(cpu, PhantomData)
        });
        suite.add_for(cpu, format!("ghash::{name}::abi"), move |_| {
            seeded(|rng| {
                let data = [0x5a; 300];
                for len in [15, 31, 300] {
                    with_key(&rng.random(), |key| {
                        let mut acc = [1; 16];
                        let arguments = [
                            &raw const *key as usize,
                            &raw mut acc as usize,
                            data.as_ptr() as usize,
                            len,
                            0,
                            0,
                        ];
                        // SAFETY: The CPU has what the tier wants, and these are its arguments.
                        let found =
                            unsafe { abi::violations(rng, routine as *const c_void, arguments) };
                        assert_ne!(acc, [1; 16]);
                        assert!(found.is_empty(), "{found:?}");
                    });
                }
            });
        });
    }

    extern "C" {
        fn rfl_ghash_avx();
        fn rfl_ghash_avx2();
        fn rfl_ghash_avx512();
    }

    pub fn add(suite: &mut Suite) {
        add_tier::<Avx>(suite, "avx", rfl_ghash_avx);
        add_tier::<Avx2>(suite, "avx2", rfl_ghash_avx2);
        add_tier::<Avx512>(suite, "avx512", rfl_ghash_avx512);
    }
}

/// Adds the tests of this file.
pub fn add(suite: &mut Suite) {
    add_update(suite, "scalar", Ok(()), |()| Scalar);
    #[cfg(target_arch = "x86_64")]
    x86::add(suite);
}
