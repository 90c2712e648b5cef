#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Run guests: a kernel on some machine, with our modules and our test program.

A guest is a section of guests.toml. Its steps can be taken one by one:

  prepare  make what it boots: kernel, modules, test program, initramfs
  boot     boot it, and keep what it said in a directory of its own
  parse    judge what a guest said, from that directory
  run      all of it

The console is the kernel's; results come in KTAP on a channel of their own. Exit
status: 0 if all is well, 255 if the guest reported nothing, 1 otherwise.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import ktap
import machines
from common import (HEARTBEAT, SRC, Failure, cache_dir, command_line, interrupted, locked,
                    logged, named_release, output, say, shown)
from kerneltree import ARCHES
from ktap import Status
from machines import MACHINES

GUESTS = Path(__file__).with_name("guests.toml")
KEPT_RUNS = 20  # directories of past runs, per guest
SPEED = {"tcrypt": "tcrypt", "speed": "rfl_test_speed"}  # the modules of these commands
# How many of the words after other commands are modules that they load.
LOADING = {"load": 1, "load-if-able": 1, "load-refused": 1, "cycle": 1, "fail-loads": 1,
           "fail-selftest": 1, "race": 2, "autoload": 1, "displace": 1, "kernel-test": 1}
RUST_TARGET = {"amd64": "x86_64-unknown-linux-gnu", "arm64": "aarch64-unknown-linux-gnu"}


@dataclass(frozen=True)
class Guest:
    """What a guest boots and does; see guests.toml."""
    name: str
    about: str
    arch: str
    machine: str
    kernel: str
    cmdline: str
    cpu: str
    cpus: int
    memory: int
    timeout: int
    intree: bool
    programs: list[str]
    warns: str
    plan: str


def expand_braces(word: str) -> list[str]:
    """As a shell does: "a{b,c}d" is "abd" and "acd"."""
    if not (match := re.search(r"\{([^{}]*)\}", word)):
        return [word]
    return [name for middle in match[1].split(",")
            for name in expand_braces(word[:match.start()] + middle + word[match.end():])]


def driver_sets() -> str:
    """The sets of drivers, as lines of a plan: each driver with what it needs of the CPU."""
    sets = tomllib.loads(GUESTS.read_text())["drivers"]
    return "".join(f"set {name} " + " ".join(f"{driver}?{needs.replace(' ', ',')}"
                                             for pattern, needs in drivers.items()
                                             for driver in expand_braces(pattern)) + "\n"
                   for name, drivers in sets.items())


def load_guests() -> dict[str, Guest]:
    """All guests by name."""
    sections = tomllib.loads(GUESTS.read_text())
    defaults = sections.pop("defaults")
    del sections["drivers"]
    return {name: Guest(name=name, **{**defaults, **section})
            for name, section in sections.items()}


# --- prepare ---------------------------------------------------------------


@dataclass(frozen=True)
class Kernel:
    """A kernel that can be booted and built for."""
    path: Path
    release: str
    cc: str
    make: tuple[str, ...]  # for make, when modules are built


