/* SPDX-License-Identifier: GPL-2.0 */
/* Made by: cargo run --manifest-path rust/Cargo.toml --example camellia-consts */

// Into the basis of the state, and out of it
.Lgfni_to_basis:
	.quad	0x3e8ad8b52d81a4c5
.Lgfni_from_basis:
	.quad	0x0b59bc7043d71c2b

// What S4 does before it is S1
.Lgfni_turn:
	.quad	0xddab075d8d3706b9

// S1 to S3, the inversion of the sum of input and offset before this
.Lgfni_s1:
	.quad	0x18321beaefc4a785
.set	GFNI_S1_ADD, 0x10
.Lgfni_s2:
	.quad	0x248131a16c1a295c
.set	GFNI_S2_ADD, 0xa9
.Lgfni_s3:
	.quad	0xbc12b514a57a52f2
.set	GFNI_S3_ADD, 0x36
