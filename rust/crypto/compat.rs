// SPDX-License-Identifier: GPL-2.0

//! Where the `kernel` crate differs between the versions of Linux that this is for, 7.2 and later.
//!
//! All that depends on a version is here, and goes when the oldest of them does. What can be said
//! so that every version compiles it is not told apart by version numbers.

use core::borrow::Borrow;
use kernel::{bindings, error::Error, ffi::c_int};

/// Returns the value of a module parameter: takes what its `value()` returns, which up to 7.2 is a
/// reference.
pub fn parameter<T: Copy>(value: impl Borrow<T>) -> T {
    *value.borrow()
}

/// Returns the error of a message that is not authentic, for which 7.2 has no constant.
pub fn bad_message() -> Error {
    Error::from_errno(-(bindings::EBADMSG as c_int))
}
