// SPDX-License-Identifier: GPL-2.0

//! Raw bindings to the C side of the crypto API.
//!
//! `bindgen` writes them from `bindings.h` while kbuild runs, with the kernel's own preprocessor
//! flags. Nothing outside `rust/crypto` uses them.

#![allow(
    clippy::all,
    clippy::ptr_as_ptr,
    clippy::ref_as_ptr,
    clippy::undocumented_unsafe_blocks,
    dead_code,
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unreachable_pub,
    unsafe_op_in_unsafe_fn,
    improper_ctypes
)]

include!(env!("RFL_BINDINGS"));
