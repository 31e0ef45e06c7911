"""Traces a module's forward into a ttsim.Graph: ops are followed back from the outputs and keep their names."""
from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import torch

from ._C import DataFormat
from .dtypes import is_integer
from .graph_maker import GraphMaker, element_type
from .op.common import PyBudaOp
from .op.eltwise_unary import Identity
from .parameter import Parameter
from .tensor import Tensor


@dataclasses.dataclass
class Trace:
    """`inputs`: (name, tensor) in the order of the modules, `outputs` of the last module. `ops`: in topological order.
    `parameters`: by name. `constants`: by the first op that uses them, input_<operand>_<op>. `chips`: of ops placed by
    fracture groups."""
    inputs: list[tuple[str, Tensor]]
    outputs: list[tuple[str, Tensor]]
    ops: list[PyBudaOp]
    parameters: dict[str, Parameter]
    constants: dict[str, Tensor]
    chips: dict[str, int] = dataclasses.field(default_factory=dict)

    def evaluate(self, values: Sequence[torch.Tensor], wanted: Sequence[str] = (),
                 saturated: Collection[str] = (), parameters: Mapping[str, torch.Tensor] | None = None) \
            -> list[torch.Tensor]:
        """Outputs, or results of the ops `wanted`, in torch; results of the ops `saturated` are clamped to the device's
        Int8 range, -127 to 127. `parameters`: values to use instead of a parameter's own, by name."""
        known: dict[int, torch.Tensor] = {id(tensor): value for (_, tensor), value in zip(self.inputs, values)}
        known |= {id(self.parameters[name]): value for name, value in (parameters or {}).items()
                  if name in self.parameters}
        by_name: dict[str, torch.Tensor] = {}

        def value_of(operand: Any) -> torch.Tensor:
            if isinstance(operand, Tensor) and operand.src_op is not None:
                return known[id(operand.src_op)]
            return known[id(operand)] if id(operand) in known else operand.value()

        for op in self.ops:
            value = op.evaluate([value_of(operand) for operand in op.operands])
            known[id(op)] = by_name[op.name] = value.clamp(-127, 127) if op.name in saturated else value
        return [by_name[name] for name in wanted] if wanted else [value_of(tensor) for _, tensor in self.outputs]


    def computed_whole(self) -> set[str]:
        """Integer inputs, parameters and constants of ops whose operands are all integers."""
        names = {id(tensor): name for name, tensor in self.inputs}
        names |= {id(one): name for held in (self.parameters, self.constants) for name, one in held.items()}
        found: set[str] = set()
        for op in self.ops:
            taken = [operand for operand in op.operands if not _is_whole_number(operand)]
            if taken and all(is_integer(operand.data_format) for operand in taken):
                found.update(names[id(operand)] for operand in op.operands if id(operand) in names)
        return found


def _is_whole_number(operand: Any) -> bool:
    """Whether an operand was given as an integer."""
    source = getattr(operand, "src_op", None)
    return source is not None and source.op_type == "constant" and float(source.named_attrs["constant"]).is_integer()


def trace(modules: Sequence[Any], inputs: Sequence[tuple[str, Tensor]]) -> Trace:
    """Traces modules, each of which reads the outputs of the previous one. RuntimeError for a parameter without a
    module, duplicate names and outputs that are not tensors."""
    given = [tensor for _, tensor in inputs]
    values: list[Tensor] = given
    for module in modules:
        values = module.trace_forward(*values)
    made = Trace(list(inputs), _named_outputs(modules[-1].get_name(), values, given), [], {}, {})
    known = {parameter: name for module in modules for name, parameter in module.named_parameters().items()}
    _walk(made, known)
    _check_names(made.ops, modules[-1].get_name())
    return made