@functools.cache
def prepare_kernel(which: str, arch: str) -> Kernel:
    """The kernel that a guest names."""
    custom = [] if which == "stock" else ["--custom", which]
    result = subprocess.run([SRC / "scripts/prepare-kernel", "--arch", arch, *custom],
                            stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode:
        raise Failure(f"the kernel could not be prepared: {which}")
    path = cache_dir() / "kernel" / result.stdout.strip()
    record = json.loads((path / "kernel.json").read_text())
    return Kernel(path, record["release"], record["cc"], tuple(record["make_modules"]))


@functools.cache
def build_modules(kernel: Kernel) -> Path:
    """Build everything there is, tests and samples too, for a kernel; directory where it is."""
    out = cache_dir() / "build" / f"{kernel.release}-guest"
    make = ["make", "-C", str(SRC), f"-j{len(os.sched_getaffinity(0))}",
            f"KDIR={kernel.path}/build", f"MO={out}", *kernel.make]
    config = out / ".config"
    with locked(cache_dir() / "build/.lock", "another build is running"):
        if not config.exists() or config.stat().st_mtime < (SRC / "Kconfig").stat().st_mtime:
            output(*make, "allmodconfig")
        logged(f"building the modules for {kernel.release}", cache_dir() / "logs/modules.log",
               [*make, "modules"])
    return out


@functools.cache
def build_intree(kernel: Kernel) -> Path:
    """Build the kernel's own drivers that come without it; directory where they are."""
    out = cache_dir() / "build" / f"{kernel.release}-intree"
    with locked(cache_dir() / "build/.lock", "another build is running"):
        logged(f"building in-tree drivers for {kernel.release}", cache_dir() / "logs/intree.log",
               ["make", "-C", f"{kernel.path}/build", f"-j{len(os.sched_getaffinity(0))}",
                f"M={SRC}/tests/intree", f"MO={out}", f"CC={kernel.cc}", *kernel.make, "modules"])
    return out


def cargo_prefix(target: str) -> str:
    """How the names of cargo's settings for a target begin in the environment."""
    return f"CARGO_TARGET_{target.upper().replace('-', '_')}"


def cargo_env(kernel: Kernel, target: str) -> dict[str, str]:
    """Environment in which cargo builds for the architecture of a kernel."""
    env = dict(os.environ)
    if (sysroot := kernel.path / "sysroot/usr").exists():
        prefix = cargo_prefix(target)
        env |= {f"{prefix}_LINKER": kernel.cc, f"{prefix}_RUSTFLAGS": f"--sysroot={sysroot}"}
    return env


@functools.cache
def build_init(arch: str, kernel: Kernel) -> Path:
    """Build the test program, statically linked; its path."""
    target = RUST_TARGET[arch]
    env = cargo_env(kernel, target)
    # Where the program is built, cargo finds the settings that make it static.
    with locked(cache_dir() / "build/.lock", "another build is running"):
        logged("building the guest's test program", cache_dir() / "logs/guest-build.log",
               ["cargo", "build", "--release", "--locked", "--target", target],
               cwd=SRC / "tests/guest", env=env)
    return Path(os.environ["CARGO_TARGET_DIR"]) / target / "release/rfl-guest"


class Modules:
    """Modules that can be loaded: those built here, and the kernel's own."""

    DECOMPRESS = {".xz": "xz", ".zst": "zstd", ".gz": "gzip"}

    def __init__(self, kernel: Kernel, *built: Path):
        self.release = kernel.release
        self.tree = kernel.path / "modules/lib/modules" / self.release
        self.built = {self.key(p.name): p for path in built for p in sorted(path.rglob("*.ko"))}
        self.stock: dict[str, tuple[Path, list[str]]] = {}
        for line in (self.tree / "modules.dep").read_text().splitlines():
            path, _, depends = line.partition(":")
            # Listed as needed last to first.
            self.stock[self.key(path)] = (self.tree / path, [self.key(d) for d in depends.split()[::-1]])
        self.builtin = {self.key(p) for p in (self.tree / "modules.builtin").read_text().split()}

    @staticmethod
    def key(path: str) -> str:
        """Name by which the kernel knows a module file."""
        return Path(path).name.partition(".")[0].replace("-", "_")

    @functools.lru_cache(maxsize=None)  # pylint: disable=method-cache-max-size-none
    def depends(self, name: str) -> list[str]:
        """Modules that a module needs, in loading order."""
        if name not in self.built:
            return self.stock[name][1]
        vermagic = output("modinfo", "-F", "vermagic", self.built[name]).split()[0]
        if vermagic != self.release:
            raise Failure(f"{shown(self.built[name])} was built for another kernel: "
                          f"expected {self.release}, found {vermagic}")
        needed: list[str] = []
        for direct in map(self.key, output("modinfo", "-F", "depends", self.built[name])
                          .strip().replace(",", " ").split()):
            if direct not in self.builtin:
                needed += [m for m in (*self.depends(direct), direct) if m not in needed]
        return needed

    def state(self, name: str) -> str:
        """'module', or how it is none: 'built into' or 'absent from' the kernel."""
        if name in self.built or name in self.stock:
            return "module"
        return "built into" if name in self.builtin else "absent from"

    def path(self, name: str) -> Path:
        """The file of a module."""
        return self.built.get(name) or self.stock[name][0]

    def aliases(self, name: str) -> list[str]:
        """What the kernel may ask for to get a module."""
        return output("modinfo", "-F", "alias", self.path(name)).split()

    def copy(self, name: str, into: Path) -> None:
        """Put a module, uncompressed, into a directory."""
        path = self.path(name)
        with (into / f"{name}.ko").open("wb") as out:
            if tool := self.DECOMPRESS.get(path.suffix):
                subprocess.run([tool, "-dc", path], stdout=out, check=True)
            else:
                out.write(path.read_bytes())


def modules_of(line: str) -> list[str]:
    """The modules that a line of a plan loads."""
    command, *words = line.split()
    if command in SPEED:
        return [SPEED[command]]
    return [Modules.key(word) for word in words[:LOADING.get(command, 0)]]


@dataclass
class Plan:
    """A plan made fit for a kernel's modules."""
    text: str
    modules: list[str]
    skips: list[str]  # lines that this kernel has no module for, with the reason


def resolve_plan(plan: str, modules: Modules) -> Plan:
    """Load what modules depend on before them; leave out what the kernel has built in."""
    lines: list[str] = []
    loaded: list[str] = []  # by the plan or for it, and not unloaded since
    needed: list[str] = []
    skips: list[str] = []
    for line in map(str.strip, plan.splitlines()):
        if not line or line.startswith("#"):
            continue
        command, *words = line.split()
        if command == "unload":
            loaded = [m for m in loaded if m != Modules.key(words[0])]
        names = modules_of(line)
        if missing := [name for name in names if modules.state(name) != "module"]:
            skips += [f"{line}: module {name} is {modules.state(name)} this kernel"
                      for name in missing]
            continue
        for dependency in (d for name in names for d in modules.depends(name)):
            if dependency not in loaded:
                lines.append(f"load {dependency}")
                loaded.append(dependency)
                needed.append(dependency)
        lines.append(line)
        needed += names
        if command in ("load", "load-if-able"):
            loaded += names
    return Plan("".join(f"{line}\n" for line in lines), sorted(set(needed)), skips)


def add_programs(root: Path, programs: list[str]) -> None:
    """Put programs of this environment, with the libraries that they are linked with, into /bin."""
    for name in programs:
        if not (program := shutil.which(name)):
            raise Failure(f"{name} is missing")
        (root / "bin").mkdir(exist_ok=True)
        shutil.copy(program, root / "bin")
        for library in re.findall(r"(/\S+) \(0x", output("ldd", program)):
            copy = root / library[1:]
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, copy)


