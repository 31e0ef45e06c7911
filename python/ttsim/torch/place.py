"""Locations of ops in the user's module."""
from __future__ import annotations

import pathlib
import re

import torch

_OURS = str(pathlib.Path(__file__).parent)
_TORCH = str(pathlib.Path(torch.__file__).parent)
_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')


def op_name(node: torch.fx.Node) -> str:
    """aten.convolution.default -> convolution"""
    schema = getattr(node.target, "_schema", None)
    return str(schema.name.split("::")[1] if schema else getattr(node.target, "__name__", str(node.target)))


def module_path(node: torch.fx.Node) -> str:
    """encoder.layer.0; "" for forward of the module itself. Ops without a path have that of their first operand."""
    stack = node.meta.get("nn_module_stack")
    if not stack:
        before = node.all_input_nodes
        return module_path(before[0]) if before and before[0].op == "call_function" else ""
    path = list(stack.values())[-1][0]
    return str(path.removeprefix("module").removeprefix("."))


def source_line(node: torch.fx.Node) -> str:
    """FILE:LINE of the innermost user code, else of torch; "" if torch recorded none."""
    frames = [match.groupdict() for match in _FRAME.finditer(node.meta.get("stack_trace") or "")]
    frames = [frame for frame in frames if not frame["file"].startswith(_OURS)]
    users = [frame for frame in frames if not frame["file"].startswith(_TORCH)] or frames
    return f"{users[-1]['file']}:{users[-1]['line']}" if users else ""


def place_of(node: torch.fx.Node) -> str:
    """encoder.layer.0 (model.py:12)"""
    path, line = module_path(node) or "forward", source_line(node)
    return f"{path} ({line})" if line else path
