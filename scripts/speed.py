# SPDX-License-Identifier: GPL-2.0
"""Drivers of the kernel crypto API, ours and the kernel's own: what to measure, and what came out.

A guest measures with the kernel's tcrypt whatever that can name: skciphers, with its own lengths.
Other lengths, AEADs and hashes are measured by rfl_test_speed (tests/kernel/speed.c), which does
the same. Figures are counts of the CPU's time-stamp counter for an operation.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

# Lengths that tcrypt has (block_sizes of crypto/tcrypt.c). It begins with 16, and four operations
# to warm up are not enough for what looks up tables.
TCRYPT_SIZES = (64, 128, 256, 1024, 1420, 4096)
SIZES = (16, 32, 64, 128, 256, 512, 1024, 1420, 4096, 8192, 16384)
KEY_BITS = (128, 256)
AEADS = ("gcm", "rfc4106")
TEMPLATES = ("ecb", "cbc", "ctr", "xts", "lrw", "gcm")  # modules, where they are not built in


@dataclass(frozen=True)
class Subject:
    """A driver in the role that it is measured in."""
    driver: str
    cipher: str
    mode: str
    tier: str
    ours: bool = False

    @property
    def is_generic(self) -> bool:
        """Whether it is the kernel's C code."""
        return not self.ours and self.tier == "generic"

    @property
    def keys(self) -> tuple[int, ...]:
        """Lengths of keys to measure, of the cipher alone."""
        return (0,) if self.mode == "crc" else KEY_BITS

    def key_bits(self, cipher_bits: int) -> int:
        """Length of the mode's key."""
        extra = {"xts": cipher_bits, "lrw": 128, "rfc4106": 32}
        return cipher_bits + extra.get(self.mode, 0)

    def commands(self, cipher_bits: int) -> list[str]:
        """Commands of a guest's plan that measure it once."""
        key = f"klen={self.key_bits(cipher_bits) // 8}"
        others = ",".join(str(s) for s in SIZES if s not in TCRYPT_SIZES)
        everything = ",".join(map(str, SIZES))
        if self.mode == "crc":
            return [f"speed type=shash alg={self.driver} sizes={everything}"]
        if self.mode in AEADS:
            return [f"speed type=aead alg={self.driver} {key} sizes={everything}"]
        return [f"tcrypt mode=600 num_mb=1 alg={self.driver} {key} label=tcrypt",
                f"speed type=skcipher alg={self.driver} {key} sizes={others}"]


@dataclass(frozen=True)
class Family:
    """Drivers that are measured beside each other in one guest."""
    cipher: str
    modules: tuple[str, ...]  # the kernel's
    ours: str                 # our module
    intree: tuple[Subject, ...]

    def subjects(self, aliases: Iterable[str]) -> list[Subject]:
        """All drivers, with ours as the aliases of our module tell."""
        taken = {s.driver for s in self.intree} | INTREE_CIPHERS
        return [*self.intree, *our_subjects(self.cipher, aliases, taken)]


def intree(cipher: str, tier: str, **drivers: str) -> Iterator[Subject]:
    """The kernel's drivers of a tier by mode."""
    for mode, driver in drivers.items():
        yield Subject(driver, cipher, mode, tier)


def generic(cipher: str) -> Iterator[Subject]:
    """The kernel's C code, a cipher for single blocks, with its templates."""
    name = f"{cipher}-generic"
    yield from intree(cipher, "generic", ecb=f"ecb({name})", cbc=f"cbc({name})", ctr=f"ctr({name})",
                      xts=f"xts(ecb({name}))", lrw=f"lrw(ecb({name}))",
                      gcm=f"gcm_base(ctr({name}),ghash-lib)")


def aria(tier: str) -> Iterator[Subject]:
    """An assembly driver for ARIA; other modes than its own are templates over it."""
    yield from intree("aria", tier, ecb=f"ecb-aria-{tier}", ctr=f"ctr-aria-{tier}",
                      xts=f"xts(ecb-aria-{tier})", lrw=f"lrw(ecb-aria-{tier})",
                      gcm=f"gcm_base(ctr-aria-{tier},ghash-lib)")


