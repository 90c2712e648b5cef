#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Install the Debian package in a system of its own, as an administrator would, and boot that.

The system is Debian with two kernels: the suite's own, which is without Rust, and
one of backports. On it, the package is installed, a newer kernel comes, the disk is
encrypted with our cipher and booted with either kernel, with the newer one by Secure
Boot, the older goes, and the package is purged. The system without the package is kept in $RFL_CACHE/package, and
so are the Rust metadata of its kernels, which take the longest to make.

Prints what tests/package/boot-test and the steps here found, counted.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import ctypes.util
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import ktap
from common import (HEARTBEAT, SRC, Failure, cache_dir, command_line, heartbeat, interrupted,
                    locked, logged, output, say, shown)
from ktap import Status
from machines import BOARDS, CMDLINE

SUITE = "trixie"
BACKPORTS = f"{SUITE}-backports"
# What the system is made of, besides what the package depends on. The suite's kernel has no
# Rust; that of the cloud flavour is there first, and the usual one of backports comes later.
SYSTEM = ("cryptsetup-initramfs", "dkms", "e2fsprogs", "grub-efi-amd64-signed", "initramfs-tools",
          "kmod", "mokutil", "ovmf", "python3-virt-firmware", "shim-signed", "systemd-sysv", "udev", "zstd",
          "linux-headers-amd64", "linux-image-amd64",
          *(f"{name}/{BACKPORTS}" for name in ("linux-headers-cloud-amd64",
                                               "linux-image-cloud-amd64", "linux-source")))
UPGRADE = ("linux-image-amd64", "linux-headers-amd64")
UNUSED = ("doc", "info", "locale", "man")  # of /usr/share
FORMAT = 1  # of the system; raise it when it is made in another way

NAME = "rfl-crypto-dkms"
MODULES = Path("usr/lib/modules")
PASSPHRASE = "in a guest, nothing is secret"
UUID = "6d4c2a50-8f7e-4a45-9f0e-3a55d2a4c0de"
SECTOR = 4096
KERNEL_OPTIONS = f"console=ttyS0 root=/dev/mapper/root ro {CMDLINE}"
OWNER = "8be4df61-93ca-11d2-aa0d-00e098032b8c"  # of the key in the firmware: anybody
TIMEOUT = 600  # of a boot, in seconds
TESTS = SRC / "tests/package"


@dataclass
class Outcome:
    """What was found."""
    passed: int = 0
    failures: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)

    def count(self) -> str:
        """Numbers so far."""
        return f"{self.passed} passed, {len(self.failures)} failed, {len(self.skips)} skipped"

    def check(self, name: str, faults: str | list[str]) -> None:
        """A test: it has passed if nothing is wrong."""
        if faults:
            text = faults if isinstance(faults, str) else "\n".join(faults)
            self.failures.append(f"{name}: {text}")
            say(f"  not ok - {name}")
        else:
            self.passed += 1
            say(f"  ok - {name}")


# --- the package -----------------------------------------------------------


def dkms_conf(name: str) -> list[str]:
    """What dkms.conf sets."""
    script = f'. ./dkms.conf; printf "%s\\n" "${{{name}[@]}}"'
    return output("bash", "-euc", script, cwd=SRC,
                  env={**os.environ, "kernelver": "", "kernel_source_dir": "", "dkms_tree": ""}).split()


def depends() -> list[str]:
    """What the package depends on, alternatives and versions left out."""
    text = (SRC / "debian/control").read_text().partition("\nDepends:")[2].partition("\nRecommends:")[0]
    return [name for entry in text.split(",") if re.match(r"[a-z]", name := entry.split(":")[0].strip())]


def build_deb(work: Path, logs: Path) -> Path:
    """Make the package from the sources that git knows."""
    tree = work / "rfl-crypto"
    for name in output("git", "-c", "safe.directory=*", "ls-files", "-z", cwd=SRC).split("\0"):
        if name and (SRC / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SRC / name, tree / name)
    # Without -d, it wants build-essential, of which it needs make.
    logged("making the package", logs / "package-build.log",
           ["dpkg-buildpackage", "-b", "-us", "-uc", "-d"], cwd=tree)
    return next(work.glob(f"{NAME}_*.deb"))


