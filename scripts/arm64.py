#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Run AES for arm64 in QEMU's user mode: its tests, or what a block costs.

`cost` counts the instructions that a block takes, of ours, of the kernel's assembly,
and of the kernel's C code as gcc -O2 makes it. `tests` runs the tests that need no
operating system, for either byte order. Time means nothing on an emulated CPU.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import guest
from common import SRC, Failure, cache_dir, command_line, locked, logged, output, shown

CC = "aarch64-linux-gnu-gcc-14"
OBJDUMP = "aarch64-linux-gnu-objdump"
PROGRAM = SRC / "tests/arm64"


@dataclass(frozen=True)
class Order:
    """A byte order: what a compiler, a linker and QEMU have to be told."""
    target: str
    cc: tuple[str, ...]
    qemu: str


LITTLE = Order("aarch64-unknown-linux-gnu", (), "qemu-aarch64")
BIG = Order("aarch64_be-unknown-linux-gnu", ("-mbig-endian",), "qemu-aarch64_be")


def missing(order: Order) -> str | None:
    """A tool that is not there."""
    return next((tool for tool in (CC, OBJDUMP, order.qemu) if not shutil.which(tool)), None)


def build_dir(order: Order) -> Path:
    """Where things are built."""
    path = cache_dir() / "build" / order.target
    path.mkdir(parents=True, exist_ok=True)
    return path


def kernel_build() -> Path:
    """Build directory of the stock kernel, which has its sources."""
    return guest.prepare_kernel("stock", "arm64").path / "build"


# --- build -----------------------------------------------------------------


def libraries(order: Order) -> list[str]:
    """Flags by which rustc finds `core` for a byte order.

    Debian has none for big-endian CPUs. Its source is in rust-src, and the unstable
    features that it is written with are those of its own compiler, as for the kernel.
    """
    if order is LITTLE:
        return [f"--sysroot={kernel_build().parent / 'sysroot/usr'}"]
    version = hashlib.sha256(output("rustc", "-vV").encode()).hexdigest()[:12]
    path = build_dir(order) / f"core-{version}"
    with locked(build_dir(order) / ".lock", "another build of core is running"):
        if not (path / "libcore.rlib").exists():
            source = Path(output("rustc", "--print=sysroot").strip())
            source /= "lib/rustlib/src/rust/library/core/src/lib.rs"
            path.mkdir(exist_ok=True)
            builtins = path / "compiler_builtins.rs"
            builtins.write_text("#![feature(compiler_builtins, no_core)]\n"
                                "#![compiler_builtins]\n#![no_std]\n")
            rustc = ["env", "RUSTC_BOOTSTRAP=1", "rustc", "--crate-type=rlib", "--edition=2021",
                     f"--target={order.target}", "-Cpanic=abort", "-Copt-level=1",
                     "--cap-lints=allow", "-L", str(path), "--out-dir", str(path)]
            for crate, root in ("core", source), ("compiler_builtins", builtins):
                logged(f"building {crate} for {order.target}",
                       cache_dir() / f"logs/{crate}-{order.target}.log",
                       [*rustc, f"--crate-name={crate}", str(root)])
    return ["-L", str(path)]


def build(order: Order, name: str, objects: list[Path], *flags: str) -> Path:
    """Build the program of tests/arm64."""
    out = build_dir(order)
    aes, program = out / "aes.o", out / name
    output(CC, *order.cc, "-c", "-I", SRC / "asm/host", "-o", aes, SRC / "asm/arm64/aes.S")
    link = [*order.cc, "-nostartfiles", "-nostdlib", "-static", "-Wl,--gc-sections",
            "-Wl,--unresolved-symbols=ignore-all", *map(str, [aes, *objects])]
    logged(f"building tests/arm64 for {order.target}", cache_dir() / f"logs/{name}-{order.target}.log",
           ["rustc", "--edition=2021", f"--target={order.target}", *libraries(order),
            "-Cpanic=abort", "-Copt-level=2", "-Crelocation-model=static",
            "-Ctarget-feature=+crt-static", "--cfg=CONFIG_RFL_CRYPTO_AES_ARM64", "-Adead_code",
            f"-Clinker={CC}", *(f"-Clink-arg={arg}" for arg in link), *flags,
            "-o", str(program), str(PROGRAM / "main.rs")])
    return program


