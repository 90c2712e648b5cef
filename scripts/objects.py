# SPDX-License-Identifier: GPL-2.0
"""What can be told from the object code of modules, built for a stock x86-64 kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from common import output

MAX_FRAME = 512  # bytes of stack that a function may take

# Saving and restoring vector registers is the kernel's own business.
FPU_STATE = re.compile(r"xsave\w*|xrstor\w*|xgetbv|xsetbv|clts|fxsave\w*|fxrstor\w*|fninit")

INSTRUCTION = re.compile(r"^ *[0-9a-f]+:\t(?:(?:rep|repz|notrack|bnd|lock|cs|ds) )*(\w+)", re.MULTILINE)
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$", re.MULTILINE)


class Module:
    """A module's object code, disassembled."""

    def __init__(self, path: Path):
        self.path = path
        self.code = output("objdump", "-d", "--no-show-raw-insn", path)

    def functions(self) -> Iterator[tuple[str, str]]:
        """Each function with its instructions."""
        parts = FUNCTION.split(self.code)[1:]
        yield from zip(parts[::2], parts[1::2])

    def faults(self) -> dict[str, list[str]]:
        """Rules by name, with what breaks each."""
        undefined = output("nm", "-u", self.path)
        frames, mnemonics = [], set()
        for name, code in self.functions():
            mnemonics |= set(INSTRUCTION.findall(code))
            size = max((int(n, 16) for n in re.findall(r"sub +\$0x([0-9a-f]+),%rsp", code)), default=0)
            if size > MAX_FRAME:
                frames.append(f"{name}: {size} bytes")
        return {
            "no panic path": re.findall(r"\S*9panicking\S*", undefined),
            f"stack frames of at most {MAX_FRAME} bytes": frames,
            "no saving of vector registers by hand": [m for m in sorted(mnemonics)
                                                      if FPU_STATE.fullmatch(m)],
            "returns by the kernel's thunk": [m for m in mnemonics if m in ("ret", "retq")],
        }


def aliases(path: Path) -> set[str]:
    """Names by which a module is loaded on demand."""
    return set(output("modinfo", "-F", "alias", path).split())


def missing_aliases(path: Path, drivers: list[dict[str, str]]) -> list[str]:
    """Names of registered drivers that do not load the module on demand.

    A driver whose name was taken is registered under another, which is not promised.
    """
    known = aliases(path)
    wanted = {f"crypto-{d[key]}" for d in drivers for key in ("name", "driver")}
    return sorted(a for a in wanted - known if a.removesuffix("-rust") not in known)
