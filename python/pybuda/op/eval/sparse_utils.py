"""Output sizes of convolutions, and their selection matrices."""
from __future__ import annotations

from typing import Any

from ...refusal import refusal
from ..convolution import edges, per_axis
from .sparse_pickers import create_conv2d_sparse_picker_matrix, interleave_tiles, vslice

__all__ = ["calculate_conv2d_output_dimensions", "calculate_conv2d_prestride_weights_and_padding",
           "calculate_conv2d_transpose_output_dimensions", "can_conv2d_prestride", "conv2d_padding_to_canonical",
           "create_conv2d_sparse_picker_matrix", "interleave_tiles", "vslice"]

_WHY = "the host rearranges the input of a first convolution into full windows, not by its stride"
_REMEDY = "compile with and without compiler_cfg.enable_conv_prestride and compare pybuda.get_report()"
can_conv2d_prestride = refusal("can_conv2d_prestride", _WHY, _REMEDY)
calculate_conv2d_prestride_weights_and_padding = refusal("calculate_conv2d_prestride_weights_and_padding", _WHY,
                                                         _REMEDY)


def conv2d_padding_to_canonical(padding: Any, kernel_size: Any, dilation: Any = 1) -> list[int]:
    """[left, right, top, bottom] of "same", an integer, or a list."""
    (top, bottom), (left, right) = edges(padding, per_axis(kernel_size, 2), per_axis(dilation, 2))
    return [left, right, top, bottom]


def _size(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    room = size + padding - dilation * (kernel - 1) - 1
    return (-(-room // stride) if ceil_mode else room // stride) + 1


def calculate_conv2d_output_dimensions(original_y: int, original_x: int, kernel_size: Any, stride: Any, padding: Any,
                                       dilation: Any = 1, ceil_mode: bool = False) -> tuple[int, int]:
    """(rows, columns)."""
    kernel, stride, dilation = per_axis(kernel_size, 2), per_axis(stride, 2), per_axis(dilation, 2)
    left, right, top, bottom = conv2d_padding_to_canonical(padding, kernel, dilation)
    return (_size(original_y, kernel[0], stride[0], top + bottom, dilation[0], ceil_mode),
            _size(original_x, kernel[1], stride[1], left + right, dilation[1], ceil_mode))


def calculate_conv2d_transpose_output_dimensions(original_y: int, original_x: int, kernel_size: Any, stride: Any,
                                                 padding: Any, dilation: Any = 1,
                                                 output_padding: Any = 0) -> tuple[int, int]:
    """(rows, columns)."""
    kernel, stride, dilation = per_axis(kernel_size, 2), per_axis(stride, 2), per_axis(dilation, 2)
    extra = per_axis(output_padding, 2)
    left, right, top, bottom = conv2d_padding_to_canonical(padding, kernel, dilation)
    around = (top + bottom, left + right)
    rows, columns = ((size - 1) * stride[k] - around[k] + dilation[k] * (kernel[k] - 1) + extra[k] + 1
                     for k, size in enumerate((original_y, original_x)))
    return rows, columns
