"""Converts the device's ops in order to a graph, with the table of conversions."""
from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import Node

from .._ttsim import ElementType, UnsupportedError, Value
from ..graph import Graph
from .build import GraphBuilder, element_type_of
from .place import module_path, op_name
from .table import Op, Refused, Tensor, conversion_of


@dataclass
class Sources:
    """Sources of values: names of the call's tensors, parameters (name, values) and known values."""
    inputs: Mapping[Node, str]
    parameters: Mapping[Node, tuple[str, torch.Tensor]]
    known: Mapping[Node, Any]


@dataclass
class Lowered:
    graph: Graph
    inputs: list[Node] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # of the inputs
    parameters: dict[str, torch.Tensor] = field(default_factory=dict)
    refusals: dict[Node, str] = field(default_factory=dict)


def lower(ops: list[Node], sources: Sources, outputs: Mapping[Node, str], training: bool = False) -> Lowered:
    """A graph of these ops, with named `outputs`; `training`: for a backward program. Operands from other ops become inputs, also if those ops were
    refused; a graph with refusals must not be used."""
    lowering = _Lowering(sources, training)
    lowering.declare(ops)
    for node in ops:
        lowering.convert(node)
    if not lowering.made.refusals:
        for node, name in outputs.items():
            lowering.made.graph.output(name, lowering.value(node))
    return lowering.made


def _memory(values: torch.Tensor) -> tuple[Any, ...]:
    return values.data_ptr(), values.dtype, tuple(values.shape), values.stride()


