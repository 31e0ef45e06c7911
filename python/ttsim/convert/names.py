"""Names of parameters in converted models."""
from __future__ import annotations

import importlib
import itertools
from collections.abc import Mapping
from typing import Any

import numpy

from .base import _rename

Array = numpy.ndarray[Any, Any]


def name_parameters(model: Any, values: Mapping[str, Array]) -> None:
    """Names initializers after the parameters of the framework that have their values, also transposed or reshaped as
    converters do for convolutions. Initializers with values of several parameters, or of none, keep their names."""
    numpy_helper = importlib.import_module("onnx").numpy_helper
    by_size: dict[tuple[int, int], list[str]] = {}
    for name, value in values.items():
        if value.size > 1 and value.dtype.kind == "f":
            by_size.setdefault(_key(value), []).append(name)
    taken = {tensor.name for tensor in model.graph.initializer} | {
        name for node in model.graph.node for name in (*node.input, *node.output)}
    new: dict[str, str] = {}
    for tensor in model.graph.initializer:
        if not tensor.dims or tensor.data_type not in (1, 10, 11):
            continue
        value = numpy_helper.to_array(tensor)
        found = [name for name in by_size.get(_key(value), ()) if _same(values[name], value)]
        if len(found) == 1 and found[0] not in taken:
            new[tensor.name] = found[0]
            taken.add(found[0])
    _rename(model.graph, new)


def _key(value: Array) -> tuple[int, int]:
    """The same for all orders of the elements: the sum of their bits."""
    bits = numpy.ascontiguousarray(value).reshape(-1).view(f"uint{8 * value.dtype.itemsize}")
    return value.size, int(bits.sum(dtype=numpy.uint64))


def _same(one: Array, other: Array) -> bool:
    if one.size != other.size:
        return False
    if numpy.array_equal(one.reshape(-1), other.reshape(-1)):
        return True
    flat = other.reshape(-1)
    return one.ndim <= 5 and any(numpy.array_equal(one.transpose(order).reshape(-1), flat)
                                 for order in itertools.permutations(range(one.ndim)))
