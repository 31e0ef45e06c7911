"""What is recorded of a model: schemas of ops, run times, accuracy."""
from __future__ import annotations

import math
import os
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.fx import Graph, Node

FOLDER = "metrics"


def _shape(value: Any) -> str:
    fake = value.meta.get("val") if isinstance(value, Node) else value
    return f"<{[int(size) if isinstance(size, int) else str(size) for size in fake.shape]}>" if isinstance(fake, torch.Tensor) else ""


def _text(value: Any) -> str:
    if isinstance(value, Node):
        return "?"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_shape(one) if isinstance(one, Node) else _text(one) for one in value) + "]"
    return str(value)


def _type(argument: Any) -> str:
    return str(argument.type).replace("number", "number")


def schema_of(node: Node) -> dict[str, Any] | None:
    """{"opname", "inputs", "tensor_infos"} of an aten call: inputs such as "Tensor<[1, 32]> self = ?"; None: another."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return None
    inputs, infos = [], []
    arguments = node.target._schema.arguments
    for place, argument in enumerate(arguments):
        if place < len(node.args):
            value = node.args[place]
        elif argument.name in node.kwargs:
            value = node.kwargs[argument.name]
        else:
            continue
        inputs.append(f"{_type(argument)}{_shape(value) if isinstance(value, Node) else ''} {argument.name} = {_text(value)}")
        if isinstance(value, Node) and isinstance(value.meta.get("val"), torch.Tensor):
            infos.append({"shape": [int(size) if isinstance(size, int) else str(size) for size in value.meta["val"].shape],
                          "dtype": str(value.meta["val"].dtype)})
    return {"opname": str(node.target), "inputs": inputs, "tensor_infos": infos}


def name_of(target: Any) -> str:
    """ttnn.add, target_wrapper_conv, aten.add.Tensor."""
    if isinstance(target, torch._ops.OpOverload):
        return str(target)
    module = getattr(target, "__module__", "").split(".")[0]
    name = getattr(target, "__name__", str(target))
    return f"ttnn.{name}" if module == "ttnn" else name


def collect_schemas(graph: Graph) -> list[dict[str, Any]]:
    """Of the calls with a schema, and of those that replaced one: {"opname", "original_inputs"}."""
    made = []
    for node in graph.nodes:
        if node.op != "call_function":
            continue
        own = schema_of(node)
        if own is not None:
            made.append(own)
        elif node.meta.get("original_input_variations") is not None:
            made.append({"opname": name_of(node.target), "original_inputs": node.meta["original_input_variations"]})
        elif name_of(node.target).startswith("ttnn.") and node.target.__name__ != "deallocate":
            made.append({"opname": name_of(node.target), "inputs": []})
    return made


def save_pickle(value: Any, folder: str, name: str, root: str = FOLDER) -> str:
    """Writes metrics/FOLDER/NAME.pickle; returns the path."""
    where = os.path.join(root, folder)
    os.makedirs(where, exist_ok=True)
    path = os.path.join(where, f"{name}.pickle")
    with open(f"{path}.new", "wb") as out:
        pickle.dump(value, out)
    os.replace(f"{path}.new", path)
    return path


def load_pickle(folder: str, name: str, default: Any = None, root: str = FOLDER) -> Any:
    """Reads it; `default` if there is none."""
    path = os.path.join(root, folder, f"{name}.pickle")
    if not os.path.isfile(path):
        return default
    with open(path, "rb") as source:
        return pickle.load(source)


def pcc(a: torch.Tensor, b: torch.Tensor) -> float:
    """Correlation of two tensors, with NaN and infinities as 0; 1 for equal ones and where it is not defined."""
    a, b = a.detach().double().flatten(), b.detach().double().flatten()
    if a.numel() != b.numel():
        raise ValueError(f"{a.numel()} and {b.numel()} elements")
    if a.numel() == 0 or (bool(a.isnan().all()) and bool(b.isnan().all())):
        return 1.0
    if bool(a.isnan().all()) or bool(b.isnan().all()):
        return 0.0
    if bool((a == 0).all()) != bool((b == 0).all()):
        return 0.0
    a, b = (one.nan_to_num(0.0, 0.0, 0.0) for one in (a, b))
    if torch.equal(a, b):
        return 1.0
    a, b = a - a.mean(), b - b.mean()
    scale = float(a.norm() * b.norm())
    return float(a @ b) / scale if scale > 0 and math.isfinite(scale) else 1.0


def pairs_of(a: Any, b: Any) -> list[float]:
    """The PCC of nested results, one a level. ValueError for other lengths or keys."""
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return [pcc(a, b)]
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        if set(a) != set(b):
            raise ValueError(f"keys {sorted(map(str, a))} and {sorted(map(str, b))}")
        return _mean([pairs_of(a[key], b[key]) for key in a])
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str):
        if len(a) != len(b):
            raise ValueError(f"{len(a)} and {len(b)} results")
        return _mean([pairs_of(one, other) for one, other in zip(a, b)])
    return []


def _mean(parts: list[list[float]]) -> list[float]:
    known = [one[0] for one in parts if one]
    return [sum(known) / len(known)] if known else []


def accuracy(expected: Any, made: Any) -> float:
    """100 * mean PCC of results, 2 decimals."""
    found = pairs_of(expected, made)
    return round(100 * found[0], 2) if found else 100.0


def lowest_pcc(expected: Any, made: Any) -> float:
    """The lowest PCC of a result."""
    if isinstance(expected, torch.Tensor):
        return pcc(expected, made)
    keys = expected.keys() if isinstance(expected, Mapping) else range(len(expected)) if isinstance(expected, Sequence) else ()
    return min((lowest_pcc(expected[key], made[key]) for key in keys if expected[key] is not None), default=1.0)
