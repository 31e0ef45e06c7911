"""Common base class of tensors and parameters, the operands of ops."""
from __future__ import annotations

from typing import Any

import torch

from . import upper_layers
from ._C import DataFormat
from .dtypes import buda_dataformat_to_pytorch_dtype
from .tensor_shape import TensorShape


def _apply(kind: str, a: Any, b: Any) -> Any:
    return upper_layers.call(kind, "", a, b)


class Operand:
    """A shape, a number format, and an optional value. The other operand of +, - and * may be a number, which becomes a
    constant."""
    _value: torch.Tensor | None
    _shape: TensorShape
    _data_format: DataFormat

    def has_value(self) -> bool:
        """Whether there is a value."""
        return self._value is not None

    def value(self) -> torch.Tensor:
        """RuntimeError if there is none."""
        raise NotImplementedError

    @property
    def shape(self) -> TensorShape:
        """The shape, of rank 1 to 5."""
        return self._shape

    @property
    def data_format(self) -> DataFormat:
        """The format on the device."""
        return self._data_format

    @property
    def pt_data_format(self) -> torch.dtype:
        """The torch dtype of a tensor in that format. RuntimeError for Invalid."""
        return buda_dataformat_to_pytorch_dtype(self._data_format)

    def __add__(self, other: Any) -> Any:
        return _apply("Add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _apply("Add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _apply("Subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _apply("Subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return _apply("Multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _apply("Multiply", other, self)
