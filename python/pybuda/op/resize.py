"""Resizing of images and volumes."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F

from ..tensor import Tensor
from .common import define, result


def _resize_axis(x: torch.Tensor, size: int, linear: bool, align_corners: bool) -> torch.Tensor:
    """Resizes [n, columns] along n."""
    rows = x.t().unsqueeze(0)
    made = F.interpolate(rows, size=size, mode="linear", align_corners=align_corners) if linear else \
        F.interpolate(rows, size=size, mode="nearest")
    return made.squeeze(0).t()


def _axes(rank: int, count: int, channel_last: bool) -> range:
    last = rank - 1 if channel_last else rank
    return range(last - count, last)


def _resize(x: torch.Tensor, sizes: Sequence[int], linear: bool, align_corners: bool,
            channel_last: bool) -> torch.Tensor:
    for axis, size in zip(_axes(x.dim(), len(sizes), channel_last), sizes):
        moved = x.movedim(axis, 0)
        made = _resize_axis(moved.flatten(1), size, linear, align_corners)
        x = torch.unflatten(made, 1, moved.shape[1:]).movedim(0, axis)
    return x


def _build(make: Any, x: Any, sizes: Sequence[int], linear: bool, align_corners: bool, channel_last: bool) -> Any:
    for axis, size in zip(_axes(len(make.dims(x)), len(sizes), channel_last), sizes):
        along = make.along if linear else make.picked
        x = along(x, axis, lambda v, size=size: _resize_axis(v, size, linear, align_corners))
    return x


define("resize2d", _resize, _build)
define("resize3d", _resize, _build)


def _method(method: str) -> bool:
    assert method in ("nearest_neighbor", "linear", "bilinear"), \
        f"method '{method}' is not one of nearest_neighbor, linear, bilinear"
    return method != "nearest_neighbor"


def Resize2d(name: str, operandA: Tensor, sizes: tuple[int, int], method: str = "nearest_neighbor",
             align_corners: bool = False, extrapolation_value: int = 0, channel_last: bool = False) -> Tensor:
    """Resizes to (rows, columns). AssertionError for another method."""
    return result("resize2d", name, operandA, attrs=(*sizes, method, align_corners), sizes=tuple(sizes),
                  linear=_method(method), align_corners=align_corners, channel_last=channel_last)


def Resize3d(name: str, operandA: Tensor, sizes: tuple[int, int, int], method: str = "nearest_neighbor",
             align_corners: bool = False, extrapolation_value: int = 0, channel_last: bool = False) -> Tensor:
    """Resizes to (depth, rows, columns)."""
    return result("resize3d", name, operandA, attrs=(*sizes, method, align_corners), sizes=tuple(sizes),
                  linear=_method(method), align_corners=align_corners, channel_last=channel_last)