def camellia(tier: str, name: str) -> Iterator[Subject]:
    """An assembly driver for Camellia; for CTR, only the one for single blocks serves."""
    yield from intree("camellia", tier, ecb=f"ecb-{name}", cbc=f"cbc-{name}",
                      xts=f"xts(ecb-{name})", lrw=f"lrw(ecb-{name})")


def aes(tier: str, name: str, gcm: str) -> Iterator[Subject]:
    """A driver of aesni-intel."""
    yield from intree("aes", tier, ctr=f"ctr-aes-{name}", xts=f"xts-aes-{name}",
                      gcm=f"generic-gcm-{gcm}", rfc4106=f"rfc4106-gcm-{gcm}")


INTREE_CIPHERS = {"camellia-asm"}

FAMILIES = [
    Family("aria", ("aria_generic", "aria_aesni_avx_x86_64", "aria_aesni_avx2_x86_64",
                    "aria_gfni_avx512_x86_64"), "aria_rust",
           (*generic("aria"), *aria("avx"), *aria("avx2"), *aria("avx512"))),
    Family("camellia", ("camellia_generic", "camellia_x86_64", "camellia_aesni_avx_x86_64",
                        "camellia_aesni_avx2"), "camellia_rust",
           (*generic("camellia"), *camellia("asm", "camellia-asm"),
            Subject("ctr(camellia-asm)", "camellia", "ctr", "asm"),
            *camellia("aesni-avx", "camellia-aesni"),
            *camellia("aesni-avx2", "camellia-aesni-avx2"))),
    Family("aes", ("aesni_intel",), "aes_x86_rust",
           (*intree("aes", "generic", ecb="ecb-aes-lib", cbc="cbc-aes-lib", ctr="ctr-aes-lib",
                    xts="xts-aes-lib", lrw="lrw(ecb-aes-lib)", gcm="gcm-aes-lib",
                    rfc4106="rfc4106-gcm-aes-lib"),
            *intree("aes", "aesni", ecb="ecb-aes-aesni", cbc="cbc-aes-aesni",
                    lrw="lrw(ecb-aes-aesni)"),
            *aes("aesni", "aesni", "aesni"), *aes("aesni-avx", "aesni-avx", "aesni-avx"),
            *aes("vaes-avx2", "vaes-avx2", "vaes-avx2"),
            *aes("vaes-avx512", "vaes-avx512", "vaes-avx512"))),
    # The library chooses its code by the CPU alone.
    Family("crct10dif", ("crct10dif_lib",), "crct10dif_rust",
           (Subject("crct10dif-lib", "crct10dif", "crc", "lib"),)),
]


def our_subjects(cipher: str, aliases: Iterable[str], taken: set[str]) -> Iterator[Subject]:
    """Our drivers, from the names that a module can be loaded by.

    Those whose names in-tree drivers have are called otherwise.
    """
    for alias in sorted(set(aliases)):
        name = alias.removeprefix("crypto-")
        driver = f"{name}-rust" if name in taken else name
        if match := re.fullmatch(rf"(ecb|cbc|ctr|xts|lrw|gcm|rfc4106-gcm)-{cipher}-(.+)", name):
            yield Subject(driver, cipher, match[1].removesuffix("-gcm"), match[2], ours=True)
        elif match := re.fullmatch(r"crct10dif-(.+)", name):
            tier = "scalar" if match[1] == "rust" else match[1]
            yield Subject(driver, cipher, "crc", tier, ours=True)
        elif name == f"{cipher}-rust":
            for mode in ("ecb", "ctr"):
                yield Subject(f"{mode}({driver})", cipher, mode, "scalar", ours=True)


