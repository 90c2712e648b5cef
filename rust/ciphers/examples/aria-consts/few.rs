// SPDX-License-Identifier: GPL-2.0

use std::array;

use rfl_ciphers::aria::SBOXES;

use super::constants::{inverse, matrix};

/// Sixteen bytes of a block, or of a lane, the bits of whose numbers are (a, b, c, d), `a` the lowest.
type Bytes = [u8; 16];

/// Returns the text of `asm/x86/aria-few-consts.S`.
pub fn text() -> String {
    let [s1, s2, x1, x2] = SBOXES.map(|sbox| move |x: u8| sbox[usize::from(x)]);
    let [s1, s2] = [matrix(|y| s1(inverse(y))), matrix(|y| s2(inverse(y)))];
    let [x1, x2] = [matrix(|x| inverse(x1(x))), matrix(|x| inverse(x2(x)))];
    let identity = matrix(|x| x);

    let mut text = String::from(
        "/* SPDX-License-Identifier: GPL-2.0 */\n\
         /* Made by: cargo run --manifest-path rust/Cargo.toml --example aria-consts few */\n\
         \n// Matrices of the S-boxes: for gf2p8affineinvqb, for gf2p8affineqb, of no effect\n",
    );
    put_quads(&mut text, "few_s12", [s1, s2]);
    put_quads(&mut text, "few_s21", [s2, s1]);
    put_quads(&mut text, "few_x12", [x1, x2]);
    put_quads(&mut text, "few_x21", [x2, x1]);
    put_quads(&mut text, "few_identity", [identity; 2]);
    for (name, quad) in [("s1", s1), ("s2", s2), ("x1", x1), ("x2", x2)] {
        put_quads(&mut text, &format!("matrix_{name}"), [quad; 2]);
    }

    // An S-box adds a constant behind the matrix if it is S1 or S2, in front if X1 or X2.
    let constants = [SBOXES[0][0], SBOXES[1][0]];
    let added = |behind: bool, even: bool| -> Bytes {
        array::from_fn(|byte| match byte & 2 == 0 {
            is_s if is_s == (behind != even) => constants[byte & 1],
            _ => 0,
        })
    };
    let sum = |x: Bytes, y: Bytes| -> Bytes { array::from_fn(|byte| x[byte] ^ y[byte]) };
    text += "\n// What is added by S-boxes: in front of the first round and behind the last one,\n\
             // between an odd round and an even one, between an even and an odd one\n";
    assert_eq!(added(false, false), added(true, true));
    put_bytes(&mut text, "few_add_outer", added(false, false));
    let inner = |even| sum(diffuse(added(true, even)), added(false, !even));
    put_bytes(&mut text, "few_add_odd", inner(false));
    put_bytes(&mut text, "few_add_even", inner(true));

    text += "\n// Which byte each byte is once AES has shifted the rows of a state, and shifted them back\n";
    let shifted = |columns: usize| {
        // FIPS 197, section 5.1.1: row `r` of the state, in columns of four, moves left by `r`.
        array::from_fn(|byte| ((byte / 4 + columns * (byte % 4)) % 4 * 4 + byte % 4) as u8)
    };
    put_bytes(&mut text, "few_shift_rows", shifted(1));
    put_bytes(&mut text, "few_shift_rows_back", shifted(3));

    text += "\n// Quarters: byte (a, b, c, d) of a round key to all of dword 2a + d, for each b and c\n";
    for [c, b] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        let key = |to| number([bit(to, 3), b, c, bit(to, 2)]);
        put_bytes(
            &mut text,
            &format!("quarter_key_{b}{c}"),
            array::from_fn(key),
        );
    }
    text += "\n// Quarters: a block, its bits in the order d, a, b, c, and bytes of dwords to dwords of bytes\n";
    let quarter_in = |to| number([bit(to, 1), bit(to, 2), bit(to, 3), bit(to, 0)]);
    put_bytes(&mut text, "quarter_in", array::from_fn(quarter_in));
    let quarter_out = |to| number([bit(to, 2), bit(to, 3), bit(to, 1), bit(to, 0)]);
    put_bytes(&mut text, "quarter_out", array::from_fn(quarter_out));

    text += "\n// Halves: byte (a, b, c, d) of a round key to all of half a, for each b, c and d\n";
    for [d, c, b] in [0, 1, 2, 3, 4, 5, 6, 7].map(|i| [bit(i, 2), bit(i, 1), bit(i, 0)]) {
        let key = |to| number([bit(to, 3), b, c, d]);
        put_bytes(
            &mut text,
            &format!("half_key_{b}{c}{d}"),
            array::from_fn(key),
        );
    }
    text += "\n// Halves: round keys in front of even rounds, where a is a ^ d ^ 1\n";
    let half_key_even = |to| {
        number([
            bit(to, 0) ^ bit(to, 3) ^ 1,
            bit(to, 1),
            bit(to, 2),
            bit(to, 3),
        ])
    };
    put_bytes(&mut text, "half_key_even", array::from_fn(half_key_even));
    text +=
        "\n// Halves: the same of a vector, for each d, and halves of bytes to bytes of halves\n";
    for d in [0, 1] {
        let half_out = |to| number([bit(to, 1), bit(to, 2), bit(to, 3), bit(to, 0) ^ d ^ 1]);
        put_bytes(
            &mut text,
            &format!("half_out_{d}"),
            array::from_fn(half_out),
        );
    }
    text
}

/// Diffusion (RFC 5794, section 2.4.3), as `asm/x86/aria-few.h` has it.
fn diffuse(x: Bytes) -> Bytes {
    const TURNS: [[usize; 4]; 7] = [
        [0, 0, 0, 0],
        [1, 0, 1, 0],
        [1, 1, 1, 0],
        [0, 1, 0, 1],
        [0, 1, 1, 1],
        [1, 1, 0, 1],
        [1, 0, 1, 1],
    ];
    array::from_fn(|byte| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|n| bit(byte, n));
        let place = [a ^ d ^ 1, b ^ c ^ 1, c, d];
        let turned = |turn: [usize; 4]| number(array::from_fn(|n| place[n] ^ turn[n]));
        TURNS
            .iter()
            .fold(0, |sum, turn| sum ^ x[usize::from(turned(*turn))])
    })
}

/// Bit `n` of a number.
fn bit(number: usize, n: u32) -> usize {
    number >> n & 1
}

/// The number that has these bits, the lowest first.
fn number(bits: [usize; 4]) -> u8 {
    bits.iter()
        .rev()
        .fold(0, |number, bit| number << 1 | *bit as u8)
}

/// Puts a label and two quads for each of two lanes.
fn put_quads(text: &mut String, name: &str, quads: [u64; 2]) {
    let [low, high] = quads.map(|quad| format!("{quad:#018x}"));
    *text += &format!(".L{name}:\n");
    for _lane in 0..2 {
        *text += &format!("\t.quad\t{low}, {high}\n");
    }
}

/// Puts a label and sixteen bytes for each of two lanes.
fn put_bytes(text: &mut String, name: &str, bytes: Bytes) {
    *text += &format!(".L{name}:\n");
    let lines = bytes.chunks(8).chain(bytes.chunks(8));
    for line in lines {
        let line = line.iter().map(|byte| format!("{byte:#04x}"));
        *text += &format!("\t.byte\t{}\n", line.collect::<Vec<_>>().join(", "));
    }
}
