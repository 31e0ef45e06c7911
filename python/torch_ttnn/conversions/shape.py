"""Ops that change shapes."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import ttnn

from ..target_wrappers import repeat as repeat_
from .table import Stays, rewrites

aten = torch.ops.aten
_TILE = 32


def keeps_tiles(old: Sequence[int], new: Sequence[int]) -> bool:
    """Whether the last axis stays, and the second last stays or is whole tiles before and after."""
    if len(old) < 2 or len(new) < 2 or old[-1] != new[-1]:
        return False
    return old[-2] == new[-2] or (old[-2] % _TILE == 0 and new[-2] % _TILE == 0)


@rewrites(aten.view.default, aten._unsafe_view.default, aten.reshape.default, becomes="experimental.view or reshape",
          stays="it has no elements")
def _view(r: Any, x: Any, size: Sequence[int]) -> Any:
    old, new = r.shape(x), r.shape(r.node)
    if 0 in old:
        raise Stays("it has no elements")
    return r.call(ttnn.experimental.view if keeps_tiles(old, new) else ttnn.reshape, x, new)


@rewrites(aten.unsqueeze.default, becomes="reshape")
def _unsqueeze(r: Any, x: Any, dim: int) -> Any:
    return r.call(ttnn.reshape, x, r.shape(r.node))


@rewrites(aten.squeeze.default, aten.squeeze.dim, aten.squeeze.dims, becomes="squeeze")
def _squeeze(r: Any, x: Any, dim: Any = None) -> Any:
    if r.shape(x) == r.shape(r.node):
        return x
    if isinstance(dim, int):
        return r.call(ttnn.squeeze, x, dim)
    return r.call(ttnn.reshape, x, r.shape(r.node))


@rewrites(aten.as_strided.default, becomes="reshape", stays="strides are not those of a contiguous tensor, or the offset is not 0")
def _as_strided(r: Any, x: Any, size: Sequence[int], stride: Sequence[int], offset: int | None = None) -> Any:
    plain = [math.prod(size[place + 1:]) for place in range(len(size))]
    if offset or list(stride) != plain or math.prod(size) != math.prod(r.shape(x)) or not r.val(x).is_contiguous():
        raise Stays("strides are not those of a contiguous tensor, or the offset is not 0")
    return r.call(ttnn.reshape, x, tuple(size))


@rewrites(aten.t.default, becomes="transpose; rank 1: nothing")
def _t(r: Any, x: Any) -> Any:
    return x if len(r.shape(x)) < 2 else r.call(ttnn.transpose, x, 0, 1)


@rewrites(aten.transpose.int, becomes="transpose")
def _transpose(r: Any, x: Any, a: int, b: int) -> Any:
    rank = len(r.shape(x))
    return x if rank < 2 or a % rank == b % rank else r.call(ttnn.transpose, x, a, b)


@rewrites(aten.permute.default, becomes="permute")
def _permute(r: Any, x: Any, dims: Sequence[int]) -> Any:
    rank = len(r.shape(x))
    order = [one % max(rank, 1) for one in dims]
    return x if order == list(range(rank)) else r.call(ttnn.permute, x, list(dims))


@rewrites(aten.expand.default, becomes="reshape, expand or repeat (wrapper)")
def _expand(r: Any, x: Any, size: Sequence[int], *, implicit: bool = False) -> Any:
    old, new = r.shape(x), r.shape(r.node)
    if old == new:
        return x
    if math.prod(old) == math.prod(new):
        return r.call(ttnn.reshape, x, new)
    padded = (*[1] * (len(new) - len(old)), *old)
    repeated = [place for place, (a, b) in enumerate(zip(padded, new)) if a != b]
    lead = [place for place, size in enumerate(padded) if size != 1]
    if (not lead or max(repeated) < min(lead)) and new[-1] % 2 == 0 and len(old) == len(new):
        return r.call(ttnn.expand, x, new)
    x = x if len(old) == len(new) else r.call(ttnn.reshape, x, padded)
    return r.call(repeat_, x, tuple(b // a for a, b in zip(padded, new)))


@rewrites(aten.repeat.default, becomes="repeat (wrapper); all 1: nothing")
def _repeat(r: Any, x: Any, sizes: Sequence[int]) -> Any:
    if all(one == 1 for one in sizes):
        return r.reshape(x, r.shape(r.node))
    return r.call(repeat_, x, tuple(sizes))


@rewrites(aten.flip.default, becomes="flip")
def _flip(r: Any, x: Any, dims: Sequence[int]) -> Any:
    return r.call(ttnn.flip, x, list(dims))
