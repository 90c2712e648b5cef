# SPDX-License-Identifier: GPL-2.0
"""What guests say, well-formed and not, and what is made of it."""

import unittest

import support
import ktap
from ktap import Status

GROUPS = """\
KTAP version 1
1..2
  KTAP version 1
  1..2
    KTAP version 1
    1..2
    ok 1 - known answers
    ok 2 - lengths
  ok 1 - ecb(aria)
    KTAP version 1
    1..1
    # errno: expected EINVAL, found 0
    not ok 1 - key sizes refused
  # 1 of 1 failed
  not ok 2 - ctr(aria)
# 1 of 2 failed
not ok 1 - afalg aria
ok 2 - unload aria_rust # SKIP module aria_rust is in use
# Totals: pass:2 fail:1 xfail:0 xpass:0 skip:1 error:0
"""


def names(results: ktap.Results, status: Status) -> list[str]:
    return [t.name for t in results.tests if t.status is status]


class Parse(unittest.TestCase):
    def test_saved_run(self):
        results = ktap.parse(support.log("run.ktap"))
        self.assertEqual(results.errors, [])
        self.assertEqual(results.count(Status.PASSED), 12)
        self.assertEqual(len(results.tests), 12)
        self.assertEqual([d["driver"] for d in results.records("driver")],
                         ["aria-rust", "aria-rust", "ecb-aria-avx2", "ctr-aria-avx2"])
        speed = results.records("speed")
        self.assertEqual(len(speed), 16)
        self.assertEqual(speed[0], {"label": "scalar", "driver": "ecb(aria-rust)", "op": "encryption",
                                    "key_bits": "128", "bytes": "16", "cycles": "10052"})

    def test_groups(self):
        results = ktap.parse(GROUPS)
        self.assertEqual(results.errors, [])
        self.assertEqual(names(results, Status.PASSED),
                         ["afalg aria: ecb(aria): known answers", "afalg aria: ecb(aria): lengths"])
        self.assertEqual(names(results, Status.FAILED), ["afalg aria: ctr(aria): key sizes refused"])
        failed = next(t for t in results.tests if t.status is Status.FAILED)
        self.assertEqual(failed.notes, ["errno: expected EINVAL, found 0"])

    def test_skip(self):
        results = ktap.parse(GROUPS)
        self.assertEqual(names(results, Status.SKIPPED), ["unload aria_rust"])
        self.assertEqual(results.tests[-1].reason, "module aria_rust is in use")

    def test_terminal_line_ends(self):
        self.assertEqual(ktap.parse(GROUPS.replace("\n", "\r\n")), ktap.parse(GROUPS))

    def test_silence(self):
        for text in ("", "\n", "SeaBIOS (version 1.16)\nok 1 - not a report\n"):
            results = ktap.parse(text)
            self.assertEqual(results.tests, [])
            self.assertEqual(results.errors, ["no results at all: the guest did not report anything"])

    def test_every_truncation_is_noticed(self):
        """Wherever a report stops, it is not taken for a good one."""
        for text in (support.log("run.ktap"), GROUPS.replace("not ok", "ok")):
            lines = text.splitlines(keepends=True)
            for end in range(len(lines)):
                results = ktap.parse("".join(lines[:end]))
                self.assertTrue(results.errors, f"cut after {end} lines")

    def test_crash_in_a_group(self):
        plan = ["afalg aria", "unload aria_rust"]
        results = ktap.parse("".join(GROUPS.splitlines(keepends=True)[:7]), plan)
        self.assertEqual(names(results, Status.PASSED), ["afalg aria: test 1: known answers"])
        self.assertEqual(names(results, Status.MISSING),
                         ["afalg aria: test 1: test 2", "afalg aria: test 1", "afalg aria: test 2",
                          "afalg aria", "unload aria_rust"])
        self.assertIn("the report has no end (# Totals)", results.errors)

    def test_no_plan_line(self):
        results = ktap.parse("KTAP version 1\nok 1 - a\n"
                             "# Totals: pass:1 fail:0 xfail:0 xpass:0 skip:0 error:0\n")
        self.assertEqual(results.errors, ["the report has no plan line"])

    def test_more_and_fewer_than_planned(self):
        totals = "# Totals: pass:2 fail:0 xfail:0 xpass:0 skip:0 error:0\n"
        results = ktap.parse("KTAP version 1\n1..1\nok 1 - a\nok 2 - b\n" + totals)
        self.assertEqual(results.errors, ["the report: 2 results, 1 were planned"])
        results = ktap.parse("KTAP version 1\n1..3\nok 1 - a\nok 2 - b\n" + totals, ["a", "b", "c"])
        self.assertEqual(names(results, Status.MISSING), ["c"])

    def test_lost_line(self):
        results = ktap.parse("KTAP version 1\n1..2\nok 2 - b\n"
                             "# Totals: pass:2 fail:0 xfail:0 xpass:0 skip:0 error:0\n")
        self.assertIn("expected result 1, found: ok 2 - b", results.errors)
        self.assertIn("totals (passed, failed, skipped): the guest says (2, 0, 0), "
                      "the report has (1, 0, 0)", results.errors)

    def test_no_tests(self):
        results = ktap.parse("KTAP version 1\n1..0\n"
                             "# Totals: pass:0 fail:0 xfail:0 xpass:0 skip:0 error:0\n")
        self.assertEqual(results.errors, ["the report has no tests"])

    def test_bail_out(self):
        results = ktap.parse("KTAP version 1\nBail out! /plan: line 3: no such command\n")
        self.assertIn("Bail out! /plan: line 3: no such command", results.errors)

    def test_group_that_failed_by_itself(self):
        results = ktap.parse("KTAP version 1\n1..1\n  KTAP version 1\n  1..1\n  ok 1 - a\nnot ok 1 - g\n"
                             "# Totals: pass:1 fail:0 xfail:0 xpass:0 skip:0 error:0\n")
        self.assertEqual(results.errors, ["g failed, but none of its tests did"])


