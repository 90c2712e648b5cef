# SPDX-License-Identifier: GPL-2.0
"""Configures with the kconfig of the stock kernel, and builds what that comes to."""

import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SRC / "scripts"))
import guest  # pylint: disable=wrong-import-position

KERNEL = guest.prepare_kernel("stock", "amd64")
KDIR = KERNEL.path / "build"
PATIENCE = 60.0  # seconds, for a program to draw or to end
# Nothing that kconfig warns of is right.
STRICT = {"KCONFIG_WERROR": "1", "KCONFIG_WARN_UNKNOWN_SYMBOLS": "1"}
TIERS = re.findall(r"^config (RFL_CRYPTO_\w+)\n\tbool ", (SRC / "Kconfig").read_text(), re.MULTILINE)
MODULES = re.findall(r"^config (RFL_CRYPTO_\w+)\n\ttristate ", (SRC / "Kconfig").read_text(),
                     re.MULTILINE)


def read(path: Path) -> dict[str, str]:
    """Our symbols in a configuration; those that are not set are "n"."""
    text = path.read_text()
    unset = dict.fromkeys(re.findall(r"^# CONFIG_(RFL_CRYPTO_\w+) is not set$", text, re.MULTILINE),
                          "n")
    return unset | dict(re.findall(r"^CONFIG_(RFL_CRYPTO_\w+)=(.*)$", text, re.MULTILINE))


class Configured(unittest.TestCase):
    """Has an output directory of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.out = Path(scratch.name)

    def command(self, *words: str) -> list[str]:
        """make with these words."""
        return ["make", "-C", str(SRC), f"-j{len(os.sched_getaffinity(0))}", f"KDIR={KDIR}",
                f"MO={self.out}", *words]

    def make(self, *words: str, answers: str = "") -> str:
        """Run make, and return what it said."""
        result = subprocess.run(self.command(*words), input=answers, check=False, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env={**os.environ, **STRICT})
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertNotRegex(result.stdout, r"(?i)\bwarning:")
        return result.stdout

    def config(self) -> dict[str, str]:
        """What is configured."""
        return read(self.out / ".config")

    def set(self, **symbols: str) -> dict[str, str]:
        """Answer some questions, and take the default answers for the others."""
        lines = (f"# CONFIG_{name} is not set\n" if value == "n" else f"CONFIG_{name}={value}\n"
                 for name, value in symbols.items())
        (self.out / ".config").write_text("".join(lines))
        self.make("olddefconfig")
        return self.config()


class Targets(Configured):
    """What make can be asked for."""

    def test_defaults(self):
        self.make("defconfig")
        config = self.config()
        self.assertEqual({config[name] for name in TIERS if name in config}, {"y"})
        for name in MODULES:
            learning = name.startswith(("RFL_CRYPTO_SAMPLE", "RFL_CRYPTO_TEST"))
            with self.subTest(name):
                self.assertEqual(config.get(name, "m"), "n" if learning else "m")

    def test_nothing(self):
        self.make("allnoconfig")
        config = self.config()
        self.assertEqual({config.get(name, "n") for name in MODULES + TIERS}, {"n"})
        self.make("modules")
        self.assertEqual(list(self.out.rglob("*.ko")), [])

    def test_everything_is_a_module(self):
        for value in "m", "y":
            config = self.set(**dict.fromkeys(MODULES, value))
            self.assertEqual({config.get(name, "m") for name in MODULES}, {"m"})
        modules = config
        self.make("allmodconfig")
        self.assertEqual(self.config(), modules)

    def test_questions(self):
        """oldconfig asks for what is new, and only for that."""
        self.make("allmodconfig")
        path = self.out / ".config"
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if "RFL_CRYPTO_CRCT10DIF=" not in line))
        said = self.make("oldconfig", answers="n\n")
        self.assertIn("(RFL_CRYPTO_CRCT10DIF) [M/n/?] (NEW)", said)
        self.assertNotIn("(RFL_CRYPTO_ARIA)", said.replace("[M/n/?] m", "").partition("(NEW)")[2])
        self.assertEqual(self.config()["RFL_CRYPTO_CRCT10DIF"], "n")

    def test_minimal(self):
        """savedefconfig writes what is not by default, which gives the same again."""
        config = self.set(RFL_CRYPTO_ARIA_AESNI_AVX="n", RFL_CRYPTO_SAMPLE_XOR="m")
        self.make("savedefconfig")
        saved = self.out / "defconfig"
        self.assertEqual(read(saved), {"RFL_CRYPTO_ARIA_AESNI_AVX": "n",
                                       "RFL_CRYPTO_SAMPLE_XOR": "m"})
        saved.rename(self.out / ".config")
        self.make("olddefconfig")
        self.assertEqual(self.config(), config)

    def test_each_tier_alone(self):
        """A tier can be left out; with it go only those that are made of it."""
        self.make("defconfig")
        all_on = self.config()
        for tier in set(TIERS) & set(all_on):
            with self.subTest(tier):
                config = self.set(**{tier: "n"})
                self.assertEqual(config[tier], "n")
                gone = {name for name in all_on if config.get(name, "n") != all_on[name]}
                family = tier.split("_")[2]
                self.assertEqual({name for name in gone if family not in name}, set())
                self.assertEqual([name for name in gone if name in MODULES], [])


class Assembler(Configured):
    """Tiers that the assembler does not know are left out, and it is said why."""

    COMPILER = """#!/bin/sh
