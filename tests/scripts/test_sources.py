# SPDX-License-Identifier: GPL-2.0
"""Rules that hold for every source file."""

import re
import subprocess
import unittest

from support import SRC

# Files that cannot have a licence line, or are the licence.
NO_SPDX = re.compile(r"COPYING|.*Cargo\.lock|.*\.(console|ktap)"
                     r"|debian/(changelog|copyright|source/format|.*\.dkms)")


def project_files() -> list[str]:
    """The project's files, relative to its root."""
    git = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=SRC, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if git.returncode:
        raise unittest.SkipTest(f"only git knows the project's files: {git.stderr.strip()}")
    return [f for f in git.stdout.splitlines() if (SRC / f).exists()]


class Sources(unittest.TestCase):
    """Reads the files as text, or has tools read them."""

    @classmethod
    def setUpClass(cls):
        cls.files = project_files()

    def command(self, *command: str) -> None:
        """Run a tool that says on its output what it does not like."""
        result = subprocess.run(command, cwd=SRC, text=True, check=False, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_licence_in_the_first_lines(self):
        for file in self.files:
            if not NO_SPDX.fullmatch(file):
                lines = (SRC / file).read_text().splitlines()[:2]
                with self.subTest(file):
                    self.assertIn("SPDX-License-Identifier: GPL-2.0", " ".join(lines))

    def test_no_unsafe_in_modules(self):
        files = [f for f in self.files if f.startswith("rust/modules/") and f.endswith(".rs")]
        self.assertTrue(files)
        for file in files:
            with self.subTest(file):
                self.assertNotRegex((SRC / file).read_text(), r"\bunsafe\b")

    def test_kernel_versions_are_in_one_place(self):
        """What Linux 7.2 has not, or has in another way, is named in compat.rs only."""
        newer = re.compile(r"LINUX_VERSION_CODE|KERNEL_VERSION\(|\bbindings::LINUX_"
                           r"|(?<!-)\bEBADMSG\b|(?<!\()module_parameters::\w+\.value\(\)"
                           r"|^ +\w+: bool \{$", re.MULTILINE)
        files = [f for f in self.files if re.fullmatch(
            r"(rust/(bindings|crypto|modules)|samples|tests/kernel)/[^.]*\.(rs|[chS])", f)]
        self.assertIn("rust/crypto/compat.rs", files)
        for file in files:
            code = re.sub(r"//.*", "", (SRC / file).read_text())
            with self.subTest(file):
                if file == "rust/crypto/compat.rs":
                    self.assertRegex(code, newer)
                else:
                    self.assertNotRegex(code, newer)

    def test_rustfmt(self):
        roots = [f for f in self.files if re.fullmatch(
            r"(rust/(modules|ciphers)|samples|tests/(arm64|kernel))/\w+\.rs"
            r"|(tests/guest|rust/bench)/src/main\.rs|rust/ciphers/(examples/.*|tests)/\w+\.rs", f)]
        self.command("rustfmt", "--check", "--edition=2021", *roots)

    def test_shellcheck(self):
        scripts = [f for f in self.files if re.fullmatch(
            r".*\.sh|\.ci/run|dkms\.conf|scripts/dkms-initramfs"
            r"|debian/.*\.(initramfs-hook|postinst|prerm)", f)]
        self.command("shellcheck", *scripts)

    def test_configuration(self):
        """Symbols are used, those in use are there, and people are told what to answer."""
        text = (SRC / "Kconfig").read_text()
        symbols = dict(re.findall(r"^config (RFL_\w+)\n((?:\t.*\n|\n(?=\t))*)", text, re.MULTILINE))
        uses = {}
        for file in self.files:
            if file.endswith((".rs", ".S", ".c", ".h")) or file in ("Kbuild", "Kconfig"):
                found = (SRC / file).read_text()
                if file == "Kconfig":
                    found = " ".join(f"CONFIG_{name}" for line in found.splitlines()
                                     if re.match(r"\t(depends|select|def_bool)", line)
                                     for name in re.findall(r"RFL_\w+", line))
                for name in re.findall(r"CONFIG_(RFL_(?!OUT_OF_TREE)[A-Z0-9_]+)", found):
                    uses.setdefault(name, file)
        for name, file in uses.items():
            with self.subTest(name, file=file):
                self.assertIn(name, symbols)
        for name, body in symbols.items():
            with self.subTest(name):
                self.assertIn(name, uses)
                if re.search(r"^\t(bool|tristate) ", body, re.MULTILINE):
                    self.assertRegex(body, r"(?s)\thelp\n\t  .*\n.*\b[Ss]ay [YMN]\b")
                    self.assertRegex(body, r"\tdefault [ymn]\n")


if __name__ == "__main__":
    unittest.main()
