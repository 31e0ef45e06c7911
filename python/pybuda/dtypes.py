"""Converts between torch dtypes and number formats of the device."""
from __future__ import annotations

import warnings

import torch

from ._C import DataFormat

_FROM_TORCH = {torch.float16: DataFormat.Float16, torch.bfloat16: DataFormat.Float16_b,
               torch.float32: DataFormat.Float32, torch.int8: DataFormat.Int8, torch.uint8: DataFormat.RawUInt8,
               torch.bool: DataFormat.Bfp2_b, torch.int32: DataFormat.Int32}
_TO_TORCH = {DataFormat.Float32: torch.float32, DataFormat.Float16: torch.float16, DataFormat.Bfp8: torch.float16,
             DataFormat.Bfp4: torch.float16, DataFormat.Bfp2: torch.float16, DataFormat.Lf8: torch.float16,
             DataFormat.Float16_b: torch.bfloat16, DataFormat.Bfp8_b: torch.bfloat16,
             DataFormat.Bfp4_b: torch.bfloat16, DataFormat.Bfp2_b: torch.bfloat16, DataFormat.Int32: torch.int32,
             DataFormat.RawUInt32: torch.int32, DataFormat.UInt16: torch.int32, DataFormat.RawUInt16: torch.int32,
             DataFormat.Int8: torch.int8, DataFormat.RawUInt8: torch.uint8}
_warned: set[torch.dtype] = set()


def pytorch_dtype_to_buda_dataformat(dtype: torch.dtype, fp32_fallback: DataFormat | None = None) -> DataFormat:
    """The format of a tensor with this dtype. `fp32_fallback`, if given, replaces Float32. RuntimeError for dtypes
    without a format; int64 becomes Int8, with a warning."""
    if dtype == torch.int64:
        if dtype not in _warned:
            _warned.add(dtype)
            warnings.warn("an int64 tensor has format Int8 on the device; lookups of indices run on the host, where "
                          "they keep all bits", stacklevel=2)
        return DataFormat.Int8
    if dtype not in _FROM_TORCH:
        raise RuntimeError(f"the device has no number format for {dtype}; convert the tensor, for example with "
                           ".float()")
    if dtype == torch.float32 and fp32_fallback is not None:
        return fp32_fallback
    return _FROM_TORCH[dtype]


def buda_dataformat_to_pytorch_dtype(data_format: DataFormat) -> torch.dtype:
    """The dtype of a result in this format. RuntimeError for Invalid."""
    if data_format not in _TO_TORCH:
        raise RuntimeError(f"tensors have no format {data_format.name}")
    return _TO_TORCH[data_format]


def is_integer(data_format: DataFormat) -> bool:
    """Whether a format has integers. RuntimeError for Invalid."""
    return not buda_dataformat_to_pytorch_dtype(data_format).is_floating_point


def output_format(data_format: DataFormat) -> DataFormat:
    """The format of results on the host: for block floats 16 bits of the same family."""
    if is_integer(data_format) or data_format == DataFormat.Float32:
        return data_format
    return DataFormat.Float16_b if buda_dataformat_to_pytorch_dtype(data_format) == torch.bfloat16 \
        else DataFormat.Float16
