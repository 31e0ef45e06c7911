"""Chosen outputs of .tflite files, and outputs that custom ops keep from being computed."""
from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from .base import invalid, need, silenced


def select(model: Any, names: Sequence[str], path: str) -> None:
    """Makes tensors of the first graph its outputs, and removes operators that they do not need. InputError for an unknown
    name."""
    graph = model.subgraphs[0]
    places = {tensor.name.decode(): index for index, tensor in enumerate(graph.tensors) if tensor.name}
    unknown = next((name for name in names if name not in places), None)
    if unknown is not None:
        own = ", ".join(graph.tensors[int(one)].name.decode() for one in graph.outputs)
        raise invalid(f"it has no tensor '{unknown}'", path, f"its outputs are: {own}", "unknown-name")
    graph.outputs = [places[name] for name in names]
    needed = _needed(graph, graph.outputs)
    graph.operators = [operator for place, operator in enumerate(graph.operators) if place in needed]
    model.signatureDefs = []


def _needed(graph: Any, tensors: Sequence[Any]) -> set[int]:
    """Places of the operators from which tensors are computed."""
    makers = {int(one): place for place, operator in enumerate(graph.operators) for one in operator.outputs}
    found: set[int] = set()
    waiting = [int(one) for one in tensors]
    while waiting:
        place = makers.get(waiting.pop())
        if place is not None and place not in found:
            found.add(place)
            waiting += [int(one) for one in graph.operators[place].inputs]
    return found


def custom_ops(model: Any) -> list[tuple[str, str]]:
    """Type of each custom op of the first graph, and the tensor that it computes. Ops of TensorFlow (Flex) are none."""
    return [(model.operatorCodes[operator.opcodeIndex].customCode.decode(), _result(model.subgraphs[0], operator))
            for operator in model.subgraphs[0].operators if _is_custom(model, operator)]


def _is_custom(model: Any, operator: Any) -> bool:
    code = model.operatorCodes[operator.opcodeIndex].customCode
    return bool(code) and not code.startswith(b"Flex")


def _result(graph: Any, operator: Any) -> str:
    return graph.tensors[int(operator.outputs[0])].name.decode() if len(operator.outputs) else ""


def without_custom_ops(model: Any) -> list[str]:
    """Outputs of the first graph that need none of its custom ops; if all do, the tensors that the first of them reads."""
    graph = model.subgraphs[0]
    custom = {place for place, operator in enumerate(graph.operators) if _is_custom(model, operator)}
    known = [graph.tensors[int(one)].name.decode() for one in graph.outputs if not custom & _needed(graph, [one])]
    if known or not custom:
        return known
    computed = {int(one) for operator in graph.operators for one in operator.outputs}
    return [graph.tensors[int(one)].name.decode() for one in graph.operators[min(custom)].inputs if int(one) in computed]


def refuse_unknown(model: Any, data: bytes, path: str) -> None:
    """InputError for custom ops that TensorFlow's interpreter does not have, with the outputs that need none of them as
    `outputs`. `data`: the model as a file."""
    found = custom_ops(model)
    if not found or _interpreter_has_all(data):
        return
    first = dict(reversed(found))  # of each type
    listed = ", ".join(f"{name} ('{place}')" for name, place in reversed(first.items()))
    outputs = without_custom_ops(model)
    error = invalid(f"TensorFlow's interpreter has no such custom ops: {listed}", path, _remedy(outputs), "unknown-custom-ops")
    error.outputs = outputs  # type: ignore[attr-defined]
    raise error


def _interpreter_has_all(data: bytes) -> bool:
    (tf,) = need("tflite", "tensorflow")
    with silenced():
        try:
            tf.lite.Interpreter(model_content=data).allocate_tensors()
        except Exception as error:
            return "unresolved custom op" not in str(error).lower()
    return True


def _remedy(outputs: Collection[str]) -> str:
    if not outputs:
        return "write the file without these ops"
    return ("leave them out by naming outputs that need none: --output-names " + ",".join(outputs) +
            ", or output_names= of pybuda.TFLiteModule")
