// SPDX-License-Identifier: GPL-2.0

//! Registration.

use super::super::bindings;
use super::super::ciphers::simd::Cpu;
use super::{aead, cipher, shash, skcipher, Aead, Cipher, Shash, Skcipher};
use core::ptr;
use kernel::{
    error::to_result,
    prelude::*,
    time::{delay::fsleep, Delta},
    types::Opaque,
    ThisModule,
};

/// What all kinds of algorithms have in common: the names and numbers of `struct crypto_alg`.
pub(super) struct Base {
    pub(super) name: &'static CStr,
    pub(super) driver_name: &'static CStr,
    pub(super) priority: u16,
    pub(super) flags: u32,
    pub(super) block_size: usize,
    pub(super) context_size: usize,
    pub(super) request_size: usize,
}

impl Base {
    /// Fills in `alg`.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if a name or number does not fit.
    pub(super) fn write(
        &self,
        alg: &mut bindings::crypto_alg,
        module: &'static ThisModule,
    ) -> Result {
        set_name(&mut alg.cra_name, self.name, c"")?;
        set_name(&mut alg.cra_driver_name, self.driver_name, c"")?;
        alg.cra_priority = self.priority.into();
        alg.cra_flags = self.flags;
        alg.cra_blocksize = self.block_size.try_into()?;
        alg.cra_ctxsize = self.context_size.try_into()?;
        alg.cra_reqsize = self.request_size.try_into()?;
        alg.cra_module = module.as_ptr().cast();
        Ok(())
    }
}

/// Writes `name` and `suffix` into a name field, with a NUL behind them.
fn set_name(field: &mut [c_char], name: &CStr, suffix: &CStr) -> Result {
    let name = name
        .to_bytes_with_nul()
        .iter()
        .take_while(|&&byte| byte != 0);
    let mut source = Iterator::chain(name, suffix.to_bytes_with_nul());

    for byte in field {
        match source.next() {
            Some(&value) => *byte = value as c_char,
            None => return Ok(()),
        }
    }
    // The field is full: right only if the NUL was the last byte written.
    source.next().is_none().then_some(()).ok_or(EINVAL)
}

/// The C structure of one algorithm. It is on a list of the crypto core from registration on, so
/// it must not move.
enum Algorithm {
    Cipher(Pin<KBox<Opaque<bindings::crypto_alg>>>),
    Skcipher(Pin<KBox<Opaque<bindings::skcipher_alg>>>),
    Aead(Pin<KBox<Opaque<bindings::aead_alg>>>),
    Shash(Pin<KBox<Opaque<bindings::shash_alg>>>),
}

impl Algorithm {
    /// Returns the common part.
    fn base(&self) -> *mut bindings::crypto_alg {
        match self {
            Self::Cipher(alg) => alg.get(),
            // SAFETY: The pointer is valid; only an address is computed.
            Self::Skcipher(alg) => unsafe {
                &raw mut (*alg.get()).__bindgen_anon_1.__bindgen_anon_1.base
            },
            // SAFETY: As above.
            Self::Aead(alg) => unsafe { &raw mut (*alg.get()).base },
            // SAFETY: As above.
            Self::Shash(alg) => unsafe {
                &raw mut (*alg.get()).__bindgen_anon_1.__bindgen_anon_1.base
            },
        }
    }

    fn try_register(&self) -> Result {
        // SAFETY: The structure is complete, stays where it is until `unregister()`, and its
        // callbacks are those of the type that it was made for.
        to_result(unsafe {
            match self {
                Self::Cipher(alg) => bindings::crypto_register_alg(alg.get()),
                Self::Skcipher(alg) => bindings::crypto_register_skcipher(alg.get()),
                Self::Aead(alg) => bindings::crypto_register_aead(alg.get()),
                Self::Shash(alg) => bindings::crypto_register_shash(alg.get()),
            }
        })
    }

    /// Registers the algorithm; under a name of its own if the driver name is taken.
    fn register(&self, base: &Base) -> Result {
        match self.try_register() {
            Err(error) if error == EEXIST => {}
            result => return result,
        }

        // SAFETY: Not registered, so nobody else looks at it.
        let alg = unsafe { &mut *self.base() };
        set_name(&mut alg.cra_driver_name, base.driver_name, c"-rust")?;
        self.try_register()?;
        pr_notice!(
            "driver name {} is taken, registered as {}\n",
            base.driver_name,
            self.driver_name()
        );
        Ok(())
    }

    fn driver_name(&self) -> &CStr {
        // SAFETY: The name does not change once registered.
        let name = unsafe { &(*self.base()).cra_driver_name };

        CStr::from_bytes_until_nul(name).unwrap_or_default()
    }

    fn unregister(&self) {
        // A self-test, which runs in a thread of its own, holds a reference, and the crypto core
        // wants to see none when an algorithm goes. In `module_exit` there is none, since each
        // user also holds the module. Where `init` gives up half way there may be.
        while self.users() != 0 {
            // Waits for the end of the self-test, and does away with one that never began: for
            // want of memory the core may not have started it, and then nobody ends it.
            //
            // SAFETY: The name is valid; looking an algorithm up, without loading modules, has no
            // other requirement than a context that may sleep.
            unsafe {
                bindings::crypto_has_alg(
                    self.driver_name().as_char_ptr(),
                    0,
                    bindings::CRYPTO_NOLOAD,
                )
            };
            fsleep(Delta::from_millis(1));
        }

        // SAFETY: Registered by `register()`, and not unregistered since.
        unsafe {
            match self {
                Self::Cipher(alg) => bindings::crypto_unregister_alg(alg.get()),
                Self::Skcipher(alg) => bindings::crypto_unregister_skcipher(alg.get()),
                Self::Aead(alg) => bindings::crypto_unregister_aead(alg.get()),
                Self::Shash(alg) => bindings::crypto_unregister_shash(alg.get()),
            }
        }
    }

