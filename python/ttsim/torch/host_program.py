"""Programs of steps in the host parts of an image: read, checked with shapes, and run in torch.

A program has inputs (`{"input": 0}`) and stored tensors (`{"tensor": "t0"}`). Each step names an op of the closed set
(host_ops.py) with arguments; `{"step": 3}` is the result of an earlier step. Other arguments are JSON values, or
`{"dtype": "int64"}`, `{"float": "-inf"}`, `{"complex": [0, 1]}`, `{"memory_format": ...}`, `{"layout": "strided"}`,
`{"device": "cpu"}`."""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from .. import _ttsim
from . import host_limits as limits
from . import host_ops
from .host_shapes import ShapeCheck


def refused(place: str, text: str) -> _ttsim.InputError:
    """InputError at `place`: image, member and position in it."""
    error = _ttsim.InputError(f"{place}: error: {text}")
    error.file = place
    return error


@dataclasses.dataclass(frozen=True)
class Ref:
    """A reference to a tensor in a step's arguments: `kind` is input, tensor or step."""
    kind: str
    at: Any


@dataclasses.dataclass
class Step:
    op: str
    function: Callable[..., Any]
    args: list[Any]
    kwargs: dict[str, Any]
    ends: list[int] = dataclasses.field(default_factory=list)  # earlier steps whose results are not read after this one


