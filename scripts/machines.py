# SPDX-License-Identifier: GPL-2.0
"""The machines that guests run on.

A machine turns what is to be booted into the command of a process that is the
guest. Whatever it is, in the run's directory console.log is the kernel's
console and ktap.log the channel for results, and the process ends when the
guest does.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bochs

# A panic ends the guest: it reboots at once, which the machine takes for the end.
CMDLINE = "loglevel=7 oops=panic panic=-1"


@dataclass(frozen=True)
class Board:
    """What QEMU is for an architecture, and what Linux calls its serial ports."""
    qemu: str
    options: tuple[str, ...]
    serial: str


BOARDS = {
    # Without HPET: emulated, it made a boot hang now and then when the clock was switched to it.
    "amd64": Board("qemu-system-x86_64", ("-machine", "pc,hpet=off"), "ttyS"),
    "arm64": Board("qemu-system-aarch64", ("-machine", "virt"), "ttyAMA"),
}


@dataclass(frozen=True)
class Boot:
    """What to boot, and on what."""
    arch: str
    cpu: str
    cpus: int
    memory: int  # MB
    options: str  # of the kernel command line
    image: Path
    run: Path

    def cmdline(self, console: str, ktap: str) -> str:
        """The kernel's command line."""
        return f"console={console} rfl.ktap={ktap} {CMDLINE} {self.options}".strip()

    @property
    def initramfs(self) -> Path:
        """The root of the guest."""
        return self.run / "initramfs.cpio"


def last_words(said: str) -> str:
    """The end of what a process said."""
    return " / ".join(said.splitlines()[-3:])


class Qemu:
    """A board with an emulated CPU, or with KVM."""

    def __init__(self, accel: str):
        self.accel = accel
        self.about = {"kvm": "KVM", "tcg": "emulated CPU (TCG)"}[accel]

    def command(self, boot: Boot) -> list[str]:
        """The command that boots a guest."""
        def serial(name: str, file: str) -> list[str]:
            path = str(boot.run / file).replace(",", ",,")
            return ["-chardev", f"file,id={name},path={path}", "-serial", f"chardev:{name}"]

        board = BOARDS[boot.arch]
        return [
            board.qemu, *board.options,
            "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-accel", self.accel,
            "-cpu", "host" if self.accel == "kvm" and boot.cpu == "max" else boot.cpu,
            "-smp", str(boot.cpus), "-m", str(boot.memory),
            "-kernel", str(boot.image), "-initrd", str(boot.initramfs),
            "-append", boot.cmdline(f"{board.serial}0", f"{board.serial}1"),
            *serial("console", "console.log"), *serial("ktap", "ktap.log"),
        ]

    def problem(self, _run: Path, status: int, said: str) -> str:
        """What was wrong, given exit status and output of the process; nothing if all is well.

        Called once after the end of each guest, also of one that had to be killed.
        """
        return f"QEMU ended with status {status}: {last_words(said)}" if status else ""


class Bochs:
    """A PC whose CPU has AVX-512, GFNI and VAES, on any host."""

    about = "emulated CPU (Bochs)"

    def command(self, boot: Boot) -> list[str]:
        """The command that boots a guest, which needs files in the run's directory."""
        return bochs.prepare(boot.run, boot.image, boot.initramfs,
                             boot.cmdline("ttyS0,115200", "ttyS1"),
                             boot.memory, boot.cpu)

    def problem(self, run: Path, _status: int, said: str) -> str:
        """As Qemu.problem(). Bochs' status says nothing."""
        return bochs.finish(run, said)


class Uml:
    """User Mode Linux: the kernel is a process of this host, on its CPU, at its speed."""

    about = "the host's CPU (User Mode Linux)"

    def command(self, boot: Boot) -> list[str]:
        """The command that boots a guest."""
        # Its memory is a file that it maps with the right to execute; /tmp allows that.
        return ["sh", "-c", 'exec >"$1/console.log" 4>"$1/ktap.log"; shift; exec "$@"', "uml",
                str(boot.run), "env", "TMPDIR=/tmp", str(boot.image),
                # Several CPUs are only to be had with the newer way to catch system calls.
                *(["seccomp=on"] if boot.cpus > 1 else []), f"ncpus={boot.cpus}",
                f"mem={boot.memory}M", f"initrd={boot.initramfs}",
                "con=null", "con0=null,fd:1", "con1=null,fd:4",
                *boot.cmdline("tty0", "tty1").split()]

    def problem(self, _run: Path, status: int, said: str) -> str:
        """As Qemu.problem()."""
        return f"User Mode Linux ended with status {status}: {last_words(said)}" if status else ""


MACHINES = {"kvm": Qemu("kvm"), "tcg": Qemu("tcg"), "bochs": Bochs(), "uml": Uml()}