class _Lowering:
    def __init__(self, sources: Sources, training: bool) -> None:
        self._sources = sources
        self._build = GraphBuilder(training)
        self._values: dict[Node, Any] = {}
        self._shared: dict[tuple[Any, ...], Value] = {}  # parameters by memory location of their values
        self._first: dict[tuple[Any, ...], str] = {}  # their names; of tied ones the first, as torch's named_parameters()
        for name, values in sources.parameters.values():
            self._first.setdefault(_memory(values), name)
        self.made = Lowered(self._build.graph)

    def declare(self, ops: list[Node]) -> None:
        """Adds the inputs: the call's tensors in order, then values that the host computes."""
        inside, sources = set(ops), self._sources
        needed = {node for op in ops for node in op.all_input_nodes
                  if node not in inside and node not in sources.known and node not in sources.parameters}
        order = [node for node in sources.inputs if node in needed]
        graph = next(iter(inside)).graph if inside else None
        order += [node for node in (graph.nodes if graph else ()) if node in needed and node not in sources.inputs]
        for node in order:
            if isinstance(node.meta["val"], torch.Tensor) and element_type_of(node.meta["val"].dtype) is not None:
                self._input(node)

    def _input(self, node: Node) -> Value:
        fake = node.meta["val"]
        name, kind = self._build.unique_name(self._sources.inputs.get(node, node.name)), element_type_of(fake.dtype)
        assert kind is not None, f"graphs have no element type {fake.dtype}"
        self._values[node] = self._build.graph.input(name, list(fake.shape), kind)
        self.made.inputs.append(node)
        self.made.names.append(name)
        made: Value = self._values[node]
        return made

    def value(self, node: Node) -> Value:
        if node not in self._values:
            self._values[node] = self._made(node)
        made: Value = self._values[node]
        return made

    def _made(self, node: Node) -> Value:
        fake = node.meta.get("val")
        if not isinstance(fake, torch.Tensor):
            raise Refused(f"its operand '{node.name}' is not a tensor")
        if element_type_of(fake.dtype) is None:
            raise Refused(f"'{node.name}' has dtype {fake.dtype}; graphs support bool, integers and floats")
        if node in self._sources.parameters:
            return self._parameter(*self._sources.parameters[node])
        if node in self._sources.known:
            return self._constant(node, self._sources.known[node])
        return self._input(node)

    def _parameter(self, name: str, values: torch.Tensor) -> Value:
        place = _memory(values)
        if values.numel() == 0 or place not in self._shared:
            name = name if values.numel() == 0 else self._first[place]
            self.made.parameters[name] = values
            given = values.float() if values.is_floating_point() else values
            self._shared[place] = self._build.graph.constant(self._build.unique_name(name), given)
        return self._shared[place]

    def _constant(self, node: Node, values: torch.Tensor) -> Value:
        if values.dim() == 0 and (values.is_floating_point() or abs(int(values)) < 1 << 24):
            kind = element_type_of(values.dtype)
            assert kind is not None, f"graphs have no element type {values.dtype}"
            return self._build.number(values.item(), kind)
        before, self._build.name = self._build.name, _name(node)
        made = self._build.constant(values)
        self._build.name = before
        return made

    def _operand(self, argument: Any) -> Any:
        if not isinstance(argument, Node):
            return argument
        fake = argument.meta.get("val")
        if not isinstance(fake, torch.Tensor):
            raise Refused(f"its operand '{argument.name}' is not a tensor")
        known = self._sources.known.get(argument)
        return Tensor(tuple(fake.shape), fake.dtype, known, lambda: self.value(argument), fake.is_contiguous())

    def convert(self, node: Node) -> None:
        try:
            self._values[node] = self._converted(node)
        except (Refused, UnsupportedError) as refusal:
            self.made.refusals[node] = str(refusal)

    def _converted(self, node: Node) -> Any:
        if node.target is operator.getitem:
            return self._result(node)
        conversion = conversion_of(node.target)
        if conversion is None:
            raise Refused("it has no conversion")
        fake = node.meta["val"]
        self._build.name = self._build.unique_name(_name(node))
        wrap: Any = _NodeArgument
        args = torch.fx.map_arg(list(node.args), wrap)
        kwargs = torch.fx.map_arg(dict(node.kwargs), wrap)
        op = Op(self._build, node.target, fake)
        made = conversion(op, *self._operands(args), **self._operands(kwargs))
        if isinstance(made, Value):
            return self._checked(node, made, fake)
        return [None if one is None else self._checked(node, one, part)
                for one, part in zip(made, fake, strict=True)]

    def _operands(self, arguments: Any) -> Any:
        if isinstance(arguments, _NodeArgument):
            return self._operand(arguments.node)
        if isinstance(arguments, (list, tuple)):
            return [self._operands(one) for one in arguments]
        if isinstance(arguments, dict):
            return {key: self._operands(one) for key, one in arguments.items()}
        return arguments

    def _result(self, node: Node) -> Value:
        whole, which = node.args
        assert isinstance(whole, Node), f"the operand of {node} is not a node"
        several = self._values.get(whole)
        if several is None:
            return self._input(node)  # the op was refused
        if several[which] is None:
            raise Refused(f"its result number {which} is not computed on the device")
        found: Value = several[which]
        return found

    def _checked(self, node: Node, value: Value, fake: torch.Tensor) -> Value:
        """The result in the element type that torch has for it."""
        kind, shape = element_type_of(fake.dtype), self._build.shape(value)
        if kind is None:
            raise Refused(f"its result has dtype {fake.dtype}; graphs support bool, integers and floats")
        if shape != tuple(fake.shape):
            raise AssertionError(f"the conversion of {node.target} has shape {list(shape)}, not {list(fake.shape)}")
        if kind == ElementType.F32 or self._build.element_type(value) != kind:
            value = self._build.cast(value, kind)
        return value


@dataclass
class _NodeArgument:
    """A node in the arguments of another node. torch.fx.map_arg() replaces nodes by these, since operands have no
    place in a graph of torch."""
    node: Node


def _name(node: Node) -> str:
    """Prefix of the names of ops in the netlist: the module's path and the op."""
    path, op = module_path(node), op_name(node).strip("_").removeprefix("native_").split("_legit")[0]
    return f"{path}.{op}" if path else op
