// SPDX-License-Identifier: GPL-2.0

//! Crypto algorithms.
//!
//! This module lets a Rust module offer algorithms to the users of the kernel crypto API. To do
//! so, it must
//!
//! - implement [`Skcipher`] or [`Cipher`] for a type that stands for one driver. The constants of
//!   the trait are the names and numbers that show in `/proc/crypto`, its types are the contexts
//!   of a tfm and of a request, its functions do the work;
//! - find out with [`cpu::detect`] whether the machine has the instructions of the driver;
//! - register it with [`Algorithms::skcipher`] or [`Algorithms::cipher`];
//! - keep the [`Algorithms`] in its module type. Dropping it unregisters.
//!
//! A mode of operation over a block cipher of `rust/ciphers` needs none of this by hand: the
//! module states a table row, [`modes::Drivers`], and calls [`modes::register`].
//!
//! The types here and their C counterparts:
//!
//! - [`Algorithms`] owns some `struct crypto_alg` and `struct skcipher_alg`;
//! - [`Request`] is a `struct skcipher_request`;
//! - [`Step`] is one step of a `struct skcipher_walk`;
//! - [`Skcipher::Key`] lives in the context of a `struct crypto_tfm`, `crypto_tfm_ctx()`;
//! - [`Skcipher::Scratch`] lives in the request context, `skcipher_request_ctx()`;
//! - [`Simd`](super::ciphers::simd::Simd) is a `kernel_fpu_begin()` section.
//!
//! # Keys and requests
//!
//! Setting a key gets the context by unique reference, a request by shared reference: any number
//! of requests on one tfm may run at once, on any CPU, in process or softirq context. The C API
//! keeps its users from setting a key at the same time as anything else. The core makes the
//! context of zero bytes and wipes it in the end.
//!
//! # Vector registers
//!
//! A routine that uses vector registers takes a [`Simd`](super::ciphers::simd::Simd) token. There
//! is one way to a token, [`Vector::run`], which opens an FPU section for the piece of data at
//! hand, a page at most, if that is allowed in the context. What the closure leaves undone, which
//! is all of it where no section could be opened, is then the business of scalar code.
//! Outside that closure the token does not exist, so that a forgotten `kernel_fpu_begin()` is a
//! compile error.
//!
//! # Examples
//!
//! The module `samples/xor.rs`, complete:
//!
//! ```
#![doc = include_str!("../../samples/xor.rs")]
//! ```

mod algorithm;
mod cipher;
pub mod cpu;
mod fpu;
pub mod modes;
mod skcipher;

pub use algorithm::Algorithms;
pub use cipher::Cipher;
pub use skcipher::{Request, Skcipher, Step, Vector};
