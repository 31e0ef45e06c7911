"""Tensors that are made, and copies."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import ttnn
from torch.fx import Node

from ..target_wrappers import clone as clone_
from ..target_wrappers import dropout, pack_to_tuple
from ..utils import TtnnBfloat16, TtnnDevice, TtnnInt32, TtnnTileLayout
from .table import Stays, rewrites

aten = torch.ops.aten


@rewrites(aten.full.default, aten.new_full.default, becomes="full")
def _full(r: Any, *args: Any, **kwargs: Any) -> Any:
    return r.full(r.shape(r.node), r.number_or(args[-1]))


@rewrites(aten.full_like.default, aten.fill.Scalar, aten.fill.Tensor, becomes="full", stays="the value is not known")
def _full_like(r: Any, x: Any, value: Any, **kwargs: Any) -> Any:
    value = r.number_or(value)
    if isinstance(value, Node):
        raise Stays("the value is not known")
    return r.full(r.shape(r.node), value)


@rewrites(aten.zeros.default, aten.zeros_like.default, aten.new_zeros.default, aten.empty.memory_format, aten.empty_like.default,
          aten.new_empty.default, aten.empty_permuted.default, becomes="zeros")
def _zeros(r: Any, *args: Any, **kwargs: Any) -> Any:
    return r.full(r.shape(r.node), 0)


@rewrites(aten.ones.default, aten.ones_like.default, aten.new_ones.default, becomes="full")
def _ones(r: Any, *args: Any, **kwargs: Any) -> Any:
    return r.full(r.shape(r.node), 1)


@rewrites(aten.scalar_tensor.default, becomes="full")
def _scalar(r: Any, value: float, **kwargs: Any) -> Any:
    return r.full((), value)


@rewrites(aten.arange.default, aten.arange.start, aten.arange.start_step, becomes="arange")
def _arange(r: Any, *args: float, **kwargs: Any) -> Any:
    start, end, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    kind = TtnnBfloat16() if r.kind(r.node) == "float" else TtnnInt32()
    return r.call(ttnn.arange, start, end, step, dtype=kind, layout=TtnnTileLayout(), device=TtnnDevice())


@rewrites(aten.clone.default, becomes="nothing; of an argument that is a result: clone (wrapper)")
def _clone(r: Any, x: Any, memory_format: Any = None) -> Any:
    if x.op == "placeholder" and any(user.op == "output" for user in r.node.users):
        return r.call(clone_, x)
    return x


@rewrites(aten.detach.default, aten.alias.default, aten.lift_fresh_copy.default, aten.lift_fresh.default, aten.contiguous.default,
          becomes="nothing")
def _nothing(r: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    return x


def _converted(r: Any, x: Any) -> Any:
    """A value in the dtype of the node's result."""
    old, new = r.kind(x), r.kind(r.node)
    if r.val(x).dtype == r.val(r.node).dtype:
        return x
    if new == "bool":
        return r.truth(ttnn.ne, x, 0) if old == "int" else r.call(ttnn.logical_not, r.call(ttnn.logical_not, x))
    if new == "int":
        return r.call(ttnn.typecast, x, TtnnInt32())
    return r.call(ttnn.typecast, x, TtnnBfloat16())


@rewrites(aten._to_copy.default, aten.to.dtype, aten.type_as.default, aten._conj.default,
          becomes="typecast; floats to bool: logical_not twice, integers: ne with 0")
def _to_copy(r: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    return _converted(r, x)


@rewrites(aten.copy.default, becomes="the source, expanded and in the dtype of the target")
def _copy(r: Any, x: Any, source: Any, non_blocking: bool = False) -> Any:
    made = _converted(r, source)
    if r.shape(made) != r.shape(x):
        made = r.call(ttnn.expand, made, tuple(r.shape(x)))
    return made


@rewrites(aten.native_dropout.default, becomes="dropout (wrapper); p = 0: nothing", stays="it is in evaluation mode")
def _native_dropout(r: Any, x: Any, p: float, train: bool | None) -> Any:
    if train is False or p == 0:
        return r.call(pack_to_tuple, x, r.full(r.shape(x), 1))
    return r.call(dropout, x, float(p), TtnnDevice())


_Sizes = Sequence[int]
