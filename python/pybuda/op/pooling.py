"""Pooling. Activations are NCHW, or NHWC with `channel_last`."""
from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from ..tensor import Tensor
from .common import define, result
from .convolution import edges, pads, per_axis

_MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}


def _flat(around: list[tuple[int, int]]) -> list[int]:
    return [size for pair in reversed(around) for size in pair]


def _count(length: int, kernel: int, stride: int, before: int, after: int, dilation: int, ceil_mode: bool) -> int:
    """Number of windows along an axis; with `ceil_mode` the last window may extend past the edge."""
    reach = (kernel - 1) * dilation + 1
    spare = length + before + after - reach
    if not ceil_mode:
        return spare // stride + 1
    count = -(-spare // stride) + 1
    return count - 1 if (count - 1) * stride >= length + before else count


def _edges_of_all(shape: list[int], kernel: list[int], stride: list[int], around: list[tuple[int, int]],
                  dilation: list[int], ceil_mode: bool) -> list[tuple[int, int]]:
    """Padding of axes of these sizes such that windows cover them."""
    made = []
    for (before, after), size, taps, step, wide in zip(around, shape, kernel, stride, dilation):
        windows = _count(size, taps, step, before, after, wide, ceil_mode)
        needed = max(0, (windows - 1) * step + (taps - 1) * wide + 1 - size - before)
        made.append((before, needed if ceil_mode else after))
    return made


def _max_pool(x: torch.Tensor, kernel: list[int], stride: list[int], around: list[tuple[int, int]],
              dilation: list[int], channel_last: bool) -> torch.Tensor:
    x = x.movedim(-1, 1) if channel_last else x
    filled = F.pad(x, _flat(around), value=float("-inf")) if any(map(any, around)) else x
    y = _MAX[len(kernel)](filled, tuple(kernel), tuple(stride), 0, tuple(dilation))
    return y.movedim(1, -1) if channel_last else y


def _build_max(make: Any, x: Any, kernel: list[int], stride: list[int], around: list[tuple[int, int]],
               dilation: list[int], channel_last: bool) -> Any:
    x = make.as_float(make.channels_first(x) if channel_last else x)
    y = make.add("max_pool", x, kernel=kernel, strides=stride, pads=pads(around), dilations=dilation)
    return make.channels_last(y) if channel_last else y


def _avg_axis(x: torch.Tensor, kernel: int, stride: int, before: int, after: int, ceil_mode: bool, count: bool,
              divisor: float | None) -> torch.Tensor:
    """Means of windows along dim 0 of [n, columns]; padding counts as 0 or is not counted."""
    windows = _count(x.shape[0], kernel, stride, before, after, 1, ceil_mode)
    past = max(0, (windows - 1) * stride + kernel - x.shape[0] - before - after)  # beyond the padding, never counted
    ones = torch.ones(1, 1, x.shape[0], dtype=x.dtype, device=x.device)

    def sums(rows: torch.Tensor, outside: float) -> torch.Tensor:
        filled = F.pad(F.pad(rows, (before, after), value=outside), (0, past))
        return F.avg_pool1d(filled, kernel, stride)[..., :windows] * kernel

    counted = divisor if divisor is not None else sums(ones, float(count))
    return (sums(x.t().unsqueeze(0), 0.0) / counted).squeeze(0).t()


def _avg_pool(x: torch.Tensor, kernel: list[int], stride: list[int], around: list[tuple[int, int]], ceil_mode: bool,
              count: bool, divisor: float | None, channel_last: bool) -> torch.Tensor:
    if x.device.type == "meta":
        x = x.movedim(-1, 1) if channel_last else x
        around = _edges_of_all(list(x.shape[2:]), kernel, stride, around, [1] * len(kernel), ceil_mode)
        y = _max_pool(x, kernel, stride, around, [1] * len(kernel), False)
        return y.movedim(1, -1) if channel_last else y
    first = 1 if channel_last else 2
    for k, (before, after) in enumerate(around):
        moved = x.movedim(first + k, 0)
        made = _avg_axis(moved.flatten(1), kernel[k], stride[k], before, after, ceil_mode, count,
                         _share(divisor, k))
        x = torch.unflatten(made, 1, moved.shape[1:]).movedim(0, first + k)
    return x


def _share(divisor: float | None, axis: int) -> float | None:
    """A divisor for all axes applies to the first axis only."""
    return None if divisor is None else (divisor if axis == 0 else 1.0)


def _build_avg(make: Any, x: Any, kernel: list[int], stride: list[int], around: list[tuple[int, int]], ceil_mode: bool,
               count: bool, divisor: float | None, channel_last: bool) -> Any:
    if not ceil_mode and divisor is None:
        x = make.as_float(make.channels_first(x) if channel_last else x)
        y = make.add("average_pool", x, kernel=kernel, strides=stride, pads=pads(around),
                     count_include_pad=int(count))
        return make.channels_last(y) if channel_last else y
    first = 1 if channel_last else 2
    for k, (before, after) in enumerate(around):
        x = make.along(x, first + k, lambda v, k=k, before=before, after=after: _avg_axis(
            v, kernel[k], stride[k], before, after, ceil_mode, count, _share(divisor, k)))
    return x


define("max_pool", _max_pool, _build_max)
define("avg_pool", _avg_pool, _build_avg)


def _max(axes: int, name: str, activations: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
         ceil_mode: bool, return_indices: bool, channel_last: bool = False) -> Tensor:
    assert not return_indices, "pooling ops return only values; return_indices must be False"
    kernel, stride, dilation = per_axis(kernel_size, axes), per_axis(stride, axes), per_axis(dilation, axes)
    sizes = list(activations.shape)[1:-1] if channel_last else list(activations.shape)[2:]
    around = _edges_of_all(sizes, kernel, stride, edges(padding, kernel, dilation), dilation, ceil_mode)
    return result("max_pool", name, activations, attrs=(*kernel, ceil_mode), kernel=kernel, stride=stride,
                  around=around, dilation=dilation, channel_last=channel_last)


def MaxPool1d(name: str, activations: Tensor, kernel_size: int | tuple[int, ...], stride: int = 1,
              padding: int | str = 0, dilation: int = 1, ceil_mode: bool = False,
              return_indices: bool = False) -> Tensor:
    """NCL; padding is never a maximum. AssertionError for return_indices."""
    return _max(1, name, activations, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def MaxPool2d(name: str, activations: Tensor, kernel_size: int | tuple[int, int], stride: int = 1,
              padding: int | str = "same", dilation: int = 1, ceil_mode: bool = False, return_indices: bool = False,
              max_pool_add_sub_surround: bool = False, max_pool_add_sub_surround_value: float = 1.0,
              channel_last: bool = False) -> Tensor:
    """Maxima of windows of NCHW (or NHWC with `channel_last`); padding is never a maximum. `padding`: "same", an
    integer, or [left, right, top, bottom]. AssertionError for return_indices."""
    return _max(2, name, activations, kernel_size, stride, padding, dilation, ceil_mode, return_indices, channel_last)


def MaxPool3d(name: str, activations: Tensor, kernel_size: int | tuple[int, int, int], stride: int = 1,
              padding: int | str = "same", dilation: int = 1, ceil_mode: bool = False, return_indices: bool = False,
              channel_last: bool = False) -> Tensor:
    """The same for windows of NCDHW."""
    return _max(3, name, activations, kernel_size, stride, padding, dilation, ceil_mode, return_indices, channel_last)


def _avg(axes: int, name: str, activations: Tensor, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
         count_include_pad: bool, divisor_override: float | None, channel_last: bool) -> Tensor:
    kernel = per_axis(kernel_size, axes)
    return result("avg_pool", name, activations, attrs=(*kernel, ceil_mode), kernel=kernel,
                  stride=per_axis(stride, axes), around=edges(padding, kernel, [1] * axes), ceil_mode=ceil_mode,
                  count=count_include_pad, divisor=divisor_override, channel_last=channel_last)


def AvgPool1d(name: str, activations: Tensor, kernel_size: int | tuple[int, ...], stride: int = 1,
              padding: int | str = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> Tensor:
    """Means of windows of NCL; `count_include_pad`: padding counts as zeros."""
    return _avg(1, name, activations, kernel_size, stride, padding, ceil_mode, count_include_pad, None, False)


def AvgPool2d(name: str, activations: Tensor, kernel_size: int | tuple[int, int], stride: int = 1,
              padding: int | str = "same", ceil_mode: bool = False, count_include_pad: bool = True,
              divisor_override: float | None = None, channel_last: bool = False) -> Tensor:
    """Means of windows of NCHW (or NHWC with `channel_last`); `divisor_override` replaces the number of elements."""
    return _avg(2, name, activations, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override,
                channel_last)