def build_peers() -> list[Path]:
    """The kernel's own AES, for a program: its assembly, and its C code by gcc -O2."""
    tree, out = kernel_build(), build_dir(LITTLE)
    headers = [f"-I{path}{sub}" for path in ("arch/arm64/include", "include")
               for sub in ("", "/generated", "/uapi", "/generated/uapi")]
    headers += [flag for name in ("compiler-version.h", "kconfig.h")
                for flag in ("-include", f"include/linux/{name}")]
    defines = ["-D__KERNEL__", "-DKASAN_SHADOW_SCALE_SHIFT="]
    names = [f'-DKBUILD_{name}="aes"' for name in ("MODFILE", "MODNAME", "BASENAME")]
    common = [CC, "-nostdinc", *headers, *defines, "-fno-PIE", "-c"]
    assembly, generic = out / "aes-cipher-core.o", out / "generic.o"
    output(*common, "-D__ASSEMBLY__", "-o", assembly, "lib/crypto/arm64/aes-cipher-core.S", cwd=tree)
    output(*common, *names, "-D__KBUILD_MODNAME=aes", "-include", "include/linux/compiler_types.h",
           "-O2", "-std=gnu11", "-fms-extensions", "-fshort-wchar", "-funsigned-char",
           "-fno-strict-aliasing", "-fno-stack-protector", "-mgeneral-regs-only",
           "-ffunction-sections", "-w", "-Ilib/crypto", "-o", generic, PROGRAM / "generic.c",
           cwd=tree)
    return [assembly, generic]


# --- tests -----------------------------------------------------------------


def run_tests(order: Order) -> list[str]:
    """Run the tests for a byte order; what the program says, and its status as a line."""
    program = build(order, "tests", [])
    result = subprocess.run([order.qemu, program], text=True, check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, timeout=300)
    return [*result.stdout.splitlines(), f"status {result.returncode}"]


def forbidden_registers(code: str) -> set[str]:
    """Registers in disassembled code that belong to others.

    Ours has no use for the stack, for what a routine has to keep, or for vectors.
    """
    operands = (re.sub(r"[0-9a-f]+ <.*>", "", line)  # where a branch goes
                for line in re.findall(r"^ *[0-9a-f]+:\t\S+\t(.*)", code, re.MULTILINE))
    return set(re.findall(r"\b(?:[xw](?:1[89]|2\d|30)|w?sp|[vqdsb]\d+)\b", "\n".join(operands)))


def object_code(order: Order) -> str:
    """Our routines for a byte order, built by `build()` and disassembled."""
    return output(OBJDUMP, "-d", "--no-show-raw-insn", build_dir(order) / "aes.o")


def cargo_test() -> tuple[list[str], dict[str, str]]:
    """Command and environment that run the tests of rust/ciphers on an emulated CPU."""
    kernel = guest.prepare_kernel("stock", "arm64")
    env = guest.cargo_env(kernel, LITTLE.target)
    prefix = guest.cargo_prefix(LITTLE.target)
    env |= {f"{prefix}_RUNNER": f"{LITTLE.qemu} -L /usr/aarch64-linux-gnu",
            f"CC_{LITTLE.target.replace('-', '_')}": CC}
    return ["--package=rfl-ciphers", "--test=ciphers", f"--target={LITTLE.target}"], env


# --- cost ------------------------------------------------------------------

# What is counted: names, symbols of encryption and decryption, and instructions in the
# caller without which they could not do. Ours are given the address of their tables,
# which the kernel's make themselves by adrp and add.
COUNTED = {"ours": (("rfl_aes_encrypt", "rfl_aes_decrypt"), 2),
           "kernel, assembly": (("__aes_arm64_encrypt", "__aes_arm64_decrypt"), 0),
           "kernel, C by gcc -O2": (("aes_encrypt_generic", "aes_decrypt_generic"), 0)}
KEY_BITS = (128, 192, 256)
# How many instructions ours are to take, at most, as a fraction of those of another. In
# the comparison with C, what fetches ours' tables into the cache beforehand is left out.
TARGETS = {"kernel, assembly": 1.0, "kernel, C by gcc -O2": 0.75}


@dataclass(frozen=True)
class Cost:
    """What a block costs."""
    implementation: str
    operation: str
    key_bits: int
    instructions: int
    loads: int       # instructions that load; a pair of registers counts as one
    prefetches: int


def mnemonics(program: Path) -> tuple[dict[int, str], dict[int, str]]:
    """The instructions of a program by address, and its functions."""
    instructions, functions = {}, {}
    for line in output(OBJDUMP, "-d", "--no-show-raw-insn", program).splitlines():
        if match := re.match(r"([0-9a-f]+) <(.+)>:$", line):
            functions[int(match[1], 16)] = match[2]
        elif match := re.match(r" *([0-9a-f]+):\t(\S+)", line):
            instructions[int(match[1], 16)] = match[2]
    return instructions, functions


