# SPDX-License-Identifier: GPL-2.0
"""Counting of tests."""

import threading
import unittest
from unittest import mock

import support

check = support.script("check")

CARGO = """\
   Compiling rfl-ciphers v0.1.0 (/src/rust/ciphers)
     Running unittests src/lib.rs (target/debug/deps/rfl_ciphers-0123)

running 3 tests
test inout::tests::split ... ok
test needs_avx512 ... ignored, this CPU has no AVX-512
test simd::tests::out_of_reach - should panic ... ok

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/aria.rs (target/debug/deps/aria-4567)

running 3 tests
SKIP aria_gfni::ecb: this CPU has no GFNI
test aria_gfni::ecb          ... ignored
test aria_avx2::ecb ... FAILED
test aria_avx2::ctr ... ok

failures:

---- aria_avx2::ecb ----
test vector 3 ... differs

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s

   Doc-tests rfl_ciphers

running 1 test
test src/simd.rs - simd::Simd (line 9) - compile fail ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.20s
"""


def read(text):
    stage = check.Stage("cargo")
    parser = check.LibtestParser(stage)
    for line in text.splitlines():
        parser.feed(line)
    parser.finish()
    return stage


class Libtest(unittest.TestCase):
    def test_results(self):
        stage = read(CARGO)
        self.assertEqual(stage.passed, 4)
        self.assertEqual(stage.failures, ["tests/aria.rs: aria_avx2::ecb"])
        self.assertEqual(stage.skips, ["src/lib.rs: needs_avx512: this CPU has no AVX-512",
                                       "tests/aria.rs: aria_gfni::ecb: this CPU has no GFNI"])

    def test_hidden_result(self):
        """Output in the middle of a result line must not make a test disappear."""
        stage = read(CARGO.replace("aria_avx2::ctr ... ok", "aria_avx2::ctr ... seed 5\nok"))
        self.assertEqual(len(stage.failures), 2)
        self.assertIn("could not be read", stage.failures[1])


@mock.patch.object(check, "say", lambda text: None)
class Stages(unittest.TestCase):
    def test_stage_without_tests_fails(self):
        self.assertEqual(check.run_stage("x", lambda stage: None).failures, ["no test was run"])

    def test_stage_that_cannot_run_fails(self):
        def body(stage):
            raise check.Failure("no kernel")
        self.assertEqual(check.run_stage("x", body).failures, ["no kernel"])

    def test_stages_at_a_time(self):
        """Two wait for each other, so they only end together; results keep their order."""
        both = threading.Barrier(2, timeout=60)

        def body(stage):
            both.wait()
            stage.passed = 1
        stages = check.run_stages({"b": body, "a": body}, 2)
        self.assertEqual([(s.name, s.passed) for s in stages], [("b", 1), ("a", 1)])

    def test_broken_stage_ends_the_others(self):
        with self.assertRaises(ZeroDivisionError), \
                mock.patch.object(check, "interrupted") as interrupted:
            check.run_stages({"a": lambda stage: 1 / 0, "b": lambda stage: None}, 1)
        interrupted.set.assert_called_once()

    def test_scripts_are_counted(self):
        class Cases(unittest.TestCase):
            def runTest(self):
                for n in range(2):
                    with self.subTest(n=n):
                        self.assertEqual(n, 0)

        @unittest.skip("why")
        class Skipped(Cases):
            pass

        stage = check.Stage("x")
        unittest.TestSuite([Cases(), Skipped()]).run(check.Collector(stage))
        self.assertEqual((stage.passed, len(stage.failures)), (0, 1))
        self.assertTrue(stage.skips[0].endswith("runTest: why"))

    def stages(self, *arguments, **env):
        """The stages that a command runs."""
        run = set()

        def run_stage(name, _):
            run.add(name)
            return check.Stage(name, 1)

        with (mock.patch.object(check, "run_stage", run_stage), mock.patch("builtins.print"),
              mock.patch.dict(check.os.environ, {"GROUND": "", "KERNEL": "", **env}),
              mock.patch.object(check.sys, "argv", ["check", *arguments])):
            self.assertEqual(check.main(), 0)
        return run

    def test_those_of_another_kernel(self):
        every, some = self.stages(), self.stages(KERNEL="forky")
        self.assertLess(some, every)
        self.assertLessEqual({"objects", "guest check", "guest check-users"}, some)
        self.assertFalse({"scripts", "cargo", "guest check-uml", "guest check-bochs"} & some)
        self.assertEqual(self.stages(KERNEL="forky", GROUND="qemu"),
                         self.stages(GROUND="qemu") & some)
        self.assertEqual(self.stages("cargo", KERNEL="forky"), {"cargo"})

    def test_summary(self):
        stages = [check.Stage("a", 2, ["t\n  trace"], []), check.Stage("b", 3, [], ["u: no CPU"])]
        lines = check.summary(stages).splitlines()
        self.assertEqual(lines[:2], ["Skipped:", "  b: u: no CPU"])
        self.assertEqual(lines[2:4], ["Failed:", "  a: t"])
        self.assertEqual(lines[-1], "5 passed, 1 failed, 1 skipped")


if __name__ == "__main__":
    unittest.main()
