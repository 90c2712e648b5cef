# SPDX-License-Identifier: GPL-2.0
"""The kernel's half of the benchmark: plans, figures and tables, and the command around them."""

import json
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import support
import ktap
import speed

bench = support.script("bench")

ARIA = next(f for f in speed.FAMILIES if f.cipher == "aria")
ALIASES = ["crypto-aria", "aria", "crypto-aria-rust", "crypto-ecb(aria)", "crypto-ecb-aria-avx2",
           "ecb-aria-avx2", "crypto-xts-aria-avx512vl", "crypto-rfc4106-gcm-aria-avx512"]
OURS = {s.driver: s for s in speed.our_subjects("aria", ALIASES, {"ecb-aria-avx2"})}

REPORT = """\
KTAP version 1
1..3
# counter khz=2500000
ok 1 - speed
# speed label= driver=ecb(aria-generic) op=encryption key_bits=128 bytes=1024 cycles=25000
# speed label= driver=ecb(aria-generic) op=encryption key_bits=128 bytes=1024 cycles=99000
# speed label= driver=ecb(aria-generic) op=encryption key_bits=128 bytes=1024 cycles=25100
# speed label= driver=ecb(aria-generic) op=encryption key_bits=192 bytes=1024 cycles=1
# speed label= driver=ecb-aria-avx512 op=encryption key_bits=128 bytes=1024 cycles=500
# speed label= driver=ecb-aria-avx512 op=encryption key_bits=128 bytes=1424 cycles=1424
# speed label= driver=ecb-aria-avx2-rust op=encryption key_bits=128 bytes=1024 cycles=251
# speed label= driver=xts(ecb-aria-avx) op=decryption key_bits=512 bytes=1024 cycles=2500
# speed label= driver=ctr-aria-avx op=encryption key_bits=128 bytes=1420 cycles=1420
# speed label= driver=ctr-aria-avx op=decryption key_bits=128 bytes=1420 cycles=1420
# speed label= driver=rfc4106-gcm-aria-avx512 op=encryption key_bits=288 bytes=64 cycles=64
# speed label= driver=somebody-else op=encryption key_bits=128 bytes=1024 cycles=1
# speed label=tcrypt driver=ctr-aria-avx op=encryption key_bits=128 bytes=16 cycles=16
ok 2 - tcrypt mode=600
ok 3 - speed type=aead alg=gcm-aria-avx512 # SKIP the kernel has no gcm-aria-avx512
# Totals: pass:2 fail:0 xfail:0 xpass:0 skip:1 error:0
"""


def figures():
    """Those of the report."""
    results = ktap.parse(REPORT)
    found = speed.Figures(khz=[int(r["khz"]) for r in results.records("counter")])
    found.add([*ARIA.intree, *OURS.values()], results.records("speed"))
    return found


class Subjects(unittest.TestCase):
    def test_ours_by_alias(self):
        """Every driver once, whatever else a module is known by; another name where it is taken."""
        self.assertEqual(set(OURS), {"ecb-aria-avx2-rust", "xts-aria-avx512vl",
                                     "rfc4106-gcm-aria-avx512", "ecb(aria-rust)", "ctr(aria-rust)"})
        self.assertTrue(all(s.ours and s.cipher == "aria" for s in OURS.values()))
        self.assertEqual((OURS["rfc4106-gcm-aria-avx512"].mode, OURS["xts-aria-avx512vl"].tier),
                         ("rfc4106", "avx512vl"))
        avx512, scalar = speed.our_subjects(
            "crct10dif", ["crct10dif", "crct10dif-avx512", "crct10dif-rust"], set())
        self.assertEqual([(s.driver, s.mode, s.tier, s.keys) for s in (avx512, scalar)],
                         [("crct10dif-avx512", "crc", "avx512", (0,)),
                          ("crct10dif-rust", "crc", "scalar", (0,))])

    def test_name_of_an_intree_cipher(self):
        """A single-block cipher's name is taken, too, though it is not measured itself."""
        family = next(f for f in speed.FAMILIES if f.cipher == "camellia")
        drivers = {s.driver for s in family.subjects(["crypto-ecb-camellia-asm", "crypto-ctr-camellia-asm"])
                   if s.ours}
        self.assertEqual(drivers, {"ecb-camellia-asm-rust", "ctr-camellia-asm"})

    def test_drivers_are_told_apart(self):
        for family in speed.FAMILIES:
            drivers = [s.driver for s in family.intree]
            self.assertEqual(len(drivers), len(set(drivers)))

    def test_key_lengths(self):
        for mode, bits in (("ecb", 256), ("xts", 512), ("lrw", 384), ("rfc4106", 288), ("gcm", 256)):
            self.assertEqual(speed.Subject("x", "aria", mode, "t").key_bits(256), bits)

    def test_every_length_is_measured_once(self):
        for mode, commands in (("ctr", 2), ("gcm", 1), ("crc", 1)):
            lines = speed.Subject("x", "aria", mode, "t").commands(128)
            self.assertEqual(len(lines), commands)
            sizes = [int(s) for line in lines if "sizes=" in line
                     for s in line.split("sizes=")[1].split(",")]
            sizes += speed.TCRYPT_SIZES if any("tcrypt" in line for line in lines) else ()
            self.assertEqual(sorted(sizes), sorted(speed.SIZES))


