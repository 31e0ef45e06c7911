"""Tensors: values, or placeholders while a module is traced."""
from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy
import torch

from ._C import DataFormat
from .dtypes import buda_dataformat_to_pytorch_dtype, pytorch_dtype_to_buda_dataformat
from .operand import Operand
from .process import align_up_tile
from .refusal import refusal
from .argument_kinds import check
from .tensor_shape import TensorShape

__all__ = ["SomeTensor", "Tensor", "TensorShape", "buda_dataformat_to_pytorch_dtype", "consteval_input",
           "pad_pytorch_tensor_to_buda", "pytorch_dtype_to_buda_dataformat", "to_buda_tensors", "to_pt_tensor",
           "to_pt_tensors"]


class Tensor(Operand):
    """A torch value, or the result of an op (`src_op`) without a known value, with a number format."""

    def __init__(self, value: torch.Tensor | None, shape: Sequence[int], data_format: DataFormat, src_op: Any = None,
                 constant: bool = False, requires_grad: bool = False) -> None:
        self._value = value
        self._shape = TensorShape(*shape)
        self._data_format = data_format
        self.src_op = src_op
        self.src_layer: str | None = None
        self._constant = constant
        self._requires_grad = requires_grad

    @classmethod
    def create_from_torch(cls, torch_tensor: torch.Tensor, dev_data_format: DataFormat | None = None,
                          constant: bool = False) -> Tensor:
        """RuntimeError for objects other than torch tensors, and for dtypes without a device format."""
        check("torch_tensor of create_from_torch", torch_tensor, (torch.Tensor,))
        if dev_data_format is not None:
            check("dev_data_format of create_from_torch", dev_data_format, (DataFormat,))
        data_format = dev_data_format or pytorch_dtype_to_buda_dataformat(torch_tensor.dtype)
        return Tensor(torch_tensor, torch_tensor.shape, data_format, None, constant, torch_tensor.requires_grad)

    @classmethod
    def create_from_trace(cls, src_op: Any, shape: Sequence[int], data_format: DataFormat) -> Tensor:
        """The result of an op, without a value."""
        return Tensor(None, shape, data_format, src_op)

    @classmethod
    def create_from_tensor_descriptor(cls, descriptor: Any) -> Tensor:
        """From an object with a `shape` and a `format` (or `data_format`)."""
        data_format = getattr(descriptor, "format", None) or descriptor.data_format
        return Tensor(None, descriptor.shape, data_format, None)

    def value(self) -> torch.Tensor:
        """RuntimeError if there is none."""
        if self._value is None:
            raise RuntimeError("this tensor has no value; it is the result of an op while a module is traced. A "
                               "branch on values cannot be compiled: compute both, and select with pybuda.op.Where()")
        return self._value

    def __bool__(self) -> bool:
        """As in torch, for one value; RuntimeError for a tensor without a value."""
        return bool(self.value())

    def set_value(self, value: torch.Tensor) -> None:
        """Sets a value of any shape; None removes it."""
        self._value = value

    def to_pytorch(self) -> torch.Tensor:
        """As value()."""
        return self.value()

    def to_tensorflow(self) -> Any:
        """ModuleNotFoundError without tensorflow."""
        tensorflow = importlib.import_module("tensorflow")
        return tensorflow.convert_to_tensor(_numpy(self.value()))

    def to_jax(self) -> Any:
        """ModuleNotFoundError without jax."""
        return importlib.import_module("jax.numpy").asarray(_numpy(self.value()))

    def to_framework(self, framework: str) -> Any:
        """RuntimeError for frameworks other than pytorch, tensorflow, jax."""
        if framework not in ("pytorch", "tensorflow", "jax"):
            raise RuntimeError(f"there is no framework '{framework}'; frameworks are pytorch, tensorflow and jax")
        return getattr(self, f"to_{framework}")()

    def detach(self) -> Tensor:
        """The same value, without the trace."""
        value = None if self._value is None else self._value.detach()
        return Tensor(value, self._shape.dims, self._data_format, None, self._constant)

    def clone(self) -> Tensor:
        """A copy of the value, with the same source op."""
        value = None if self._value is None else self._value.clone()
        return Tensor(value, self._shape.dims, self._data_format, self.src_op, self._constant, self._requires_grad)

    def to_format(self, data_format: DataFormat) -> Tensor:
        """The value cast to the dtype of a format."""
        value = None if self._value is None else self._value.to(buda_dataformat_to_pytorch_dtype(data_format))
        return Tensor(value, self._shape.dims, data_format, self.src_op, self._constant, self._requires_grad)

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are requested; none are computed."""
        return self._requires_grad

    def set_requires_grad(self, requires_grad: bool) -> None:
        """Also sets it on the torch tensor of the value; RuntimeError (of torch) for integers."""
        if self._value is not None:
            self._value.requires_grad = requires_grad
        self._requires_grad = requires_grad

    def is_constant(self) -> bool:
        """Whether it was created as a constant."""
        return self._constant

    def set_src_layer(self, layer: str) -> Tensor:
        """Sets the layer that it comes from; returns itself."""
        self.src_layer = layer
        return self

    def to_buda_shape(self, tile_broadcast_dims: Sequence[int] = (), reinterpret_shape: Sequence[int] | None = None,
                      clone: bool = False, squeeze: bool = False, microbatch: int = 1) -> Tensor:
        """The value as in a queue: of rank 4, rows and columns padded to tiles."""
        value = self.value() if reinterpret_shape is None else self.value().reshape(tuple(reinterpret_shape))
        made = pad_pytorch_tensor_to_buda(value, tile_broadcast_dims, squeeze, microbatch)
        return Tensor.create_from_torch(made.clone() if clone else made, self._data_format)

    def narrow_to_original_shape(self, shape: Sequence[int]) -> Tensor:
        """Crops a tensor padded to tiles to `shape`."""
        rank4 = (1,) * (4 - len(shape)) + tuple(shape)
        value = self.value()
        for dim, size in enumerate(rank4[-4:]):
            value = value.narrow(dim - 4, 0, size)
        return Tensor.create_from_torch(value.reshape(tuple(shape)), self._data_format)

    def __getstate__(self) -> dict[str, Any]:
        value = self._value
        state: dict[str, Any] = {"shape": self._shape.dims, "format": self._data_format.value, "constant": self._constant,
                 "requires_grad": self._requires_grad, "dtype": None}
        if value is not None:  # as bytes: memory shared by torch ends with the process that created it
            bits = value.detach().cpu().contiguous()
            state["dtype"] = str(bits.dtype).removeprefix("torch.")
            state["bits"] = bits.view(torch.int16).numpy() if bits.dtype == torch.bfloat16 else bits.numpy()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        value = None
        if state["dtype"] is not None:
            value = torch.from_numpy(numpy.array(state["bits"]))
            value = value.view(torch.bfloat16) if state["dtype"] == "bfloat16" else value
        self.__init__(value, state["shape"], DataFormat(state["format"]), None,  # type: ignore[misc]
                      state["constant"], state["requires_grad"])

    def __repr__(self) -> str:
        what = f"'{self.src_op.name}'" if self._value is None and self.src_op is not None else str(self._value)
        return f"Buda Tensor: {what}, {self._shape.dims}, {self._data_format.name}"


consteval_input = refusal("consteval_input", "the compiler folds constants",
                          "read the values of parameters with pybuda.get_parameter_checkpoint()")
SomeTensor = Tensor | torch.Tensor | numpy.ndarray[Any, Any]
SomeTensorTypes = (Tensor, torch.Tensor, numpy.ndarray)


def _numpy(value: torch.Tensor) -> numpy.ndarray[Any, Any]:
    value = value.detach().cpu()
    return (value.float() if value.dtype == torch.bfloat16 else value).numpy()


def _framework(value: Any) -> str:
    return type(value).__module__.split(".", 1)[0]


def to_pt_tensor(value: Any) -> torch.Tensor:
    """Converts a tensor of pybuda, torch, numpy, TensorFlow or JAX, or a number. Floats of numpy become float32.
    RuntimeError for other types."""
    if isinstance(value, torch.Tensor):
        return value
    if isinstance(value, Operand):
        return value.value()
    if _framework(value) in ("tensorflow", "jax", "jaxlib", "keras"):
        value = numpy.asarray(value)
        if value.dtype.name == "bfloat16":  # of ml_dtypes, which torch does not read
            return torch.from_numpy(value.view(numpy.int16).copy()).view(torch.bfloat16)
    if isinstance(value, numpy.ndarray):
        made = torch.from_numpy(numpy.array(value))
        return made.float() if made.dtype == torch.float64 else made
    if isinstance(value, (bool, int, float)):
        return torch.tensor(value)
    raise RuntimeError(f"a {type(value).__name__} is not a tensor of torch, pybuda, numpy, TensorFlow or JAX")


def to_pt_tensors(values: Any) -> list[Any]:
    """Tensors of nested tuples, lists and dictionaries, in order; None stays None."""
    if values is None:
        return [None]
    if isinstance(values, (list, tuple)):
        return [tensor for value in values for tensor in to_pt_tensors(value)]
    if hasattr(values, "items") and not isinstance(values, SomeTensorTypes):
        return [tensor for _, value in values.items() for tensor in to_pt_tensors(value)]
    return [to_pt_tensor(values)]


def to_buda_tensors(values: Any) -> list[Tensor]:
    """Converts one value or a list of values, like to_pt_tensor()."""
    return [value if isinstance(value, Tensor) else Tensor.create_from_torch(to_pt_tensor(value))
            for value in (values if isinstance(values, (list, tuple)) else [values])]


def pad_pytorch_tensor_to_buda(tensor: torch.Tensor, tile_broadcast_dims: Sequence[int] = (), squeeze: bool = False,
                               microbatch: int = 1) -> torch.Tensor:
    """Pads to rank 4, rows and columns with zeros to tiles; dims in `tile_broadcast_dims` (-1, -2) repeat the
    values instead."""
    if squeeze:
        tensor = tensor.squeeze(0)
    tensor = tensor.reshape((1,) * (4 - tensor.dim()) + tuple(tensor.shape))
    for dim in (-1, -2):
        size = tensor.shape[dim]
        if dim in tile_broadcast_dims and size == 1:
            tensor = tensor.repeat_interleave(align_up_tile(1), dim)
        elif size % align_up_tile(1):
            shape = list(tensor.shape)
            shape[dim] = align_up_tile(size) - size
            tensor = torch.cat([tensor, torch.zeros(shape, dtype=tensor.dtype)], dim)
    return tensor
