# SPDX-License-Identifier: GPL-2.0
"""The runner of guests, up to QEMU and from what it left behind."""

import dataclasses
import json
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support
import bochs
import guest
import machines


class FakeModules:
    """Modules of a kernel that has ecb built in and no serpent."""

    DEPENDS = {"aria_rust": [], "af_alg": [], "algif_skcipher": ["af_alg"],
               "algif_aead": ["af_alg"], "tcrypt": []}

    def state(self, name):
        return "module" if name in self.DEPENDS else {"ecb": "built into"}.get(name, "absent from")

    def depends(self, name):
        return self.DEPENDS[name]


class Guests(unittest.TestCase):
    def test_all_are_complete(self):
        guests = guest.load_guests()
        self.assertLessEqual({"run", "check", "probe"}, set(guests))
        for which in guests.values():
            self.assertIn(which.arch, machines.BOARDS)
            self.assertIn(which.machine, ["qemu", *machines.MACHINES])
            self.assertGreater(which.timeout, 0)

    def test_sets_of_drivers(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "guests.toml"
            path.write_text("[drivers.x]\n'{a,b}-{c,d}' = 'e f'\n'g' = ''\n[drivers.y]\nz = 'i'\n")
            with mock.patch.object(guest, "GUESTS", path):
                self.assertEqual(guest.driver_sets(),
                                 "set x a-c?e,f a-d?e,f b-c?e,f b-d?e,f g?\nset y z?i\n")

    def test_unknown_key_is_refused(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "guests.toml"
            path.write_text(guest.GUESTS.read_text() + "\n[x]\nabout = ''\nplan = ''\nmemroy = 1\n")
            with mock.patch.object(guest, "GUESTS", path), self.assertRaises(TypeError):
                guest.load_guests()

    def test_qemu_command(self):
        which = guest.load_guests()["run"]
        boot = guest.booting(which, Path("/k"), Path("/logs, old/run"))
        command = machines.MACHINES["tcg"].command(boot)
        self.assertIn("file,id=ktap,path=/logs,, old/run/ktap.log", command)
        self.assertEqual(command[command.index("-accel") + 1], "tcg")
        self.assertEqual(command[command.index("-cpu") + 1], "max")
        self.assertIn("-no-reboot", command)
        append = command[command.index("-append") + 1].split()
        self.assertIn("panic=-1", append)
        command = machines.MACHINES["kvm"].command(boot)
        self.assertEqual(command[command.index("-cpu") + 1], "host")

    def test_serial_ports(self):
        """Linux has a name of its own for those of each board."""
        for arch, expected in (("amd64", ["console=ttyS0", "rfl.ktap=ttyS1"]),
                               ("arm64", ["console=ttyAMA0", "rfl.ktap=ttyAMA1"])):
            which = dataclasses.replace(guest.load_guests()["run"], arch=arch)
            command = machines.MACHINES["tcg"].command(guest.booting(which, Path("/k"), Path("/run")))
            self.assertEqual(command[command.index("-append") + 1].split()[:2], expected)

    def test_uml_command(self):
        """Console and results go to their files."""
        with tempfile.TemporaryDirectory() as scratch:
            run = Path(scratch)
            kernel = run / "a kernel"
            kernel.mkdir()
            image = kernel / "vmlinuz"
            image.write_text('#!/bin/sh\necho console "$@"; echo results >&4\n')
            image.chmod(0o755)
            boot = guest.booting(guest.load_guests()["run"], kernel, run)
            subprocess.run(machines.MACHINES["uml"].command(boot), check=True)
            said = (run / "console.log").read_text().split()
            self.assertEqual(said[0], "console")
            self.assertIn(f"mem={boot.memory}M", said)
            self.assertIn(f"initrd={run}/initramfs.cpio", said)
            self.assertEqual((run / "ktap.log").read_text(), "results\n")

    def test_end_of_bochs(self):
        finish = lambda said: machines.MACHINES["bochs"].problem(Path("/nowhere"), 1, said)
        said = "Bochs is exiting with the following message:\n{}\n"
        self.assertEqual(finish(said.format(f"[ACPI] {bochs.POWER_OFF}")), "")
        self.assertIn("crashed", finish(said.format(f"[CPU0] {bochs.TRIPLE_FAULT}")))
        self.assertIn("gave up: [X] y", finish(said.format("[X] y")))
        self.assertIn("without a reason: killed", finish("a\nkilled"))


class Programs(unittest.TestCase):
    def test_come_with_their_libraries(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch)
            guest.add_programs(root, ["true", "ls"])
            self.assertEqual(sorted(p.name for p in (root / "bin").iterdir()), ["ls", "true"])
            names = {p.name for p in root.rglob("*.so*")}
            needed = subprocess.run(["ldd", root / "bin/ls"], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout
            for line in needed.splitlines():
                if "vdso" not in line:
                    self.assertIn(Path(line.split()[0]).name, names)

    def test_missing(self):
        with self.assertRaisesRegex(guest.Failure, "no-such-program is missing"):
            guest.add_programs(Path("/nowhere"), ["no-such-program"])


class ResolvePlan(unittest.TestCase):
    def resolve(self, plan):
        return guest.resolve_plan(plan, FakeModules())

    def test_dependencies_come_first_and_once(self):
        plan = self.resolve("load algif_skcipher\nload algif-aead\nload aria_rust a=1\n# x\n\nafalg aria")
        self.assertEqual(plan.text, "load af_alg\nload algif_skcipher\nload algif-aead\n"
                                    "load aria_rust a=1\nafalg aria\n")
        self.assertEqual(plan.modules, ["af_alg", "algif_aead", "algif_skcipher", "aria_rust"])
        self.assertEqual(plan.skips, [])

    def test_dependencies_come_again_after_unload(self):
        plan = self.resolve("load algif_skcipher\nunload algif_skcipher\nunload af_alg\nload algif_aead")
        self.assertEqual(plan.text.count("load af_alg\n"), 2 + 1)  # loaded twice, unloaded once

    def test_two_modules(self):
        plan = self.resolve("race algif_skcipher algif_aead 3\nrace aria_rust serpent 3")
        self.assertEqual(plan.text, "load af_alg\nrace algif_skcipher algif_aead 3\n")
        self.assertEqual(plan.modules, ["af_alg", "algif_aead", "algif_skcipher"])
        self.assertEqual(plan.skips,
                         ["race aria_rust serpent 3: module serpent is absent from this kernel"])

    def test_no_such_module(self):
        plan = self.resolve("load ecb\nload serpent x=1\ntcrypt mode=1")
        self.assertEqual(plan.text, "tcrypt mode=1\n")
        self.assertEqual(plan.modules, ["tcrypt"])
        self.assertEqual(plan.skips, ["load ecb: module ecb is built into this kernel",
                                      "load serpent x=1: module serpent is absent from this kernel"])


class Judge(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.run_dir = Path(scratch.name)

    def judge(self, ktap="", console="", problem="", skips=(), plan=""):
        record = {"guest": {"warns": ""}, "kernel": "7.3", "machine": "tcg", "seconds": 1,
                  "problem": problem, "skips": list(skips)}
        (self.run_dir / "record.json").write_text(json.dumps(record))
        (self.run_dir / "ktap.log").write_text(ktap)
        (self.run_dir / "console.log").write_text(console)
        (self.run_dir / "plan").write_text(plan)
        return guest.judge(self.run_dir)

    def test_saved_run(self):
        outcome = self.judge(support.log("run.ktap"), support.log("run.console"))
        self.assertEqual((outcome.status, outcome.passed, outcome.failures), (0, 12, []))
        summary = json.loads((self.run_dir / "summary.json").read_text())
        self.assertEqual((summary["status"], summary["passed"], len(summary["speed"])), (0, 12, 16))

    def test_silence(self):
        outcome = self.judge("", support.log("run.console"))
        self.assertEqual(outcome.status, 255)
        self.assertEqual(len(outcome.failures), 1)

    def test_timeout(self):
        outcome = self.judge(support.log("run.ktap"), problem="the guest did not end within 9 s")
        self.assertEqual((outcome.status, outcome.failures), (1, ["the guest did not end within 9 s"]))

    def test_panic(self):
        plan = "".join(f"command {n}\n" for n in range(1, 13))
        cut = "".join(support.log("run.ktap").splitlines(keepends=True)[:7])
        console = support.log("run.console") + "[    9.1] Kernel panic - not syncing: Fatal exception\n"
        outcome = self.judge(cut, console, plan=plan)
        self.assertEqual(outcome.status, 1)
        self.assertIn("command 5: no result", outcome.failures)
        self.assertIn("Kernel panic", outcome.failures[-1])

    def test_complaint_fails_a_guest_that_passed(self):
        outcome = self.judge(support.log("run.ktap"), "[ 1.0] WARNING: crypto/x.c:1 at f+0x1/0x2\n")
        self.assertEqual(outcome.status, 1)

    def test_skips(self):
        outcome = self.judge("KTAP version 1\n1..1\nok 1 - a # SKIP no AF_ALG\n"
                             "# Totals: pass:0 fail:0 xfail:0 xpass:0 skip:1 error:0\n",
                             skips=["load x: module x is absent from this kernel"])
        self.assertEqual((outcome.status, outcome.skips),
                         (0, ["load x: module x is absent from this kernel", "a: no AF_ALG"]))

    def test_not_a_run(self):
        with self.assertRaises(guest.Failure):
            guest.judge(self.run_dir / "nowhere")


class Tables(unittest.TestCase):
    @staticmethod
    def speed(driver, size, **cost):
        return {"driver": driver, "op": "encryption", "key_bits": "128", "bytes": str(size),
                **{k: str(v) for k, v in cost.items()}}

    def test_speed(self):
        text = guest.speed_table([
            self.speed("ecb(aria-rust)", 16, cycles=160), self.speed("ecb(aria-rust)", 1024, cycles=99999),
            self.speed("ecb(aria-rust)", 1024, cycles=10240), self.speed("ecb-aria-avx2", 1024, cycles=2048),
            {**self.speed("ecb-aria-avx2", 1024, cycles=1), "key_bits": "256"},
            {**self.speed("crct10dif-lib", 1024, cycles=1), "key_bits": "0"}])
        rows = [line.split() for line in text.splitlines()]
        self.assertEqual(rows[1], ["ecb(aria-rust)", "encryption", "10.0", "10.0"])
        self.assertEqual(rows[2], ["ecb-aria-avx2", "encryption", "-", "2.0"])
        self.assertEqual(rows[3], ["times", "faster", "encryption", "-", "5.0"])

    def test_speed_without_keys(self):
        text = guest.speed_table([{**self.speed("crc", 16, cycles=32), "key_bits": "0"}])
        self.assertEqual(text.splitlines()[1].split(), ["crc", "encryption", "2.0"])

    def test_rate(self):
        record = self.speed("x", 1000, ops=2_000_000, seconds=2)
        self.assertEqual(guest.cost(record), 1.0)  # ns per byte
        self.assertEqual(guest.cost({**record, "ops": "0"}), float("inf"))


if __name__ == "__main__":
    unittest.main()