class Plan(unittest.TestCase):
    def test_drivers_take_turns(self):
        subjects = [speed.Subject(name, "aria", "ecb", "t") for name in ("a", "b")]
        lines = speed.plan(ARIA, subjects, ["m"], 2, [128]).splitlines()
        self.assertEqual(lines[0], "load-if-able m")
        turns = [line.split("alg=")[1][0] for line in lines if line.startswith("tcrypt")]
        self.assertEqual(turns, ["a", "b", "a", "b"])

    def test_keys(self):
        crc = speed.Subject("c", "crct10dif", "crc", "t")
        self.assertEqual(speed.plan(ARIA, [crc], [], 1, [128, 256]).count("type=shash"), 1)
        ecb = speed.Subject("e", "aria", "ecb", "t")
        self.assertEqual(speed.plan(ARIA, [ecb], [], 1, [128]).count("klen=32"), 0)


class Figures(unittest.TestCase):
    def setUp(self):
        self.figures = figures()
        self.generic = self.figures.find("aria", "ecb", "generic")

    def test_median(self):
        self.assertEqual(self.figures.cycles(self.generic, "encrypt", 128, 1024), 25100)
        self.assertIsNone(self.figures.cycles(self.generic, "encrypt", 256, 1024))
        self.assertIsNone(self.figures.cycles(None, "encrypt", 128, 1024))

    def test_others_are_left_out(self):
        """Drivers that nobody asked for, and keys that are in no table."""
        self.assertEqual({c.subject.driver for c in self.figures.samples},
                         {"ecb(aria-generic)", "ecb-aria-avx512", "ecb-aria-avx2-rust",
                          "xts(ecb-aria-avx)", "ctr-aria-avx", "rfc4106-gcm-aria-avx512"})
        self.assertEqual({c.key_bits for c in self.figures.samples}, {128, 256})

    def test_whole_blocks(self):
        """1424 bytes are in the column of 1420, and are 1424 when speed is computed."""
        driver = self.figures.find("aria", "ecb", "avx512")
        self.assertEqual(self.figures.speed(driver, "encrypt", 128, 1420), 2500)

    def test_first_length_of_tcrypt(self):
        """Nothing is warm yet."""
        self.assertIsNone(self.figures.cycles(self.figures.find("aria", "ctr", "avx"), "encrypt", 128, 16))

    def test_summary(self):
        self.assertEqual(speed.summary([1, 2, 3, 4, 5]),
                         {"samples": 5, "min": 1, "q1": 2, "median": 3, "q3": 4, "spread": 2 / 3})
        self.assertEqual(speed.summary([7])["spread"], 0)

    def test_records(self):
        records = {(r["implementation"], r["bytes"]): r for r in speed.records(self.figures)}
        record = records["ecb(aria-generic)", 1024]
        self.assertEqual((record["mode"], record["key_bits"], record["ours"], record["noisy"]),
                         ("ecb-encrypt", 128, False, True))
        self.assertEqual(record["nanoseconds"]["median"], 10040)
        self.assertEqual(records["xts(ecb-aria-avx)", 1024]["key_bits"], 512)
        self.assertEqual(records["xts(ecb-aria-avx)", 1024]["mode"], "xts-decrypt")
        self.assertTrue(records["ecb-aria-avx2-rust", 1024]["ours"])
        self.assertEqual(records["rfc4106-gcm-aria-avx512", 64]["key_bits"], 256)
        modes = [r["mode"] for r in speed.records(self.figures) if "ctr" in r["implementation"]]
        self.assertEqual(modes, ["ctr"])


