# SPDX-License-Identifier: GPL-2.0
"""Installs and removes Rust metadata in headers made up here."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support
import kerneltree

metadata = support.script("rust-metadata")

RELEASE = "7.3.4+deb13-amd64"
VERSION = "7.3.4-1~bpo13+1"
RUSTC = "rustc 1.85.1 (4eb161250 2025-03-15)"
CONFIG = f"""CONFIG_RUST=y
CONFIG_CC_VERSION_TEXT="x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0"
CONFIG_RUSTC_VERSION_TEXT="{RUSTC}"
CONFIG_BINDGEN_VERSION_TEXT="bindgen 0.71.1"
"""


class Metadata(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        self.versions = {f"linux-headers-{RELEASE}": VERSION}
        for patch in (mock.patch.object(metadata, "MODULES", self.root / "modules"),
                      mock.patch.object(metadata, "SOURCES", self.root / "src"),
                      mock.patch.object(metadata, "LOGS", self.root / "logs"),
                      mock.patch.object(metadata, "say"),
                      mock.patch.object(metadata, "check_compilers", return_value="gcc-14"),
                      mock.patch.object(metadata.shutil, "which", return_value="/usr/bin/tool"),
                      mock.patch.object(metadata, "package_version",
                                        lambda name: self.versions.get(name, ""))):
            patch.start()
            self.addCleanup(patch.stop)
        # scripts/ is a link to what flavours share, as in Debian's packages.
        (self.root / "kbuild").mkdir()
        self.headers = self.make_headers(RELEASE)

    def make_headers(self, release):
        build = self.root / "src" / f"linux-headers-{release}"
        build.mkdir(parents=True)
        (build / "scripts").symlink_to(self.root / "kbuild")
        (build / ".config").write_text(CONFIG)
        (self.root / "modules" / release).mkdir(parents=True)
        (self.root / "modules" / release / "build").symlink_to(build)
        return metadata.find_headers(release)

    def make_tree(self, rustc=RUSTC):
        tree = Path(tempfile.mkdtemp(dir=self.root))
        (tree / "rust").mkdir()
        (tree / "scripts").mkdir()
        for name in (*kerneltree.METADATA, "rust/libuapi.rmeta", "scripts/target.json"):
            (tree / name).write_bytes(b"rust\0\0\0\x09" + rustc.encode() + name.encode())
        (tree / "rust/kernel.o").write_text("not metadata")
        return tree

    def files(self):
        return sorted(str(p.relative_to(self.root)) for p in self.root.rglob("*")
                      if not p.is_dir() and "tmp" not in p.parts[len(self.root.parts)])

    def test_leaves_nothing_behind(self):
        before = self.files()
        metadata.put(self.headers, self.make_tree())
        self.assertEqual(self.headers.trouble(), "")
        names = {p.name for p in (self.headers.build / "rust").iterdir()}
        self.assertIn("libuapi.rmeta", names)
        self.assertNotIn("kernel.o", names)
        self.assertTrue((self.root / "kbuild/target.json").exists())
        metadata.uninstall(self.headers)
        self.assertEqual(self.files(), before)

    def test_shared_files_stay_with_the_last(self):
        other = self.make_headers("7.3.4+deb13-cloud-amd64")
        self.versions[other.package] = VERSION
        for headers in (self.headers, other):
            metadata.put(headers, self.make_tree())
        metadata.uninstall(self.headers)
        self.assertEqual(other.trouble(), "")
        metadata.uninstall(other)
        self.assertFalse((self.root / "kbuild/target.json").exists())

    def test_prune(self):
        """What headers that are gone have left goes; what others need stays."""
        other = self.make_headers("7.3.5+deb13-amd64")
        self.versions[other.package] = VERSION
        for headers in (self.headers, other):
            metadata.put(headers, self.make_tree())
        for headers in (self.headers, other):
            self.assertEqual(headers.trouble(), "")
            (headers.build / "scripts").unlink()
            (headers.build / ".config").unlink()
            metadata.prune()
            self.assertFalse(headers.build.exists())
        self.assertFalse((self.root / "kbuild").exists())

    def test_none(self):
        self.assertIn("has no Rust metadata", self.headers.trouble())
        with self.assertRaisesRegex(metadata.Failure, "no Rust metadata of this command's making"):
            metadata.uninstall(self.headers)

    def test_half_present(self):
        metadata.put(self.headers, self.make_tree())
        (self.headers.build / "rust/libcore.rmeta").unlink()
        self.assertRegex(self.headers.trouble(), "a part of .* without rust/libcore.rmeta")
        # Ours are made anew, others' are not touched.
        (self.headers.build / metadata.RECORD).unlink()
        with self.assertRaisesRegex(metadata.Failure, "not of this command's making"):
            metadata.install(self.headers, offline=True)

    def test_changed(self):
        metadata.put(self.headers, self.make_tree())
        (self.headers.build / "rust/libmacros.so").write_text("other")
        self.assertRegex(self.headers.trouble(), "not as installed: rust/libmacros.so")

    def test_another_compiler(self):
        other = "rustc 1.90.0 (1159e78c4 2025-09-14)"
        metadata.put(self.headers, self.make_tree(other))
        self.assertIn(f"expected '{RUSTC}', found '{other}'", self.headers.trouble())

    def test_another_version_of_the_headers(self):
        metadata.put(self.headers, self.make_tree())
        self.versions[self.headers.package] = "7.3.4-2"
        self.assertIn(f"expected '7.3.4-2', found '{VERSION}'", self.headers.trouble())

    def test_source_of_another_version(self):
        self.versions["linux-source-7.3"] = "7.3.2-1"
        with self.assertRaisesRegex(metadata.Failure, r"linux-source-7\.3: expected version "
                                    r"7\.3\.4-1~bpo13\+1, found 7\.3\.2-1 installed"):
            metadata.install(self.headers, offline=True)

    def test_installed_source_is_used(self):
        self.versions["linux-source-7.3"] = VERSION
        tree = self.make_tree()
        with (mock.patch.object(metadata, "unpack_source") as unpack,
              mock.patch.object(metadata, "prepare_tree"),
              mock.patch.object(metadata, "put", lambda headers, _: put(headers, tree))):
            metadata.install(self.headers, offline=True)
        self.assertEqual(unpack.call_args.args[0], self.root / "src/linux-source-7.3.tar.xz")
        self.assertEqual(self.headers.trouble(), "")

    def test_no_rust_no_headers(self):
        (self.headers.build / ".config").write_text("# CONFIG_RUST is not set\n")
        self.assertIn("built without Rust", self.headers.trouble())
        with self.assertRaisesRegex(metadata.Failure, "apt install linux-headers-9.9"):
            metadata.find_headers("9.9")


class Versions(unittest.TestCase):
    def test_package_that_dpkg_is_working_on(self):
        """DKMS is run while dpkg configures the headers."""
        for status, version in (("installed", VERSION), ("half-configured", VERSION),
                                ("unpacked", VERSION), ("half-installed", ""),
                                ("config-files", ""), ("not-installed", "")):
            said = mock.Mock(stdout=f"{status} {VERSION}")
            with mock.patch.object(metadata.subprocess, "run", return_value=said):
                self.assertEqual(metadata.package_version("linux-headers"), version, status)


put = metadata.put

if __name__ == "__main__":
    unittest.main()
