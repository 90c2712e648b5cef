// SPDX-License-Identifier: GPL-2.0

//! Tests of what is private to [`super`].

use super::*;

/// Which bytes of the input make each byte of the output (RFC 5794, section 2.4.3).
const DIFFUSION: [[usize; 7]; 16] = [
    [3, 4, 6, 8, 9, 13, 14],
    [2, 5, 7, 8, 9, 12, 15],
    [1, 4, 6, 10, 11, 12, 15],
    [0, 5, 7, 10, 11, 13, 14],
    [0, 2, 5, 8, 11, 14, 15],
    [1, 3, 4, 9, 10, 14, 15],
    [0, 2, 7, 9, 10, 12, 13],
    [1, 3, 6, 8, 11, 12, 13],
    [0, 1, 4, 7, 10, 13, 15],
    [0, 1, 5, 6, 11, 12, 14],
    [2, 3, 5, 6, 8, 13, 15],
    [2, 3, 4, 7, 9, 12, 14],
    [1, 2, 6, 7, 9, 11, 12],
    [0, 3, 6, 7, 8, 10, 13],
    [0, 3, 4, 5, 9, 11, 14],
    [1, 2, 4, 5, 8, 10, 15],
];

/// Returns which outputs of `diffuse` depend on each input, as bits of a number per output.
fn by_output(diffuse: impl Fn(Block) -> Block) -> [u16; 16] {
    let mut dependence = [0; 16];
    for input in 0..16 {
        let mut block = [0; 16];
        block[input] = 1;
        for (inputs, output) in dependence.iter_mut().zip(diffuse(block)) {
            *inputs |= u16::from(output) << input;
        }
    }
    dependence
}

fn specified() -> [u16; 16] {
    DIFFUSION.map(|inputs| inputs.iter().map(|input| 1 << input).sum())
}

#[test]
fn diffusion_of_words_is_as_specified() {
    assert_eq!(by_output(|x| store(diffuse(load(&x)))), specified());
}

/// The form in asm/x86/aria.S, by the formulas of its comment.
#[test]
fn diffusion_on_the_grid_is_as_specified() {
    let on_grid = |x: Block| {
        let (mut rows, mut columns) = ([0; 4], [0; 4]);
        for (byte, x) in x.iter().enumerate() {
            let (w, i) = (byte / 4, byte % 4);
            rows[i ^ [0, 3, 0, 3][w]] ^= x;
            columns[i ^ [0, 1, 1, 0][w]] ^= x;
        }
        core::array::from_fn(|byte| {
            let (w, i) = (byte / 4, byte % 4);
            let center = x[4 * w + (i ^ [3, 1, 2, 0][w])];
            center ^ rows[i ^ [1, 0, 0, 1][w]] ^ columns[i ^ [1, 2, 1, 2][w]]
        })
    };
    assert_eq!(by_output(on_grid), specified());
}
