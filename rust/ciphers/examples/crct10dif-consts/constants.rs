// SPDX-License-Identifier: GPL-2.0

use rfl_ciphers::crct10dif::POLYNOMIAL;

/// P, of degree 16.
const P: u128 = 1 << 16 | POLYNOMIAL as u128;

/// Returns the text of `asm/x86/crct10dif-consts.S`.
pub fn text() -> String {
    let mut text = String::from(
        "/* SPDX-License-Identifier: GPL-2.0 */\n\
         /* Made by: cargo run --manifest-path rust/Cargo.toml --example crct10dif-consts */\n\
         \n\
         // By how many bytes to go forward: x^n mod P and x^(n + 64) mod P for n bits\n",
    );
    for bytes in [256, 192, 128, 96, 64, 48, 32, 16] {
        let n = 8 * bytes;
        put(
            &mut text,
            &format!("fold_{bytes}"),
            [power(n), power(n + 64)],
        );
    }
    // fold_48, fold_32, fold_16 and this are also read as one vector.
    put(&mut text, "fold_none", [0, 0]);

    text += "\n// x^80 mod P, times x^48\n";
    put(&mut text, "fold_last", [0, power(80) << 48]);
    let (quotient, _) = divide(1 << 80, P);
    assert_eq!(quotient >> 64, 1);
    text += "\n// x^80 / P without its term x^64, and P without x^16, times x^48\n";
    put(
        &mut text,
        "barrett",
        [quotient as u64, u64::from(POLYNOMIAL) << 48],
    );
    text
}

fn put(text: &mut String, name: &str, [low, high]: [u64; 2]) {
    *text += &format!(".L{name}:\n\t.quad\t{low:#018x}, {high:#018x}\n");
}

/// Returns x^n mod P.
fn power(n: usize) -> u64 {
    let power = (0..n).fold(1, |power, _| divide(power << 1, P).1);
    u64::try_from(power).expect("it is of a degree below 16")
}

/// Divides polynomials: returns quotient and remainder.
fn divide(dividend: u128, divisor: u128) -> (u128, u128) {
    let (mut quotient, mut rest) = (0, dividend);
    while rest.leading_zeros() <= divisor.leading_zeros() {
        let shift = divisor.leading_zeros() - rest.leading_zeros();
        quotient |= 1 << shift;
        rest ^= divisor << shift;
    }
    (quotient, rest)
}
