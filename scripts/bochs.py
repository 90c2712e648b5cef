# SPDX-License-Identifier: GPL-2.0
"""Guests in Bochs: a CPU with AVX-512, GFNI and VAES on any host.

Bochs interprets every instruction on a machine that is the same on every host.
It boots as a PC does, so the kernel comes on a CD with isolinux. prepare()
makes that and gives the command to run; finish() says how it ended, which the
exit status does not: it is 1 after a power-off, too.

The guest's clock counts instructions: a second of it is IPS of them, however
long they take. Time-outs are for the host.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from common import Failure, output

BIOS = Path("/usr/share/bochs/BIOS-bochs-latest")
VGA_BIOS = Path("/usr/share/bochs/VGABIOS-lgpl-latest")
ISOLINUX = Path("/usr/lib/ISOLINUX/isolinux.bin")
LDLINUX = Path("/usr/lib/syslinux/modules/bios/ldlinux.c32")

# Instructions in a second of the guest's. It is a little more than what Bochs
# reaches, so that time-outs in the guest are not early.
IPS = 200_000_000

ISO = "boot.iso"
RC = "bochs.rc"
CONFIG = "bochsrc"

# All names are relative to the directory of a run: in Bochs' syntax no
# character of its path then has a meaning. SDL has a driver that shows nothing;
# Bochs' own means to do without a display, RFB, would listen on the network.
BOCHSRC = """\
config_interface: textconfig
display_library: sdl2
plugin_ctrl: speaker=0
cpu: model={model}, count=1, ips={ips}, reset_on_triple_fault=0{exclude}
memory: guest={memory}, host={memory}
clock: sync=none, time0=utc
romimage: file={bios}, options=fastboot
vgaromimage: file={vga_bios}
vga: extension=vbe, update_freq=1
ata0: enabled=1
ata0-master: type=cdrom, path={iso}, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=console.log
com2: enabled=1, mode=file, dev=ktap.log
log: bochs.log
panic: action=fatal
error: action=report
info: action=report
"""

ISOLINUX_CFG = """\
DEFAULT linux
PROMPT 0
LABEL linux
  KERNEL vmlinuz
  INITRD initrd
  APPEND {cmdline}
"""

# How Bochs says that the guest turned itself off, and that it reset itself:
# with "reboot=t" that is a triple fault, which ends Bochs; after a reset of
# another kind it would boot again.
POWER_OFF = "ACPI control: soft power off"
TRIPLE_FAULT = "exception with no resolution"


def prepare(run: Path, kernel_image: Path, initramfs: Path, cmdline: str, memory: int,
            cpu: str) -> list[str]:
    """Make what a guest boots from, in run; the command to boot it.

    The guest's serial lines go to console.log and ktap.log. Memory is in MB.
    The CPU is a model that Bochs has, less some of the features that it has a
    name for: "tigerlake,gfni=off".
    """
    model, *features = cpu.split(",")
    for feature in features:
        if not feature.endswith("=off"):
            raise Failure(f"CPU {cpu} in Bochs: expected FEATURE=off, found {feature}")
    excluded = " ".join(feature.removesuffix("=off") for feature in features)
    for needed in (BIOS, VGA_BIOS, ISOLINUX, LDLINUX):
        if not needed.exists():
            raise Failure(f"{needed} is missing")
    # Timers go by IPS, and so does the TSC, although some models tell another
    # frequency of it: a wait of a second would then take ten times as long.
    make_iso(run / ISO, kernel_image, initramfs,
             f"{cmdline} reboot=t tsc_early_khz={IPS // 1000}")
    (run / CONFIG).write_text(BOCHSRC.format(
        model=model, exclude=f', exclude_features="{excluded}"' if excluded else "", ips=IPS,
        memory=memory, bios=BIOS, vga_bios=VGA_BIOS, iso=ISO))
    # Its debugger, which cannot be left out, waits for orders: "continue".
    (run / RC).write_text("c\n")
    return ["env", f"--chdir={run}", "SDL_VIDEODRIVER=dummy",
            "bochs", "-q", "-f", CONFIG, "-rc", RC]


def make_iso(path: Path, kernel_image: Path, initramfs: Path, cmdline: str) -> None:
    """Make a CD that boots a kernel."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for name, source in (("isolinux.bin", ISOLINUX), ("ldlinux.c32", LDLINUX),
                             ("vmlinuz", kernel_image), ("initrd", initramfs)):
            (root / name).symlink_to(source.resolve())
        (root / "isolinux.cfg").write_text(ISOLINUX_CFG.format(cmdline=cmdline))
        output("xorriso", "-as", "mkisofs", "-quiet", "-follow-links", "-o", path,
               "-b", "isolinux.bin", "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table",
               root)


def finish(run: Path, said: str) -> str:
    """Tidy up after Bochs; what was wrong, from what it said on its outputs.

    Nothing was if the guest turned itself off.
    """
    (run / ISO).unlink(missing_ok=True)
    match = re.search(r"^Bochs is exiting with the following message:\n(.*)$", said, re.MULTILINE)
    if not match:
        return "Bochs ended without a reason: " + "".join(said.splitlines()[-1:])
    if POWER_OFF in match[1]:
        return ""
    if TRIPLE_FAULT in match[1]:
        return "the guest reset itself: it crashed, or did so after a panic"
    return f"Bochs gave up: {match[1]}"
