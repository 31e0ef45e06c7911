"""Comparisons and choices."""
from __future__ import annotations

import math
from typing import Any

import torch
import ttnn
from torch.fx import Node

from .table import Stays, rewrites

aten = torch.ops.aten


def _comparison(name: str) -> None:
    packet, function = getattr(aten, name), getattr(ttnn, name)

    @rewrites(packet.Scalar, packet.Tensor, becomes=name)
    def convert(r: Any, a: Any, b: Any) -> Any:
        return r.truth(function, a, b)


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparison(_name)


def _logical(name: str) -> None:
    @rewrites(getattr(aten, name).default, becomes=name)
    def convert(r: Any, a: Any, b: Any) -> Any:
        return r.truth(getattr(ttnn, name), a, b)


for _name in ("logical_and", "logical_or", "logical_xor"):
    _logical(_name)


@rewrites(aten.where.self, aten.where.ScalarOther, aten.where.ScalarSelf, aten.where.Scalar, becomes="where",
          stays="both values are numbers")
def _where(r: Any, condition: Any, a: Any, b: Any) -> Any:
    a, b = r.number_or(a), r.number_or(b)
    if isinstance(a, Node) and isinstance(b, Node):
        a, b = r.unified(a, b)
    return r.call(ttnn.where, r.flag(condition, r.kind(r.node)), a, b)


@rewrites(aten.masked_fill.Scalar, aten.masked_fill.Tensor, becomes="full, subtract, multiply, multiply, add; infinity and integers: where",
          stays="the value is not known")
def _masked_fill(r: Any, x: Any, mask: Any, value: Any) -> Any:
    value = r.number_or(value)
    if isinstance(value, Node):
        raise Stays("the value is not known")
    if not math.isfinite(value) or r.kind(x) != "float" or not r.shape(mask):
        return r.call(ttnn.where, r.flag(mask, r.kind(x)), value, x)
    kept = r.call(ttnn.subtract, r.full(r.shape(mask), 1), mask)
    filled = r.call(ttnn.multiply, r.full(r.shape(mask), value), mask)
    return r.call(ttnn.add, r.call(ttnn.multiply, x, kept), filled)