    /// Returns the number of references besides the one of the registration itself.
    fn users(&self) -> i32 {
        // SAFETY: Atomic read of a counter that lives as long as `self`.
        let count =
            unsafe { ptr::read_volatile(&raw const (*self.base()).cra_refcnt.refs.counter) };
        count.saturating_sub(1)
    }
}

/// A set of registered algorithms.
///
/// All of them are unregistered, last one first, when the set is dropped. A module keeps it in
/// its module type; if `init` fails after some were registered, `?` drops the set, so a module
/// registers all of its algorithms or none.
///
/// # Invariants
///
/// Each element is registered with the crypto core.
pub struct Algorithms {
    module: &'static ThisModule,
    last: Option<KBox<Entry>>,
    handicap: u16,
}

struct Entry {
    alg: Algorithm,
    previous: Option<KBox<Entry>>,
}

impl Algorithms {
    /// Returns an empty set for `module`.
    pub const fn new(module: &'static ThisModule) -> Self {
        Self {
            module,
            last: None,
            handicap: 0,
        }
    }

    /// Returns whether nothing is registered.
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Lowers the priority of all that is registered from now on.
    pub fn set_handicap(&mut self, handicap: u16) {
        self.handicap = handicap;
    }

    /// Registers the single-block cipher `T`.
    ///
    /// # Errors
    ///
    /// [`EEXIST`] if the driver name is taken and the same with `-rust` behind it too, [`ENOMEM`],
    /// or what `crypto_register_alg()` returns.
    pub fn cipher<T: Cipher>(&mut self) -> Result {
        let base = self.handicapped(cipher::base::<T>());
        let alg = KBox::pin_init(pin_init::init_zeroed(), GFP_KERNEL)?;
        cipher::describe::<T>(&alg, &base, self.module)?;
        self.add(Algorithm::Cipher(alg), &base)
    }

    /// Registers the symmetric-key cipher `T`, on a machine that has the features it needs.
    ///
    /// # Errors
    ///
    /// As [`Algorithms::cipher`].
    pub fn skcipher<T: Skcipher>(&mut self, _cpu: Cpu<T::Features>) -> Result {
        let base = self.handicapped(skcipher::base::<T>());
        let alg = KBox::pin_init(pin_init::init_zeroed(), GFP_KERNEL)?;
        skcipher::describe::<T>(&alg, &base, self.module)?;
        self.add(Algorithm::Skcipher(alg), &base)
    }

    /// Registers the AEAD `T`, on a machine that has the features it needs.
    ///
    /// # Errors
    ///
    /// As [`Algorithms::cipher`].
    pub fn aead<T: Aead>(&mut self, _cpu: Cpu<T::Features>) -> Result {
        let base = self.handicapped(aead::base::<T>());
        let alg = KBox::pin_init(pin_init::init_zeroed(), GFP_KERNEL)?;
        aead::describe::<T>(&alg, &base, self.module)?;
        self.add(Algorithm::Aead(alg), &base)
    }

    /// Registers the hash `T`, on a machine that has the features it needs.
    ///
    /// # Errors
    ///
    /// As [`Algorithms::cipher`].
    pub fn shash<T: Shash>(&mut self, _cpu: Cpu<T::Features>) -> Result {
        let base = self.handicapped(shash::base::<T>());
        let alg = KBox::pin_init(pin_init::init_zeroed(), GFP_KERNEL)?;
        shash::describe::<T>(&alg, &base, self.module)?;
        self.add(Algorithm::Shash(alg), &base)
    }

    fn handicapped(&self, base: Base) -> Base {
        Base {
            priority: base.priority.saturating_sub(self.handicap),
            ..base
        }
    }

    fn add(&mut self, alg: Algorithm, base: &Base) -> Result {
        let entry = KBox::new(
            Entry {
                alg,
                previous: None,
            },
            GFP_KERNEL,
        )?;
        entry.alg.register(base)?;
        // INVARIANT: Registered just now, and nothing fails from here on.
        let previous = self.last.take();
        self.last.insert(entry).previous = previous;
        Ok(())
    }
}

/// The driver names, last one first.
impl kernel::fmt::Display for Algorithms {
    fn fmt(&self, f: &mut kernel::fmt::Formatter<'_>) -> kernel::fmt::Result {
        let mut entry = &self.last;
        let mut separator = "";

        while let Some(Entry { alg, previous }) = entry.as_deref() {
            f.write_fmt(fmt!("{}{}", separator, alg.driver_name()))?;
            separator = ", ";
            entry = previous;
        }
        Ok(())
    }
}

impl Drop for Algorithms {
    fn drop(&mut self) {
        while let Some(entry) = self.last.take() {
            entry.alg.unregister();
            self.last = KBox::into_inner(entry).previous;
        }
    }
}

// SAFETY: The crypto core does its own locking; the set itself is only read after `init`.
unsafe impl Send for Algorithms {}
// SAFETY: As above.
unsafe impl Sync for Algorithms {}
