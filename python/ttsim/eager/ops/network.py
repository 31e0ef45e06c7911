"""Convolutions as the device computes them: windows are gathered, then multiplied by the kernel's matrix."""
from __future__ import annotations

import torch

from ..table import op
from .binary import activated

Optional = torch.Tensor | None


@op("kernel_matrix", kind="move", group="convolution")
def kernel_matrix(input_tensor: torch.Tensor) -> torch.Tensor:
    """[Co, C, kh, kw] -> [1, 1, kh * kw * C, Co]."""
    co = input_tensor.shape[0]
    return input_tensor.permute(2, 3, 1, 0).reshape(1, 1, -1, co)


@op("grouped_kernel_matrix", kind="move", group="convolution")
def grouped_kernel_matrix(input_tensor: torch.Tensor, groups: int) -> torch.Tensor:
    """[Co, C / groups, kh, kw] -> [groups, kh * kw * C / groups, Co / groups]."""
    co, per, kh, kw = input_tensor.shape
    return input_tensor.reshape(groups, co // groups, per, kh, kw).permute(0, 3, 4, 2, 1).reshape(
        groups, kh * kw * per, co // groups)


@op("window_product", group="convolution", layouts="tile")
def window_product(input_tensor: torch.Tensor, weight: torch.Tensor, bias: Optional = None,
                   activation: str | None = None) -> torch.Tensor:
    """Windows times the kernel's matrix, plus a bias [1, 1, 1, Co], then the activation."""
    made = input_tensor @ weight
    return activated(made if bias is None else made + bias, activation)


@op("grouped_windows", kind="move", group="convolution")
def grouped_windows(input_tensor: torch.Tensor, groups: int, taps: int) -> torch.Tensor:
    """[1, 1, M, taps * C] -> [groups, M, taps * C / groups]."""
    rows = input_tensor.shape[2]
    return input_tensor.reshape(rows, taps, groups, -1).permute(2, 0, 1, 3).reshape(groups, rows, -1)


@op("joined_groups", kind="move", group="convolution")
def joined_groups(input_tensor: torch.Tensor) -> torch.Tensor:
    """[groups, M, Co / groups] -> [1, 1, M, Co]."""
    groups, rows, per = input_tensor.shape
    return input_tensor.permute(1, 0, 2).reshape(1, 1, rows, groups * per)


@op("depthwise_product", group="convolution", layouts="tile")
def depthwise_product(input_tensor: torch.Tensor, weight: torch.Tensor, bias: Optional = None,
                      activation: str | None = None) -> torch.Tensor:
    """[taps, M, C] times [taps, 1, C], summed over taps, plus a bias [C]."""
    made = torch.sum(input_tensor * weight, 0)
    return activated(made if bias is None else made + bias, activation)


@op("depthwise_matrix", kind="move", group="convolution")
def depthwise_matrix(input_tensor: torch.Tensor) -> torch.Tensor:
    """[C, 1, kh, kw] -> [kh * kw, 1, C]."""
    channels, _, kh, kw = input_tensor.shape
    return input_tensor.reshape(channels, kh * kw).permute(1, 0).reshape(kh * kw, 1, channels)


@op("spread", kind="move", group="convolution")
def spread(input_tensor: torch.Tensor, batch: int, height: int, width: int, stride: list[int],
           output_padding: list[int]) -> torch.Tensor:
    """[N, H, W, C] pictures with stride - 1 zeros between the elements, for transposed convolutions."""
    channels = input_tensor.shape[-1]
    x = input_tensor.reshape(batch, height, width, channels)
    made = torch.zeros(batch, (height - 1) * stride[0] + 1 + output_padding[0],
                       (width - 1) * stride[1] + 1 + output_padding[1], channels, dtype=x.dtype, device=x.device)
    made[:, :(height - 1) * stride[0] + 1:stride[0], :(width - 1) * stride[1] + 1:stride[1]] = x
    return made


@op("flipped_kernel", kind="move", group="convolution")
def flipped_kernel(input_tensor: torch.Tensor, groups: int) -> torch.Tensor:
    """The kernel [C, Co / groups, kh, kw] of a transposed convolution as one of a convolution: [Co, C / groups, kh, kw]."""
    c, per, kh, kw = input_tensor.shape
    x = torch.flip(input_tensor, [2, 3]).reshape(groups, c // groups, per, kh, kw)
    return x.permute(0, 2, 1, 3, 4).reshape(groups * per, c // groups, kh, kw)
