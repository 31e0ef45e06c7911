"""Passes arrays of programs (numpy, torch, lists) to the library, which converts their elements, and back."""
from __future__ import annotations

import sys
from typing import Any

import numpy

from ._ttsim import ElementType

_FLOATS = {ElementType.F32, ElementType.F16, ElementType.BF16, ElementType.F64}
_TYPES = {
    "float32": ElementType.F32, "float16": ElementType.F16, "bfloat16": ElementType.BF16, "float64": ElementType.F64,
    "int8": ElementType.I8, "int16": ElementType.I16, "int32": ElementType.I32, "int64": ElementType.I64,
    "uint8": ElementType.U8, "uint16": ElementType.U16, "uint32": ElementType.U32, "uint64": ElementType.U64,
    "bool": ElementType.Bool,
}
_NUMPY = {kind: numpy.dtype(name) for name, kind in _TYPES.items() if name != "bfloat16"}
_NUMPY[ElementType.BF16] = numpy.dtype("float32")  # numpy has no bfloat16; float32 holds all of its values


def numpy_of(values: Any) -> numpy.ndarray:
    """A numpy array of the same values; torch.bfloat16 becomes float32."""
    if _is_torch(values):
        values = values.detach().cpu()
        made: numpy.ndarray = (values.float() if str(values.dtype) == "torch.bfloat16" else values).numpy()
        return made
    return numpy.asarray(values)


def _is_torch(values: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(values, torch.Tensor)


def type_of(values: Any) -> ElementType:
    """The element type of an array. TypeError for a type that models do not have."""
    name = str(getattr(values, "dtype", None) or numpy.asarray(values).dtype).removeprefix("torch.")
    if name not in _TYPES:
        raise TypeError(f"models have no tensors of {name}; use one of {', '.join(_TYPES)}")
    return _TYPES[name]


def buffer(values: Any, kind: ElementType) -> Any:
    """The values as a contiguous array whose memory the library reads, of any element type: no copy, if they are one.
    For BF16, uint16 stands for the bits of bfloat16."""
    if _is_torch(values) and values.layout is sys.modules["torch"].strided:
        given = values.detach().cpu()
        if str(given.dtype) == "torch.bfloat16" and kind not in _FLOATS:
            given = given.float()
        return given.resolve_neg().resolve_conj().contiguous()
    array = numpy_of(values)
    if array.dtype.name == "bfloat16":  # of the package ml_dtypes
        array = array.view(numpy.uint16) if kind == ElementType.BF16 else array.astype(numpy.float32)
    elif array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        array = array.astype(numpy.float32 if kind in _FLOATS else numpy.int64)
    return numpy.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")


def pair(values: Any, kind: ElementType | None = None) -> tuple[ElementType, Any]:
    """Element type and values, as graphs accept them."""
    kind = type_of(values) if kind is None else kind
    return kind, buffer(values, kind)


def array(kind: ElementType, values: numpy.ndarray) -> numpy.ndarray:
    """A result in numpy's type for its element type."""
    return values.astype(_NUMPY[kind], copy=False)
