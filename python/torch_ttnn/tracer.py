"""Writes the calls of graphs to JSON files."""
from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node


def _described(value: Any) -> dict[str, Any]:
    """{"shape", "dtype"} of a tensor; {} of others and of symbolic shapes."""
    if not isinstance(value, torch.Tensor) or not all(isinstance(size, int) for size in value.shape):
        return {}
    return {"shape": list(value.shape), "dtype": str(value.dtype)}


def _value(argument: Any) -> Any:
    return argument.meta.get("val", argument.meta.get("example_value")) if isinstance(argument, Node) else argument


def records_of(graph: Graph) -> list[dict[str, Any]]:
    """{"op_type", "inputs", "outputs"} for each call; only the op where shapes are not known."""
    made: list[dict[str, Any]] = []
    for node in graph.nodes:
        if node.op not in ("call_function", "call_method"):
            continue
        value = _value(node)
        if value is None:
            made.append({"op_type": str(node.target)})
            continue
        results = value if isinstance(value, (list, tuple)) else [value]
        made.append({"op_type": str(node.target), "inputs": [_described(_value(one)) for one in node.args],
                     "outputs": [_described(one) for one in results]})
    return made


class Tracer:
    """Around a compiler of graphs: writes OUT/raw/PREFIX_orig_N.json before and PREFIX_modi_N.json after it. `out_prefix`:
    fw_MODEL or bw_MODEL."""

    def __init__(self, functor: Callable[..., Any], out_prefix: str, out_folder: str = "stat", trace_orig: bool = True,
                 trace_modi: bool = False) -> None:
        self.functor, self.out_prefix, self.out_folder = functor, out_prefix, out_folder
        self.trace_orig, self.trace_modi = trace_orig, trace_modi
        self._count = itertools.count()

    def _write(self, graph: Graph, side: str, number: int) -> None:
        folder = os.path.join(self.out_folder, "raw")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"{self.out_prefix}_{side}_{number}.json"), "w", encoding="utf-8") as out:
            json.dump(records_of(graph), out, indent=1)

    def __call__(self, gm: GraphModule, example_inputs: Sequence[Any], **more: Any) -> Any:
        number = next(self._count)
        if self.trace_orig:
            self._write(gm.graph, "orig", number)
        made = self.functor(gm, example_inputs, **more)
        if self.trace_modi:
            changed = made if isinstance(made, GraphModule) else getattr(made, "gm", gm)
            self._write(changed.graph, "modi", number)
        return made
