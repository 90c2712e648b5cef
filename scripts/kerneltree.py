# SPDX-License-Identifier: GPL-2.0
"""Source trees with Rust metadata that fit a distribution's kernel.

Compiled from the same source, with the same configuration and the same
compilers as the kernel, Rust metadata (rust/*.rmeta) come out the same, and
modules built against them load into it. What is here sees to "the same", and
raises Failure with the versions when that cannot be had.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from common import Failure, heartbeat, logged, output, say

# Metadata that a Rust module is compiled against.
METADATA = ("rust/libcore.rmeta", "rust/libkernel.rmeta", "rust/libbindings.rmeta",
            "rust/libmacros.so")

# Nothing in a module build reads these, and they are three quarters of the source.
UNUSED_SOURCE = ("drivers/*.c", "sound/*.c", "fs/*.c", "net/*.c", "arch/*/boot/dts/*",
                 "drivers/gpu/drm/amd/include/*", "Documentation/*/*", "tools/testing/*")


@dataclass(frozen=True)
class Arch:
    """An architecture, in the words of Debian and of the kernel."""
    debian: str
    flavour: str
    kernel: str
    cross_compile: str
    make: tuple[str, ...] = ()  # for make, while the tree is prepared

    def sibling(self, release: str) -> str:
        """The release for this architecture that goes with one for any architecture."""
        flavours = "|".join(arch.flavour for arch in ARCHES.values())
        return re.sub(rf"-({flavours})$", f"-{self.flavour}", release)


ARCHES = {a.debian: a for a in [
    Arch(debian="amd64", flavour="amd64", kernel="x86", cross_compile="x86_64-linux-gnu-"),
    # The vDSO of 32-bit programs is configured, but not built: it would take one more compiler,
    # and modules have nothing to do with it.
    Arch(debian="arm64", flavour="arm64", kernel="arm64", cross_compile="aarch64-linux-gnu-",
         make=("CROSS_COMPILE_COMPAT=arm-linux-gnueabihf-", "CONFIG_COMPAT_VDSO=")),
]}


def read_config(path: Path) -> dict[str, str]:
    """The symbols of a .config; one that is not set has the value 'n'."""
    config = {}
    for line in path.read_text().splitlines():
        if match := re.fullmatch(r"(CONFIG_\w+)=(.*)", line):
            config[match[1]] = match[2]
        elif match := re.fullmatch(r"# (CONFIG_\w+) is not set", line):
            config[match[1]] = "n"
    return config


def compare_configs(expected: dict[str, str], found: dict[str, str]) -> list[str]:
    """The symbols in which two configurations differ, one line each."""
    return [f"{key}: expected {expected.get(key, 'no such symbol')}, "
            f"found {found.get(key, 'no such symbol')}"
            for key in sorted(expected.keys() | found.keys())
            if expected.get(key) != found.get(key)]


def check_compilers(config: dict[str, str]) -> str:
    """Compare the tools here with those the kernel was built by; name of the C compiler."""
    if config.get("CONFIG_RUST") != "y":
        raise Failure("this kernel was built without Rust: expected CONFIG_RUST=y, "
                      f"found {config.get('CONFIG_RUST', 'no such symbol')}")
    cc = config["CONFIG_CC_VERSION_TEXT"].strip('"').split()[0]
    tools = {"CONFIG_CC_VERSION_TEXT": [cc, "--version"],
             "CONFIG_RUSTC_VERSION_TEXT": ["rustc", "--version"],
             "CONFIG_BINDGEN_VERSION_TEXT": ["bindgen", "--version"]}
    wrong = []
    for key, command in tools.items():
        expected = config.get(key, "").strip('"')
        found = output(*command).splitlines()[0].strip()
        if found != expected:
            wrong.append(f"{command[0]}: expected '{expected}', found '{found}'")
    if wrong:
        raise Failure("the kernel was not built by the compilers that are here:\n  "
                      + "\n  ".join(wrong))
    return cc


def unpack(deb: Path, into: Path, *members: str) -> None:
    """Unpack members (or all) of a Debian package."""
    into.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as dpkg:
        tar = subprocess.run(["tar", "-x", "--no-same-owner", "-C", into, *members],
                             stdin=dpkg.stdout, check=False)
    if dpkg.returncode or tar.returncode:
        raise Failure(f"cannot unpack {deb}")


def unpack_source(tarball: Path, into: Path, exclude: tuple[str, ...]) -> None:
    """Unpack the kernel's source, without files that fit the patterns."""
    say(f"unpacking {tarball.name}")
    top = tarball.name.partition(".tar.")[0]
    with heartbeat(lambda: f"{sum(len(f) for _, _, f in os.walk(into))} files"):
        into.mkdir()
        tar = subprocess.run(["tar", "-x", "--no-same-owner", "--strip-components=1", "-C", into,
                              *(f"--exclude={top}/{pattern}" for pattern in exclude),
                              "-f", tarball], check=False)
    if tar.returncode:
        raise Failure(f"cannot unpack {tarball}")


def unpack_source_deb(deb: Path, into: Path, exclude: tuple[str, ...]) -> None:
    """Unpack the kernel's source from its package."""
    archive = into.with_name("source")
    unpack(deb, archive)
    unpack_source(next(archive.rglob("linux-source-*.tar.*")), into, exclude)
    shutil.rmtree(archive)


def prepare_tree(build: Path, headers: Path, release: str, arch: Arch, cc: str, logs: Path) -> None:
    """Make the Rust metadata in an unpacked source tree, for the kernel of a headers directory."""
    for name in (".config", "Module.symvers"):
        shutil.copy(headers / name, build / name)

    make = ["make", "-C", str(build), f"-j{len(os.sched_getaffinity(0))}",
            f"ARCH={arch.kernel}", f"CROSS_COMPILE={arch.cross_compile}", f"CC={cc}", *arch.make]
    version = output(*make, "-s", "kernelversion").strip()
    if not release.startswith(version):
        raise Failure(f"the source is not that of this kernel: expected version {release}, "
                      f"found {version}")
    # The tree's Makefile reads this, so that module builds need no flags.
    (build / ".kernelvariables").write_text(
        f"override ARCH = {arch.kernel}\n"
        f"override CROSS_COMPILE = {arch.cross_compile}\noverride CC = {cc}\n")
    make.append(f"LOCALVERSION={release.removeprefix(version)}")
    logged("configuring", logs / f"kernel-{release}-config.log", [*make, "olddefconfig"])
    wrong = compare_configs(read_config(headers / ".config"), read_config(build / ".config"))
    if wrong:
        raise Failure("the configuration does not come out as the package's, so the tools here are "
                      "not the ones it was made by:\n  " + "\n  ".join(wrong))
    found = output(*make, "-s", "kernelrelease").strip()
    if found != release:
        raise Failure(f"the tree does not make the kernel of the package: "
                      f"expected release {release}, found {found}")
    logged("compiling the Rust metadata and the build tools (1 to 2 minutes)",
           logs / f"kernel-{release}-build.log", [*make, "modules_prepare"])
    missing = [name for name in METADATA if not (build / name).exists()]
    if missing:
        raise Failure(f"the tree was made, but lacks {', '.join(missing)}")
