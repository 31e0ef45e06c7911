"""Reductions and sums along an axis."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import ttnn

from ..target_wrappers import all as all_
from ..target_wrappers import pack_to_tuple
from ..utils import TtnnBfloat16, TtnnInt32, TtnnRowMajorLayout
from .table import Stays, rewrites

aten = torch.ops.aten
Dims = int | Sequence[int] | None


def _dims(r: Any, x: Any, dim: Dims) -> tuple[int, ...]:
    rank = len(r.shape(x))
    given = range(rank) if dim is None or dim == [] else (dim,) if isinstance(dim, int) else dim
    return tuple(sorted({one % max(rank, 1) for one in given}))


def _reduced(r: Any, function: Any, x: Any, dim: Dims, keepdim: bool) -> Any:
    dims = _dims(r, x, dim)
    if not dims:
        return x
    made = r.call(function, x, dims[0] if len(dims) == 1 else dims, True)
    return made if keepdim else r.reshape(made, r.shape(r.node))


@rewrites(aten.mean.dim, becomes="mean")
def _mean(r: Any, x: Any, dim: Dims, keepdim: bool = False, dtype: Any = None) -> Any:
    dims = _dims(r, x, dim)
    return r.call(ttnn.mean, r.float(x), dims[0] if len(dims) == 1 else dims, keepdim) if dims else x


@rewrites(aten.mean.default, becomes="mean")
def _mean_of_all(r: Any, x: Any, dtype: Any = None) -> Any:
    return _mean(r, x, None)


def _countable(r: Any, x: Any) -> Any:
    return r.call(ttnn.typecast, x, TtnnInt32()) if r.kind(x) == "bool" else x


@rewrites(aten.sum.dim_IntList, becomes="sum, reshape")
def _sum(r: Any, x: Any, dim: Dims, keepdim: bool = False, dtype: Any = None) -> Any:
    return _reduced(r, ttnn.sum, _countable(r, x), dim, keepdim)


@rewrites(aten.sum.default, becomes="sum, reshape")
def _sum_of_all(r: Any, x: Any, dtype: Any = None) -> Any:
    return _reduced(r, ttnn.sum, _countable(r, x), None, False)


@rewrites(aten.amax.default, becomes="max, reshape")
def _amax(r: Any, x: Any, dim: Dims = None, keepdim: bool = False) -> Any:
    return _reduced(r, ttnn.max, x, dim, keepdim)


@rewrites(aten.amin.default, becomes="min, reshape")
def _amin(r: Any, x: Any, dim: Dims = None, keepdim: bool = False) -> Any:
    return _reduced(r, ttnn.min, x, dim, keepdim)


@rewrites(aten.max.default, becomes="max")
def _max(r: Any, x: Any) -> Any:
    return r.call(ttnn.max, x) if r.shape(x) else x


@rewrites(aten.min.default, becomes="min")
def _min(r: Any, x: Any) -> Any:
    return r.call(ttnn.min, x) if r.shape(x) else x


@rewrites(aten.max.dim, becomes="max, argmax, pack_to_tuple")
def _max_dim(r: Any, x: Any, dim: int, keepdim: bool = False) -> Any:
    values, places = r.node.meta["val"]
    made = r.reshape(r.call(ttnn.max, x, dim, True), tuple(values.shape))
    return r.call(pack_to_tuple, made, _position(r, x, dim, keepdim) if r.is_used(1) else None)


@rewrites(aten.min.dim, becomes="min, argmax of neg, pack_to_tuple")
def _min_dim(r: Any, x: Any, dim: int, keepdim: bool = False) -> Any:
    values, places = r.node.meta["val"]
    made = r.reshape(r.call(ttnn.min, x, dim, True), tuple(values.shape))
    return r.call(pack_to_tuple, made,
                  _position(r, r.call(ttnn.neg, x), dim, keepdim) if r.is_used(1) else None)


def _position(r: Any, x: Any, dim: int | None, keepdim: bool) -> Any:
    rows = r.call(ttnn.to_layout, r.call(ttnn.typecast, x, TtnnBfloat16()) if r.kind(x) == "int" else x, TtnnRowMajorLayout())
    return r.call(ttnn.argmax, rows, dim=dim, keepdim=keepdim)


@rewrites(aten.argmax.default, becomes="to_layout, argmax")
def _argmax(r: Any, x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return _position(r, x, dim, keepdim)


@rewrites(aten.argmin.default, becomes="neg, to_layout, argmax")
def _argmin(r: Any, x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return _position(r, r.call(ttnn.neg, x), dim, keepdim)


@rewrites(aten.all.default, aten.all.dim, becomes="all (wrapper)")
def _all(r: Any, x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return r.call(all_, x, dim, keepdim)


@rewrites(aten.any.default, aten.any.dim, becomes="any")
def _any(r: Any, x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return r.call(ttnn.any, x, dim, keepdim)


@rewrites(aten.cumsum.default, becomes="moreh_cumsum")
def _cumsum(r: Any, x: Any, dim: int, dtype: Any = None) -> Any:
    return r.call(ttnn.moreh_cumsum, _countable(r, x), dim=dim)


@rewrites(aten.prod.default, aten.prod.dim_int, becomes="prod")
def _prod(r: Any, x: Any, dim: int | None = None, keepdim: bool = False, dtype: Any = None) -> Any:
    return r.call(ttnn.prod, _countable(r, x), dim, keepdim)


@rewrites(aten.topk.default, becomes="topk")
def _topk(r: Any, x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:  # noqa: A002
    return r.call(ttnn.topk, x, k, dim, largest, sorted)


@rewrites(aten.sort.default, becomes="sort")
def _sort(r: Any, x: Any, dim: int = -1, descending: bool = False) -> Any:
    return r.call(ttnn.sort, x, dim, descending)


@rewrites(aten.var.correction, becomes="mean, sub, square, sum, mul", stays="more degrees of freedom than elements")
def _var(r: Any, x: Any, dim: Dims = None, *, correction: float | None = None, keepdim: bool = False) -> Any:
    dims = _dims(r, x, dim)
    count = 1
    for one in dims:
        count *= r.shape(x)[one]
    rest = count - (1 if correction is None else correction)
    if rest <= 0:
        raise Stays("more degrees of freedom than elements")
    centred = r.call(ttnn.sub, x, r.call(ttnn.mean, x, dims, True))
    made = r.call(ttnn.mul, r.call(ttnn.sum, r.call(ttnn.square, centred), dims, True), 1.0 / rest)
    return made if keepdim else r.reshape(made, r.shape(r.node))
