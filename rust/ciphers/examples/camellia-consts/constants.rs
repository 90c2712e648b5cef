// SPDX-License-Identifier: GPL-2.0

use rfl_ciphers::{
    camellia::{
        sliced::{matrix, IN_BASIS, S1_OFFSET},
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
    text += "\n// Into the basis of the state, and out of it\n";
    put(&mut text, "to_basis", to_basis);
    put(&mut text, "from_basis", from_basis);
    text += "\n// What S4 does before it is S1\n";
    put(&mut text, "turn", |x| {
        to_basis(from_basis(x).rotate_left(1))
    });

    text += "\n// S1 to S3, the inversion of the sum of input and offset before this\n";
    for (number, sbox) in (1..).zip(&SBOXES[..3]) {
        let inverse = |x| gf256::pow(x, 254);
        let input = |y| from_basis(inverse(y) ^ to_basis(S1_OFFSET));
        let add = put(&mut text, &format!("s{number}"), |y| {
            to_basis(sbox[usize::from(input(y))])
        });
        text += &format!(".set\tGFNI_S{number}_ADD, {add:#04x}\n");
    }
    text
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
