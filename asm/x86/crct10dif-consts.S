/* SPDX-License-Identifier: GPL-2.0 */
/* Made by: cargo run --manifest-path rust/Cargo.toml --example crct10dif-consts */

// By how many bytes to go forward: x^n mod P and x^(n + 64) mod P for n bits
.Lfold_256:
	.quad	0x00000000000022c6, 0x0000000000009f16
.Lfold_192:
	.quad	0x000000000000b9d2, 0x0000000000006086
.Lfold_128:
	.quad	0x0000000000006123, 0x0000000000002295
.Lfold_96:
	.quad	0x000000000000dfcb, 0x0000000000004132
.Lfold_64:
	.quad	0x0000000000001069, 0x000000000000dd31
.Lfold_48:
	.quad	0x00000000000084da, 0x0000000000004a84
.Lfold_32:
	.quad	0x000000000000857d, 0x0000000000007acc
.Lfold_16:
	.quad	0x000000000000a010, 0x0000000000001faa
.Lfold_none:
	.quad	0x0000000000000000, 0x0000000000000000

// x^80 mod P, times x^48
.Lfold_last:
	.quad	0x0000000000000000, 0x2d56000000000000

// x^80 / P without its term x^64, and P without x^16, times x^48
.Lbarrett:
	.quad	0xf65a57f81d33a48a, 0x8bb7000000000000