def plan(family: Family, subjects: Iterable[Subject], modules: Iterable[str], rounds: int,
         keys: Iterable[int]) -> str:
    """What a guest does: load all, and measure in turns, so that a disturbance is nobody's."""
    subjects = list(subjects)
    lines = [f"load-if-able {module}" for module in modules]
    lines.append("speed")
    for _ in range(rounds):
        for mode in dict.fromkeys(s.mode for s in subjects):
            for bits in (0, *keys):
                for subject in subjects:
                    if subject.mode == mode and bits in subject.keys:
                        lines += subject.commands(bits)
    lines.append("speed")
    return "\n".join(lines)


# --- figures ---------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """What was measured."""
    subject: Subject
    op: str        # encrypt, decrypt or digest
    key_bits: int  # of the cipher
    bytes: int     # as the table has it; see Figures.add()


@dataclass
class Figures:
    """Cycles for an operation, in all rounds."""
    khz: list[int] = field(default_factory=list)  # of the counter
    samples: dict[Case, list[int]] = field(default_factory=dict)
    # What block modes have instead: whole blocks.
    true_bytes: dict[Case, int] = field(default_factory=dict)

    def add(self, subjects: Iterable[Subject], records: Iterable[dict[str, str]]) -> None:
        """Take what a guest reported."""
        names = {s.driver: s for s in subjects}
        for record in records:
            # An instance of a template may be told by another name than it was asked for by.
            subject = names.get(record["driver"])
            if subject is None:
                continue
            bits = next((b for b in subject.keys if subject.key_bits(b) == int(record["key_bits"])),
                        None)
            if bits is None:
                continue
            size = int(record["bytes"])
            nominal = next((s for s in SIZES if s <= size < s + 16), size)
            if record["label"] == "tcrypt" and nominal not in TCRYPT_SIZES:
                continue
            case = Case(subject, OPS[record["op"]], bits, nominal)
            self.samples.setdefault(case, []).append(int(record["cycles"]))
            self.true_bytes[case] = size

    def cycles(self, subject: Subject | None, op: str, key_bits: int, size: int) -> float | None:
        """Median cycles for an operation, if that was measured."""
        samples = self.samples.get(Case(subject, op, key_bits, size)) if subject else None
        return statistics.median(samples) if samples else None

    def speed(self, subject: Subject, op: str, key_bits: int, size: int) -> float | None:
        """MB/s."""
        cycles = self.cycles(subject, op, key_bits, size)
        if not cycles:
            return None
        true = self.true_bytes[Case(subject, op, key_bits, size)]
        return true / cycles * statistics.median(self.khz) / 1000

    def subjects(self, cipher: str, mode: str) -> list[Subject]:
        """What there are figures of."""
        return list(dict.fromkeys(c.subject for c in self.samples
                                  if (c.subject.cipher, c.subject.mode) == (cipher, mode)))

    def find(self, cipher: str, mode: str, tier: str, ours: bool = False) -> Subject | None:
        """One of them."""
        return next((s for s in self.subjects(cipher, mode) if (s.tier, s.ours) == (tier, ours)), None)

    def best(self, subjects: Iterable[Subject], op: str, key_bits: int, size: int) -> float | None:
        """The fewest cycles that any of the drivers needs."""
        found = [c for s in subjects if (c := self.cycles(s, op, key_bits, size))]
        return min(found, default=None)

    def noise(self) -> float:
        """How far, in the middle of all cases, quartiles are apart."""
        return statistics.median([summary(s)["spread"] for s in self.samples.values()] or [0.0])


OPS = {"encryption": "encrypt", "decryption": "decrypt", "digest": "digest"}


def summary(samples: list[float]) -> dict[str, float]:
    """Quartiles of samples, and their distance in relation to the median."""
    q1, median, q3 = (statistics.quantiles(samples, n=4, method="inclusive")
                      if len(samples) > 1 else samples * 3)
    return {"samples": len(samples), "min": min(samples), "q1": q1, "median": median, "q3": q3,
            "spread": (q3 - q1) / median if median else 0.0}