def make_initramfs(path: Path, init: Path, plan: Plan, modules: Modules,
                   programs: list[str]) -> None:
    """Pack test program, plan, modules and programs as the guest's root."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        (root / "modules").mkdir()
        shutil.copy(init, root / "init")
        (root / "init").chmod(0o755)
        (root / "plan").write_text(driver_sets() + plan.text)
        for name in plan.modules:
            modules.copy(name, root / "modules")
        (root / "aliases").write_text("".join(f"{alias} {name}\n" for name in plan.modules
                                              for alias in modules.aliases(name)))
        add_programs(root, programs)
        names = "\n".join(str(p.relative_to(root)) for p in sorted(root.rglob("*")))
        with path.open("wb") as out:
            subprocess.run(["cpio", "--create", "--format=newc", "--owner=0:0", "--quiet"],
                           cwd=root, input=names.encode(), stdout=out, check=True)


@dataclass
class Prepared:
    """What is needed to boot guests."""
    kernel: Kernel
    modules: Modules
    init: Path


def prepare(guest: Guest) -> Prepared:
    """Make all that is missing."""
    kernel = prepare_kernel(guest.kernel, guest.arch)
    built = [build_modules(kernel), *([build_intree(kernel)] if guest.intree else [])]
    return Prepared(kernel, Modules(kernel, *built), build_init(guest.arch, kernel))


# --- boot ------------------------------------------------------------------


def booting(guest: Guest, kernel: Path, run: Path) -> machines.Boot:
    """What a machine has to know of a guest."""
    return machines.Boot(guest.arch, guest.cpu, guest.cpus, guest.memory, guest.cmdline,
                         kernel / "vmlinuz", run)


def new_run_dir(guest: Guest) -> Path:
    """A directory for what a guest says; the oldest ones go."""
    logs = cache_dir() / "logs"
    old = sorted(logs.glob(f"{guest.name}-[0-9]*"))
    for path in old[:max(0, len(old) - KEPT_RUNS + 1)]:
        shutil.rmtree(path, ignore_errors=True)
    logs.mkdir(exist_ok=True)
    prefix = f"{guest.name}-{time.strftime('%Y%m%d-%H%M%S')}-"
    return Path(tempfile.mkdtemp(prefix=prefix, dir=logs))


def read_text(path: Path) -> str:
    """A log as far as it is there."""
    return path.read_text(errors="replace") if path.exists() else ""


def boot(guest: Guest, prepared: Prepared, run: Path, machine: str, quiet: bool = False) -> None:
    """Boot a guest and wait for its end. What is wrong with the boot itself is in record.json."""
    plan = resolve_plan(guest.plan, prepared.modules)
    make_initramfs(run / "initramfs.cpio", prepared.init, plan, prepared.modules, guest.programs)
    (run / "plan").write_text(plan.text)
    command = MACHINES[machine].command(booting(guest, prepared.kernel.path, run))
    start = beat = time.monotonic()
    problem = ""
    with (run / "machine.log").open("w") as log:
        # A group of its own: User Mode Linux is many processes.
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                              stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                while process.poll() is None:
                    time.sleep(0.1)
                    now = time.monotonic()
                    if interrupted.is_set():
                        raise KeyboardInterrupt
                    if now - start > guest.timeout:
                        problem = f"the guest did not end within {guest.timeout} s"
                        break
                    if not quiet and now - beat > HEARTBEAT:
                        beat = now
                        say(f"  ... {boot_status(run)}")
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
    ended = MACHINES[machine].problem(run, process.returncode, read_text(run / "machine.log"))
    problem = problem or ended
    (run / "initramfs.cpio").unlink()
    record = {"guest": asdict(guest), "kernel": prepared.kernel.release, "machine": machine,
              "command": command, "seconds": round(time.monotonic() - start, 1),
              "problem": problem, "skips": plan.skips}
    (run / "record.json").write_text(json.dumps(record, indent=2) + "\n")


def boot_status(run: Path) -> str:
    """How far a guest is."""
    results = [line.strip() for line in read_text(run / "ktap.log").splitlines()
               if re.match(r" *(not )?ok \d", line)]
    if results:
        return f"{len(results)} results, last: {results[-1][:60]}"
    return f"booting: {last_lines(run / 'console.log', 1)[:60]}"


def last_lines(path: Path, count: int) -> str:
    """The end of a log."""
    return "\n".join(read_text(path).replace("\r", "").rstrip("\n").splitlines()[-count:])


def kvm_works(prepared: Prepared) -> bool:
    """Whether a guest reaches init with KVM; tried once for each host, QEMU and kernel."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    cpu = re.search(r"^model name.*", read_text(Path("/proc/cpuinfo")), re.MULTILINE)
    identity = [platform.release(), platform.version(), cpu[0] if cpu else "",
                output(machines.BOARDS["amd64"].qemu, "--version"), prepared.kernel.release]
    memory = cache_dir() / "kvm" / hashlib.sha256("\n".join(identity).encode()).hexdigest()[:16]
    with locked(cache_dir() / "kvm/.lock", "KVM is being tried"):
        if memory.exists():
            return json.loads(memory.read_text())["works"]
        guest = load_guests()["probe"]
        say(f"trying KVM (at most {guest.timeout} s)")
        run = new_run_dir(guest)
        boot(guest, prepared, run, "kvm", quiet=True)
        works = read_text(run / "ktap.log").startswith("KTAP version")
        say("KVM works" if works
            else "KVM does not get a guest to init here: emulating the CPU instead")
        memory.write_text(json.dumps({"works": works, "identity": identity}, indent=2) + "\n")
    return works


