"""Modules of one op with its weights, initialized like torch's (uniform, by the number of inputs)."""
from __future__ import annotations

import math
from typing import Any

import torch

from ..module import PyBudaModule
from ..parameter import Parameter
from ..tensor import Tensor
from .convolution import Conv2d, conv_transpose, per_axis
from .matmul import Matmul, SparseMatmul
from .pooling import AvgPool2d, MaxPool1d, MaxPool2d


def _uniform(shape: tuple[int, ...], inputs: int) -> Parameter:
    bound = 1.0 / math.sqrt(inputs)
    return Parameter(torch.empty(shape).uniform_(-bound, bound))


class Linear(PyBudaModule):
    """Weights are (in_features, out_features)."""

    def __init__(self, name: str, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__(name)
        self.weights = _uniform((in_features, out_features), in_features)
        self.bias = _uniform((out_features,), in_features) if bias else None

    def forward(self, activations: Tensor) -> Tensor:
        """[.., in_features] to [.., out_features]."""
        return Matmul(self.name, activations, self.weights, self.bias)


class Conv2dModule(PyBudaModule):
    """A convolution with its own weights [out_channels, in_channels / groups, rows, columns] and bias."""

    def __init__(self, name: str, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
                 padding: Any = "same", dilation: Any = 1, groups: int = 1, bias: bool = True,
                 t_stream_workaround: bool = False) -> None:
        super().__init__(name)
        kernel = per_axis(kernel_size, 2)
        inputs = in_channels // groups * kernel[0] * kernel[1]
        self.weights = _uniform((out_channels, in_channels // groups, *kernel), inputs)
        self.bias = _uniform((out_channels,), inputs) if bias else None
        self.given = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}

    def forward(self, activations: Tensor) -> Tensor:
        """NCHW to NCHW."""
        return Conv2d(self.name, activations, self.weights, self.bias, **self.given)


class ConvTranspose2dModule(PyBudaModule):
    """AssertionError for dilations other than 1 and padding modes other than zeros."""

    def __init__(self, name: str, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
                 padding: Any = "same", output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: int = 1,
                 padding_mode: str = "zeros") -> None:
        super().__init__(name)
        assert dilation == 1 and padding_mode == "zeros", \
            "ConvTranspose2dModule supports only dilation 1 and padding_mode zeros"
        kernel = per_axis(kernel_size, 2)
        inputs = out_channels // groups * kernel[0] * kernel[1]
        self.weights = _uniform((in_channels, out_channels // groups, *kernel), inputs)
        self.bias = _uniform((out_channels,), inputs) if bias else None
        self.given = {"stride": stride, "padding": padding, "groups": groups, "output_padding": output_padding}

    def forward(self, activations: Tensor) -> Tensor:
        """NCHW to NCHW."""
        return conv_transpose(self.name, activations, self.weights, self.bias, channel_last=False, **self.given)


class _Pool(PyBudaModule):
    op: Any = None

    def __init__(self, name: str, kernel_size: Any, **given: Any) -> None:
        super().__init__(name)
        self.kernel_size, self.given = kernel_size, given

    def forward(self, activations: Tensor) -> Tensor:
        made: Tensor = type(self).op(self.name, activations, self.kernel_size, **self.given)
        return made


class MaxPool1dModule(_Pool):
    """MaxPool1d with fixed attributes."""
    op = staticmethod(MaxPool1d)

    def __init__(self, name: str, kernel_size: Any, stride: int = 1, padding: Any = 0, dilation: int = 1,
                 ceil_mode: bool = False, return_indices: bool = False) -> None:
        super().__init__(name, kernel_size, stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode,
                         return_indices=return_indices)


class MaxPool2dModule(_Pool):
    """MaxPool2d with fixed attributes."""
    op = staticmethod(MaxPool2d)

    def __init__(self, name: str, kernel_size: Any, stride: int = 1, padding: Any = "same", dilation: int = 1,
                 ceil_mode: bool = False, return_indices: bool = False) -> None:
        super().__init__(name, kernel_size, stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode,
                         return_indices=return_indices)


class AvgPool2dModule(_Pool):
    """AvgPool2d with fixed attributes."""
    op = staticmethod(AvgPool2d)

    def __init__(self, name: str, kernel_size: Any, stride: int = 1, padding: Any = "same", ceil_mode: bool = False,
                 count_include_pad: bool = True, divisor_override: float | None = None) -> None:
        super().__init__(name, kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode,
                         count_include_pad=count_include_pad, divisor_override=divisor_override)


class SparseMatmulModule(PyBudaModule):
    """A product with a sparse COO matrix as left operand."""

    def __init__(self, name: str, sparseA: Any) -> None:
        super().__init__(name)
        self.add_constant("sparse", prepend_name=True)
        self.set_constant("sparse", sparseA)

    def forward(self, denseB: Tensor) -> Tensor:
        """[.., k, n] to [.., m, n] for a sparse [m, k]."""
        return SparseMatmul(self.name, self.get_constant("sparse"), denseB)
