// SPDX-License-Identifier: GPL-2.0

use rfl_ciphers::{aria::SBOXES, gf256};

/// Returns the text of `asm/x86/aria-consts.S`.
pub fn text() -> String {
    let [s1, s2, x1, x2] = SBOXES.map(|sbox| move |x: u8| sbox[usize::from(x)]);

    let mut text = String::from(
        "/* SPDX-License-Identifier: GPL-2.0 */\n\
         /* Made by: cargo run --manifest-path rust/Cargo.toml --example aria-consts */\n",
    );
    put_affine(&mut text, "s1_to_s2", "S2(x) = f(S1(x))", |y| s2(x1(y)));
    put_affine(&mut text, "x2_to_x1", "X2(x) = X1(f(x))", |x| s1(x2(x)));

    text += "\n// For gf2p8affineinvqb: S1 and S2 as matrices, and what they add, of the inverse\n";
    put_matrices(&mut text, "s", |y| s1(inverse(y)), |y| s2(inverse(y)));
    text += "\n// For gf2p8affineqb: likewise, what X1 and X2 are the inverse of\n";
    put_matrices(&mut text, "x", |x| inverse(x1(x)), |x| inverse(x2(x)));

    text += "\n// Which byte each byte is once AES has shifted the rows of a state twice\n";
    let all = core::array::from_fn(|i| i as u8);
    put_bytes(&mut text, "shift_rows_twice", shift_rows(shift_rows(all)));
    text
}

/// Puts the two tables of an affine map.
fn put_affine(text: &mut String, name: &str, law: &str, f: impl Fn(u8) -> u8) {
    let low: [u8; 16] = core::array::from_fn(|i| f(i as u8));
    let high: [u8; 16] = core::array::from_fn(|i| f((i as u8) << 4) ^ f(0));
    for x in 0..=255 {
        let sum = low[usize::from(x & 15)] ^ high[usize::from(x >> 4)];
        assert_eq!(sum, f(x), "{name} is not affine at {x:#04x}");
    }
    *text += &format!("\n// {law}, where f(x) = lo[x & 15] ^ hi[x >> 4]\n");
    put_bytes(text, &format!("{name}_lo"), low);
    put_bytes(text, &format!("{name}_hi"), high);
}

/// Puts two affine maps as 8 by 8 bit matrices and constants.
fn put_matrices(text: &mut String, name: &str, f1: impl Fn(u8) -> u8, f2: impl Fn(u8) -> u8) {
    let matrices = [matrix(&f1), matrix(&f2)].map(|matrix| format!("{matrix:#018x}"));
    *text += &format!(".Lgfni_{name}:\n\t.quad\t{}\n", matrices.join(", "));
    for (n, constant) in [(1, f1(0)), (2, f2(0))] {
        let name = name.to_uppercase();
        *text += &format!(".set\tGFNI_{name}{n}_ADD, {constant:#04x}\n");
    }
}

/// Returns the matrix of an affine map as the GFNI instructions take it: the row that makes bit 7 is
/// the lowest byte, and bit `j` of a row takes bit `j`.
pub fn matrix(f: impl Fn(u8) -> u8) -> u64 {
    let row = |bit: usize| {
        let takes = |j: usize| (f(1 << j) ^ f(0)) >> bit & 1;
        (0..8).fold(0, |row, j| row | takes(j) << j)
    };
    for x in 0..=255 {
        let product = (0..8).map(|bit| (((row(bit) & x).count_ones() & 1) as u8) << bit);
        assert_eq!(product.sum::<u8>() ^ f(0), f(x), "not affine at {x:#04x}");
    }
    u64::from_le_bytes(core::array::from_fn(|byte| row(7 - byte)))
}

/// Inverts in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1; 0 stays 0.
pub fn inverse(x: u8) -> u8 {
    gf256::pow(x, 254)
}

fn put_bytes(text: &mut String, name: &str, bytes: [u8; 16]) {
    *text += &format!(".L{name}:\n");
    for line in bytes.chunks(8) {
        let line = line.iter().map(|byte| format!("{byte:#04x}"));
        *text += &format!("\t.byte\t{}\n", line.collect::<Vec<_>>().join(", "));
    }
}

/// ShiftRows (FIPS 197, section 5.1.2): row `r` of the state, in columns of four, moves left by `r`.
fn shift_rows(state: [u8; 16]) -> [u8; 16] {
    core::array::from_fn(|i| {
        let (column, row) = (i / 4, i % 4);
        state[(column + row) % 4 * 4 + row]
    })
}
