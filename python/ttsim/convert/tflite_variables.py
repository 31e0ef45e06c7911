"""Variables of .tflite files, which streaming models keep between runs, as inputs and outputs of the model."""
from __future__ import annotations

import dataclasses
from typing import Any

import numpy

from .base import need, unsupported
from .tflite_signatures import keep_called

NEXT = "_next"  # ending of the output that is the value for the next run
_HANDLE, _READ, _ASSIGN, _ONCE = "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "CALL_ONCE"
_TYPES = {0: "float32", 1: "float16", 2: "int32", 3: "uint8", 4: "int64", 6: "bool", 7: "int16", 9: "int8"}


@dataclasses.dataclass(frozen=True)
class Variable:
    """`value`: before the first run."""
    name: str
    value: Any


def replace(model: Any, path: str) -> list[Variable]:
    """Rewrites the first graph: reads become inputs after its own, and assigned values outputs after its own, in the
    order of the reads. Returns the variables; [] if the model has none. UnsupportedError for variables without a constant
    first value, and for those in other graphs."""
    (utils,) = need("tflite", "tensorflow.lite.tools.flatbuffer_utils")
    codes = [utils.opcode_to_name(model, index) for index in range(len(model.operatorCodes))]
    graph = model.subgraphs[0]
    kinds = [codes[operator.opcodeIndex] for operator in graph.operators]
    if _HANDLE not in kinds:
        return []
    first = _first_values(model, graph, kinds, codes)
    handles = {int(operator.outputs[0]): _name(operator) for operator, kind in zip(graph.operators, kinds) if kind == _HANDLE}
    now: dict[str, int] = {}  # tensor with the present value
    read: dict[str, int] = {}  # tensor with the value of the previous run
    changed: dict[int, int] = {}  # results of reads that are other tensors now
    kept = []
    for operator, kind in zip(graph.operators, kinds):
        operator.inputs = [changed.get(int(one), int(one)) for one in operator.inputs]
        if kind == _HANDLE:
            graph.tensors[int(operator.outputs[0])].name = b""
        if kind in (_HANDLE, _ONCE):
            continue
        if kind == _READ:
            name, result = handles[operator.inputs[0]], int(operator.outputs[0])
            if name not in now:
                read[name] = now[name] = result
                graph.tensors[result].name = name.encode()
            changed[result] = now[name]
        elif kind == _ASSIGN:
            now[handles[operator.inputs[0]]] = operator.inputs[1]
        else:
            if any(one in handles for one in operator.inputs):
                raise unsupported(f"the variable '{handles[next(one for one in operator.inputs if one in handles)]}' is used "
                                  f"in another graph of the file, by {kind}", path, "export the model without loops over its state")
            kept.append(operator)
    lacking = [name for name in read if name not in first]
    if lacking:
        raise unsupported(f"the variables {', '.join(lacking)} have no constant value before the first run", path,
                          "export the model with initialized variables")
    graph.outputs = [changed.get(int(one), int(one)) for one in graph.outputs]
    _append_states(graph, model, read, now, kept)
    graph.operators = kept
    model.signatureDefs = []
    keep_called(model, 0)
    return [Variable(name, first[name]) for name in read]


def _append_states(graph: Any, model: Any, read: dict[str, int], now: dict[str, int], kept: list[Any]) -> None:
    """Inputs and outputs of the states. A value that already is an input or output is copied by an op."""
    produced = {int(one): operator for operator in kept for one in operator.outputs}
    graph.inputs = [*map(int, graph.inputs), *read.values()]
    for name in read:
        value = now[name]
        if value in graph.outputs or value not in produced:
            value = _copy(graph, model, value, kept)
        graph.tensors[value].name = (name + NEXT).encode()
        graph.outputs = [*map(int, graph.outputs), value]


def _copy(graph: Any, model: Any, source: int, kept: list[Any]) -> int:
    """The result of a RESHAPE to its own shape."""
    (schema,) = need("tflite", "tensorflow.lite.python.schema_py_generated")
    old, copy, code, operator = graph.tensors[source], schema.TensorT(), schema.OperatorCodeT(), schema.OperatorT()
    copy.shape, copy.type, copy.quantization, copy.buffer, copy.name = old.shape, old.type, old.quantization, 0, b""
    graph.tensors.append(copy)
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.RESHAPE
    code.version = 1
    model.operatorCodes.append(code)
    options = schema.ReshapeOptionsT()
    options.newShape = [int(size) for size in old.shape]
    operator.builtinOptions, operator.builtinOptionsType = options, schema.BuiltinOptions.ReshapeOptions
    operator.opcodeIndex, operator.inputs, operator.outputs = len(model.operatorCodes) - 1, [source], [len(graph.tensors) - 1]
    kept.append(operator)
    return len(graph.tensors) - 1


def _name(operator: Any) -> str:
    return str(operator.builtinOptions.sharedName.decode() or operator.builtinOptions.container.decode())


def _first_values(model: Any, graph: Any, kinds: list[str], codes: list[str]) -> dict[str, Any]:
    """Constants that the graphs called once assign."""
    found: dict[str, Any] = {}
    for operator, kind in zip(graph.operators, kinds):
        if kind != _ONCE:
            continue
        inner = model.subgraphs[int(operator.builtinOptions.initSubgraphIndex)]
        handles: dict[int, str] = {}
        for one in inner.operators:
            if codes[one.opcodeIndex] == _HANDLE:
                handles[int(one.outputs[0])] = _name(one)
            elif codes[one.opcodeIndex] == _ASSIGN:
                value = _constant(model, inner.tensors[int(one.inputs[1])])
                if value is not None:
                    found[handles[int(one.inputs[0])]] = value
    return found


def _constant(model: Any, tensor: Any) -> Any:
    data = model.buffers[tensor.buffer].data
    if data is None or not len(data) or tensor.type not in _TYPES:
        return None
    return numpy.frombuffer(bytes(data), _TYPES[tensor.type]).reshape([int(size) for size in tensor.shape])