class CheckLog(unittest.TestCase):
    def test_saved_run(self):
        self.assertEqual(ktap.check_log(support.log("run.console")), ktap.Log())

    def test_complaints(self):
        for line in (
                "WARNING: crypto/algapi.c:452 at crypto_unregister_alg+0x12/0x90, CPU#0: init/1",
                "BUG: unable to handle page fault for address: ffffa5c3c0000000",
                "BUG: sleeping function called from invalid context at crypto/skcipher.c:100",
                "watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [init:1]",
                "Oops: Oops: 0002 [#1] SMP NOPTI",
                "Oops: general protection fault, probably for non-canonical address: 0000 [#1]",
                "kernel BUG at mm/usercopy.c:102!",
                "Call Trace:",
                "Kernel panic - not syncing: Fatal exception",
                "UBSAN: array-index-out-of-bounds in crypto/x.c:1:2",
                "WARNING: possible circular locking dependency detected",
                "WARNING: inconsistent lock state",
                "INFO: task init:1 blocked for more than 120 seconds.",
                "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
                "refcount_t: underflow; use-after-free.",
                "rfl-guest[1]: segfault at 0 ip 00007f sp 00007ffd error 4",
                "alg: skcipher: ecb-aria-avx2 encryption test failed (wrong result) on test vector 0",
                "alg: self-tests for ecb(aria) using ecb-aria-avx2 failed (rc=-22)",
                "alg: skcipher: failed to allocate transform for x: -2",
        ):
            for prefix in ("", "[    4.589276] ", "[    4.589276][    T1] "):
                self.assertEqual(ktap.check_log(f"{prefix}{line}\r\n").faults, [line])

    def test_no_complaints(self):
        text = ("[    0.1] RETBleed: WARNING: Spectre v2 mitigation leaves CPU vulnerable\n"
                "[    0.2] aria_rust: loading out-of-tree module taints kernel.\n"
                "[    0.3] debug: DEBUG_RODATA, BUGS\n")
        self.assertEqual(ktap.check_log(text).faults, [])

    def test_untested_is_neither(self):
        line = "[    4.6] alg: No test for xts(aria) (xts-aria-avx2)\n"
        found = ktap.check_log(line * 2)
        self.assertEqual(found, ktap.Log(faults=[], untested=["xts(aria) (xts-aria-avx2)"]))

    def test_expected_warning(self):
        """One, in the function that is named, and it has to come."""
        text = ("[    1.0] ------------[ cut here ]------------\n"
                "[    1.0] WARNING: crypto/api.c:1 at {}+0x1/0x2, CPU#0: init/1\n"
                "[    1.0] Call Trace:\n"
                "[    1.0] ---[ end trace 0000000000000000 ]---\n")
        expected = text.format("crypto_register_alg")
        faults = lambda log: len(ktap.check_log(log, "crypto_register_alg").faults)
        self.assertEqual(faults(expected), 0)
        self.assertEqual(faults(""), 1)
        self.assertEqual(faults(expected * 2), 2)
        self.assertEqual(faults(expected + text.format("other")), 2)
        self.assertEqual(faults(text.format("other")), 3)


if __name__ == "__main__":
    unittest.main()