# --- parse -----------------------------------------------------------------


@dataclass
class Outcome:
    """A guest, judged."""
    run: Path
    record: dict
    results: ktap.Results
    log: ktap.Log

    @property
    def failures(self) -> list[str]:
        """All that is wrong, a line each."""
        found = [f"{t.name}{': no result' if t.status is Status.MISSING else ''}"
                 + "".join(f"\n    {note}" for note in t.notes if t.status is Status.FAILED)
                 for t in self.results.tests if t.status in (Status.FAILED, Status.MISSING)]
        if self.record["problem"]:
            found.append(self.record["problem"])
        found += self.results.errors
        if self.log.faults:
            shown_faults = "".join(f"\n    {line}" for line in self.log.faults[:10])
            found.append(f"the kernel's log has {len(self.log.faults)} complaints{shown_faults}")
        return found

    @property
    def skips(self) -> list[str]:
        """What could not be tested, with the reason."""
        return [*self.record["skips"],
                *(f"{t.name}: {t.reason or 'no reason given'}" for t in self.results.tests
                  if t.status is Status.SKIPPED)]

    @property
    def passed(self) -> int:
        """Number of tests that passed."""
        return self.results.count(Status.PASSED)

    @property
    def status(self) -> int:
        """Exit status."""
        if not self.results.tests:
            return 255
        return 1 if self.failures else 0


