// SPDX-License-Identifier: GPL-2.0

//! Tests of CRC-16/T10-DIF: the scalar code and every tier that this CPU can run.

use crc::{Crc, CRC_16_T10_DIF};
use rand::{rngs::StdRng, Rng, RngExt};
use rfl_ciphers::crct10dif::{gives_known_answers, scalar, KNOWN_ANSWERS, MESSAGE};

use crate::support::{guarded::Guarded, seeded, Suite};

/// An implementation.
type Update<'a> = &'a dyn Fn(u16, &[u8]) -> u16;

/// What the `crc` crate makes of a CRC and what follows it.
fn peer(crc: u16, data: &[u8]) -> u16 {
    static PEER: Crc<u16> = Crc::<u16>::new(&CRC_16_T10_DIF);
    let mut digest = PEER.digest_with_initial(crc);
    digest.update(data);
    digest.finalize()
}

/// The check value of the catalogue of parametrised CRC algorithms, and messages of few bits.
fn known(update: Update<'_>) {
    assert_eq!(update(0, b"123456789"), 0xd0db);
    assert_eq!(update(0, b""), 0);
    assert_eq!(update(0x1234, b""), 0x1234);
    for len in 1..300 {
        let mut message = vec![0; len];
        assert_eq!(update(0, &message), 0, "{len} zeroes");
        message[len - 1] = 1;
        // x^16 mod P is P without its highest term (SBC-3, table on the CRC polynomials).
        assert_eq!(
            update(0, &message),
            0x8bb7,
            "a one behind zeroes, {len} bytes"
        );
    }
}

/// The known answers are those of the peer, and each fault is seen.
fn known_answers(update: Update<'_>) {
    for (len, answer) in KNOWN_ANSWERS {
        assert_eq!(peer(0, &MESSAGE[..len]), answer, "{len} bytes");
        let wrong = |crc: u16, data: &[u8]| {
            let right = update(crc, data);
            right ^ u16::from(data.len() == len)
        };
        assert!(!gives_known_answers(wrong), "{len} bytes");
    }
    assert!(gives_known_answers(update));
}

/// Every length at every alignment, each against a guard page at one end.
fn lengths(update: Update<'_>, rng: &mut StdRng) {
    let mut memory = Guarded::new(4096);
    let data = memory.bytes();
    rng.fill_bytes(data);
    for len in 0..=600 {
        for offset in 0..64 {
            let crc = rng.random();
            for start in [offset, data.len() - len - offset] {
                let data = &data[start..][..len];
                assert_eq!(update(crc, data), peer(crc, data), "{len} bytes at {start}");
            }
        }
    }
}

/// Lengths up to megabytes.
fn long(update: Update<'_>, rng: &mut StdRng) {
    let mut data = vec![0; 3 << 20];
    rng.fill_bytes(&mut data);
    for bits in 10..=21 {
        let len = rng.random_range(1 << bits..=2 << bits).min(data.len());
        let start = rng.random_range(0..=data.len() - len);
        let (crc, data) = (rng.random(), &data[start..][..len]);
        assert_eq!(update(crc, data), peer(crc, data), "{len} bytes");
    }
}

/// Every way to cut a message in two, and three ways near the lengths of vectors.
fn splits(update: Update<'_>, rng: &mut StdRng) {
    let mut data = [0; 600];
    rng.fill_bytes(&mut data);
    let check = |data: &[u8], cuts: &[usize]| {
        let mut rest = data;
        let mut crc = 0;
        for cut in cuts {
            let (piece, behind) = rest.split_at(*cut);
            crc = update(crc, piece);
            rest = behind;
        }
        let len = data.len();
        assert_eq!(
            update(crc, rest),
            peer(0, data),
            "{len} bytes cut at {cuts:?}"
        );
    };
    for len in 0..=data.len() {
        for cut in 0..=len {
            check(&data[..len], &[cut]);
        }
    }
    let near = [16_usize, 32, 64, 128, 256].map(|len| len - 2..=len + 2);
    for first in near.iter().cloned().flatten() {
        for second in near.iter().cloned().flatten() {
            check(&data, &[first, second]);
        }
    }
}

fn add_update<P: Send + Clone + 'static>(
    suite: &mut Suite,
    name: &str,
    proof: Result<P, String>,
    update: fn(&P, u16, &[u8]) -> u16,
) {
    type Body = fn(Update<'_>, &mut StdRng);
    let bodies: [(&str, Body); 5] = [
        ("known", |update, _| known(update)),
        ("known_answers", |update, _| known_answers(update)),
        ("lengths", lengths),
        ("long", long),
        ("splits", splits),
    ];
    for (test, body) in bodies {
        let name = format!("crct10dif::{name}::{test}");
        suite.add_for(proof.clone(), name, move |proof| {
            seeded(|rng| body(&|crc, data| update(&proof, crc, data), rng));
        });
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::ffi::c_void;

    use rfl_ciphers::crct10dif::{
        x86::{Avx, Avx2, Avx512},
        Tier,
    };

    use super::*;
    use crate::support::{abi, cpu};

    fn add_tier<T: Tier>(suite: &mut Suite, name: &str, routine: unsafe extern "C" fn()) {
        let cpu = cpu::detect::<T::Features>();
        add_update(suite, name, cpu.clone(), |cpu, crc, data| {
            cpu::with_simd(*cpu, |simd| T::update(simd, crc, data))
        });
        suite.add_for(cpu, format!("crct10dif::{name}::abi"), move |_| {
            seeded(|rng| {
                let data = [0x5a; 1100];
                for len in [16, 50, 1100] {
                    // What an argument of two bytes has above them means nothing.
                    let crc = rng.random::<u32>() as usize;
                    let arguments = [crc, data.as_ptr() as usize, len, 0, 0, 0];
                    // SAFETY: The CPU has what the tier wants, and these are its arguments.
                    let mut found =
                        unsafe { abi::violations(rng, routine as *const c_void, arguments) };
                    // There are no secrets here.
                    found.retain(|name| !name.starts_with("vector"));
                    assert!(found.is_empty(), "{found:?}");
                }
            });
        });
    }

    extern "C" {
        fn rfl_crct10dif_avx();
        fn rfl_crct10dif_avx2();
        fn rfl_crct10dif_avx512();
    }

    pub fn add(suite: &mut Suite) {
        add_tier::<Avx>(suite, "avx", rfl_crct10dif_avx);
        add_tier::<Avx2>(suite, "avx2", rfl_crct10dif_avx2);
        add_tier::<Avx512>(suite, "avx512", rfl_crct10dif_avx512);
    }
}

/// Adds the tests of this file.
pub fn add(suite: &mut Suite) {
    add_update(suite, "scalar", Ok(()), |(), crc, data| {
        scalar::update(crc, data)
    });
    #[cfg(target_arch = "x86_64")]
    x86::add(suite);
}
