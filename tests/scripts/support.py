# SPDX-License-Identifier: GPL-2.0
"""Access to the scripts under test, and to saved logs."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
SRC = HERE.parent.parent
SCRIPTS = SRC / "scripts"
sys.path.insert(0, str(SCRIPTS))


def script(name: str) -> ModuleType:
    """A script as a module, whatever its file is called."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(SCRIPTS / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module  # dataclasses look themselves up there
    loader.exec_module(module)
    return module


def log(name: str) -> str:
    """A saved log."""
    return (HERE / "logs" / name).read_text()
