// SPDX-License-Identifier: GPL-2.0

//! Ciphers of rfl-crypto: key schedules, scalar block functions, modes, and the way into the
//! assembly below `asm/`.
//!
//! Nothing here knows a kernel. A kernel module includes the files that it needs as a module tree
//! of its own; this crate compiles the same files for the host, where they are tested and measured.

#![no_std]

pub mod aes;
pub mod aria;
pub mod camellia;
pub mod crct10dif;
pub mod gcm;
pub mod gf256;
pub mod ghash;
pub mod inout;
pub mod lrw;
pub mod routines;
pub mod simd;
pub mod tier;
pub mod together;
pub mod xts;
