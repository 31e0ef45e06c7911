"""Ops of TensorFlow that tf2onnx has no form of, for its custom_op_handlers."""
from __future__ import annotations

from typing import Any

import numpy


def _replace(context: Any, node: Any, make: Any) -> None:
    """Replaces a node by the result of make(input name)."""
    kinds, shapes, outputs = node.output_dtypes, node.output_shapes, list(node.output)
    context.remove_node(node.name)
    make(node, outputs, kinds, shapes)


def _erfc(context: Any, node: Any, name: str, args: Any) -> None:
    """1 - erf(x)."""
    def make(node: Any, outputs: Any, kinds: Any, shapes: Any) -> None:
        one = context.make_const(f"{name}__one", numpy.ones((), context_type(kinds[0])))
        erf = context.make_node("Erf", [node.input[0]], dtypes=kinds, shapes=shapes)
        context.make_node("Sub", [one.output[0], erf.output[0]], name=name, outputs=outputs, dtypes=kinds, shapes=shapes)
    _replace(context, node, make)


def context_type(kind: int) -> Any:
    """The numpy type of an element type of ONNX."""
    from onnx import helper
    return helper.tensor_dtype_to_np_dtype(kind)


HANDLERS = {"Erfc": (_erfc, [])}
