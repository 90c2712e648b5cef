// SPDX-License-Identifier: GPL-2.0

//! Crypto algorithms.
//!
//! This module lets a Rust module offer algorithms to the users of the kernel crypto API. To do
//! so, it must
//!
//! - implement [`Skcipher`], [`Aead`], [`Shash`] or [`Cipher`] for a type that stands for one
//!   driver. The constants of the trait are the names and numbers that show in `/proc/crypto`, its
//!   types are the contexts of a tfm and of a request, its functions do the work;
//! - find out with [`cpu::detect`] whether the machine has the instructions of the driver;
//! - register it with [`Algorithms::skcipher`] and its like;
//! - keep the [`Algorithms`] in its module type. Dropping it unregisters.
//!
//! A mode of operation over a block cipher of `rust/ciphers` needs none of this by hand: the module
//! takes `modes.rs`, which is beside this file, and states a table, `cipher_drivers!`.
//!
//! The types here and their C counterparts:
//!
//! - [`Algorithms`] owns some `struct crypto_alg`, `struct skcipher_alg` and so on;
//! - [`Request`] is a `struct skcipher_request`, [`AeadRequest`] a `struct aead_request`;
//! - [`Step`] and [`AeadStep`] are one step of a `struct skcipher_walk`;
//! - [`Assoc`] is the associated data at the beginning of a scatterlist;
//! - [`Skcipher::Key`] lives in the context of a `struct crypto_tfm`, `crypto_tfm_ctx()`;
//! - [`Scratch`] is the request context, `skcipher_request_ctx()` or `aead_request_ctx()`;
//! - [`Shash::State`] lives in a `struct shash_desc`, `shash_desc_ctx()`;
//! - [`Simd`](super::ciphers::simd::Simd) is a `kernel_fpu_begin()` section.
//!
//! # Keys and requests
//!
//! Setting a key gets the context by unique reference, a request by shared reference: any number
//! of requests on one tfm may run at once, on any CPU, in process or softirq context. The C API
//! keeps its users from setting a key at the same time as anything else. The core makes the
//! context of zero bytes and wipes it in the end.
//!
//! What a request leaves in its context is wiped when it ends, and so is what is [`Wiped`]. Where an [`Aead`] refuses a message,
//! so is the text that it wrote.
//!
//! # Vector registers
//!
//! A routine that uses vector registers takes a [`Simd`](super::ciphers::simd::Simd) token. There
//! is one way to a token, [`Vector::run`], which opens an FPU section for the piece of data at
//! hand, a page at most, if that is allowed in the context. Where it is not, the closure gets
//! [`None`], and has scalar code do the same. Outside of that closure the token does not exist, so
//! that a forgotten `kernel_fpu_begin()` is a compile error.
//!
//! # Examples
//!
//! The module `samples/xor.rs`, complete:
//!
//! ```
#![doc = include_str!("../../samples/xor.rs")]
//! ```

mod aead;
mod algorithm;
mod cipher;
pub mod compat;
pub mod cpu;
mod fpu;
mod limits;
pub mod names;
mod scratch;
mod shash;
mod skcipher;

pub use aead::{Aead, AeadRequest, AeadStep, Assoc};
pub use algorithm::Algorithms;
pub use cipher::Cipher;
pub use fpu::Vector;
pub use limits::{LeftOut, Limits};
pub use scratch::{Scratch, Wiped};
pub use shash::Shash;
pub use skcipher::{Request, Skcipher, Step};
