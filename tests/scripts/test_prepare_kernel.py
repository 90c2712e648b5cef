# SPDX-License-Identifier: GPL-2.0
"""Checks that packages, compilers and configuration belong together."""

import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support
import kerneltree

prepare = support.script("prepare-kernel")

CONFIG = {
    "CONFIG_RUST": "y",
    "CONFIG_CC_VERSION_TEXT": '"x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0"',
    "CONFIG_RUSTC_VERSION_TEXT": '"rustc 1.85.1 (4eb161250 2025-03-15) (built from a source tarball)"',
    "CONFIG_BINDGEN_VERSION_TEXT": '"bindgen 0.71.1"',
}


def versions(**other):
    """A stand-in for output() where the tools have the versions of CONFIG, or others."""
    def output(command, *_):
        key = {"rustc": "RUSTC", "bindgen": "BINDGEN"}.get(command, "CC")
        return other.get(key, CONFIG[f"CONFIG_{key}_VERSION_TEXT"].strip('"')) + "\nmore\n"
    return mock.patch.object(kerneltree, "output", output)


class Compilers(unittest.TestCase):
    def test_the_same(self):
        with versions():
            self.assertEqual(kerneltree.check_compilers(CONFIG), "x86_64-linux-gnu-gcc-14")

    def test_others_are_named(self):
        for key, name, found in (("RUSTC", "rustc", "rustc 1.90.0 (1159e78c4 2025-09-14)"),
                                 ("BINDGEN", "bindgen", "bindgen 0.72.0"),
                                 ("CC", "x86_64-linux-gnu-gcc-14", "gcc-14 (Debian 14.3.0-1) 14.3.0")):
            with versions(**{key: found}), self.assertRaises(prepare.Failure) as caught:
                kerneltree.check_compilers(CONFIG)
            expected = CONFIG[f"CONFIG_{key}_VERSION_TEXT"].strip('"')
            self.assertIn(f"{name}: expected '{expected}', found '{found}'", str(caught.exception))

    def test_kernel_without_rust(self):
        for config in ({**CONFIG, "CONFIG_RUST": "n"}, {}):
            with versions(), self.assertRaisesRegex(prepare.Failure, "expected CONFIG_RUST=y, found"):
                kerneltree.check_compilers(config)


class Config(unittest.TestCase):
    def test_read(self):
        with tempfile.NamedTemporaryFile("w+") as file:
            file.write("# Linux/x86 7.3 Kernel Configuration\nCONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=\"x=y\"\n")
            file.flush()
            self.assertEqual(kerneltree.read_config(Path(file.name)),
                             {"CONFIG_A": "y", "CONFIG_B": "n", "CONFIG_C": '"x=y"'})

    def test_compare(self):
        self.assertEqual(kerneltree.compare_configs({"A": "y"}, {"A": "y"}), [])
        self.assertEqual(kerneltree.compare_configs({"A": "y", "B": "1"}, {"A": "n", "C": "m"}),
                         ["A: expected y, found n", "B: expected 1, found no such symbol",
                          "C: expected no such symbol, found m"])


def package(name, version, *depends):
    return prepare.Package(name, version, depends, 1)


class FakeArchive(prepare.Archive):
    """An archive of given packages."""

    def __init__(self, *packages):  # pylint: disable=super-init-not-called
        self.packages = packages

    def versions(self, name):
        return tuple(p for p in self.packages if p.name == name)

    def names(self, prefix):
        return [p.name for p in self.packages if p.name.startswith(prefix)]


class Packages(unittest.TestCase):
    RELEASE = "7.3.4+deb13-amd64"
    VERSION = "7.3.4-1~bpo13+1"
    ARCH = prepare.ARCHES["amd64"]

    def archive(self, source_version=VERSION):
        return FakeArchive(
            package("linux-headers-amd64", "6.12.1-1", "linux-headers-6.12.1+deb13-amd64"),
            package("linux-headers-amd64", self.VERSION, "linux-base-amd64", f"linux-headers-{self.RELEASE}"),
            package(f"linux-headers-{self.RELEASE}", self.VERSION),
            package("linux-source", source_version, "linux-source-7.3"),
            package("linux-source-7.3", source_version),
            package(f"linux-image-{self.RELEASE}", self.VERSION, "linux-initramfs-tool",
                    f"linux-binary-{self.RELEASE}", f"linux-modules-{self.RELEASE}"),
            package(f"linux-binary-{self.RELEASE}", self.VERSION),
            package(f"linux-modules-{self.RELEASE}", self.VERSION))

    def test_newest(self):
        self.assertEqual(prepare.newest_release(self.archive(), self.ARCH), self.RELEASE)

    def test_sibling(self):
        for release in (self.RELEASE, "7.3.4+deb13-arm64"):
            self.assertEqual(self.ARCH.sibling(release), self.RELEASE)
        self.assertEqual(prepare.ARCHES["arm64"].sibling("7.3.4+deb13-cloud-amd64"),
                         "7.3.4+deb13-cloud-arm64")
        self.assertEqual(self.ARCH.sibling("7.3.4-custom"), "7.3.4-custom")

    def test_parts(self):
        found = prepare.kernel_packages(self.archive(), self.ARCH, self.RELEASE)
        self.assertEqual(found.source.name, "linux-source-7.3")
        self.assertEqual([p.name for p in found.image],
                         [f"linux-binary-{self.RELEASE}", f"linux-modules-{self.RELEASE}"])

    def test_source_of_another_version(self):
        with self.assertRaisesRegex(prepare.Failure,
                                    r"expected version 7\.3\.4-1~bpo13\+1, found 7\.3\.2-1~bpo13\+1"):
            prepare.kernel_packages(self.archive("7.3.2-1~bpo13+1"), self.ARCH, self.RELEASE)

    def test_no_such_release(self):
        with self.assertRaisesRegex(prepare.Failure, r"no headers of kernel 9\.9.*it has: 7\.3\.4\+deb13-amd64$"):
            prepare.kernel_packages(self.archive(), self.ARCH, "9.9-amd64")

    def test_order_of_versions(self):
        ordered = ["6.12.117-1", "7.2.12-1~bpo13+1", "7.3.4-1~bpo13+1", "7.3.4-1", "7.10.1-1"]
        for a, b in zip(ordered, ordered[1:]):
            self.assertLess(prepare.compare_versions(a, b), 0)
            self.assertGreater(prepare.compare_versions(b, a), 0)
        self.assertEqual(prepare.compare_versions("1.0", "1.0"), 0)


class Name(unittest.TestCase):
    def test_suite_is_no_release(self):
        for name, expected in (("forky", None), ("", None), ("7.2.12+deb14-amd64",) * 2):
            with mock.patch.dict(prepare.os.environ, KERNEL=name):
                self.assertEqual(prepare.named_release(), expected)


class Complete(unittest.TestCase):
    def test_record_decides(self):
        with tempfile.TemporaryDirectory() as scratch:
            directory = Path(scratch)
            record = directory / "kernel.json"
            self.assertEqual(prepare.read_record(directory), {})
            good = {"format": prepare.FORMAT, "path": scratch}
            for text, expected in ((json.dumps(good), True), ("", False), ("{", False),
                                   (json.dumps({**good, "path": "/elsewhere"}), False),
                                   (json.dumps({**good, "format": 0}), False)):
                record.write_text(text)
                self.assertEqual(bool(prepare.read_record(directory)), expected, text)


if __name__ == "__main__":
    unittest.main()
