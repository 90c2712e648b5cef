# SPDX-License-Identifier: GPL-2.0
"""What a guest said: its results in KTAP, and the kernel's log.

A test is a result without subtests. A guest that says nothing, stops in the
middle, or says more or less than it planned has failed, whatever its other
results are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum


class Status(str, Enum):
    """How a test ended."""
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    MISSING = "missing"  # planned, but there is no result


@dataclass
class Test:
    """One result, with the lines that came before it."""
    name: str
    status: Status
    reason: str = ""  # of a skip
    notes: list[str] = field(default_factory=list)


@dataclass
class Results:
    """All results of a guest."""
    tests: list[Test] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)  # faults of the report itself
    notes: list[str] = field(default_factory=list)   # all diagnostic lines

    def count(self, status: Status) -> int:
        """Number of tests that ended so."""
        return sum(t.status is status for t in self.tests)

    def records(self, first_word: str) -> list[dict[str, str]]:
        """Diagnostic lines of the form `[first_word] key=value ...`; the key may be first."""
        found = []
        for note in self.notes:
            words = note.split()
            if words and words[0] == first_word:
                words = words[1:]
            elif not words or not words[0].startswith(f"{first_word}="):
                continue
            found.append(dict(w.split("=", 1) for w in words if "=" in w))
        return found


@dataclass
class _Level:
    """Results at one depth of indentation."""
    indent: int
    path: str
    planned: int | None = None
    done: int = 0


RESULT = re.compile(r"(not )?ok (\d+)(?: - | )?(.*)")
DIRECTIVE = re.compile(r"^(.*?)\s*# (SKIP|TODO)\b\s*(.*)$", re.IGNORECASE)
TOTALS = re.compile(r"Totals: pass:(\d+) fail:(\d+) xfail:\d+ xpass:\d+ skip:(\d+)")


def parse(text: str, names: Sequence[str] = ()) -> Results:
    """Read a report. Names of the planned results tell what it is that has no result."""
    results = Results()
    levels: list[_Level] = []
    notes: list[str] = []
    totals: tuple[int, ...] | None = None

    def name_of(level: _Level, number: int) -> str:
        """Name of a result that is not there, or not yet."""
        return names[number - 1] if not level.path and number <= len(names) else f"test {number}"

    def close(level: _Level) -> None:
        """A depth is at its end: what was planned and has no result is missing."""
        if level.planned is None:
            results.errors.append(f"{level.path or 'the report'} has no plan line")
        elif level.done > level.planned:
            results.errors.append(f"{level.path or 'the report'}: {level.done} results, "
                                  f"{level.planned} were planned")
        for number in range(level.done + 1, (level.planned or 0) + 1):
            results.tests.append(Test(level.path + name_of(level, number), Status.MISSING))

    for line in text.replace("\r", "").splitlines():
        body = line.lstrip(" ")
        indent = len(line) - len(body)
        if re.match(r"K?TAP version ", body):
            path = ""
            if levels:
                path = f"{levels[-1].path}{name_of(levels[-1], levels[-1].done + 1)}: "
            levels.append(_Level(indent, path))
            continue
        if body.startswith("Bail out!"):
            results.errors.append(body)
            continue
        if not levels:
            continue  # before the report: not ours
        if match := re.fullmatch(r"1\.\.(\d+)(?: # SKIP ?(.*))?", body):
            levels[-1].planned = int(match[1])
        elif body.startswith("#"):
            note = body.lstrip("# ")
            results.notes.append(note)
            notes.append(note)
            if match := TOTALS.match(note):
                totals = tuple(map(int, match.groups()))
        elif match := RESULT.fullmatch(body):
            closed_group = False
            while len(levels) > 1 and indent < levels[-1].indent:
                close(levels.pop())
                closed_group = True
            level = levels[-1]
            level.done += 1
            if int(match[2]) != level.done:
                results.errors.append(f"expected result {level.done}, found: {body}")
            name, status, reason = match[3], Status.FAILED if match[1] else Status.PASSED, ""
            if directive := DIRECTIVE.match(name):
                name, reason = directive[1], directive[3]
                status = Status.SKIPPED if directive[2].upper() == "SKIP" else status
            if closed_group:
                # Only its end tells the name of a group.
                placeholder, prefix = f"{level.path}{name_of(level, level.done)}: ", f"{level.path}{name}: "
                inner = [t for t in results.tests if t.name.startswith(placeholder)]
                for test in inner:
                    test.name = prefix + test.name.removeprefix(placeholder)
                # It is counted by its tests, unless it failed by itself.
                if status is Status.FAILED and all(
                        t.status in (Status.PASSED, Status.SKIPPED) for t in inner):
                    results.errors.append(f"{level.path}{name} failed, but none of its tests did")
            else:
                results.tests.append(Test(f"{level.path}{name}", status, reason, notes))
            notes = []
    if not levels:
        results.errors.append("no results at all: the guest did not report anything")
        return results
    while levels:
        close(levels.pop())
    if not results.tests:
        results.errors.append("the report has no tests")
    if totals is None:
        results.errors.append("the report has no end (# Totals)")
    else:
        found = tuple(results.count(s) for s in (Status.PASSED, Status.FAILED, Status.SKIPPED))
        if found != totals:
            results.errors.append(f"totals (passed, failed, skipped): "
                                  f"the guest says {totals}, the report has {found}")
    return results


# --- the kernel's log ------------------------------------------------------

TIMESTAMP = re.compile(r"^(?:<\d+>)?\[ *\d+\.\d+\](?:\[ *[TC]\d+\])? ")

# How the kernel complains about itself.
COMPLAINT = re.compile(
    r"^WARNING: |\bBUG: |kernel BUG at |\bOops\b|^Call Trace:|Kernel panic|^Internal error: "
    r"|general protection fault|invalid opcode|unable to handle|UBSAN: |refcount_t: "
    r"|^INFO: trying to register non-static key|possible (circular|recursive|irq) lock|inconsistent lock state|suspicious RCU usage"
    r"|lock held when returning to user space|^INFO: task .* blocked|rcu: INFO: .* stall"
    r"|soft lockup|hard LOCKUP|segfault at |Out of memory|sysfs: cannot create duplicate")

# Of the crypto self-tests' own lines ("alg: ..."), those that are no failures.
UNTESTED = re.compile(r"^alg: No test for (.*)")
HARMLESS = re.compile(r"^alg: (extra|full) crypto tests enabled")


@dataclass
class Log:
    """What a kernel's log tells."""
    faults: list[str] = field(default_factory=list)
    untested: list[str] = field(default_factory=list)  # algorithms without a self-test


def check_log(text: str, warns: str = "") -> Log:
    """Look through a log for complaints.

    The kernel has to warn in function `warns`, if one is given, once.
    """
    log = Log()
    warned = inside = False
    for line in text.replace("\r", "").splitlines():
        line = TIMESTAMP.sub("", line)
        if inside:
            inside = not line.startswith("---[ end trace ")
        elif warns and not warned and re.match(rf"WARNING: .*\b{re.escape(warns)}\+0x", line):
            warned = inside = True
        elif match := UNTESTED.match(line):
            if match[1] not in log.untested:
                log.untested.append(match[1])
        elif (line.startswith("alg: ") and not HARMLESS.match(line)) or COMPLAINT.search(line):
            log.faults.append(line)
    if warns and not warned:
        log.faults.append(f"{warns}() was expected to warn, and did not")
    return log
