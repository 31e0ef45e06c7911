"""Writes a graph of torch ops as a program of steps (host_program.py)."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Node

from . import host_ops


class Inexpressible(Exception):
    """An op or argument that steps cannot express; the text names it."""


class TensorFile:
    """Tensors that steps refer to, each stored once, in memory order. `axes` is the order of the axes in memory, which
    safetensors files do not store: the last bits of results depend on it."""

    def __init__(self) -> None:
        self.tensors: dict[str, torch.Tensor] = {}
        self.axes: dict[str, list[int]] = {}
        self._names: dict[int, str] = {}
        self._kept: list[torch.Tensor] = []  # keeps the tensors, since ids are unique only among existing objects

    def add(self, tensor: torch.Tensor) -> str:
        name = self._names.get(id(tensor))
        if name is None:
            if str(tensor.dtype).removeprefix("torch.") not in host_ops.DTYPES or tensor.layout != torch.strided or \
                    tensor.is_quantized:
                raise Inexpressible(f"a constant is a tensor of {tensor.dtype}, {tensor.layout}")
            name = self._names[id(tensor)] = f"t{len(self.tensors)}"
            self._kept.append(tensor)
            strides = tensor.stride()
            order = sorted(range(tensor.dim()), key=lambda axis: (-strides[axis], axis))
            plain = tensor.detach().cpu().resolve_conj().resolve_neg()
            if order != sorted(order) and plain.permute(order).is_contiguous():
                self.axes[name] = [order.index(axis) for axis in range(tensor.dim())]
                plain = plain.permute(order)
            self.tensors[name] = plain.contiguous().clone()
        return name


def number(value: float) -> Any:
    return value if math.isfinite(value) else {"float": str(value)}


def written(graph: torch.fx.Graph, root: torch.nn.Module, tensors: TensorFile) -> dict[str, Any]:
    """Raises Inexpressible for ops and arguments that steps cannot express."""
    refs: dict[Node, Any] = {}
    steps: list[Any] = []
    inputs = 0
    for node in graph.nodes:
        if node.op == "placeholder":
            refs[node] = {"input": inputs}
            inputs += 1
        elif node.op == "get_attr":
            refs[node] = {"tensor": tensors.add(getattr(root, node.target))}
        elif node.op == "call_function":
            refs[node] = {"step": len(steps)}
            steps.append(_step(node, refs))
        elif node.op != "output":
            raise Inexpressible(f"{node.op} {node.target}")
    results: Any = graph.output_node().args[0]
    return {"steps": steps, "results": [refs[node] for node in results]}


def _step(node: Node, refs: dict[Node, Any]) -> dict[str, Any]:
    name = host_ops.name_of(node.target)
    if name is None:
        raise Inexpressible(f"the op {node.target}")
    step: dict[str, Any] = {"op": name, "args": [_argument(one, refs) for one in node.args]}
    if node.kwargs:
        step["kwargs"] = {key: _argument(one, refs) for key, one in node.kwargs.items()}
    return step


def _argument(value: Any, refs: dict[Node, Any]) -> Any:
    if isinstance(value, Node):
        return refs[value]
    if isinstance(value, (list, tuple)):
        return [_argument(one, refs) for one in value]
    if value is None or isinstance(value, (bool, str)) or type(value) is int:
        return value
    if isinstance(value, float):
        return number(value)
    if isinstance(value, complex):
        return {"complex": [number(value.real), number(value.imag)]}
    return _named(value)


def _named(value: Any) -> dict[str, str]:
    for kind, table in (("dtype", host_ops.DTYPES), ("memory_format", host_ops.MEMORY_FORMATS),
                        ("layout", host_ops.LAYOUTS)):
        for name, known in table.items():
            if type(value) is type(known) and value == known:
                return {kind: name}
    if isinstance(value, torch.device) and value.type == "cpu":
        return {"device": "cpu"}
    raise Inexpressible(f"an argument is a {type(value).__name__}: {value}")


def names_of(dtypes: Sequence[torch.dtype]) -> list[str]:
    return [str(one).removeprefix("torch.") for one in dtypes]
