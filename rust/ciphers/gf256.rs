// SPDX-License-Identifier: GPL-2.0

//! Arithmetic in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1, the field of AES (FIPS 197, section 4) and
//! of ARIA. It is for constants: slow, and not constant time.

/// Multiplies.
pub const fn mul(a: u8, b: u8) -> u8 {
    let mut product = 0;
    let mut bit = 8;
    while bit > 0 {
        bit -= 1;
        let carry = product >> 7;
        product = (product << 1) ^ (carry * 0x1b) ^ (((b >> bit) & 1) * a);
    }
    product
}

/// Raises to a power.
pub const fn pow(base: u8, exponent: u8) -> u8 {
    let mut power = 1;
    let mut bit = 8;
    while bit > 0 {
        bit -= 1;
        power = mul(power, power);
        if (exponent >> bit) & 1 == 1 {
            power = mul(power, base);
        }
    }
    power
}