NOISY = 0.10


def records(figures: Figures) -> list[dict]:
    """All figures in the shape that rust/bench reads: time for an operation."""
    found = []
    khz = statistics.median(figures.khz)
    for case, samples in figures.samples.items():
        mode = case.subject.mode
        if mode == "ctr" and case.op == "decrypt":
            continue  # it is the same code, and the shape has one name for both
        cost = summary([cycles / khz * 1e6 for cycles in samples])
        spread = cost.pop("spread")
        found.append({
            "implementation": case.subject.driver, "ours": case.subject.ours,
            "algorithm": case.subject.cipher,
            "mode": {"crc": "digest", "ctr": "ctr"}.get(mode, f"{mode}-{case.op}"),
            # The salt of RFC 4106 is no part of the cipher's key.
            "key_bits": (case.key_bits if mode in ("crc", "rfc4106")
                         else case.subject.key_bits(case.key_bits)),
            "bytes": figures.true_bytes[case], "cycles": None, "nanoseconds": cost,
            "noisy": spread > NOISY})
    return found


# --- tables ----------------------------------------------------------------


@dataclass
class Table:
    """Rows of text under a title; the first row is the head."""
    title: str
    rows: list[list[str]]
    note: str = ""

    def markdown(self) -> str:
        """As Markdown."""
        head, *body = [f"| {' | '.join(row)} |" for row in self.rows]
        rule = "| --- |" + " ---: |" * (len(self.rows[0]) - 1)
        parts = [f"### {self.title}", "\n".join([head, rule, *body]), self.note]
        return "\n\n".join(part for part in parts if part) + "\n"

    def text(self) -> str:
        """For a terminal."""
        widths = [max(map(len, column)) for column in zip(*self.rows)]
        lines = ["  ".join(cell.ljust(w) if not i else cell.rjust(w)
                           for i, (cell, w) in enumerate(zip(row, widths))).rstrip()
                 for row in self.rows]
        return "\n".join([self.title, *(f"  {line}" for line in lines),
                          *([f"  {self.note}"] if self.note else [])]) + "\n"


def ratio(better: float | None, worse: float | None, digits: int = 2) -> str:
    """How many times fewer cycles."""
    return f"{worse / better:.{digits}f}" if better and worse else "-"


def number(value: float | None) -> str:
    """A figure without decimals."""
    return f"{value:.0f}" if value else "-"


def compare(figures: Figures, cipher: str, mode: str, op: str, key_bits: int) -> Table | None:
    """All drivers of a mode by length, and how many times faster ours are."""
    subjects = figures.subjects(cipher, mode)
    sizes = [s for s in SIZES if any(figures.cycles(x, op, key_bits, s) for x in subjects)]
    if not sizes:
        return None
    key = f", {key_bits}-bit key" if key_bits else ""
    name = cipher if mode == "crc" else f"{mode}({cipher})"
    rows = [["MB/s", *(f"{s} B" for s in sizes)]]
    for subject in subjects:
        rows.append([subject.driver, *(number(figures.speed(subject, op, key_bits, s)) for s in sizes)])
    ours = [s for s in subjects if s.ours]
    theirs = [s for s in subjects if not s.ours]
    for title, ahead, behind in (
            ("in-tree best / in-tree C", theirs, [s for s in theirs if s.is_generic]),
            ("our best / in-tree C", ours, [s for s in theirs if s.is_generic]),
            ("our best / in-tree best", ours, theirs)):
        if ahead and behind and ahead != behind:
            rows.append([title, *(ratio(figures.best(ahead, op, key_bits, s),
                                        figures.best(behind, op, key_bits, s)) for s in sizes)])
    return Table(f"{name}, {op}{key}", rows)


# The figures that were published with these drivers are facts about other machines; what can be
# compared is ratios and shapes.

