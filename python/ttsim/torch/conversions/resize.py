"""Resized images and signals: one matrix for each axis, computed by torch from the identity."""
from __future__ import annotations

from typing import Any

import numpy
import torch

from ..table import Op, Tensor, converts

aten = torch.ops.aten

_MODES = {
    aten.upsample_nearest1d.default: "nearest", aten.upsample_nearest2d.default: "nearest",
    aten.upsample_nearest3d.default: "nearest", aten.upsample_nearest1d.vec: "nearest",
    aten.upsample_nearest2d.vec: "nearest", aten.upsample_nearest3d.vec: "nearest",
    aten._upsample_nearest_exact1d.default: "exact", aten._upsample_nearest_exact2d.default: "exact",
    aten._upsample_nearest_exact3d.default: "exact", aten._upsample_nearest_exact1d.vec: "exact",
    aten._upsample_nearest_exact2d.vec: "exact", aten._upsample_nearest_exact3d.vec: "exact",
    aten.upsample_linear1d.default: "linear", aten.upsample_bilinear2d.default: "linear",
    aten.upsample_trilinear3d.default: "linear", aten.upsample_linear1d.vec: "linear",
    aten.upsample_bilinear2d.vec: "linear", aten.upsample_trilinear3d.vec: "linear",
    aten.upsample_bicubic2d.default: "cubic", aten.upsample_bicubic2d.vec: "cubic",
}


@converts(*_MODES)
def upsample(op: Op, x: Tensor, sizes: Any, *rest: Any) -> Any:
    """x [n, channels, ..]"""
    mode = _MODES[op.target]
    corners = bool(rest[0]) if mode in ("linear", "cubic") else False
    scales = list(rest[1:] if mode in ("linear", "cubic") else rest)
    if op.target._overloadname == "vec":  # one list or None
        scales = list(scales[0]) if scales and scales[0] else [None] * (x.rank - 2)
    scales += [None] * (x.rank - 2 - len(scales))
    value = op.float(x)
    for axis in range(2, x.rank):
        matrix = _matrix(mode, x.shape[axis], op.result.shape[axis], corners, scales[axis - 2])
        value = op.build.map_axis(value, axis, matrix)
    return value


def _matrix(mode: str, size: int, wanted: int, corners: bool, scale: float | None) -> numpy.ndarray:
    """[wanted, size]: the resized unit vectors."""
    units = torch.eye(size)[None]
    if mode == "nearest":
        resized = aten.upsample_nearest1d(units, [wanted], scale)
    elif mode == "exact":
        resized = aten._upsample_nearest_exact1d(units, [wanted], scale)
    elif mode == "linear":
        resized = aten.upsample_linear1d(units, [wanted], corners, scale)
    else:
        resized = aten.upsample_bicubic2d(units[..., None, :], [1, wanted], corners, None, scale)[..., 0, :]
    matrix: numpy.ndarray = resized[0].T.contiguous().numpy()
    return matrix