def _check_names(ops: list[PyBudaOp], module: str) -> None:
    """Names of ops must be unique; if a module is called again, its ops get a number."""
    calls: dict[str, set[int]] = {}
    for op in ops:
        if op.call in calls.get(op.name, ()):
            raise RuntimeError(f"two ops of module '{module}' are named '{op.name}'; choose different names, or "
                               "leave the name empty")
        calls.setdefault(op.name, set()).add(op.call)
    taken = set(calls)
    for name, made_in in calls.items():
        for number, op in enumerate([op for op in ops if op.name == name][1:] if len(made_in) > 1 else [], 1):
            while f"{name}_{number}" in taken:
                number += 1
            op.name = f"{name}_{number}"
            taken.add(op.name)


def _named_outputs(module: str, values: list[Tensor], inputs: list[Tensor]) -> list[tuple[str, Tensor]]:
    """Adds a nop for outputs that are not results of ops, such as inputs or parameters."""
    outputs: list[tuple[str, Tensor]] = []
    for value in values:
        if isinstance(value, Parameter) or value.src_op is None:
            value = Identity("", value)
        name = f"{module}.output_{value.src_op.name}"
        count = sum(other == name or other.startswith(name + "_") for other, _ in outputs)
        outputs.append((f"{name}_{count}" if count else name, value))
    return outputs


def _walk(made: Trace, parameters: dict[Parameter, str]) -> None:
    inputs = {id(tensor) for _, tensor in made.inputs}
    seen: set[int] = set()
    stack: list[tuple[PyBudaOp, bool]] = [(tensor.src_op, False) for _, tensor in reversed(made.outputs)]
    while stack:
        op, ready = stack.pop()
        if ready:
            made.ops.append(op)
            continue
        if id(op) in seen:
            continue
        seen.add(id(op))
        stack.append((op, True))
        for place, operand in reversed(list(enumerate(op.operands))):
            if isinstance(operand, Parameter):
                if operand not in parameters:
                    raise RuntimeError(f"op '{op.name}' uses a parameter that belongs to no module; assign it to an "
                                       "attribute of the module, or register it with add_parameter()")
                made.parameters[parameters[operand]] = operand
            elif operand.src_op is not None:
                stack.append((operand.src_op, False))
            elif id(operand) not in inputs:
                if not operand.has_value():
                    raise RuntimeError(f"operand {place} of op '{op.name}' is a constant without a value; set it "
                                       "with set_constant()")
                if not any(held is operand for held in made.constants.values()):
                    made.constants[f"input_{place}_{op.name}"] = operand


def _dense(value: torch.Tensor) -> torch.Tensor:
    return value.to_dense() if value.layout != torch.strided else value


def to_graph(made: Trace, saved: Sequence[str] = (), training: bool = False) -> Any:
    """The ttsim.Graph; the results of the ops `saved` are outputs after those of the trace. Integer inputs that ops
    read only as floats become float inputs, so that queues have their names and not those of casts. `training`: it is
    trained, and its dropouts are random."""
    make = _build(made, saved, (), training)
    whole = [name for name, tensor in made.inputs if is_integer(tensor.data_format)]
    as_floats = [name for name in whole if name not in make.whole]
    return (_build(made, saved, as_floats, training) if as_floats else make).graph


def _build(made: Trace, saved: Sequence[str], as_floats: Sequence[str], training: bool) -> GraphMaker:
    make = GraphMaker(training)
    values: dict[int, Any] = {}
    for name, tensor in made.inputs:
        kind = element_type(DataFormat.Float32 if name in as_floats else tensor.data_format)
        values[id(tensor)] = make.graph.input(name, list(tensor.shape.dims), kind)
    for name, parameter in made.parameters.items():
        values[id(parameter)] = make.graph.constant(name, parameter.value().detach())
    for name, tensor in made.constants.items():
        value = tensor.value()
        values[id(tensor)] = make.graph.constant(name, _dense(value.detach()))

    def value_of(operand: Any) -> Any:
        return values[id(operand)] if id(operand) in values else values[id(operand.src_op)]

    results: dict[str, Any] = {}
    for op in made.ops:
        values[id(op)] = results[op.name] = op.build(make, [value_of(operand) for operand in op.operands])
    for name, tensor in made.outputs:
        make.graph.output(name, value_of(tensor))
    for name in saved:
        if name in results:
            make.graph.output(f"{name}.intermediate", results[name])
    return make
