# SPDX-License-Identifier: GPL-2.0
"""Checks what DKMS, the Debian package and the Makefile say of the same things."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import SRC


def dkms(arch="x86_64"):
    """What dkms reads from dkms.conf: name -> values."""
    script = ('. ./dkms.conf; for v in PACKAGE_NAME PACKAGE_VERSION PRE_BUILD POST_INSTALL '
              'BUILT_MODULE_NAME BUILT_MODULE_LOCATION DEST_MODULE_LOCATION '
              'BUILD_EXCLUSIVE_CONFIG; do '
              'eval "echo $v=\\${$v[*]}"; done')
    out = subprocess.run(["bash", "-euc", script], cwd=SRC, check=True, text=True,
                         stdout=subprocess.PIPE,
                         env={**os.environ, "kernelver": "7.3.4", "arch": arch,
                              "kernel_source_dir": "/kernel", "dkms_tree": "/dkms"}).stdout
    return {name: value.split() for name, _, value in
            (line.partition("=") for line in out.splitlines())}


class Dkms(unittest.TestCase):
    def test_modules(self):
        conf = dkms()
        # Those of the Kconfig symbols that "make defconfig" sets on this architecture.
        symbols = re.findall(r"^config (RFL_CRYPTO_\w+)\n\ttristate .*\n((?:\t.*\n)*)",
                             (SRC / "Kconfig").read_text(), re.MULTILINE)
        built = {name for name, body in symbols
                 if "default m" in body and "depends on ARM64" not in body}
        expected = re.findall(rf"^obj-\$\((?:CONFIG_(?:{'|'.join(built)}))\) \+= (\w+)\.o$",
                              (SRC / "Kbuild").read_text(), re.MULTILINE)
        self.assertTrue(expected)
        self.assertEqual(sorted(conf["BUILT_MODULE_NAME"]), sorted(expected))
        for place in ("BUILT_MODULE_LOCATION", "DEST_MODULE_LOCATION"):
            self.assertEqual(len(conf[place]), len(expected))

    def test_without_rust_it_is_left_out(self):
        self.assertIn("CONFIG_RUST", dkms()["BUILD_EXCLUSIVE_CONFIG"])

    def test_scripts_are_there(self):
        """And in the Debian package, which does not hold all of scripts/."""
        installed = (SRC / "debian/rfl-crypto-dkms.install").read_text()
        for hook in ("PRE_BUILD", "POST_INSTALL"):
            script = dkms()[hook][0]
            self.assertTrue(os.access(SRC / script, os.X_OK))
            self.assertRegex(installed, rf"(?m)^{script} ")


class Version(unittest.TestCase):
    def test_the_same_everywhere(self):
        version = dkms()["PACKAGE_VERSION"][0]
        for file, pattern in (("CHANGELOG.rst", r"^(\d\S*) \("),
                              ("debian/changelog", r"^rfl-crypto \((.*?)\)"),
                              ("rust/Cargo.toml", r'^version = "(.*)"')):
            found = re.search(pattern, (SRC / file).read_text(), re.MULTILINE)
            self.assertIsNotNone(found, file)
            self.assertEqual(found[1], version, file)


class Modprobe(unittest.TestCase):
    def test_parameters_are_there(self):
        """Every option and every module that the modprobe.d file tells of exists."""
        text = (SRC / "modprobe.d/rfl-crypto.conf").read_text()
        options = re.findall(r"^#options (\w+) (\w+)=", text, re.MULTILINE)
        self.assertTrue(options)
        modules = dkms()["BUILT_MODULE_NAME"]
        for module, parameter in options:
            self.assertIn(module, modules)
            source = SRC / f"rust/modules/{module.removesuffix('_rust')}.rs"
            self.assertRegex(source.read_text(), rf"\b{parameter}: [iu]32 {{")
        for module in re.findall(r"^#blacklist (\w+)", text, re.MULTILINE):
            self.assertIn(module, modules)

    def test_does_nothing_by_itself(self):
        text = (SRC / "modprobe.d/rfl-crypto.conf").read_text()
        self.assertEqual([line for line in text.splitlines() if line and line[0] != "#"], [])


class Uninstall(unittest.TestCase):
    @unittest.skipUnless(shutil.which("depmod"), "needs depmod")
    def test_leaves_what_is_not_ours(self):
        with tempfile.TemporaryDirectory() as scratch:
            root, kdir = Path(scratch) / "root", Path(scratch) / "kernel"
            for path, text in (("include/config/kernel.release", "7.3.4-test\n"), ("Makefile", ""),
                               ("rust/libkernel.rmeta", "")):
                (kdir / path).parent.mkdir(parents=True, exist_ok=True)
                (kdir / path).write_text(text)
            modules = root / "lib/modules/7.3.4-test"
            ours = [modules / f"updates/{name}.ko{end}" for name in dkms()["BUILT_MODULE_NAME"]
                    for end in ("", ".xz")]
            ours.append(root / "lib/modprobe.d/rfl-crypto.conf")
            others = [modules / "updates/other.ko.xz", root / "lib/modprobe.d/other.conf"]
            for path in (*ours, *others):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            subprocess.run(["make", "-s", "uninstall", f"KDIR={kdir}", f"INSTALL_MOD_PATH={root}",
                            f"RFL_CACHE={scratch}"], cwd=SRC, check=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual([p for p in ours if p.exists()], [])
            self.assertEqual([p for p in others if not p.exists()], [])


if __name__ == "__main__":
    unittest.main()