# --- the system ------------------------------------------------------------


def make_base(directory: Path, logs: Path) -> None:
    """Install the system that the package will be installed on."""
    cache = cache_dir()
    fetch = ('APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get clean; '
             'APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get --yes --download-only install '
             f"-t {BACKPORTS} {' '.join(UPGRADE)}")
    logged("installing a Debian system with its kernels (2 to 4 minutes)",
           logs / "package-base.log",
           ["mmdebstrap", "--mode=root", "--variant=apt", "--architectures=amd64",
            f"--aptopt={cache / 'apt/apt.conf'}", "--dpkgopt=force-unsafe-io",
            *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in UNUSED),
            "--skip=cleanup/apt", f"--customize-hook={fetch}",
            f"--include={','.join((*SYSTEM, *depends()))}",
            SUITE, str(directory), str(cache / "apt/sources.list")])
    # What it is going to be booted from.
    (directory / "etc/crypttab").write_text(f"root UUID={UUID} none luks,initramfs\n")
    (directory / "etc/fstab").write_text("/dev/mapper/root / ext4 errors=remount-ro 0 1\n")
    (directory / "etc/hostname").write_text("rfl\n")


def prepare_base(home: Path, logs: Path, update: bool) -> Path:
    """The system without the package; made if need be."""
    identity = json.dumps([FORMAT, SYSTEM, UPGRADE, depends()])
    base, record = home / "base", home / "base.json"
    if update or not record.exists() or record.read_text() != identity:
        record.unlink(missing_ok=True)
        shutil.rmtree(base, ignore_errors=True)
        make_base(base, logs)
        record.write_text(identity)
    return base


class System:
    """The system, and what was changed in it since.

    The changes are in a layer of their own in `memory`: not every file system of a cache
    can be one. What is only built there goes to `disk`.
    """

    def __init__(self, base: Path, memory: Path, disk: Path, logs: Path):
        self.base, self.logs = base, logs
        self.upper, self.work, self.tmp = memory / "upper", memory / "work", disk / "tmp"
        for path in (self.upper, self.work, self.tmp):
            path.mkdir()

    def command(self, *command: str, binds: tuple[str, ...] = ()) -> list[str]:
        """What runs a command in it, as root."""
        return ["bwrap", "--overlay-src", str(self.base), "--overlay", str(self.upper),
                str(self.work), "/", "--dev", "/dev", "--unshare-pid", "--proc", "/proc",
                "--perms", "1777", "--tmpfs", "/tmp", "--tmpfs", "/run",
                "--bind", str(self.tmp), "/var/tmp", *binds,
                "--die-with-parent", "--chdir", "/", "--clearenv",
                "--setenv", "PATH", "/usr/sbin:/usr/bin:/sbin:/bin",
                "--setenv", "HOME", "/root", "--setenv", "LANG", "C.UTF-8",
                "--setenv", "DEBIAN_FRONTEND", "noninteractive", "--", *command]

    def run(self, title: str, log: str, *command: str, binds: tuple[str, ...] = ()) -> str:
        """Run a long command; what it said."""
        path = self.logs / f"package-{log}.log"
        logged(title, path, self.command(*command, binds=binds))
        return path.read_text(errors="replace")

    def output(self, *command: str) -> str:
        """Standard output of a short command."""
        return output(*self.command(*command))

    def find(self, *where: str) -> set[str]:
        """All paths below some directories."""
        return set(self.output("find", *where, "-xdev").split("\n"))

    def releases(self) -> list[str]:
        """The kernels it has."""
        return sorted(self.output("ls", f"/{MODULES}").split())


# --- Rust metadata ---------------------------------------------------------