# v5 of the ARIA AVX2/AVX-512 series, November 2022: i3-12100, tcrypt mode=610 num_mb=8192.
PUBLISHED_ARIA = {
    ("avx512", "encrypt"): (1504, 4595, 1763, 5540), ("avx512", "decrypt"): (1502, 4615, 1759, 5554),
    ("avx2", "encrypt"): (2003, 5867, 2358, 7295), ("avx2", "decrypt"): (2004, 5956, 2409, 7564),
    ("avx", "encrypt"): (2761, 9390, 3401, 11876), ("avx", "decrypt"): (2735, 9424, 3369, 11954),
}


def published_aria(figures: Figures) -> Table | None:
    """Cycles for an operation of ecb(aria), as the AVX2/AVX-512 series had them."""
    columns = [(bits, size) for bits in KEY_BITS for size in (1024, 4096)]
    rows = [["cycles for an operation", "direction", *(f"{b}-bit, {s} B" for b, s in columns)]]
    measured = figures.subjects("aria", "ecb")
    if not measured:
        return None
    for (tier, op), values in PUBLISHED_ARIA.items():
        rows.append([f"published: ecb-aria-{tier}", op, *map(str, values)])
    for subject in measured:
        for op in ("encrypt", "decrypt"):
            rows.append([subject.driver, op,
                         *(number(figures.cycles(subject, op, b, s)) for b, s in columns)])
    return Table("ARIA in the shape of its AVX2/AVX-512 series", rows,
                 "Published: i3-12100, tcrypt mode=610 num_mb=8192, which goes through 32 MB; "
                 "here num_mb=1, which does not leave the cache.")


CAMELLIA_SIZES = (16, 64, 256, 1024, 8192)
CAMELLIA_COLUMNS = [(mode, op) for mode in ("ecb", "cbc", "ctr", "lrw", "xts")
                    for op in ("encrypt", "decrypt")]
# The first camellia-asm against camellia-generic, 2012, Phenom II 1055T.
PUBLISHED_CAMELLIA = {
    (128, 16): (1.27, 1.22, 1.30, 1.42, 1.30, 1.34, 1.19, 1.05, 1.23, 1.24),
    (128, 64): (1.74, 1.79, 1.43, 1.87, 1.81, 1.87, 1.48, 1.38, 1.55, 1.62),
    (128, 256): (1.90, 1.87, 1.43, 1.94, 1.94, 1.95, 1.63, 1.62, 1.67, 1.70),
    (128, 1024): (1.96, 1.93, 1.43, 1.95, 1.98, 2.01, 1.67, 1.69, 1.74, 1.80),
    (128, 8192): (1.96, 1.96, 1.39, 1.93, 2.01, 2.03, 1.72, 1.64, 1.71, 1.76),
    (256, 8192): (1.91, 1.86, 1.42, 1.91, 2.03, 1.98, 1.73, 1.71, 1.78, 1.76),
}
# The same against aes-asm at 8 kB.
PUBLISHED_CAMELLIA_AES = {
    128: (1.15, 1.16, 0.85, 1.20, 1.28, None, 1.12, None, 1.11, None),
    256: (1.22, 1.16, 0.90, 1.23, 1.30, None, 1.16, None, 1.15, None),
}


def published_camellia(figures: Figures) -> Table | None:
    """How many times faster than C, as the commit that added camellia-asm had it."""
    if not figures.subjects("camellia", "ecb"):
        return None
    rows = [["times faster than C", "key", *(f"{mode}-{op[:3]}" for mode, op in CAMELLIA_COLUMNS)]]
    for (bits, size), values in PUBLISHED_CAMELLIA.items():
        rows.append([f"published: camellia-asm, {size} B", str(bits), *(f"{v:.2f}" for v in values)])
    for ours, name in ((False, "in-tree"), (True, "ours")):
        for bits in KEY_BITS:
            for size in CAMELLIA_SIZES:
                row = [ratio(figures.cycles(figures.find("camellia", mode, "asm", ours), op, bits, size),
                             figures.cycles(figures.find("camellia", mode, "generic"), op, bits, size))
                       for mode, op in CAMELLIA_COLUMNS]
                if set(row) != {"-"}:
                    rows.append([f"{name}: camellia-asm, {size} B", str(bits), *row])
    return Table("camellia-asm in the shape of the commit that added it", rows,
                 "Published: Phenom II 1055T.")


