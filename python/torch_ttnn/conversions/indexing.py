"""Embeddings and indexing."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import ttnn

from ..utils import TtnnInt32, TtnnTileLayout
from .table import Stays, rewrites

aten = torch.ops.aten
_TILE = 32


def _rows(r: Any, indices: Any, weight: Any) -> Any:
    """Rows of a matrix by index."""
    if r.shape(indices) and r.shape(indices)[-1] % _TILE == 0:
        return r.call(ttnn.embedding, indices, weight, layout=TtnnTileLayout())
    return r.call(ttnn.to_layout, r.call(ttnn.embedding, indices, weight), TtnnTileLayout())


@rewrites(aten.embedding.default, becomes="embedding, [to_layout]")
def _embedding(r: Any, weight: Any, indices: Any, *args: Any, **kwargs: Any) -> Any:
    return _rows(r, indices, weight)


def _positions(r: Any, index: Any, size: int) -> Any:
    """Indices from 0: negative ones count from the end."""
    if r.is_from_zero(index):
        return index
    below = r.truth(ttnn.lt, index, 0)
    return r.call(ttnn.where, r.flag(below, "int"), r.call(ttnn.add, index, size), index)


def _joined(r: Any, indices: Sequence[Any], sizes: Sequence[int]) -> Any:
    """One index into axes that are merged."""
    made = _positions(r, indices[0], sizes[0])
    for index, size in zip(indices[1:], sizes[1:]):
        made = r.call(ttnn.add, r.call(ttnn.mul, made, size), _positions(r, index, size))
    return made


@rewrites(aten.index.Tensor, aten._unsafe_index.Tensor, becomes="embedding, or index_select of merged axes, reshape",
          stays="an index is a mask")
def _index(r: Any, x: Any, indices: Sequence[Any]) -> Any:
    given = [(place, one) for place, one in enumerate(indices) if one is not None]
    if any(r.kind(one) == "bool" for _, one in given):
        raise Stays("an index is a mask, so the shape depends on values")
    shape, places = r.shape(x), [place for place, _ in given]
    apart = places != list(range(places[0], places[-1] + 1))
    if apart:
        rest = [place for place in range(len(shape)) if place not in places]
        x = r.call(ttnn.permute, x, [*places, *rest])
        shape, places = r.shape(x), list(range(len(places)))
    sizes = [shape[place] for place in places]
    index = _joined(r, [one for _, one in given], sizes)
    before, after = shape[:places[0]], shape[places[-1] + 1:]
    if not before and len(after) <= 1:
        table = r.reshape(x, (math.prod(sizes), *(after or (1,))))
        return r.reshape(_rows(r, index, table), r.shape(r.node))
    merged = r.reshape(x, (*before, math.prod(sizes), *after))
    flat = r.reshape(index, (math.prod(r.shape(index)),))
    return r.reshape(r.call(ttnn.index_select, merged, len(before), flat), r.shape(r.node))


@rewrites(aten.index_select.default, becomes="embedding, or index_select")
def _index_select(r: Any, x: Any, dim: int, index: Any) -> Any:
    if dim == 0 and len(r.shape(x)) == 2 and r.kind(x) == "float" and r.shape(index):
        return _rows(r, index, x)
    return r.call(ttnn.index_select, x, dim % max(1, len(r.shape(x))), index)


@rewrites(aten.gather.default, becomes="gather")
def _gather(r: Any, x: Any, dim: int, index: Any, sparse_grad: bool = False) -> Any:
    return r.call(ttnn.gather, x, dim, index)


@rewrites(aten.scatter.src, becomes="scatter")
def _scatter(r: Any, x: Any, dim: int, index: Any, source: Any) -> Any:
    return r.call(ttnn.scatter, x, dim, index, source)


@rewrites(aten.scatter.value, becomes="full, scatter")
def _scatter_value(r: Any, x: Any, dim: int, index: Any, value: float) -> Any:
    kind = TtnnInt32() if r.kind(x) == "int" else None
    return r.call(ttnn.scatter, x, dim, index, r.full(r.shape(index), value, kind))
