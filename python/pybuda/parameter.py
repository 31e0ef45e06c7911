"""Weights of modules."""
from __future__ import annotations

from typing import Any

import torch

from ._C import DataFormat
from .argument_kinds import check
from .dtypes import pytorch_dtype_to_buda_dataformat
from .operand import Operand
from .tensor import Tensor, pad_pytorch_tensor_to_buda, to_pt_tensor
from .tensor_shape import TensorShape


class Parameter(Operand):
    """Created from a shape (Float32, without a value) or from a torch tensor."""

    def __init__(self, *args: Any, requires_grad: bool = True, name: str | None = None,
                 dev_data_format: DataFormat | None = None) -> None:
        if not args:
            raise RuntimeError("a Parameter needs a shape or a torch tensor")
        if dev_data_format is not None:
            check("dev_data_format of Parameter", dev_data_format, (DataFormat,))
        self._value: torch.Tensor | None = None
        self.name = name
        self.requires_grad = requires_grad
        if isinstance(args[0], torch.Tensor):
            value = args[0]
            self._data_format = dev_data_format or pytorch_dtype_to_buda_dataformat(value.dtype)
            self._shape = TensorShape(*value.shape) if value.dim() else TensorShape(1)
            self.set_value(value)
        else:
            dims = args[0] if isinstance(args[0], (list, tuple, TensorShape)) else args
            self._shape = TensorShape(*dims)
            self._data_format = dev_data_format or DataFormat.Float32

    @classmethod
    def create_from_torch(cls, torch_tensor: torch.Tensor, name: str | None = None) -> Parameter:
        """Has the value, shape and requires_grad of a torch tensor."""
        return Parameter(torch_tensor, requires_grad=torch_tensor.requires_grad, name=name)

    def set_value(self, value: Any) -> None:
        """Sets a tensor of torch, pybuda or numpy; a number without dimensions becomes one of rank 1."""
        value = to_pt_tensor(value).detach()
        value = value.reshape(1) if value.dim() == 0 else value
        if self._shape.dims != tuple(value.shape):
            raise RuntimeError(f"parameter '{self.name}' has shape {self._shape.dims}; a value of "
                               f"{tuple(value.shape)} was given")
        self._value = value.clone()
        if self.requires_grad and value.dtype.is_floating_point:
            self._value.requires_grad = True

    def value(self, is_buda: bool = False) -> torch.Tensor:
        """RuntimeError if no value was set. `is_buda`: of rank 4, padded to tiles."""
        if self._value is None:
            raise RuntimeError(f"parameter '{self.name}' has no value; set one with set_value(), or "
                               "module.set_parameter()")
        if not is_buda:
            return self._value
        return pad_pytorch_tensor_to_buda(self._value)

    def get_name(self) -> str | None:
        """The name; None until the parameter belongs to a module."""
        return self.name

    def _set_auto_name(self, name: str) -> None:
        if self.name is None:
            self.name = name

    def set_requires_grad(self, requires_grad: bool) -> None:
        """Also sets it on the torch tensor of the value, if that has floats."""
        self.requires_grad = requires_grad
        if self._value is not None and self._value.dtype.is_floating_point:
            self._value.requires_grad = requires_grad

    def set_data_format(self, data_format: DataFormat) -> None:
        """Sets the format; the value is cast to it."""
        self._data_format = data_format
        if self._value is not None:
            self._value = self._value.detach().to(self.pt_data_format)
            self.set_requires_grad(self.requires_grad)

    def get_empty_tensor(self) -> Any:
        """A tensor of the same shape without a value."""
        return Tensor(None, self._shape.dims, self._data_format)

    def __repr__(self) -> str:
        return f"Parameter '{self.name}' {self._shape.dims}, {self._data_format.name}"
