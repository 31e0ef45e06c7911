"""Checks of a sweep before its first point: every name and value that an axis has."""
from __future__ import annotations

import pathlib
from typing import Any

from .commands import commands_of
from .errors import SweepError
from .evaluate import _answer
from .spec import Limits, Sweep

_LIMITS = Limits(seconds=120)


def _refusal(words: list[str]) -> str:
    """Why the tool refuses a command; "" if it does not."""
    answer = _answer(words, _LIMITS)
    if answer["status"] in (0, None):
        return ""
    lines = [line for line in answer["stderr"].splitlines() if line.strip() and not line.startswith("Run 'ttsim")]
    return "\n".join(lines[:4]) or f"exit code {answer['status']}"


def _require_files(sweep: Sweep) -> None:
    axis = next((a for a in sweep.axes if a.name == sweep.base_kind), None)
    for file in [str((sweep.folder / str(v)).resolve()) for v in axis.values] if axis else [sweep.base]:
        if not pathlib.Path(file).exists():
            raise SweepError(f"{sweep.base_kind}: {file}: no such file")


def _refused(sweep: Sweep, point: dict[str, Any], inputs: pathlib.Path) -> str:
    commands = commands_of(sweep, point, inputs)
    run = ["run", *commands.run[2:], "--print-options"]
    if why := (commands.compile and _refusal(["compile", *commands.compile[2:], "--print-options"])) or _refusal(run):
        return why
    if sweep.compiles or sweep.base_kind == "image" or sweep.keep_invalid:
        return ""
    # options of 'ttsim check': those that choose the machine
    check, words = ["check", commands.run[1]], commands.run[2:]
    for flag, value in zip(words, words[1:]):
        if flag in ("--device", "--arch", "--cluster", "--harvested-rows"):
            check += [flag, value]
    return _refusal(check)


def check_sweep(sweep: Sweep, inputs: pathlib.Path) -> None:
    """SweepError for the first mistake. Each value of an axis is tried with the first values of the others."""
    _require_files(sweep)
    first = next(sweep.points(), None)
    if first is None:
        raise SweepError("where: no point fulfils all conditions")
    if why := _refused(sweep, first, inputs):
        raise SweepError(f"the first point {first} is refused:\n{why}")
    for axis in sweep.axes:
        if axis.name == "seed":
            continue
        for value in axis.values[1:200]:
            together = next((z for z in sweep.zips if axis.name in z), (axis.name,))
            at = axis.values.index(value)
            changed = {name: next(a for a in sweep.axes if a.name == name).values[at] for name in together}
            if why := _refused(sweep, {**first, **changed}, inputs):
                remedy = "" if sweep.compiles else "\n  'keep_invalid: true' records such points as refused"
                raise SweepError(f"axis '{axis.name}': the value {value!r} is refused:\n{why}{remedy}")