def published_camellia_aes(figures: Figures) -> Table | None:
    """Camellia against AES at 8 kB, as the same commit had it."""
    if not figures.subjects("camellia", "ecb") or not figures.subjects("aes", "ecb"):
        return None
    rows = [["times faster than AES, 8192 B", "key", *(f"{mode}-{op[:3]}" for mode, op in CAMELLIA_COLUMNS)]]
    for bits, values in PUBLISHED_CAMELLIA_AES.items():
        rows.append(["published: camellia-asm", str(bits), *(f"{v:.2f}" if v else "-" for v in values)])
    tiers = list(dict.fromkeys((s.tier, s.ours) for mode, _ in CAMELLIA_COLUMNS
                               for s in figures.subjects("camellia", mode)))
    for tier, ours in tiers:
        for bits in KEY_BITS:
            row = [ratio(figures.cycles(figures.find("camellia", mode, tier, ours), op, bits, 8192),
                         figures.cycles(figures.find("aes", mode, "generic"), op, bits, 8192))
                   for mode, op in CAMELLIA_COLUMNS]
            if set(row) != {"-"}:
                rows.append([f"{'ours' if ours else 'in-tree'}: camellia, {tier}", str(bits), *row])
    return Table("Camellia against AES", rows,
                 "Published: against aes-asm, which is no more; here against the C code of aes-lib.")


def published_avx512(figures: Figures) -> Table | None:
    """Gain over AES-NI code, as the AVX-512 series of AES and CRC had it."""
    sizes = (64, 256, 1024, 1420, 4096, 8192)
    rows = [["times faster", *(f"{s} B" for s in sizes)]]
    for mode, published in (("ctr", "about 2x from 256 B"), ("gcm", "about 2x")):
        base = figures.find("aes", mode, "aesni-avx")
        for subject in figures.subjects("aes", mode):
            if base and subject not in (base, figures.find("aes", mode, "generic")):
                rows.append([f"{subject.driver} / {base.driver} (published: {published})",
                             *(ratio(figures.cycles(subject, "encrypt", 128, s),
                                     figures.cycles(base, "encrypt", 128, s)) for s in sizes)])
    crc = figures.find("crct10dif", "crc", "lib")
    for subject in figures.subjects("crct10dif", "crc"):
        if crc and subject.ours:
            rows.append([f"{subject.driver} / {crc.driver} (published: about 1.5x from 1 KiB)",
                         *(ratio(figures.cycles(subject, "digest", 0, s),
                                 figures.cycles(crc, "digest", 0, s)) for s in sizes)])
    if len(rows) == 1:
        return None
    return Table("AES and CRC in the shape of their AVX-512 series, 128-bit key, encryption", rows,
                 "Published: Ice Lake, against the AES-NI and PCLMULQDQ code of 2021.")


def published(figures: Figures) -> list[Table]:
    """Tables in the shape of what was published."""
    makers = (published_aria, published_camellia, published_camellia_aes, published_avx512)
    return [table for make in makers if (table := make(figures))]


def comparisons(figures: Figures, short: bool = False) -> list[Table]:
    """Tables by mode, direction and key; the short form has encryption with the shortest key."""
    kinds = dict.fromkeys((c.subject.cipher, c.subject.mode, c.op, c.key_bits) for c in figures.samples)
    return [table for kind in kinds
            if not short or (kind[2] != "decrypt" and kind[3] in (0, min(KEY_BITS)))
            if (table := compare(figures, *kind))]
