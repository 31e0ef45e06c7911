"""From a function of torch tensors and the tensors of a call to a program of a device."""
from __future__ import annotations

import json
import re
import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from .._ttsim import BufferSpec, Error, UnsupportedError
from ..graph import Graph
from ..model import CompiledModel, compile  # noqa: A004
from ..torch import import_module
from .device import Device
from .dtypes import DataType
from .memory import MemoryConfig

_MOVES = frozenset(("reshape", "transpose", "nop", "cast", "map_axis", "gather_rows"))
_FIDELITIES = frozenset(("LoFi", "HiFi2", "HiFi3", "HiFi4"))
_capturing = threading.Lock()  # torch.export changes global state


@dataclass(frozen=True)
class Slot:
    """The place of a tensor among the arguments of a call."""
    index: int


@dataclass
class Program:
    """What a call with these shapes, formats and attributes does.

    `kind`: "chip", "move" (the device moves data) or "host" (torch computes it, and `reason` says why)."""
    op: str
    kind: str
    shapes: list[tuple[int, ...]]
    dtypes: list[DataType]
    single: bool  # one result, not a tuple
    number: int | None = None  # of the session
    order: list[int] = field(default_factory=list)  # of the tensors that its inputs are
    cycles: int = 0
    cores: int = 0
    fidelity: str = "HiFi4"
    host_steps: list[str] = field(default_factory=list)  # ops inside it that the host computes
    reason: str = ""
    specs: list[BufferSpec] = field(default_factory=list)  # of its results
    memories: list[MemoryConfig] = field(default_factory=list)  # of its results
    netlist: str = ""
    compiled: Any = None


def filled(template: Any, tensors: Sequence[torch.Tensor]) -> Any:
    """The arguments with tensors in their slots."""
    if isinstance(template, Slot):
        return tensors[template.index]
    if isinstance(template, (list, tuple)):
        return type(template)(filled(one, tensors) for one in template)
    if isinstance(template, dict):
        return {key: filled(one, tensors) for key, one in template.items()}
    return template


class Call(torch.nn.Module):
    """A function with fixed attributes, as a module of its tensors. Results are floats or integers; `truth`: the type of
    those that are bools."""

    def __init__(self, function: Callable[..., Any], template: Any, truth: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.function, self.template, self.truth = function, template, truth
        self.single = True

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        args, kwargs = filled(self.template, tensors)
        made = self.function(*args, **kwargs)
        self.single = isinstance(made, torch.Tensor)
        return tuple(one.to(self.truth) if one.dtype == torch.bool else one for one in ((made,) if self.single else made))


def samples_of(shapes: Sequence[Sequence[int]], dtypes: Sequence[DataType], device: str = "cpu") -> list[torch.Tensor]:
    """Zeros like the tensors of a call: float32, or the integer type."""
    return [torch.zeros(tuple(shape), dtype=torch.float32 if dtype.is_float else dtype.kind.torch, device=device)
            for shape, dtype in zip(shapes, dtypes, strict=True)]


def results_of(call: Call, shapes: Sequence[Sequence[int]], dtypes: Sequence[DataType]) -> list[torch.Tensor]:
    """Tensors like the results. The function's own errors for shapes that do not fit."""
    with torch.no_grad():
        try:
            return list(call(*samples_of(shapes, dtypes, "meta")))
        except NotImplementedError:  # an op of torch without a form for shapes alone
            return list(call(*samples_of(shapes, dtypes)))


def result_types(results: Sequence[torch.Tensor], given: Sequence[DataType], asked: DataType | None,
                 integer: DataType) -> list[DataType]:
    """Element types of results: `asked`, or that of the first float or integer operand, or `integer`."""
    floats = [dtype for dtype in given if dtype.is_float]
    integers = [dtype for dtype in given if not dtype.is_float]
    made = []
    for one in results:
        if asked is not None:
            made.append(asked)
        elif one.is_floating_point():
            made.append((floats or integers or [DataType.BFLOAT16])[0])
        else:
            made.append((integers or [integer])[0] if not floats else integer)
    return made


def build(op: str, device: Device, call: Call, operands: Sequence[BufferSpec], dtypes: Sequence[DataType],
          program: Program, fidelity: str = "") -> Program:
    """Compiles a call with these operands and adds it to the device, timed with operands and results in their memories.
    Without a form on the chip the program stays one of the host."""
    shapes = [spec.shape for spec in operands]
    samples = samples_of(shapes, dtypes)
    try:
        with _capturing, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            imported = import_module(call, tuple(samples), name=op)
    except (UnsupportedError, NotImplementedError) as refusal:
        program.reason = _first_line(refusal)
        return program
    if imported.fallbacks or not imported.from_device:
        program.reason = "; ".join(sorted({f"{one.op}: {one.reason}" for one in imported.fallbacks})) or \
            "a result does not come from the device"
        return program
    places = {name: index for index, name in enumerate(imported.input_names)}
    if any(name not in places for name in imported.inputs):
        program.reason = "its operands are prepared by the host"
        return program
    order = [places[name] for name in imported.inputs]
    result = next((dtype for dtype in program.dtypes if dtype.is_float), DataType.BFLOAT16).kind.format
    formats = {name: dtypes[place].kind.format for name, place in zip(imported.inputs, order, strict=True)}
    options: dict[str, Any] = {"device": device.product, "format": result, "effort": 0, "device_comparisons": True}
    if fidelity in _FIDELITIES:
        options["fidelity"] = program.fidelity = fidelity
    try:
        compiled = _compiled(imported.graph, options, formats, result)
        number = device.open_session(op).add_program(compiled.raw, [operands[place] for place in order], program.specs)
    except Error as refusal:
        program.reason = _first_line(refusal)
        return program
    made = device.open_session(op).program(number)
    steps = sorted({step.op for step in compiled.host_steps if step.op not in _MOVES})
    if made.all_on_host:
        program.reason = f"the host computes {', '.join(steps) or 'it'}"
        return program
    program.kind, program.number, program.order, program.reason = "chip", number, order, ""
    program.cycles, program.cores, program.host_steps = int(made.cycles), int(made.cores), steps
    program.compiled = compiled
    return program


def _compiled(graph: Graph, options: dict[str, Any], formats: dict[str, str], result: str) -> CompiledModel:
    """Compiles with the formats of the inputs, and with that of the results, for which the compiler may choose 16 bits in
    place of a block float. Where the chip cannot mix the formats, all have that of the results. ttsim.Error."""
    rules = [{"name_regex": re.escape(name), "output_df": one} for name, one in formats.items() if one and one != result]
    try:
        made = compile(graph, **options, format_rules=_text(rules))
    except Error:
        if not rules:
            raise
        rules = []
        made = compile(graph, **options)
    wider = [queue for queue in made.layout.queues if queue.host_empties and queue.filled_by and queue.format != result]
    if not wider:
        return made
    rules += [{"name_regex": re.escape(queue.filled_by), "output_df": result} for queue in wider]
    try:
        return compile(graph, **options, format_rules=_text(rules))
    except Error:
        return made


def _text(rules: list[dict[str, str]]) -> str:
    return json.dumps({"rules": rules}) if rules else ""


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