def judge(run: Path) -> Outcome:
    """Judge what a guest said, and write that down as summary.json."""
    if not (run / "record.json").exists():
        raise Failure(f"{shown(run)} is not the directory of a finished run")
    record = json.loads((run / "record.json").read_text())
    outcome = Outcome(run, record, ktap.parse(read_text(run / "ktap.log"),
                                                read_text(run / "plan").splitlines()),
                      ktap.check_log(read_text(run / "console.log"), record["guest"]["warns"]))
    summary = {**record, "status": outcome.status, "passed": outcome.passed,
               "failures": outcome.failures, "skips": outcome.skips,
               "untested": outcome.log.untested,
               "tests": [asdict(t) for t in outcome.results.tests],
               "drivers": outcome.results.records("driver"),
               "speed": outcome.results.records("speed")}
    (run / "summary.json").write_text(json.dumps(summary, indent=2) + "\n")
    return outcome


# --- report ----------------------------------------------------------------


def table(rows: list[list[str]]) -> str:
    """Rows as aligned columns: the first to the left, numbers to the right."""
    text = [bool(re.search(r"[a-z]", row[i])) for row in rows[1:2] for i in range(len(row))]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  " + "  ".join(cell.ljust(w) if left else cell.rjust(w)
                                      for cell, w, left in zip(row, widths, text)).rstrip()
                     for row in rows)


def cost(record: dict[str, str]) -> float:
    """Time for a byte: in cycles, or in nanoseconds where the guest counted operations."""
    size = int(record["bytes"])
    if "cycles" in record:
        return int(record["cycles"]) / size
    operations = int(record["ops"])
    return 1e9 * int(record["seconds"]) / (operations * size) if operations else float("inf")


def speed_table(records: list[dict[str, str]]) -> str:
    """Cost per byte for the shortest key, and how many times faster later drivers are.

    Of several measurements of the same, the best counts: the others were disturbed. What has no
    key is left out beside ciphers.
    """
    key_bits = min((bits for r in records if (bits := int(r["key_bits"]))), default=0)
    records = [r for r in records if int(r["key_bits"]) == key_bits]
    sizes = sorted({int(r["bytes"]) for r in records})
    figures: dict[tuple[str, str], dict[str, dict[int, float]]] = {}
    for r in records:
        mode = re.split(r"[-(]", r["driver"])[0]
        line = figures.setdefault((mode, r["op"]), {}).setdefault(r["driver"], {})
        size = int(r["bytes"])
        line[size] = min(cost(r), line.get(size, float("inf")))
    unit = "cycles" if "cycles" in records[0] else "ns"
    rows = [[f"{unit}/byte, {key_bits}-bit key", "op", *(f"{s} B" for s in sizes)]]
    for (_, op), drivers in figures.items():
        first: dict[int, float] = {}
        for driver, line in drivers.items():
            rows.append([driver, op, *(f"{line[s]:.1f}" if s in line else "-" for s in sizes)])
            if first:
                rows.append(["  times faster", op, *(f"{first[s] / line[s]:.1f}"
                             if line.get(s) and s in first else "-" for s in sizes)])
            first = first or line
    return table(rows)


