# SPDX-License-Identifier: GPL-2.0
"""What the scripts share: where things are, progress, and long commands."""

from __future__ import annotations

import contextvars
import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

HEARTBEAT = 8.0  # seconds between signs of life
START = time.monotonic()
SRC = Path(__file__).resolve().parent.parent

# What this thread works at, where several do so at a time.
task: contextvars.ContextVar[str] = contextvars.ContextVar("task", default="")
# Set when the user has had enough, of which Python tells the main thread alone.
interrupted = threading.Event()


class Failure(Exception):
    """Something that the user has to know or decide; its text says it all."""


def cache_dir() -> Path:
    """The cache, as scripts/env.sh says."""
    if not (cache := os.environ.get("RFL_CACHE")):
        raise Failure("RFL_CACHE is not set: run this by scripts/env.sh run")
    return Path(cache)


def named_release() -> str | None:
    """The kernel release that $KERNEL names. It may name a suite only, which scripts/env.sh saw to."""
    name = os.environ.get("KERNEL", "")
    return name if name[:1].isdigit() else None


def shown(path: Path) -> str:
    """A path as the user knows it, outside of the environment's root."""
    for inside, outside in (("RFL_CACHE", "RFL_HOST_CACHE"), ("RFL_SRC", "RFL_HOST_SRC")):
        if inside in os.environ and outside in os.environ:
            try:
                return str(Path(os.environ[outside]) / path.relative_to(os.environ[inside]))
            except ValueError:
                pass
    return str(path)


def say(text: str) -> None:
    """A line of progress."""
    name = Path(sys.argv[0]).stem
    who = f"{task.get()}: " if task.get() else ""
    # In one piece: lines of several threads must not run into each other.
    sys.stderr.write(f"{name}: [{time.monotonic() - START:4.0f} s] {who}{text}\n")
    sys.stderr.flush()


def command_line(main: Callable[[], int]) -> None:
    """Run main() as a command, and exit with its status."""
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"{Path(sys.argv[0]).stem}: error: {failure}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def output(*command: str | Path, **kwargs) -> str:
    """Standard output of a short command."""
    try:
        return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, **kwargs).stdout
    except FileNotFoundError as error:
        raise Failure(f"{command[0]} is missing") from error
    except subprocess.CalledProcessError as error:
        raise Failure(f"{' '.join(map(str, command))}: {error.stderr.strip()}") from error


@contextmanager
def heartbeat(status: Callable[[], str]) -> Iterator[None]:
    """Tell the status every few seconds while the body runs."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(HEARTBEAT):
            say(f"  ... {status()}")

    thread = threading.Thread(target=contextvars.copy_context().run, args=(beat,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def logged(title: str, log: Path, command: list[str], status: Callable[[], str] | None = None,
           **kwargs) -> None:
    """Run a long command with its output in a log, and tell how far it is."""
    def last_line() -> str:
        lines = log.read_text(errors="replace").splitlines()
        return f"{len(lines)} lines of output, at: {lines[-1].strip()}" if lines else "starting"

    say(title)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as out, heartbeat(status or last_line):
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, check=False, **kwargs).returncode
    if code:
        tail = log.read_text(errors="replace").splitlines()[-20:]
        raise Failure("\n  | ".join([f"failed (status {code}): {title}", *tail])
                      + f"\nfull output: {shown(log)}")


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Hold a lock file; say so if that has to wait for somebody."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting: {what} (lock: {shown(path)})")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