def metadata_key() -> str:
    """Identity of what makes metadata."""
    digest = hashlib.sha256()
    for name in ("rust-metadata", "kerneltree.py", "common.py"):
        digest.update((SRC / "scripts" / name).read_bytes())
    return digest.hexdigest()[:16]


def restore_metadata(system: System) -> None:
    """Put the metadata that former runs have made where they were."""
    for path in (cache_dir() / "package").glob(f"metadata-{metadata_key()}-*.tar"):
        say(f"Rust metadata are here from a former run: {path.stem.split('-', 2)[2]}")
        output("tar", "-x", "-C", system.upper, "-f", path)


def save_metadata(system: System) -> None:
    """Keep the metadata that were made in the system."""
    home = cache_dir() / "package"
    for record in sorted((system.upper / "usr/src").glob("linux-headers-*/rust/.rust-metadata.json")):
        release = record.parent.parent.name.removeprefix("linux-headers-")
        elsewhere = json.loads(record.read_text())["elsewhere"].values()
        path = home / f"metadata-{metadata_key()}-{release}.tar"
        if not path.exists():
            for old in home.glob(f"metadata-*-{release}.tar"):
                old.unlink()
            output("tar", "-c", "-C", system.upper, "-f", path.with_suffix(".new"),
                   record.parent.relative_to(system.upper), *(name.lstrip("/") for name in elsewhere))
            path.with_suffix(".new").rename(path)


# --- what is looked at -----------------------------------------------------


def installed_faults(system: System, release: str) -> list[str]:
    """What is wrong with the modules that DKMS has installed for a kernel."""
    faults = []
    status = system.output("dkms", "status", "-k", release).strip()
    if not re.search(r": installed$", status):
        faults.append(f"dkms status is: {status or 'nothing'}")
    for module in dkms_conf("BUILT_MODULE_NAME"):
        info = system.output("modinfo", "-k", release, module)
        fields = dict(line.split(":", 1) for line in info.splitlines() if ":" in line)
        fields = {key: value.strip() for key, value in fields.items()}
        for key, expected in (("filename", f"/lib/modules/{release}/updates/dkms/{module}.ko.xz"),
                              ("signer", "DKMS module signing key")):
            if fields.get(key) != expected:
                faults.append(f"{module}: {key}: expected {expected}, found {fields.get(key)}")
        if fields.get("vermagic", "").split()[:1] != [release]:
            faults.append(f"{module}: vermagic: {fields.get('vermagic')}")
    return faults


def in_initramfs(system: System, release: str) -> list[str]:
    """The modules of ours in the initramfs of a kernel."""
    listing = system.output("lsinitramfs", f"/boot/initrd.img-{release}")
    return sorted(re.findall(r"/updates/dkms/(\w+)\.ko", listing))


def left_behind(system: System, before: set[str]) -> list[str]:
    """What there is that was not there before, and belongs to no package nor is a log or cache."""
    others = re.compile(r"/(var/(log|cache|lib/(apt|dpkg|dkms/mok\.\w+|initramfs-tools|systemd))"
                        r"|boot|tmp|run|proc|dev)\b|.*/__pycache__\b|.*~$")
    known = set(system.output("sh", "-c", "cat /var/lib/dpkg/info/*.list").split("\n"))
    # In packages' lists, directories that are links now have their old names.
    known |= {f"/usr{path}" for path in known}
    return sorted(path for path in system.find("/") - before - known if not others.match(path)
                  and not re.match(rf"/{MODULES}/[^/]+/modules\.", path))


# --- the disk --------------------------------------------------------------

# What only compiles, and is a good part of the system, is left out of the disk.
HEAVY = ("usr/lib/gcc", "usr/libexec/gcc", "usr/lib/rustlib", "usr/src/linux-*", "usr/src/rustc-*",
         "usr/lib/llvm-*", "usr/lib/*/libLLVM*", "usr/lib/*/librustc_driver*", "usr/lib/*/libclang*",
         "usr/lib/modules/6.*", "boot/*-6.*", "var/cache/apt", "var/lib/apt/lists")