def report(outcome: Outcome) -> None:
    """Tell a person about it."""
    results, record = outcome.results, outcome.record
    print(f"Kernel {record['kernel']}, {MACHINES[record['machine']].about}, {record['seconds']} s")
    if drivers := results.records("driver"):
        unique = list({(d["driver"], d["name"], d["priority"], d["selftest"]) for d in drivers})
        order = [d["driver"] for d in drivers]
        unique.sort(key=lambda d: order.index(d[0]))
        print("\nDrivers (/proc/crypto):")
        print(table([["driver", "algorithm", "priority", "self-test"], *map(list, unique)]))
    if speed := results.records("speed"):
        print("\nSpeed (tcrypt):")
        print(speed_table(speed))
        if record["machine"] in ("tcg", "bochs"):
            print("  The CPU is emulated: the figures, and the ratios too, say little about a real")
            print("  one. Vector instructions are what costs most to emulate.")
    if outcome.log.untested:
        print("\nThe kernel has no self-test (neither passed nor failed) for:")
        for name in outcome.log.untested:
            print(f"  {name}")
    if outcome.skips:
        print("\nSkipped:")
        for skip in outcome.skips:
            print(f"  {skip}")
    if outcome.failures:
        print("\nFailed:")
        for failure in outcome.failures:
            print(f"  {failure}")
        print("\nEnd of the console log:")
        for line in last_lines(outcome.run / "console.log", 25).splitlines():
            print(f"  | {line}")
    print(f"\nConsole log: {shown(outcome.run / 'console.log')}")
    print(f"Summary:     {shown(outcome.run / 'summary.json')}")
    print(f"{outcome.passed} passed, {len(outcome.failures)} failed, {len(outcome.skips)} skipped")


# --- commands --------------------------------------------------------------


def choose_machine(guest: Guest, accel: str, prepared: Prepared) -> str:
    """The machine of a guest; for QEMU, with the accelerator that is asked for or works."""
    if guest.machine != "qemu":
        return guest.machine
    if accel == "auto":
        return "kvm" if guest.arch == "amd64" and kvm_works(prepared) else "tcg"
    return accel


def boot_guest(guest: Guest, accel: str = "auto") -> Path:
    """Prepare and boot a guest; directory of what it said."""
    prepared = prepare(guest)
    machine = choose_machine(guest, accel, prepared)
    run = new_run_dir(guest)
    say(f"booting {prepared.kernel.release}, {MACHINES[machine].about}: {guest.about}")
    say(f"console log: {shown(run / 'console.log')}")
    boot(guest, prepared, run, machine)
    return run


def run_guest(guest: Guest, accel: str = "auto") -> Outcome:
    """Prepare, boot and judge a guest."""
    return judge(boot_guest(guest, accel))


def dry_run(guest: Guest, accel: str) -> None:
    """Print what would be done, as far as that is known without doing it."""
    stock = (release := named_release()) and ARCHES[guest.arch].sibling(release)
    kernel = cache_dir() / "kernel" / ((stock or f"current-{guest.arch}")
                                       if guest.kernel == "stock" else guest.kernel)
    machine = guest.machine if guest.machine != "qemu" else "kvm" if accel == "kvm" else "tcg"
    print(f"# {guest.name}: {guest.about}")
    print(f"# on: {MACHINES[machine].about}")
    print("# its plan, before modules that others depend on are added:")
    print("".join(f"#   {line}\n" for line in guest.plan.strip().splitlines()), end="")
    if machine != "bochs":  # whose command comes with files
        boot_ = booting(guest, kernel, cache_dir() / "logs" / guest.name)
        print(shlex.join(MACHINES[machine].command(boot_)))


def main() -> int:
    """Command line."""
    guests = load_guests()
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("guest", nargs="?", choices=sorted(guests), default="run",
                        help="default: run")
    common.add_argument("--dry-run", action="store_true", help="only print what would be done")
    common.add_argument("--accel", choices=["auto", "kvm", "tcg"], default="auto",
                        help="auto: KVM if a guest reaches init with it (default)")
    common.add_argument("--timeout", type=int, metavar="SECONDS", help="instead of the guest's own")
    for name, text in (("prepare", "make what a guest boots"), ("boot", "boot a guest"),
                       ("run", "prepare, boot, and judge a guest")):
        commands.add_parser(name, help=text, parents=[common])
    parse = commands.add_parser("parse", help="judge what a guest said")
    parse.add_argument("directory", type=Path, help="as printed by boot")
    args = parser.parse_args()

    if args.command == "parse":
        outcome = judge(args.directory)
        report(outcome)
        return outcome.status
    guest = guests[args.guest]
    if args.timeout:
        guest = replace(guest, timeout=args.timeout)
    if args.dry_run:
        dry_run(guest, args.accel)
        return 0
    if args.command == "prepare":
        print(shown(prepare(guest).kernel.path))
        return 0
    if args.command == "boot":
        print(boot_guest(guest, args.accel))
        return 0
    outcome = run_guest(guest, args.accel)
    sys.stderr.flush()
    report(outcome)
    return outcome.status


if __name__ == "__main__":
    command_line(main)
