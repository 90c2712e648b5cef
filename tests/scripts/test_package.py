# SPDX-License-Identifier: GPL-2.0
"""What scripts/package.py reads from the package, and writes to a disk."""

import hashlib
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support

package = support.script("package.py")


class Package(unittest.TestCase):
    def test_depends(self):
        names = package.depends()
        self.assertIn("rustc", names)
        self.assertIn("python3", names)
        for name in names:
            self.assertRegex(name, r"^[a-z0-9][a-z0-9.+-]+$")

    def test_counts(self):
        outcome = package.Outcome()
        with mock.patch.object(package, "say"):
            outcome.check("good", "")
            outcome.check("good", [])
            outcome.check("bad", ["one", "two"])
        self.assertEqual(outcome.count(), "2 passed, 1 failed, 0 skipped")
        self.assertEqual(outcome.failures, ["bad: one\ntwo"])


class Luks(unittest.TestCase):
    def test_cipher_is_set_in_both_headers(self):
        total = 0x4000
        with tempfile.TemporaryDirectory() as scratch:
            disk = Path(scratch) / "disk"
            text = json.dumps({"segments": {"0": {"encryption": "aes-xts-plain64"}}}).encode()
            header = b"LUKS\xba\xbe\x00\x02" + total.to_bytes(8, "big")
            header = header.ljust(4096, b"\0") + text.ljust(total - 4096, b"\0")
            disk.write_bytes(2 * header + b"data")
            package.set_cipher(disk, "aria-xts-plain64")
            written = disk.read_bytes()
        self.assertEqual(written[2 * total:], b"data")
        for copy in (written[:total], written[total:2 * total]):
            config = json.loads(copy[4096:].rstrip(b"\0"))
            self.assertEqual(config["segments"]["0"]["encryption"], "aria-xts-plain64")
            blank = copy[:448] + bytes(64) + copy[512:]
            self.assertEqual(copy[448:480], hashlib.sha256(blank).digest())


if __name__ == "__main__":
    unittest.main()