class Aria:
    """ARIA-256 in XTS mode, by libgcrypt."""

    XTS = 13  # GCRY_CIPHER_MODE_XTS
    FINISHED = 38  # GCRYCTL_INITIALIZATION_FINISHED

    def __init__(self, key: bytes):
        self.lib = ctypes.CDLL(ctypes.util.find_library("gcrypt") or "libgcrypt.so.20")
        self.lib.gcry_check_version.restype = ctypes.c_char_p
        self.lib.gcry_check_version(None)
        self.lib.gcry_control(self.FINISHED, 0)
        self.handle = ctypes.c_void_p()
        self.check(self.lib.gcry_cipher_open(ctypes.byref(self.handle),
                                             self.lib.gcry_cipher_map_name(b"ARIA256"), self.XTS, 0))
        self.check(self.lib.gcry_cipher_setkey(self.handle, key, ctypes.c_size_t(len(key))))

    @staticmethod
    def check(error: int) -> None:
        """Stop at an error."""
        if error:
            raise Failure(f"libgcrypt: error {error & 0xffff}")

    def encrypt(self, text: bytes, number: int) -> bytes:
        """A sector, as dm-crypt does with plain64: numbers count 512 bytes."""
        out = ctypes.create_string_buffer(len(text))
        iv = (number * (SECTOR // 512)).to_bytes(16, "little")
        self.check(self.lib.gcry_cipher_setiv(self.handle, iv, ctypes.c_size_t(16)))
        self.check(self.lib.gcry_cipher_encrypt(self.handle, out, ctypes.c_size_t(len(text)),
                                                text, ctypes.c_size_t(len(text))))
        return out.raw


def make_filesystem(system: System, into: Path, logs: Path) -> None:
    """The system with the tests as a file system."""
    tests = into.with_name("tests")
    for name, place in (("boot-test", "usr/local/sbin"),
                        ("boot-test.service", "etc/systemd/system")):
        (tests / place).mkdir(parents=True, exist_ok=True)
        shutil.copy(TESTS / name, tests / place)
    wants = tests / "etc/systemd/system/multi-user.target.wants"
    wants.mkdir()
    (wants / "boot-test.service").symlink_to("../boot-test.service")
    (tests / "var").mkdir()
    for directory in ("etc", "var"):  # so that systemd does not do what the packages have done
        (tests / directory / ".updated").touch()
    hidden = [option for layer in (system.base, system.upper) for pattern in HEAVY
              for path in layer.glob(pattern) if not path.is_symlink()
              for option in (("--tmpfs", f"/mnt/{path.relative_to(layer)}") if path.is_dir() else
                             ("--ro-bind", "/dev/null", f"/mnt/{path.relative_to(layer)}"))]
    command = ["bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev",
               "--overlay-src", str(system.base), "--overlay-src", str(system.upper),
               "--overlay-src", str(tests), "--ro-overlay", "/mnt", *hidden, "--"]
    size = int(output(*command, "du", "-sm", "/mnt").split()[0])
    logged(f"making its file system ({size} MB)", logs / "package-mke2fs.log",
           [*command, "mke2fs", "-q", "-t", "ext4", "-b", str(SECTOR), "-d", "/mnt", str(into),
            f"{size * 5 // 4 + 100}M"])


def set_cipher(disk: Path, cipher: str) -> None:
    """Write another cipher for the data into both headers of a LUKS2 disk.

    cryptsetup makes no header for a cipher that this machine does not have. Offsets are those
    of "LUKS2 On-Disk Format Specification", 2.1; what is left out of the checksum is itself.
    """
    size, checksum = 4096, slice(448, 512)
    with disk.open("r+b") as file:
        total = int.from_bytes(file.read(16)[8:], "big")
        for offset in (0, total):
            file.seek(offset)
            header = bytearray(file.read(total))
            text = json.loads(header[size:].partition(b"\0")[0])
            text["segments"]["0"]["encryption"] = cipher
            header[size:] = json.dumps(text, separators=(",", ":")).encode().ljust(total - size, b"\0")
            header[checksum] = bytes(64)
            header[checksum] = hashlib.sha256(header).digest().ljust(64, b"\0")
            file.seek(offset)
            file.write(header)


def make_disk(system: System, disk: Path, logs: Path) -> None:
    """The system on a disk of LUKS2, with ARIA and a key slot of AES, as the user guide says."""
    plain, key = disk.with_suffix(".ext4"), disk.with_suffix(".key")
    make_filesystem(system, plain, logs)
    key.write_bytes(os.urandom(64))
    header = 16 << 20
    with disk.open("wb") as file:
        file.truncate(header + plain.stat().st_size)
    try:
        subprocess.run(
            ["cryptsetup", "luksFormat", "--batch-mode", "--type", "luks2", "--uuid", UUID,
             "--cipher", "aes-xts-plain64", "--key-size", "512",
             "--sector-size", str(SECTOR), "--offset", str(header // 512),
             "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000",
             "--volume-key-file", str(key), "--key-file", "-", str(disk)],
            input=PASSPHRASE, text=True, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.CalledProcessError as error:
        raise Failure(f"cryptsetup luksFormat: {error.stdout.strip()}") from error
    set_cipher(disk, "aria-xts-plain64")
    aria = Aria(key.read_bytes())
    number = 0
    say("encrypting it")
    with plain.open("rb") as file, disk.open("r+b") as out, heartbeat(lambda: f"{number} sectors"):
        out.seek(header)
        while sector := file.read(SECTOR):
            out.write(aria.encrypt(sector, number))
            number += 1
    plain.unlink()
    key.unlink()


# --- booting ---------------------------------------------------------------


def boot_files(system: System, release: str) -> tuple[Path, Path]:
    """Image and initramfs of a kernel."""
    image, initramfs = (next(path for layer in (system.upper, system.base)
                             if (path := layer / f"boot/{name}-{release}").exists())
                        for name in ("vmlinuz", "initrd.img"))
    return image, initramfs


def pc(system: System, release: str) -> list[str]:
    """Options of QEMU for a PC that boots a kernel."""
    image, initramfs = boot_files(system, release)
    return [*BOARDS["amd64"].options, "-kernel", str(image), "-initrd", str(initramfs),
            "-append", KERNEL_OPTIONS]


def secure_pc(system: System, release: str) -> list[str]:
    """The same for a PC with Secure Boot: its firmware knows the key of DKMS, and starts
    Debian's shim, which starts Debian's GRUB, which starts the kernel."""
    # What mokutil and the firmware's menu would do.
    system.run("enrolling the key of DKMS", "enroll", "virt-fw-vars", "--secure-boot",
               "--input", "/usr/share/OVMF/OVMF_VARS_4M.ms.fd", "--output", "/var/tmp/vars.fd",
               "--add-mok", OWNER, "/var/lib/dkms/mok.pub")
    esp = system.tmp / "esp"
    shutil.rmtree(esp, ignore_errors=True)
    image, initramfs = boot_files(system, release)
    lib = system.base / "usr/lib"
    for path, place in ((lib / "shim/shimx64.efi.signed", "EFI/BOOT/BOOTX64.EFI"),
                        (lib / "grub/x86_64-efi-signed/grubx64.efi.signed", "EFI/BOOT/grubx64.efi"),
                        (image, "vmlinuz"), (initramfs, "initrd")):
        (esp / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, esp / place)
    (esp / "EFI/debian").mkdir()
    (esp / "EFI/debian/grub.cfg").write_text(
        f"linux /vmlinuz {KERNEL_OPTIONS}\ninitrd /initrd\nboot\n")
    flash = "if=pflash,format=raw,file="
    return ["-machine", "q35,smm=on,hpet=off",
            "-global", "driver=cfi.pflash01,property=secure,value=on",
            "-drive", f"{flash}{system.base}/usr/share/OVMF/OVMF_CODE_4M.secboot.fd,readonly=on",
            "-drive", f"{flash}{system.tmp}/vars.fd",
            "-drive", f"if=none,id=esp,format=raw,readonly=on,file=fat:{esp}",
            "-device", "virtio-blk-pci,drive=esp,bootindex=0"]


def boot(machine: list[str], disk: Path, port: Path, run: Path) -> str:
    """Boot from the disk and type the passphrase; what is wrong with that, if anything.

    The console is a socket at `port`.
    """
    start = beat = time.monotonic()
    problem, said, answered = "", b"", False
    console, ktap_log = run / "console.log", run / "ktap.log"
    command = [BOARDS["amd64"].qemu, *machine, "-nodefaults", "-no-user-config", "-display", "none",
               "-no-reboot", "-accel", "tcg", "-cpu", "max", "-smp", "2", "-m", "1024",
               "-drive", f"file={disk},format=raw,if=virtio,cache=unsafe",
               "-chardev", f"socket,id=console,path={port},server=on,wait=on,logfile={console}",
               "-serial", "chardev:console",
               "-chardev", f"file,id=ktap,path={ktap_log}", "-serial", "chardev:ktap"]
    with (run / "machine.log").open("w") as log, subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT) as process:
        try:
            with connect(port, process) as tty:
                while part := receive(tty):
                    said = (said + part.strip(SILENCE))[-4096:]
                    if not answered and b"unlock disk root" in said:
                        tty.sendall(PASSPHRASE.encode() + b"\n")
                        answered = True
                    now = time.monotonic()
                    if interrupted.is_set():
                        raise KeyboardInterrupt
                    if now - start > TIMEOUT:
                        problem = f"the guest did not end within {TIMEOUT} s"
                        break
                    if now - beat > HEARTBEAT:
                        beat = now
                        last = said.decode(errors="replace").replace("\r", "").strip().splitlines()
                        say(f"  ... {last[-1][:70] if last else 'starting'}")
            if not problem:
                process.wait(30)
        except subprocess.TimeoutExpired:
            problem = "the guest has ended, and QEMU has not"
        finally:
            process.kill()
    if not answered and not problem:
        problem = "nobody asked for the passphrase"
    if process.returncode and not problem:
        problem = f"QEMU ended with status {process.returncode}: {(run / 'machine.log').read_text()}"
    return problem


def connect(port: Path, process: subprocess.Popen) -> socket.socket:
    """The guest's console."""
    tty = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    while process.poll() is None:
        with contextlib.suppress(OSError):
            tty.connect(str(port))
            tty.settimeout(1)
            return tty
        time.sleep(0.1)
    raise Failure("QEMU did not start")


SILENCE = b"\0"


def receive(tty: socket.socket) -> bytes:
    """What the guest has said, SILENCE if that is nothing for a second; empty when it has ended."""
    try:
        return tty.recv(4096)
    except TimeoutError:
        return SILENCE
    except ConnectionError:
        return b""


# --- all -------------------------------------------------------------------


def check_boot(outcome: Outcome, system: System, release: str, disk: Path, is_secure: bool) -> None:
    """Boot a kernel, and count what its tests and its log say."""
    machine = (secure_pc if is_secure else pc)(system, release)
    run = system.logs / f"package-boot-{release}"
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir()
    say(f"booting {release}{' with Secure Boot' if is_secure else ''}; "
        f"console log: {shown(run / 'console.log')}")
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        problem = boot(machine, disk, Path(place) / "console", run)
    say(f"  it took {time.monotonic() - start:.0f} s")
    results = ktap.parse((run / "ktap.log").read_text(errors="replace"))
    for test in results.tests:
        outcome.check(f"{release}: {test.name}",
                      [] if test.status is Status.PASSED else [test.status.value, *test.notes])
    log = ktap.check_log((run / "console.log").read_text(errors="replace"))
    outcome.check(f"{release}: boots, and its log has no complaint",
                  [*([problem] if problem else []), *results.errors, *log.faults])


def check_kernel(outcome: Outcome, system: System, release: str) -> None:
    """A kernel has the modules, and so has its initramfs."""
    outcome.check(f"{release}: modules are installed and signed", installed_faults(system, release))
    missing = set(dkms_conf("BUILT_MODULE_NAME")) - set(in_initramfs(system, release))
    outcome.check(f"{release}: modules are in the initramfs",
                  f"without {', '.join(sorted(missing))}" if missing else "")


def check_all(outcome: Outcome, system: System, deb: Path, disk: Path) -> None:
    """From installing to purging."""
    before = system.find("/")
    restore_metadata(system)
    without, first = system.releases()
    shutil.copy(deb, system.tmp)
    said = system.run("installing the package", "install", "apt-get", "install", "--yes",
                      f"/var/tmp/{deb.name}")
    save_metadata(system)
    outcome.check(f"{without}: has no Rust, and is left out", [
        *([] if "includes a BUILD_EXCLUSIVE directive" in said else ["DKMS does not say so"]),
        *re.findall(r".*: (?:built|installed).*", system.output("dkms", "status", "-k", without))])
    check_kernel(outcome, system, first)

    system.run("a newer kernel comes", "upgrade", "apt-get", "install", "--yes",
               "--no-install-recommends", "-t", BACKPORTS, *UPGRADE)
    save_metadata(system)
    [second] = set(system.releases()) - {without, first}
    check_kernel(outcome, system, second)

    make_disk(system, disk, system.logs)
    check_boot(outcome, system, first, disk, is_secure=False)
    check_boot(outcome, system, second, disk, is_secure=True)

    system.run("the first kernel goes", "remove-kernel", "apt-get", "purge", "--yes",
               "linux-image-cloud-amd64", "linux-headers-cloud-amd64",
               *(f"linux-{part}-{first}" for part in ("image", "headers", "modules", "base")))
    outcome.check(f"{first}: leaves nothing behind",
                  sorted(path for path in system.find("/usr/src", f"/{MODULES}", "/boot", "/var/lib/dkms")
                         if first in path))
    outcome.check(f"{second}: keeps its modules", installed_faults(system, second))

    system.run("purging the package", "purge", "apt-get", "purge", "--yes", NAME)
    outcome.check("purging leaves nothing behind", left_behind(system, before))
    outcome.check(f"{second}: modules are no longer in the initramfs",
                  ", ".join(in_initramfs(system, second)))


def run_package(update: bool = False) -> Outcome:
    """Everything."""
    outcome = Outcome()
    if os.geteuid() != 0:
        outcome.skips.append("all: dpkg, which gives files to other users, needs root")
        return outcome
    if (suite := os.environ.get("RFL_SUITE", SUITE)) != SUITE:
        outcome.skips.append(f"all: the system is one of {SUITE}, and this is the environment of {suite}")
        return outcome
    home, logs = cache_dir() / "package", cache_dir() / "logs"
    with (locked(home / ".lock", "another run has the system"),
          tempfile.TemporaryDirectory(prefix="rfl-package-") as memory):
        run = home / "run"
        shutil.rmtree(run, ignore_errors=True)
        run.mkdir()
        try:
            system = System(prepare_base(home, logs, update), Path(memory), run, logs)
            check_all(outcome, system, build_deb(Path(memory), logs), run / "disk.luks")
        except Failure as failure:
            outcome.failures.append(str(failure))
        shutil.rmtree(run)
    return outcome


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="make the system anew")
    outcome = run_package(parser.parse_args().update)
    sys.stderr.flush()
    for title, entries in (("Skipped", outcome.skips), ("Failed", outcome.failures)):
        for entry in entries:
            print(f"{title}: {entry}")
    print(outcome.count())
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    command_line(main)
