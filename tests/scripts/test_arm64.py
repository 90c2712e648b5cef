# SPDX-License-Identifier: GPL-2.0
"""Counting what a block of AES costs, in traces and programs made up here."""

import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401  finds the scripts
import arm64
from arm64 import Cost


def trace(*addresses: int) -> str:
    """A trace as QEMU writes it."""
    return "".join(f"Trace 0: 0x7f0000000100 [0000000000000000/{a:016x}/00000020/ff001201] x\n"
                   for a in addresses)


class Calls(unittest.TestCase):
    """From a trace to counts."""

    INSTRUCTIONS = {0x10: "bl", 0x14: "nop",
                    0x20: "bti", 0x24: "prfm", 0x28: "ldp", 0x2c: "bl", 0x30: "ldrb", 0x34: "ret",
                    0x40: "ldr", 0x44: "ret"}
    FUNCTIONS = {0x10: "main", 0x20: "rfl_aes_encrypt", 0x40: "helper"}

    def calls(self, *addresses):
        """Mnemonics in the calls of rfl_aes_encrypt."""
        with mock.patch.object(arm64, "mnemonics", return_value=(self.INSTRUCTIONS, self.FUNCTIONS)):
            return arm64.calls(trace(*addresses), Path("program"))["rfl_aes_encrypt"]

    def test_what_is_called_counts_and_the_caller_does_not(self):
        call = [0x20, 0x24, 0x28, 0x2c, 0x40, 0x44, 0x30, 0x34]
        found = self.calls(0x10, *call, 0x14, 0x10, *call, 0x14)
        self.assertEqual([c.total() for c in found], [8, 8])
        self.assertEqual(found[0]["prfm"], 1)
        self.assertEqual(found[0]["ret"], 2)

    def test_no_call(self):
        self.assertEqual(self.calls(0x10, 0x14), [])


class Registers(unittest.TestCase):
    """Registers that are not ours."""

    def test_registers(self):
        allowed = "   0:\ttbz\tw3, #2, d38 <rfl_aes_encrypt+0xd38>\n   4:\tldp\tx6, x7, [x2]\n   8:\tlsr\tw16, w17, #24\n"
        self.assertEqual(arm64.forbidden_registers("0000 <s0>:\n" + allowed), set())
        code = allowed + "   c:\tstp\tx29, x30, [sp, #-16]!\n  10:\tmov\tw18, w19\n  14:\tld1\t{v0.16b}, [x0]\n"
        self.assertEqual(arm64.forbidden_registers(code), {"x29", "x30", "sp", "w18", "w19", "v0"})


class Compare(unittest.TestCase):
    """From counts to what they mean."""

    @staticmethod
    def compare(ours: int, loads: int, prefetches: int):
        """Ours beside others of 100 instructions, 10 of them loads."""
        costs = [Cost(name, operation, bits, *((ours, loads, prefetches) if name == "ours" else (100, 10, 0)))
                 for name in arm64.COUNTED for operation in ("encrypt", "decrypt")
                 for bits in arm64.KEY_BITS]
        comparisons = arm64.compare(costs)
        return ([c.is_met for c in comparisons if "assembly" in c.name],
                [c.is_met for c in comparisons if " C " in c.name],
                [c.is_within for c in comparisons])

    def test_targets(self):
        yes, no = [True] * 6, [False] * 6
        self.assertEqual(self.compare(75, 10, 0), (yes, yes, yes + yes))
        self.assertEqual(self.compare(95, 10, 20), (yes, yes, yes + yes))
        self.assertEqual(self.compare(96, 10, 20), (yes, no, yes + yes))
        self.assertEqual(self.compare(101, 10, 30), (no, yes, no + no))
        self.assertEqual(self.compare(70, 11, 0), (no, no, no + no))


if __name__ == "__main__":
    unittest.main()
