"""Models built node by node."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _ttsim, arrays
from ._ttsim import ArrayInfo, ElementType, Value


class Graph:
    """A model: inputs, constants, ops of model_ops() and outputs.

    Every method raises InputError for invalid arguments: duplicate names, operands and attributes that an op does not
    have, incompatible shapes."""

    def __init__(self, raw: _ttsim.Graph | None = None) -> None:
        self.raw = raw or _ttsim.Graph()

    @staticmethod
    def from_onnx(model: str | bytes, shapes: Mapping[str, Sequence[int]] | None = None) -> Graph:
        """From a file, or a serialized ModelProto. `shapes`: of inputs with symbolic dimensions."""
        given = {name: list(shape) for name, shape in (shapes or {}).items()}
        return Graph(_ttsim.Graph.from_onnx(model, shapes=given) if isinstance(model, bytes)
                     else _ttsim.Graph.from_onnx_file(model, shapes=given))

    @staticmethod
    def from_text(text: str, name: str = "graph") -> Graph:
        """Parses the output of text(). InputError lists every problem."""
        return Graph(_ttsim.Graph.from_text(text, name))

    def text(self) -> str:
        """The graph as text, with its constants."""
        return self.raw.text()

    def input(self, name: str, shape: Sequence[int], type: ElementType = ElementType.F32) -> Value:
        """An input of this shape and element type. InputError for a duplicate name."""
        return self.raw.input(name, list(shape), type)

    def constant(self, name: str, values: Any) -> Value:
        """A named weight, from numpy, torch or a list."""
        return self.raw.constant(name, *arrays.pair(values))

    def number(self, value: float) -> Value:
        """A float32 constant without dimensions."""
        return self.raw.number(value)

    def add(self, op: str, operands: Sequence[Value], attributes: Mapping[str, Any] | None = None,
            name: str = "") -> Value:
        """Adds an op. `name`: prefix of the names of its ops in the netlist; "": the op type."""
        given = {key: list(value) if isinstance(value, tuple) else value for key, value in (attributes or {}).items()}
        return self.raw.add(op, list(operands), given, name)

    def output(self, name: str, value: Value) -> None:
        """Makes a value an output. InputError for a duplicate name."""
        self.raw.output(name, value)

    def info(self, value: Value) -> ArrayInfo:
        """Name, type and shape."""
        return self.raw.info(value)

    @property
    def inputs(self) -> list[ArrayInfo]:
        """Names, shapes and element types, in order."""
        return self.raw.inputs

    @property
    def outputs(self) -> list[ArrayInfo]:
        """Names, shapes and element types, in order."""
        return self.raw.outputs
