// SPDX-License-Identifier: GPL-2.0

//! `AF_ALG`: the kernel's ciphers as sockets (`Documentation/crypto/userspace-if.rst`).
//!
//! No call here waits: with `MSG_DONTWAIT` the kernel answers `EAGAIN` where it would wait for
//! more data or for room, and the ciphers reached through `AF_ALG` are synchronous.

use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd, OwnedFd};

use nix::libc;
use nix::sys::socket::{
    accept4, bind, recvmsg, sendmsg, setsockopt, socket, sockopt, AddressFamily, AlgAddr,
    ControlMessage, MsgFlags, SockFlag, SockType,
};
use nix::Result;

/// The kernel doubles it, and bounds it by `net.core.wmem_max`.
const SEND_BUFFER: usize = 1 << 20;

/// What a cipher is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    Encrypt,
    Decrypt,
}

impl Direction {
    fn op(self) -> libc::c_int {
        match self {
            Self::Encrypt => libc::ALG_OP_ENCRYPT,
            Self::Decrypt => libc::ALG_OP_DECRYPT,
        }
    }
}

/// A bound socket, which is a transformation object in the kernel: a cipher with a key.
pub struct Tfm(OwnedFd);

impl Tfm {
    /// Allocates the skcipher with this algorithm or driver name.
    pub fn skcipher(name: &str) -> Result<Self> {
        Self::bind("skcipher", name)
    }

    /// Allocates the AEAD with this algorithm or driver name.
    pub fn aead(name: &str) -> Result<Self> {
        Self::bind("aead", name)
    }

    /// Allocates the hash with this algorithm or driver name.
    pub fn hash(name: &str) -> Result<Self> {
        Self::bind("hash", name)
    }

    fn bind(kind: &str, name: &str) -> Result<Self> {
        let fd = socket(
            AddressFamily::Alg,
            SockType::SeqPacket,
            SockFlag::SOCK_CLOEXEC,
            None,
        )?;
        bind(fd.as_raw_fd(), &AlgAddr::new(kind, name))?;
        Ok(Self(fd))
    }

    /// Sets the key. `EBUSY` while a [`Channel`] is open that was opened with a key set.
    pub fn set_key(&self, key: &[u8]) -> Result<()> {
        setsockopt(&self.0, sockopt::AlgSetKey::default(), &key)
    }

    /// Sets the length of the tag of an AEAD.
    pub fn set_tag_size(&self, size: usize) -> Result<()> {
        setsockopt(&self.0, sockopt::AlgSetAeadAuthSize, &size)
    }

    /// Opens a channel for requests.
    pub fn channel(&self) -> Result<Channel> {
        let fd = accept4(&self.0, SockFlag::SOCK_CLOEXEC)?;
        setsockopt(&fd, sockopt::SndBuf, &SEND_BUFFER)?;
        Ok(Channel(fd))
    }
}

/// An operation socket: data goes in, and what the cipher makes of it comes out.
///
/// It has an IV of its own, which the cipher moves on with each request.
pub struct Channel(OwnedFd);

impl Channel {
    /// Starts a request with some data, and says what to do with it.
    ///
    /// With `more` the request goes on with [`feed`](Self::feed). Without `iv` the one at which
    /// the last request ended is used. Returns the number of bytes taken.
    pub fn start(
        &self,
        direction: Direction,
        iv: Option<&[u8]>,
        data: &[IoSlice<'_>],
        more: bool,
    ) -> Result<usize> {
        let op = direction.op();
        let mut control = vec![ControlMessage::AlgSetOp(&op)];
        control.extend(iv.map(ControlMessage::AlgSetIv));
        self.send(data, &control, more)
    }

    /// Makes a whole request of an AEAD: `data` begins with `assoc_len` bytes that are only
    /// authenticated, and ends with the tag when it is to be decrypted.
    pub fn start_aead(
        &self,
        direction: Direction,
        iv: &[u8],
        assoc_len: u32,
        data: &[IoSlice<'_>],
    ) -> Result<usize> {
        let op = direction.op();
        let control = [
            ControlMessage::AlgSetOp(&op),
            ControlMessage::AlgSetIv(iv),
            ControlMessage::AlgSetAeadAssoclen(&assoc_len),
        ];
        self.send(data, &control, false)
    }

    /// Adds data, to a request or to a new one that continues the last one in all respects.
    pub fn feed(&self, data: &[IoSlice<'_>], more: bool) -> Result<usize> {
        self.send(data, &[], more)
    }

    fn send(
        &self,
        data: &[IoSlice<'_>],
        control: &[ControlMessage<'_>],
        more: bool,
    ) -> Result<usize> {
        let mut flags = MsgFlags::MSG_DONTWAIT;
        if more {
            flags |= MsgFlags::from_bits_retain(libc::MSG_MORE);
        }
        sendmsg::<()>(self.0.as_raw_fd(), data, control, flags, None)
    }

    /// Has the cipher work on what was sent, and writes the result to `pieces`.
    ///
    /// The pieces are the destination of the cipher, scattered as they are here. Returns the
    /// number of bytes written: all that was sent, or as many whole blocks as fit.
    pub fn receive(&self, pieces: &mut [IoSliceMut<'_>]) -> Result<usize> {
        recvmsg::<()>(self.0.as_raw_fd(), pieces, None, MsgFlags::MSG_DONTWAIT)
            .map(|message| message.bytes)
    }
}