case "$*" in
*assembler-with-cpp*-o\\ /dev/null*) if grep -qE '{unknown}'; then exit 1; fi ;;
esac
exit 0
"""

    def with_unknown(self, unknown: str) -> dict[str, str]:
        """The default configuration with an assembler that lacks some instructions."""
        compiler = self.out / "cc"
        compiler.write_text(self.COMPILER.format(unknown=unknown))
        compiler.chmod(0o755)
        self.make("defconfig", f"CC={compiler}")
        return self.config()

    def test_each(self):
        everything = self.with_unknown("none of them")
        self.assertNotIn("n", {everything[name] for name in TIERS})
        for unknown, lost, kept in (
                ("zmm", ".*AVX512.*|.*GFNI.*|.*AESNI.*|RFL_CRYPTO_AES_X86",
                 "RFL_CRYPTO_CRCT10DIF_PCLMUL|RFL_CRYPTO_CAMELLIA_ASM"),
                ("vgf2p8", ".*_GFNI_.*", ".*_AESNI_.*|RFL_CRYPTO_AES_X86"),
                ("vaes", "RFL_CRYPTO_AES_X86|.*_AESNI_AVX2",
                 ".*_GFNI_.*|.*_AESNI_AVX"),
                ("vpclmul", ".*_GFNI_.*|.*PCLMUL|RFL_CRYPTO_AES_X86", "RFL_CRYPTO_CAMELLIA_ASM")):
            config = self.with_unknown(unknown)
            names = [name for name in TIERS + ["RFL_CRYPTO_AES_X86"] if name in everything]
            with self.subTest(unknown):
                self.assertEqual([name for name in names if re.fullmatch(lost, name)
                                  and config.get(name, "n") != "n"], [])
                found = [name for name in names if re.fullmatch(kept, name)]
                self.assertTrue(found)
                self.assertEqual([name for name in found if config.get(name, "n") == "n"], [])
                self.assertRegex((self.out / ".config").read_text(),
                                 r"# The assembler does not know ")

    def test_no_compiler(self):
        result = subprocess.run(self.command("defconfig", "CC=no-such-compiler"), check=False,
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("C compiler 'no-such-compiler' not found", result.stdout)


class Menus(Configured):
    """The programs with menus, on a terminal."""

    # What moves the cursor and sets colours, those of hot keys for example.
    ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])|\x0f")

    def use(self, target: str, draws: list[str], *keys: bytes) -> None:
        """Start one; after it has drawn what some patterns match, press a key each. It has to end then."""
        master, terminal = pty.openpty()
        self.addCleanup(os.close, master)
        with subprocess.Popen(self.command(target), stdin=terminal, stdout=terminal,
                              stderr=terminal, start_new_session=True,
                              env={**os.environ, "TERM": "xterm", "LINES": "40", "COLUMNS": "110",
                                   "ESCDELAY": "25"}) as process:
            os.close(terminal)
            seen = ""
            try:
                for pattern, key in zip(draws, keys, strict=True):
                    seen = self.wait_for(master, pattern)
                    os.write(master, key)
                self.drain(master)
                self.assertEqual(process.wait(PATIENCE), 0, seen)
            finally:
                process.kill()

    def wait_for(self, master: int, pattern: str) -> str:
        """Read until a pattern matches what is drawn; all that was until then."""
        drawn, deadline = b"", time.monotonic() + PATIENCE
        while not re.search(pattern, seen := self.ESCAPES.sub("", drawn.decode(errors="replace")),
                            re.DOTALL):
            ready, _, _ = select.select([master], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                self.fail(f"{pattern} was not drawn, but ...{seen[-1000:]}")
            try:
                drawn += os.read(master, 65536)
            except OSError:  # the other end is closed
                self.fail(f"it ended before {pattern} was drawn: {seen[-1000:]}")
        return seen

    def drain(self, master: int) -> None:
        """Read until the other end is closed, so that it need not wait for that."""
        while select.select([master], [], [], PATIENCE)[0]:
            try:
                os.read(master, 65536)
            except OSError:
                return

    def test_menuconfig(self):
        # The buttons come last.
        escape, buttons = b"\x1b\x1b", ".*< Load >"
        self.use("menuconfig", [f"rfl-crypto.*Rust implementations{buttons}",
                                rf"<M> ARIA \(KS X 1213, RFC 5794\){buttons}", buttons,
                                "Do you wish to save.*<  No  >"],
                 b"\r", escape, escape, b"\r")
        self.assertEqual(self.config()["RFL_CRYPTO_ARIA"], "m")

    def test_nconfig(self):
        # As does the last of the keys here.
        f9, keys = b"\x1b[20~", ".*F9Exit"
        self.use("nconfig", [f"rfl-crypto.*Rust implementations{keys}",
                             rf"<M> ARIA \(KS X 1213, RFC 5794\){keys}", "Do you wish to save.*<save>",
                             "configuration written.*<OK>"],
                 b"\r", f9, b"\r", b"\r")
        self.assertEqual(self.config()["RFL_CRYPTO_ARIA"], "m")


class Builds(Configured):
    """What is configured can be built."""

    def test_scalar_code_only(self):
        self.set(**dict.fromkeys(TIERS, "n"), RFL_CRYPTO_AES_X86="n")
        self.make("modules")
        self.assertEqual(sorted(path.name for path in self.out.glob("*.ko")),
                         ["aria_rust.ko", "camellia_rust.ko", "crct10dif_rust.ko"])


class InTree(Configured):
    """A kernel tree can source the menu."""

    def test_sourced(self):
        (self.out / "Kconfig").write_text((KDIR / "Kconfig").read_text()
                                          + f'\nsource "{SRC}/Kconfig"\n')
        config = self.out / ".config"
        config.write_text((KDIR / ".config").read_text())
        result = subprocess.run(
            ["make", "-C", KDIR, f"KBUILD_KCONFIG={self.out}/Kconfig", f"KCONFIG_CONFIG={config}",
             f"CC={KERNEL.cc}", "olddefconfig"],
            check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "KCONFIG_WERROR": "1"})
        self.assertEqual(result.returncode, 0, result.stdout)
        found = read(config)
        self.make("defconfig")
        self.assertEqual(found, self.config())


if __name__ == "__main__":
    unittest.main()
