# SPDX-License-Identifier: GPL-2.0
"""Reading of object code."""

import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401  finds the scripts
import objects

GOOD = """
a.ko:     file format elf64-x86-64

Disassembly of section .text:

0000000000000010 <good>:
      10:\tsub    $0x200,%rsp
      17:\trep stos %al,%es:(%rdi)
      19:\tjmp    1e <good+0xe>
"""
BAD = GOOD + """
0000000000000020 <large>:
      20:\tsub    $0x201,%rsp
      27:\txsavec (%rdi)
      2a:\tret
"""


class Faults(unittest.TestCase):
    def faults(self, code, undefined=""):
        texts = {"objdump": code, "nm": undefined}
        with mock.patch.object(objects, "output", lambda command, *_: texts[command]):
            return list(objects.Module(Path("a.ko")).faults().values())

    def test_none(self):
        self.assertEqual(self.faults(GOOD, "  U memset\n"), [[], [], [], []])

    def test_all(self):
        panic = "_RNvNtNtCs2lKf_4core9panicking11panic_const24panic_const_add_overflow"
        self.assertEqual(self.faults(BAD, f"  U {panic}\n"),
                         [[panic], ["large: 513 bytes"], ["xsavec"], ["ret"]])


class Aliases(unittest.TestCase):
    def missing(self, *drivers):
        with mock.patch.object(objects, "output", lambda *_: "crypto-aria\ncrypto-aria-rust\n"):
            return objects.missing_aliases(Path("a.ko"),
                                           [{"name": "aria", "driver": d} for d in drivers])

    def test_each_name_is_wanted(self):
        self.assertEqual(self.missing("aria-rust"), [])
        self.assertEqual(self.missing("aria-avx9"), ["crypto-aria-avx9"])

    def test_names_that_were_taken(self):
        self.assertEqual(self.missing("aria-rust-rust"), [])


if __name__ == "__main__":
    unittest.main()
