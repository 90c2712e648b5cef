// SPDX-License-Identifier: GPL-2.0

use rfl_ciphers::{
    camellia::{
        sliced::{aes_sbox, matrix, IN_BASIS, S1_OFFSET},
        SBOXES,
    },
    gf256,
};

fn to_basis(x: u8) -> u8 {
    IN_BASIS[usize::from(x)]
}

fn from_basis(x: u8) -> u8 {
    (0..=255).find(|y| to_basis(*y) == x).unwrap()
}

/// Returns the text of `asm/x86/camellia-consts.S`.
pub fn text() -> String {
    let mut text = String::from(
        "/* SPDX-License-Identifier: GPL-2.0 */\n\
         /* Made by: cargo run --manifest-path rust/Cargo.toml --example camellia-consts */\n",
    );
    let turn = |x| to_basis(from_basis(x).rotate_left(1));
    text += "\n// Into the basis of the state, and out of it\n";
    put(&mut text, "to_basis", to_basis);
    put(&mut text, "from_basis", from_basis);
    text += "\n// What S4 does before it is S1\n";
    put(&mut text, "turn", turn);

    text += "\n// S1 to S3, the inversion of the sum of input and offset before this\n";
    for (number, sbox) in (1..).zip(&SBOXES[..3]) {
        let inverse = |x| gf256::pow(x, 254);
        let input = |y| from_basis(inverse(y) ^ to_basis(S1_OFFSET));
        let add = put(&mut text, &format!("s{number}"), |y| {
            to_basis(sbox[usize::from(input(y))])
        });
        text += &format!(".set\tGFNI_S{number}_ADD, {add:#04x}\n");
    }

    text += "\n// The same maps as f(x) = lo[x & 15] ^ hi[x >> 4], side by side\n";
    put_lookup(&mut text, "to_basis", to_basis);
    put_lookup(&mut text, "from_basis", from_basis);
    put_lookup(&mut text, "turn", turn);
    text += "\n// S1 to S3, the S-box of AES before this\n";
    let before_aes = |y| (0..=255).find(|x| aes_sbox(*x) == y).unwrap();
    for (number, sbox) in (1..).zip(&SBOXES[..3]) {
        put_lookup(&mut text, &format!("s{number}"), |y| {
            let input = from_basis(before_aes(y) ^ to_basis(S1_OFFSET));
            to_basis(sbox[usize::from(input)])
        });
    }

    text += "\n// Which byte each byte is once AES has shifted the rows of a state: once, twice, three times\n";
    let mut bytes = core::array::from_fn(|i| i as u8);
    for name in ["once", "twice", "back"] {
        bytes = shift_rows(bytes);
        put_bytes(&mut text, &format!("shift_rows_{name}"), bytes);
    }
    text
}

/// ShiftRows (FIPS 197, section 5.1.2): row `r` of the state, in columns of four, moves left by `r`.
fn shift_rows(state: [u8; 16]) -> [u8; 16] {
    core::array::from_fn(|i| {
        let (column, row) = (i / 4, i % 4);
        state[(column + row) % 4 * 4 + row]
    })
}

/// Puts the two tables of an affine map.
fn put_lookup(text: &mut String, name: &str, f: impl Fn(u8) -> u8) {
    let low: [u8; 16] = core::array::from_fn(|i| f(i as u8));
    let high: [u8; 16] = core::array::from_fn(|i| f((i as u8) << 4) ^ f(0));
    for x in 0..=255 {
        let sum = low[usize::from(x & 15)] ^ high[usize::from(x >> 4)];
        assert_eq!(sum, f(x), "{name} is not affine at {x:#04x}");
    }
    put_bytes(text, &format!("lookup_{name}"), low);
    put_lines(text, high);
}

fn put_bytes(text: &mut String, name: &str, bytes: [u8; 16]) {
    *text += &format!(".L{name}:\n");
    put_lines(text, bytes);
}

fn put_lines(text: &mut String, bytes: [u8; 16]) {
    for line in bytes.chunks(8) {
        let line = line.iter().map(|byte| format!("{byte:#04x}"));
        *text += &format!("\t.byte\t{}\n", line.collect::<Vec<_>>().join(", "));
    }
}

/// Puts the matrix of an affine map, and returns what the map adds.
fn put(text: &mut String, name: &str, f: impl Fn(u8) -> u8) -> u8 {
    let images = core::array::from_fn(|bit| f(1 << bit) ^ f(0));
    for x in 0..=255 {
        let sum = (0..8)
            .filter(|bit| (x >> bit) & 1 == 1)
            .fold(f(0), |sum, bit| sum ^ images[bit]);
        assert_eq!(sum, f(x), "{name} is not affine at {x:#04x}");
    }
    *text += &format!(".Lgfni_{name}:\n\t.quad\t{:#018x}\n", matrix(images));
    f(0)
}
