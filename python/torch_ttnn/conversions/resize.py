"""Resizing and adaptive pools: linear along each axis, so products with one matrix for each axis."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import ttnn

from .table import rewrites

aten = torch.ops.aten


def _matrix(function: Callable[..., torch.Tensor], size: int, outputs: int, vertical: bool) -> torch.Tensor:
    """[outputs, size]: what an op does along one axis, found by applying it to unit vectors."""
    unit = torch.eye(size)
    if vertical:
        return function(unit.reshape(1, size, size, 1), outputs, 1)[0, :, :, 0].T.contiguous()
    return function(unit.reshape(1, size, 1, size), 1, outputs)[0, :, 0, :].T.contiguous()


def _separable(r: Any, x: Any, function: Callable[..., torch.Tensor]) -> Any:
    (height, width), (down, beside) = r.shape(x)[-2:], r.shape(r.node)[-2:]
    made = x
    if width != beside:
        made = r.call(ttnn.matmul, made, r.constant(lambda: _matrix(function, width, beside, False).T))
    if height != down:
        lead = r.shape(x)[:-2]
        made = r.call(ttnn.matmul, r.constant(lambda: _matrix(function, height, down, True).expand(*lead, down, height)), made)
    return made


@rewrites(aten._adaptive_avg_pool2d.default, becomes="mean, or products with averaging matrices; the same size: nothing")
def _adaptive(r: Any, x: Any, size: Sequence[int]) -> Any:
    if tuple(r.shape(x)) == tuple(r.shape(r.node)):
        return x
    if tuple(size) == (1, 1):
        return r.call(ttnn.mean, x, (len(r.shape(x)) - 2, len(r.shape(x)) - 1), True)
    return _separable(r, x, lambda t, h, w: torch.ops.aten._adaptive_avg_pool2d(t, [h, w]))


@rewrites(aten.upsample_nearest2d.default, becomes="products with matrices of the rows and columns")
def _nearest(r: Any, x: Any, size: Sequence[int], scale_h: float | None = None, scale_w: float | None = None) -> Any:
    return _separable(r, x, lambda t, h, w: aten.upsample_nearest2d(t, [h, w], scale_h, scale_w))


def _interpolates(target: Any) -> None:
    @rewrites(target.default, becomes="products with matrices of the rows and columns")
    def convert(r: Any, x: Any, size: Sequence[int], align_corners: bool, scale_h: float | None = None,
                scale_w: float | None = None) -> Any:
        return _separable(r, x, lambda t, h, w: target(
            t, [h, w], align_corners, scale_h if t.shape[-2] > 1 else None, scale_w if t.shape[-1] > 1 else None))


for _one in (aten.upsample_bilinear2d, aten.upsample_bicubic2d):
    _interpolates(_one)