def calls(trace: str, program: Path) -> dict[str, list[Counter[str]]]:
    """Mnemonics that each call of a counted function executed, in a trace by QEMU."""
    instructions, functions = mnemonics(program)
    wanted = {symbol for symbols, _ in COUNTED.values() for symbol in symbols}
    found: dict[str, list[Counter[str]]] = {symbol: [] for symbol in wanted}
    call: Counter[str] | None = None
    depth = 0
    for match in re.finditer(r"^Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/", trace, re.MULTILINE):
        address = int(match[1], 16)
        if call is None and functions.get(address) in wanted:
            call, depth = Counter(), 0
            found[functions[address]].append(call)
        if call is not None:
            mnemonic = instructions[address]
            call[mnemonic] += 1
            depth += {"bl": 1, "blr": 1, "ret": -1}.get(mnemonic, 0)
            if depth < 0:
                call = None
    return found


def count() -> list[Cost]:
    """Count what a block costs.

    Debian's qemu-aarch64 is a static program and cannot load plugins, so QEMU is told
    to log each instruction that it executes.
    """
    program = build(LITTLE, "cost", build_peers(), "--cfg=peers")
    trace = program.with_suffix(".trace")
    output(LITTLE.qemu, "-one-insn-per-tb", "-d", "exec,nochain", "-D", trace, program)
    found = calls(trace.read_text(), program)
    costs = []
    for name, (symbols, extra) in COUNTED.items():
        for operation, symbol in zip(("encrypt", "decrypt"), symbols):
            if len(found[symbol]) != len(KEY_BITS):
                raise Failure(f"{symbol} was called {len(found[symbol])} times: {shown(trace)}")
            for bits, call in zip(KEY_BITS, found[symbol]):
                loads = sum(n for mnemonic, n in call.items() if mnemonic.startswith("ld"))
                costs.append(Cost(name, operation, bits, call.total() + extra, loads, call["prfm"]))
    return costs


@dataclass(frozen=True)
class Comparison:
    """Ours beside another implementation."""
    name: str
    text: str
    is_met: bool    # whether the target is
    is_within: bool  # whether it costs no more than the other


def compare(costs: list[Cost]) -> list[Comparison]:
    """Compare ours with the targets."""
    by_key = {(c.implementation, c.operation, c.key_bits): c for c in costs}
    comparisons = []
    for other, fraction in TARGETS.items():
        for operation in "encrypt", "decrypt":
            for bits in KEY_BITS:
                ours, theirs = (by_key[name, operation, bits] for name in ("ours", other))
                counted = ours.instructions - (ours.prefetches if fraction < 1 else 0)
                comparisons.append(Comparison(
                    f"{operation}, {bits}-bit key, {other}",
                    f"{counted} instructions of {theirs.instructions} are "
                    f"{counted / theirs.instructions:.1%}, {ours.loads} loads of {theirs.loads}",
                    counted <= fraction * theirs.instructions and ours.loads <= theirs.loads,
                    ours.instructions <= theirs.instructions and ours.loads <= theirs.loads))
    return comparisons


def table(costs: list[Cost]) -> str:
    """What a block costs, for people."""
    rows = [("", "", "128-bit key", "192-bit key", "256-bit key")]
    for name in COUNTED:
        for operation in "encrypt", "decrypt":
            of_key = [c for c in costs if (c.implementation, c.operation) == (name, operation)]
            cells = [f"{c.instructions} ({c.loads}, {c.prefetches})" for c in of_key]
            rows.append((name, operation, *cells))
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
             for row in rows]
    return "\n".join(["Instructions for a block of AES on arm64 (of these loads, prefetches):",
                      "", *lines])


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("tests", help="run the tests, for either byte order")
    cost = commands.add_parser("cost", help="print what a block costs")
    cost.add_argument("--json", action="store_true", help="as records instead of a table")
    args = parser.parse_args()
    if tool := missing(LITTLE) or missing(BIG):
        raise Failure(f"{tool} is missing")
    if args.command == "tests":
        results = {order.target: run_tests(order) for order in (LITTLE, BIG)}
        for target, lines in results.items():
            print(target, *lines, sep="\n  ")
        return 0 if all(lines[-1] == "status 0" for lines in results.values()) else 1
    costs = count()
    if args.json:
        json.dump([asdict(cost) for cost in costs], sys.stdout, indent=1)
    else:
        print(table(costs), "", *(f"{c.name}: {c.text}" for c in compare(costs)), sep="\n")
    return 0 if all(c.is_within for c in compare(costs)) else 1


if __name__ == "__main__":
    command_line(main)