class Tables(unittest.TestCase):
    def test_comparison(self):
        rows = {row[0]: row[1:] for row in speed.compare(figures(), "aria", "ecb", "encrypt", 128).rows}
        self.assertEqual(rows["MB/s"], ["1024 B", "1420 B"])
        self.assertEqual(rows["ecb-aria-avx2-rust"], ["10199", "-"])
        self.assertEqual(rows["our best / in-tree C"], ["100.00", "-"])
        self.assertEqual(rows["our best / in-tree best"], ["1.99", "-"])
        self.assertEqual(rows["in-tree best / in-tree C"], ["50.20", "-"])

    def test_nothing_to_compare_with(self):
        titles = [row[0] for row in speed.compare(figures(), "aria", "ctr", "encrypt", 128).rows]
        self.assertEqual(titles, ["MB/s", "ctr-aria-avx"])
        self.assertIsNone(speed.compare(figures(), "aria", "lrw", "encrypt", 128))

    def test_published(self):
        [aria] = speed.published(figures())
        self.assertIn(["published: ecb-aria-avx512", "encrypt", "1504", "4595", "1763", "5540"], aria.rows)
        self.assertIn(["ecb-aria-avx2-rust", "encrypt", "251", "-", "-", "-"], aria.rows)

    def test_short_form(self):
        titles = [table.title for table in speed.comparisons(figures())]
        self.assertEqual(titles, ["ecb(aria), encrypt, 128-bit key", "xts(aria), decrypt, 256-bit key",
                                  "ctr(aria), encrypt, 128-bit key", "ctr(aria), decrypt, 128-bit key",
                                  "rfc4106(aria), encrypt, 256-bit key"])
        short = [table.title for table in speed.comparisons(figures(), short=True)]
        self.assertEqual(short, [titles[0], titles[2]])

    def test_published_camellia(self):
        measured = speed.Figures(khz=[1000])
        subjects = [s for f in speed.FAMILIES for s in f.intree]
        for driver, cycles in (("ecb(camellia-generic)", 300), ("ecb-camellia-asm", 200),
                               ("ecb-aes-lib", 100)):
            measured.add(subjects, [{"driver": driver, "op": "encryption", "key_bits": "128",
                                     "bytes": "8192", "cycles": str(cycles), "label": ""}])
        rows = speed.published_camellia(measured).rows
        self.assertEqual(rows[-1][:4], ["in-tree: camellia-asm, 8192 B", "128", "1.50", "-"])
        rows = speed.published_camellia_aes(measured).rows
        self.assertEqual(rows[-1][:4], ["in-tree: camellia, asm", "128", "0.50", "-"])

    def test_layout(self):
        table = speed.Table("T", [["x", "10 B"], ["long name", "7"]], "N")
        self.assertEqual(table.text(), "T\n  x          10 B\n  long name     7\n  N\n")
        self.assertEqual(table.markdown(), "### T\n\n| x | 10 B |\n| --- | ---: |\n| long name | 7 |\n\nN\n")


class Command(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.out = Path(scratch.name)
        (self.out / "kernel.json").write_text('{"version": "7.3.4-1"}')
        kernel = bench.guest.Kernel(self.out, "7.3.4-uml", "cc", ())
        self.ground = bench.Ground("uml", "bench", "uml", figures=figures(),
                                   prepared=types.SimpleNamespace(kernel=kernel))
        self.enterContext(mock.patch.object(bench, "output", lambda *_: "cc 1.2\nCopyright\n"))
        self.enterContext(mock.patch("builtins.print"))
        self.enterContext(mock.patch.object(bench, "say"))

    def test_document(self):
        self.ground.absent["gcm-aria-avx512"] = "the kernel has no gcm-aria-avx512"
        text = "\n".join(bench.write(self.ground, self.out))
        document = json.loads((self.out / "uml.json").read_text())
        self.assertEqual((document["format"], document["ground"]), (1, "uml"))
        self.assertEqual(document["machine"]["compiler"], "cc 1.2; cc 1.2")
        self.assertEqual(document["absent"][0]["implementation"], "gcm-aria-avx512")
        self.assertEqual(document["warnings"], [])
        self.assertIn("time-stamp counter 2500 MHz", text)
        self.assertIn("- not measured: `gcm-aria-avx512`: the kernel has no gcm-aria-avx512", text)

    def test_failures_are_kept(self):
        self.ground.failures.append("aria: a test failed")
        self.assertIn("- failed: aria: a test failed", "\n".join(bench.write(self.ground, self.out)))
        self.assertEqual(json.loads((self.out / "uml.json").read_text())["warnings"],
                         ["aria: a test failed"])

    def test_noise_is_told(self):
        for samples in self.ground.figures.samples.values():
            samples[:] = [100, 200, 300, 400]
        bench.write(self.ground, self.out)
        [warning] = json.loads((self.out / "uml.json").read_text())["warnings"]
        self.assertIn("too noisy", warning)


if __name__ == "__main__":
    unittest.main()
