"""Parts of tensors, and joins of them."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import ttnn

from ..target_wrappers import pack_to_tuple
from ..target_wrappers import roll as roll_
from ..target_wrappers import stack as stack_
from .table import Stays, rewrites

aten = torch.ops.aten


def sliced(r: Any, x: Any, dim: int, start: int, end: int, step: int = 1) -> Any:
    """Positions start .. end - 1 of an axis; the whole axis: nothing."""
    shape = r.shape(x)
    if (start, end, step) == (0, shape[dim], 1):
        return x
    starts, ends, steps = [0] * len(shape), list(shape), [1] * len(shape)
    starts[dim], ends[dim], steps[dim] = start, end, step
    return r.call(ttnn.slice, x, starts, ends) if step == 1 else r.call(ttnn.slice, x, starts, ends, steps)


def _limits(size: int, start: int | None, end: int | None) -> tuple[int, int]:
    first = 0 if start is None else start
    last = size if end is None else end
    first, last = (one + size if one < 0 else one for one in (first, last))
    first = min(max(first, 0), size)
    return first, min(max(last, first), size)


@rewrites(aten.slice.Tensor, becomes="slice; the whole range: nothing", stays="it has no elements")
def _slice(r: Any, x: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    if 0 in r.shape(r.node):
        raise Stays("it has no elements")
    dim %= len(r.shape(x))
    return sliced(r, x, dim, *_limits(r.shape(x)[dim], start, end), step)


@rewrites(aten.select.int, becomes="slice, reshape")
def _select(r: Any, x: Any, dim: int, index: int) -> Any:
    shape = r.shape(x)
    dim %= len(shape)
    index = index + shape[dim] if index < 0 else index
    return r.call(ttnn.reshape, sliced(r, x, dim, index, index + 1), r.shape(r.node))


@rewrites(aten.unbind.int, becomes="slice, reshape, pack_to_tuple")
def _unbind(r: Any, x: Any, dim: int = 0) -> Any:
    dim %= len(r.shape(x))
    parts = [r.call(ttnn.reshape, sliced(r, x, dim, place, place + 1), tuple(part.shape))
             for place, part in enumerate(r.node.meta["val"])]
    return r.call(pack_to_tuple, *parts)


@rewrites(aten.slice_scatter.default, becomes="slice, concat; with steps: slice_scatter")
def _slice_scatter(r: Any, x: Any, source: Any, dim: int = 0, start: int | None = None, end: int | None = None,
                   step: int = 1) -> Any:
    size = r.shape(x)[dim % len(r.shape(x))]
    dim %= len(r.shape(x))
    first, last = _limits(size, start, end)
    if step != 1:
        return r.call(ttnn.slice_scatter, x, source, dim, first, last, step)
    parts = [sliced(r, x, dim, 0, first)] if first else []
    parts.append(source)
    parts += [sliced(r, x, dim, last, size)] if last < size else []
    return parts[0] if len(parts) == 1 else r.call(ttnn.concat, parts, dim)


@rewrites(aten.select_scatter.default, becomes="reshape, slice, concat")
def _select_scatter(r: Any, x: Any, source: Any, dim: int, index: int) -> Any:
    shape = list(r.shape(x))
    dim %= len(shape)
    index = index + shape[dim] if index < 0 else index
    shape[dim] = 1
    return _slice_scatter(r, x, r.call(ttnn.reshape, source, tuple(shape)), dim, index, index + 1)


@rewrites(aten.cat.default, becomes="concat; parts without elements: nothing", takes_empty=True)
def _cat(r: Any, tensors: Sequence[Any], dim: int = 0) -> Any:
    parts = [one for one in tensors if 0 not in r.shape(one)]
    if not parts:
        raise Stays("it has no elements")
    return parts[0] if len(parts) == 1 else r.call(ttnn.concat, r.unified(*parts), dim)


@rewrites(aten.stack.default, becomes="stack (wrapper)")
def _stack(r: Any, tensors: Sequence[Any], dim: int = 0) -> Any:
    return r.call(stack_, r.unified(*tensors), dim)


@rewrites(aten.split.Tensor, aten.split_with_sizes.default, becomes="split")
def _split(r: Any, x: Any, size: Any, dim: int = 0) -> Any:
    return r.call(ttnn.split, x, size if isinstance(size, int) else list(size), dim % len(r.shape(x)))


@rewrites(aten.roll.default, becomes="roll (wrapper)")
def _roll(r: Any, x: Any, shifts: Sequence[int], dims: Sequence[int] = ()) -> Any:
    return r.call(roll_, x, list(shifts), list(dims))


@rewrites(aten.constant_pad_nd.default, becomes="pad; negative: slice")
def _pad(r: Any, x: Any, pad: Sequence[int], value: float = 0) -> Any:
    rank = len(r.shape(x))
    pairs = [(0, 0)] * rank
    for place in range(len(pad) // 2):
        pairs[rank - 1 - place] = (pad[2 * place], pad[2 * place + 1])
    for dim, (before, after) in enumerate(pairs):
        size = r.shape(x)[dim]
        x = sliced(r, x, dim, max(0, -before), size - max(0, -after))
    pairs = [(max(0, a), max(0, b)) for a, b in pairs]
    return x if all(pair == (0, 0) for pair in pairs) else r.call(ttnn.pad, x, pairs, value=value)
