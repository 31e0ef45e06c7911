"""Windows of pictures, pooling, resizing. Pictures are [N, H, W, C] or [1, 1, N * H * W, C]."""
from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F

from ..table import op

_LOWEST = -3.0e38  # less than any element; finite, as the chip's formats need


def _two(x: int | Sequence[int]) -> tuple[int, int]:
    return (x, x) if isinstance(x, int) else (int(x[0]), int(x[1]))


def _four(x: int | Sequence[int]) -> tuple[int, int, int, int]:
    """Padding at the top, bottom, left and right."""
    given = (x,) * 2 if isinstance(x, int) else tuple(x)
    return (given[0], given[0], given[1], given[1]) if len(given) == 2 else given  # type: ignore[return-value]


def output_size(size: int, kernel: int, stride: int, before: int, after: int, dilation: int, ceil_mode: bool = False) -> int:
    """Of a convolution or a pool along one axis."""
    span = size + before + after - dilation * (kernel - 1) - 1
    count = (-(-span // stride) if ceil_mode else span // stride) + 1
    if ceil_mode and (count - 1) * stride >= size + before:
        count -= 1
    return int(count)


@op("windows", kind="move", group="convolution")
def windows(input_tensor: torch.Tensor, batch: int, height: int, width: int, channels: int, kernel: Sequence[int],
            stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], value: float = 0.0,
            apart: bool = False, ceil_mode: bool = False) -> torch.Tensor:
    """The windows of [N, H, W, C] pictures: [1, 1, N * Ho * Wo, kh * kw * C], or [kh * kw, N * Ho * Wo, C] with `apart`;
    what a convolution's or a pool's cores gather."""
    x = input_tensor.reshape(batch, height, width, channels)
    (kh, kw), (sh, sw), (dh, dw) = kernel, stride, dilation
    top, bottom, left, right = padding
    ho = output_size(height, kh, sh, top, bottom, dh, ceil_mode)
    wo = output_size(width, kw, sw, left, right, dw, ceil_mode)
    down = max(0, (ho - 1) * sh + dh * (kh - 1) + 1 - height - top - bottom)
    beside = max(0, (wo - 1) * sw + dw * (kw - 1) + 1 - width - left - right)
    x = F.pad(x, (0, 0, left, right + beside, top, bottom + down), value=value)
    parts = [x[:, i * dh:i * dh + (ho - 1) * sh + 1:sh, j * dw:j * dw + (wo - 1) * sw + 1:sw]
             for i in range(kh) for j in range(kw)]
    flat = torch.stack(parts, 0).reshape(kh * kw, batch * ho * wo, channels)
    if apart:
        return flat
    return flat.permute(1, 0, 2).reshape(1, 1, batch * ho * wo, kh * kw * channels)


@op("window_max", group="pool")
def window_max(input_tensor: torch.Tensor) -> torch.Tensor:
    """Largest element over axis 0."""
    return torch.amax(input_tensor, 0)


@op("window_mean", group="pool")
def window_mean(input_tensor: torch.Tensor, factor: float) -> torch.Tensor:
    """Sum over axis 0 times a factor."""
    return torch.sum(input_tensor, 0) * factor


@op(kind="move", group="pool")
def upsample(input_tensor: torch.Tensor, scale_factor: int | Sequence[int], mode: str = "nearest") -> torch.Tensor:
    """[N, H, W, C] enlarged by whole factors: "nearest", or "bilinear"."""
    x = input_tensor.permute(0, 3, 1, 2)
    if mode not in ("nearest", "bilinear"):
        raise ValueError(f"there is no mode '{mode}'; use nearest or bilinear")
    factors = tuple(float(one) for one in _two(scale_factor))
    made = F.interpolate(x, scale_factor=factors, mode=mode) if mode == "nearest" else \
        F.interpolate(x, scale_factor=factors, mode=mode, align_corners=False)
    return made.permute(0, 2, 3, 1).contiguous()


two, four, LOWEST = _two, _four, _LOWEST