@dataclasses.dataclass
class Program:
    """`place`: for messages; `tensors`: stored tensors by name."""
    place: str
    tensors: Mapping[str, torch.Tensor]
    steps: list[Step]
    results: list[Ref]

    def __call__(self, *given: torch.Tensor) -> list[torch.Tensor]:
        """Runs the steps. ttsim.InputError if torch refuses a step for its values."""
        values: list[Any] = [None] * len(self.steps)
        sources = {"tensor": self.tensors, "input": given, "step": values}
        for at, step in enumerate(self.steps):
            try:
                values[at] = step.function(*_filled(step.args, sources), **_filled(step.kwargs, sources))
            except (RuntimeError, IndexError, ValueError, TypeError, ArithmeticError, MemoryError) as error:
                raise refused(self.step_place(at), f"torch cannot compute it: {error}") from error
            for end in step.ends:
                values[end] = None
        return list(_filled(self.results, sources))

    def step_place(self, at: int) -> str:
        return f"{self.place}: step {at} ({self.steps[at].op})"

    def check(self, given: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Results as tensors with shapes only, for such inputs. ttsim.InputError for steps that torch refuses, and for
        results or work beyond host_limits.py."""
        check = ShapeCheck()
        values: list[Any] = [None] * len(self.steps)
        sources = {"tensor": {name: check.shape_of(tensor) for name, tensor in self.tensors.items()},
                   "input": [check.shape_of(tensor) for tensor in given], "step": values}
        for at, step in enumerate(self.steps):
            try:
                values[at] = check.run(step.op, step.function, _filled(step.args, sources),
                                       _filled(step.kwargs, sources))
            except Exception as error:  # torch raises many types for invalid arguments
                raise refused(self.step_place(at), _first_line(error)) from error
            for end in step.ends:
                check.forget(values[end])
                values[end] = None
        results: list[torch.Tensor] = _filled(self.results, sources)
        for place, one in enumerate(results):
            if not isinstance(one, torch.Tensor):
                raise refused(self.place, f"result {place} is not a tensor")
        return results


def _filled(value: Any, sources: Mapping[str, Any]) -> Any:
    """Arguments with references replaced by their tensors."""
    if isinstance(value, Ref):
        return sources[value.kind][value.at]
    if isinstance(value, list):
        return [_filled(one, sources) for one in value]
    if isinstance(value, dict):
        return {key: _filled(one, sources) for key, one in value.items()}
    return value


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:500]


class ProgramReader:
    """Reads programs from parsed JSON. ttsim.InputError names the step with a problem."""

    def __init__(self, place: str, tensors: Mapping[str, torch.Tensor], inputs: int) -> None:
        self._place, self._tensors, self._inputs = place, tensors, inputs
        self._at = 0  # index of the step being read
        self._words = 0  # words in the arguments of that step

    def read(self, data: Any) -> Program:
        only(data, {"steps", "results"}, self._place, "a program")
        steps = a_list(data["steps"], self._place, "'steps'")
        if len(steps) > limits.MOST_STEPS:
            raise refused(self._place, f"it has {len(steps)} steps; the limit is {limits.MOST_STEPS}")
        made = []
        for self._at, one in enumerate(steps):
            made.append(self._step(one))
        self._at = len(steps)
        results = [self._value(one) for one in a_list(data["results"], self._place, "'results'")]
        if not all(isinstance(one, Ref) for one in results):
            raise refused(self._place, "'results' names something that is not a tensor")
        used = _used(made, results)
        program = Program(self._place, {name: tensor for name, tensor in self._tensors.items() if name in used}, made,
                          results)
        _mark_ends(program)
        return program

    def _fail(self, text: str) -> _ttsim.InputError:
        return refused(f"{self._place}: step {self._at}", text)

    def _step(self, data: Any) -> Step:
        if not isinstance(data, dict) or not {"op", "args"} <= data.keys() <= {"op", "args", "kwargs"}:
            raise self._fail("expected an object with 'op', 'args' and optional 'kwargs'")
        op, args, kwargs = data["op"], data["args"], data.get("kwargs", {})
        function = host_ops.op_named(op) if isinstance(op, str) else None
        if function is None:
            raise self._fail(f"{_shown(op)} is not one of the ops that host parts may have")
        if not isinstance(args, list) or not isinstance(kwargs, dict):
            raise self._fail("'args' must be a list and 'kwargs' an object")
        self._words = 0
        step = Step(op, function, [self._value(one) for one in args],
                    {key: self._value(one) for key, one in kwargs.items()})
        if op == host_ops.GETITEM:
            self._check_getitem(step)
        return step

    def _check_getitem(self, step: Step) -> None:
        given = step.args[0] if len(step.args) == 2 and not step.kwargs else None
        if not isinstance(given, Ref) or given.kind != "step" or type(step.args[1]) is not int or step.args[1] < 0:
            raise self._fail("getitem needs an earlier step and the index of one of its results")

    def _value(self, data: Any, depth: int = 0) -> Any:
        self._words += 1
        if self._words > limits.MOST_WORDS:
            raise self._fail(f"it has more than {limits.MOST_WORDS} arguments")
        if data is None or isinstance(data, (bool, float)):
            return data
        if isinstance(data, int):
            if not -(1 << 63) <= data < 1 << 63:
                raise self._fail("a number in its arguments has more than 64 bits")
            return data
        if isinstance(data, str):
            if len(data) > 200:
                raise self._fail("a word in its arguments is too long")
            return data
        if isinstance(data, list):
            if depth >= limits.MOST_NESTING:
                raise self._fail(f"lists are nested more than {limits.MOST_NESTING} deep")
            if len(data) > limits.MOST_LIST and not all(isinstance(one, dict) for one in data):
                raise self._fail(f"a list in its arguments has {len(data)} elements; the limit is {limits.MOST_LIST}")
            return [self._value(one, depth + 1) for one in data]
        return self._tagged(data)

    def _tagged(self, data: dict[str, Any]) -> Any:
        if len(data) != 1:
            raise self._fail("an argument that is an object must have one key")
        (kind, value), = data.items()
        if kind in ("input", "step"):
            count = self._inputs if kind == "input" else self._at
            if type(value) is not int or not 0 <= value < count:
                raise self._fail(f"{kind} {_shown(value)} is not one of the {count} before it")
            return Ref(kind, value)
        if kind == "tensor":
            if not isinstance(value, str) or value not in self._tensors:
                raise self._fail(f"tensor {_shown(value)} is not in the file")
            return Ref(kind, value)
        if kind == "complex" and isinstance(value, list) and len(value) == 2:
            parts = [self._number(one) for one in value]
            return complex(*parts)
        if kind == "float":
            return self._number(data)
        tables: dict[str, Mapping[str, Any]] = {"dtype": host_ops.DTYPES, "memory_format": host_ops.MEMORY_FORMATS,
                                                "layout": host_ops.LAYOUTS, "device": host_ops.DEVICES}
        table = tables.get(kind)
        if table is None or not isinstance(value, str) or value not in table:
            raise self._fail(f"{_shown(kind)} {_shown(value)} is not an argument; known are "
                             f"{', '.join(table) if table else 'input, step, tensor, dtype, float, ...'}")
        return table[value]

    def _number(self, data: Any) -> float:
        if isinstance(data, dict) and list(data) == ["float"] and data["float"] in ("nan", "inf", "-inf"):
            return float(data["float"])
        if isinstance(data, (int, float)) and not isinstance(data, bool) and abs(data) < 1e308:
            return float(data)
        raise self._fail(f"{_shown(data)} is not a number")


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else text[:77] + "..."


def only(data: Any, keys: set[str], place: str, what: str) -> None:
    """Checks that data are an object with exactly these keys."""
    if not isinstance(data, dict):
        raise refused(place, f"{what}: expected an object")
    for key in sorted(map(str, data.keys() ^ keys)):
        raise refused(place, f"{what}: the key {_shown(key)} is {'missing' if key in keys else 'unknown'}")


def a_list(data: Any, place: str, what: str) -> list[Any]:
    if not isinstance(data, list):
        raise refused(place, f"{what}: expected a list")
    return data


def _refs(value: Any) -> list[Ref]:
    if isinstance(value, Ref):
        return [value]
    if isinstance(value, (list, dict)):
        return [ref for one in (value.values() if isinstance(value, dict) else value) for ref in _refs(one)]
    return []


def _used(steps: Sequence[Step], results: Sequence[Ref]) -> set[str]:
    refs = [ref for step in steps for ref in _refs([step.args, step.kwargs])]
    return {ref.at for ref in [*refs, *results] if ref.kind == "tensor"}


def _mark_ends(program: Program) -> None:
    """Marks the last readers of results. A list of results stays as long as one of them is used."""
    last = list(range(len(program.steps)))
    for at, step in enumerate(program.steps):
        for ref in _refs([step.args, step.kwargs]):
            if ref.kind == "step":
                last[ref.at] = at
    for ref in program.results:
        if ref.kind == "step":
            last[ref.at] = len(program.steps)
    for at, end in enumerate(last):
        if end < len(program.steps):
            program.steps[end].ends.append(at)


def finite(text: str) -> float:
    """A JSON number."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]} is too large")
    return value
