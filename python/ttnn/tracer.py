"""A graph of the ops that a block calls, in the language of Graphviz."""
from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

from ttsim.eager.config import observers

__all__ = ["disable_tracing", "enable_tracing", "is_tracing_enabled", "trace", "visualize"]


class _Calls:
    def __init__(self) -> None:
        self.calls: list[tuple[str, list[Any], list[Any]]] = []
        self._open: list[tuple[str, list[Any]]] = []

    def __call__(self, event: str, op: str, details: Any) -> None:
        if event == "begin":
            self._open.append((op, list(details or ())))
        elif event == "end" and self._open:
            name, inputs = self._open.pop()
            made = details if isinstance(details, tuple) else () if details is None else (details,)
            self.calls.append((name, inputs, [one for one in made if hasattr(one, "number")]))


_current: list[_Calls] = []
_last: list[_Calls] = []


def enable_tracing() -> None:
    """Starts to record calls; calls recorded before are forgotten. RuntimeError if it is enabled already."""
    if _current:
        raise RuntimeError("ttnn.tracer.enable_tracing: it is enabled already")
    _current.append(_Calls())
    _last[:] = _current
    observers.append(_current[0])


def disable_tracing() -> None:
    """Ends the recording. RuntimeError if it is not enabled."""
    if not _current:
        raise RuntimeError("ttnn.tracer.disable_tracing: it is not enabled")
    observers.remove(_current.pop())


def is_tracing_enabled() -> bool:
    """Whether calls are recorded."""
    return bool(_current)


@contextlib.contextmanager
def trace() -> Iterator[None]:
    """Records the calls of a block."""
    enable_tracing()
    try:
        yield
    finally:
        disable_tracing()


def _needed(calls: list[tuple[str, list[Any], list[Any]]], results: list[Any]) -> list[int]:
    """Calls that contribute to results, in order."""
    wanted, found = {one.number for one in results}, []
    for index in range(len(calls) - 1, -1, -1):
        _, inputs, outputs = calls[index]
        if wanted & {one.number for one in outputs}:
            found.append(index)
            wanted |= {one.number for one in inputs}
    return found[::-1]


def visualize(value: Any, *, file_name: str | os.PathLike[str] | None = None) -> str:
    """The recorded calls that lead to a tensor or tuple of tensors, as a digraph in Graphviz's language: nodes are calls and
    operands, edges are tensors with their shapes. `file_name`: where it is written; ".dot": the text, ".svg", ".png" and
    ".pdf": drawn with Graphviz's program dot. RuntimeError without a recording, and if dot is not installed."""
    if not _last:
        raise RuntimeError("ttnn.tracer.visualize: nothing was recorded; call the ops in 'with ttnn.tracer.trace():'")
    calls, results = _last[0].calls, list(value) if isinstance(value, (list, tuple)) else [value]
    chosen = _needed(calls, results)
    lines, operands = ["digraph {"], set()
    made_by: dict[int, str] = {}
    for index in chosen:
        name, inputs, outputs = calls[index]
        lines.append(f'  call{index} [label="{name}"];')
        for one in inputs:
            source = made_by.get(one.number)
            if source is None and one.number not in operands:
                operands.add(one.number)
                lines.append(f'  tensor{one.number} [shape=box, label="tensor {one.number}"];')
            lines.append(f'  {source or f"tensor{one.number}"} -> call{index} [label="{list(one._shape)}"];')
        made_by |= {one.number: f"call{index}" for one in outputs}
    text = "\n".join([*lines, "}"]) + "\n"
    if file_name is not None:
        _write(text, pathlib.Path(file_name))
    return text


def _write(text: str, path: pathlib.Path) -> None:
    if path.suffix == ".dot":
        path.write_text(text, encoding="utf-8")
        return
    program = shutil.which("dot")
    if program is None:
        raise RuntimeError(f"ttnn.tracer.visualize: drawing '{path}' needs Graphviz's program dot, which is not installed; write a "
                           ".dot file")
    subprocess.run([program, f"-T{path.suffix[1:]}", "-o", str(path)], input=text, text=True, check=True)
