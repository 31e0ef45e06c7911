"""Definitions of data movement ops: in torch, and as nodes of a graph."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F

from ..process import align_up_tile
from .common import define


# --- slices and stacks: move columns or rows to the third axis from the end, and back

def _with_z(dims: Sequence[int], rank: int = 3) -> tuple[list[int], int, int, int]:
    dims = [1] * (rank - len(dims)) + list(dims)
    return dims[:-3], dims[-3], dims[-2], dims[-1]


def _hslice_steps(dims: Sequence[int], slices: int) -> tuple[list[int], list[int], list[int]]:
    outer, z, r, c = _with_z(dims, 4)
    n = len(outer)
    return [*outer, z, r, slices, c // slices], [*range(n + 1), n + 2, n + 1, n + 3], [*outer, z * slices, r,
                                                                                      c // slices]


def _hstack_steps(dims: Sequence[int], slices: int) -> tuple[list[int], list[int], list[int]]:
    outer, z, r, c = _with_z(dims)
    n = len(outer)
    return [*outer, z // slices, slices, r, c], [*range(n + 1), n + 2, n + 1, n + 3], [*outer, z // slices, r,
                                                                                      slices * c]


def _define_moved(name: str, steps: Callable[..., tuple[list[int], list[int], list[int]]]) -> None:
    def evaluate(x: torch.Tensor, slices: int) -> torch.Tensor:
        apart, order, together = steps(x.shape, slices)
        return x.reshape(apart).permute(order).reshape(together)

    def build(make: Any, x: Any, slices: int) -> Any:
        apart, order, together = steps(make.dims(x), slices)
        return make.reshape(make.transpose(make.reshape(x, apart), order), together)

    define(name, evaluate, build)


def _vslice_dims(dims: Sequence[int], slices: int) -> list[int]:
    outer, z, r, c = _with_z(dims, 4)
    return [*outer, z * slices, r // slices, c]


def _vstack_dims(dims: Sequence[int], slices: int) -> list[int]:
    outer, z, r, c = _with_z(dims)
    return [*outer, z // slices, r * slices, c]


def _define_reshaped(name: str, dims_of: Callable[..., Sequence[int]]) -> None:
    define(name, lambda x, **given: x.reshape(tuple(dims_of(x.shape, **given))),
           lambda make, x, **given: make.reshape(x, dims_of(make.dims(x), **given)))


def _reshaped(dims: Sequence[int], shape: Sequence[int]) -> list[int]:
    known = math.prod(size for size in shape if size != -1)
    return [math.prod(dims) // known if size == -1 else size for size in shape]


def _unsqueezed(dims: Sequence[int], dim: int) -> list[int]:
    made = list(dims)
    made.insert(dim % (len(made) + 1), 1)
    return made


def _squeezed(dims: Sequence[int], dim: int) -> list[int]:
    return [size for at, size in enumerate(dims) if at != dim % len(dims) or size != 1]


_define_moved("hslice", _hslice_steps)
_define_moved("hstack", _hstack_steps)
_define_reshaped("vslice", _vslice_dims)
_define_reshaped("vstack", _vstack_dims)
_define_reshaped("reshape", _reshaped)
_define_reshaped("unsqueeze", _unsqueezed)
_define_reshaped("squeeze", _squeezed)
define("transpose", lambda x, dim0, dim1: x.transpose(dim0, dim1),
       lambda make, x, dim0, dim1: make.swap(x, make.axis(x, dim0), make.axis(x, dim1)))


# --- along one axis

def _define_along(name: str, function: Callable[..., torch.Tensor]) -> None:
    """`function(x, dim, **attributes)` copies elements along `dim` only."""
    define(name, function, lambda make, x, dim, **given: make.picked(
        x, make.axis(x, dim), lambda v: function(v, 0, **given)))


def _index(x: torch.Tensor, dim: int, start: int, stop: int, stride: int) -> torch.Tensor:
    places = range(*slice(start, stop, stride).indices(x.shape[dim]))
    return x.index_select(dim, torch.tensor(list(places), dtype=torch.long, device=x.device))


def _select(x: torch.Tensor, dim: int, start: int, length: int, stride: int) -> torch.Tensor:
    return torch.cat([x.narrow(dim, at + start, length) for at in range(0, x.shape[dim], stride)
                      if at + start + length <= x.shape[dim]], dim)


def _pad_end(x: torch.Tensor, dim: int, size: int) -> torch.Tensor:
    shape = list(x.shape)
    shape[dim] = size - shape[dim]
    return torch.cat([x, torch.zeros(shape, dtype=x.dtype, device=x.device)], dim)


def _broadcast(x: torch.Tensor, dim: int, shape: int) -> torch.Tensor:
    dims = list(x.shape)
    dims[dim] = shape
    return x.expand(dims)


_define_along("index", _index)
_define_along("select", _select)
_define_along("narrow", lambda x, dim, start, length: x.narrow(dim, start, length))
_define_along("pad_tile", lambda x, dim: _pad_end(x, dim, align_up_tile(x.shape[dim])))
_define_along("broadcast", _broadcast)


# --- along several

def _edges(pad: Sequence[int], rank: int, channel_last: bool) -> dict[int, tuple[int, int]]:
    """Padding before and after each axis."""
    last = rank - 2 if channel_last else rank - 1
    edges = {last: (pad[0], pad[1])}
    if len(pad) == 4:
        edges[last - 1] = (pad[2], pad[3])
    return edges


def _pad_axis(x: torch.Tensor, before: int, after: int, mode: str) -> torch.Tensor:
    """Pads [n, columns] along n."""
    return F.pad(x.t().unsqueeze(0), (before, after), mode=mode).squeeze(0).t()


def _pad(x: torch.Tensor, pad: Sequence[int], mode: str, channel_last: bool) -> torch.Tensor:
    for axis, (before, after) in _edges(pad, x.dim(), channel_last).items():
        moved = x.movedim(axis, 0)
        x = torch.unflatten(_pad_axis(moved.flatten(1), before, after, mode), 1, moved.shape[1:]).movedim(0, axis)
    return x


def _build_pad(make: Any, x: Any, pad: Sequence[int], mode: str, channel_last: bool) -> Any:
    for axis, (before, after) in _edges(pad, len(make.dims(x)), channel_last).items():
        x = make.picked(x, axis, lambda v, before=before, after=after: _pad_axis(v, before, after, mode))
    return x


def _build_repeat(make: Any, x: Any, factors: Sequence[int]) -> Any:
    dims = make.dims(x)
    x = make.reshape(x, [1] * (len(factors) - len(dims)) + dims)
    for axis, factor in enumerate(factors):
        if factor != 1:
            x = make.picked(x, axis, lambda v, factor=factor: v.repeat(factor, 1))
    return x


def _build_pixel_shuffle(make: Any, x: Any, upscale_factor: int) -> Any:
    *outer, c, h, w = make.dims(x)
    f, n = upscale_factor, len(outer)
    apart = make.transpose(make.reshape(x, [*outer, c // f // f, f, f, h, w]),
                         [*range(n + 1), n + 3, n + 1, n + 4, n + 2])
    return make.reshape(apart, [*outer, c // f // f, h * f, w * f])


def _tile_edges(x_dims: Sequence[int], paddings: Sequence[int]) -> list[tuple[int, int]]:
    """Padding of the last two axes to tiles, plus a number of tiles each."""
    return [(len(x_dims) - 2 + k, align_up_tile(x_dims[k - 2]) + 32 * paddings[k]) for k in (0, 1)]


def _buda_pad(x: torch.Tensor, paddings: Sequence[int], value: float) -> torch.Tensor:
    sizes = dict(_tile_edges(x.shape, paddings))
    rows, columns = sizes[x.dim() - 2], sizes[x.dim() - 1]
    return F.pad(x, (0, columns - x.shape[-1], 0, rows - x.shape[-2]), value=value)


def _build_buda_pad(make: Any, x: Any, paddings: Sequence[int], value: float) -> Any:
    dims = make.dims(x)
    filled = make.as_float(x)
    for axis, size in _tile_edges(dims, paddings):
        filled = make.picked(filled, axis, lambda v, size=size: _pad_end(v, 0, size))
    if value == 0.0:
        return filled
    outside = torch.full(make.dims(filled)[-2:], float(value))
    outside[:dims[-2], :dims[-1]] = 0
    return make.add("add", filled, make.constant(outside, "value"))


def _build_unpad(make: Any, x: Any, original_length: Sequence[int]) -> Any:
    rank = len(make.dims(x))
    for axis, size in ((rank - 2, original_length[0]), (rank - 1, original_length[1])):
        x = make.picked(x, axis, lambda v, size=size: v[:size])
    return x


define("pad", _pad, _build_pad)
define("repeat", lambda x, factors: x.repeat(*factors), _build_repeat)
define("pixel_shuffle", lambda x, upscale_factor: F.pixel_shuffle(x, upscale_factor), _build_pixel_shuffle)
define("buda_pad", _buda_pad, _build_buda_pad)
define("buda_unpad", lambda x, original_length: x[..., :original_length[0], :original_length[1]], _build_unpad)


def _adv_index_shape(x: Sequence[int], indices: Sequence[int], dim: int) -> list[int]:
    dim %= len(x)
    return [*x[:dim], *indices, *x[dim + 1:]]


def _adv_index(x: torch.Tensor, indices: torch.Tensor, dim: int) -> torch.Tensor:
    places = indices.reshape(-1).long()
    taken = x.index_select(dim, torch.where(places < 0, places + x.shape[dim], places))
    return taken.reshape(_adv_index_shape(x.shape, indices.shape, dim))


define("adv_index", _adv_index,
       lambda make, x, indices, dim: make.add("take", x, make.as_integer(indices), axis=make.axis(x, dim)),
       _adv_index_shape)
