"""The commands of a wheel (pyproject.toml, project.scripts): each replaces this process by a program of the package."""
from __future__ import annotations

import os
import pathlib
import sys
from typing import NoReturn


def _run(name: str) -> NoReturn:
    program = pathlib.Path(__file__).resolve().parent / "bin" / name
    os.environ.setdefault("TTSIM_PYTHON", sys.executable)  # for 'ttsim python' and 'ttsim sweep'
    os.execv(program, [name, *sys.argv[1:]])


def ttsim() -> NoReturn:
    """The command `ttsim`."""
    _run("ttsim")


def ttperf() -> NoReturn:
    """The command `ttperf`."""
    _run("ttperf")


def tt_smi() -> NoReturn:
    """The command `tt-smi`."""
    _run("tt-smi")
