"""Writes a graph as a Python file that runs alone."""
from __future__ import annotations

import os
from typing import Any

from torch.fx import Graph, GraphModule, Node

from .metrics import name_of
from .target_wrappers import run_once

_HEAD = '''"""Made by torch_ttnn: the calls of graph {number}. {what}

python3 {file} runs it with random inputs, on device 0."""
import operator

import torch
import ttnn
from torch_ttnn import target_wrappers, torch_forms
from torch_ttnn.metrics import pcc
'''


def _literal(value: Any, names: dict[Node, str], golden: bool) -> str:
    if isinstance(value, Node):
        return f"g_{names[value]}" if golden else names[value]
    if isinstance(value, tuple):
        return "(" + "".join(f"{_literal(one, names, golden)}, " for one in value) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(_literal(one, names, golden) for one in value) + "]"
    text = repr(value)
    for short, long in (("ttnn_Specified_Device", "device"), ("ttnn_TILE_LAYOUT", "ttnn.TILE_LAYOUT"),
                        ("ttnn_ROW_MAJOR_LAYOUT", "ttnn.ROW_MAJOR_LAYOUT"), ("ttnn_bfloat16", "ttnn.bfloat16"),
                        ("ttnn_uint32", "ttnn.uint32"), ("ttnn_int32", "ttnn.int32"), ("inf", "float('inf')"), ("-inf", "-float('inf')")):
        text = long if text == short else text
    return text


def _callee(node: Node) -> str:
    target: Any = node.target
    module = getattr(target, "__module__", "")
    if module.split(".")[0] == "ttnn":
        inner = module.removeprefix("ttnn").lstrip(".")
        inner = "" if inner in ("tensor", "creation", "convolution") else inner
        return ".".join(part for part in ("ttnn", inner, target.__name__) if part)
    if target.__name__ == "getitem":
        return "operator.getitem"
    if module == "torch_ttnn.target_wrappers":
        return f"target_wrappers.{target.__name__}"
    return f"torch.ops.{target}"


def _call(node: Node, names: dict[Node, str], golden: bool) -> str:
    parts = [_literal(one, names, golden) for one in node.args] + \
        [f"{key}={_literal(one, names, golden)}" for key, one in node.kwargs.items()]
    callee = _callee(node)
    if golden and callee != "operator.getitem" and not callee.startswith("torch.ops"):
        callee = f"torch_forms.form_of({callee})"
    return f"{callee}({', '.join(parts)})"


def _flat(gm: GraphModule) -> list[tuple[GraphModule, list[Node], dict[Node, Any]]]:
    """The graphs of run_once and the graph itself."""
    made: list[tuple[GraphModule, list[Node], dict[Node, Any]]] = []
    for node in gm.graph.nodes:
        if node.target is run_once:
            made.append((node.args[0].value.gm, list(node.all_input_nodes), {"once": node}))  # type: ignore[dict-item]
    return [*made, (gm, [], {})]


def text_of(gm: GraphModule, file: str, number: int, compare: bool) -> str:
    """The file. With `compare` each call is followed by one in torch, and the correlation of both is printed."""
    what = "Each call is compared with torch." if compare else "Calls of ttnn only."
    lines = [_HEAD.format(number=number, what=what, file=os.path.basename(file)), "", "def forward(device, *inputs):"]
    names: dict[Node, str] = {}
    places = gm.graph.find_nodes(op="placeholder")
    for place, node in enumerate(places):
        names[node] = node.name
        lines.append(f"    {node.name} = inputs[{place}]" + (f"\n    g_{node.name} = {node.name}" if compare else ""))
    for part, sources, once in _flat(gm):
        _write(part, sources, once, names, lines, compare)
    results = _literal(tuple(gm.graph.output_node().args[0]), names, False)  # type: ignore[arg-type]
    lines += [f"    return {results}", "", "", _MAIN.format(inputs=_inputs(places))]
    return "\n".join(lines)


def _write(gm: GraphModule, sources: list[Node], once: dict[Any, Node], names: dict[Node, str], lines: list[str], compare: bool) -> None:
    places = gm.graph.find_nodes(op="placeholder")
    if once:
        names |= {inner: names[outer] for inner, outer in zip(places, sources)}
    prefix = "once_" if once else ""
    skipped = [node for node in gm.graph.nodes if node.target is run_once]
    skipped += [user for node in skipped for user in node.users]
    for node in gm.graph.nodes:
        if node.op == "get_attr":
            names[node] = f"{prefix}{node.name}"
            value = node.meta["val"]
            lines.append(f"    {names[node]} = torch.ones({list(value.shape)}, dtype={value.dtype})  # a constant of the graph")
            lines += [f"    g_{names[node]} = {names[node]}"] if compare else []
        elif node.op == "call_function" and node not in skipped:
            names[node] = f"{prefix}{node.name}"
            lines.append(f"    {names[node]} = {_call(node, names, False)}")
            if compare and name_of(node.target) != "ttnn.deallocate":
                lines += [f"    g_{names[node]} = {_call(node, names, True)}", f"    show({names[node]!r}, {names[node]}, g_{names[node]})"]
    if once:
        results: Any = gm.graph.output_node().args[0]
        for user in once["once"].users:
            names[user] = names[results[user.args[1]]]


def _inputs(places: list[Node]) -> str:
    made = []
    for node in places:
        value = node.meta["val"]
        shape = list(value.shape)
        made.append(f"torch.randn({shape}, dtype={value.dtype})" if value.is_floating_point() else f"torch.ones({shape}, dtype={value.dtype})")
    return ",\n        ".join(made)


_MAIN = '''def show(name, made, golden):
    if isinstance(made, ttnn.Tensor) and isinstance(golden, torch.Tensor):
        print(f"{{name}}: {{pcc(ttnn.to_torch(made).float(), golden.float()):.6f}}")


if __name__ == "__main__":
    torch.manual_seed(0)
    with ttnn.manage_device(0) as device, torch.no_grad():
        results = forward(
        device,
        {inputs})
        print([list(one.shape) for one in results])
'''


def export_code(gm: GraphModule, original: Graph, option: Any, number: int) -> str:
    """Writes metrics/PATH/graph_NUMBER_KIND.py; returns the path."""
    folder = os.path.join("metrics", option.metrics_path)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"graph_{number}_{option.export_code}.py")
    with open(path, "w", encoding="utf-8") as out:
        out.write(text_of(gm, path, number, option.export_code == "accuracy"))
    return path
