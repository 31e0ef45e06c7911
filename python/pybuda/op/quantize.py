"""Quantization: value = (byte - zero point) * scale, per tensor or along an axis."""
from __future__ import annotations

from typing import Any

import torch

from .._C import DataFormat
from ..operand import Operand
from ..tensor import Tensor
from .common import define, result
from .errors import OpError

_RANGES = {torch.int8: (-128, 127), torch.uint8: (0, 255), torch.int32: (-(1 << 31), (1 << 31) - 1)}
_NAMES = {torch.int8: "i8", torch.uint8: "u8", torch.int32: "i32"}


def _aligned(dims: list[int], rank: int, axis: int) -> list[int]:
    """Shape that broadcasts one number per position of `axis` over a tensor of that rank."""
    made = [1] * rank
    made[axis % rank] = max(dims) if dims else 1
    return made


def _like(value: torch.Tensor, x: torch.Tensor, axis: int) -> torch.Tensor:
    return value.reshape(_aligned(list(value.shape), x.dim(), axis)).to(torch.float32)


def _quantize(x: torch.Tensor, scale: torch.Tensor, zero_point: float, axis: int,
              out_dtype: torch.dtype) -> torch.Tensor:
    low, high = _RANGES[out_dtype]
    return torch.clamp(torch.round(x / _like(scale, x, axis)) + zero_point, low, high).to(out_dtype)


def _dequantize(x: torch.Tensor, scale: torch.Tensor, zero_point: float, axis: int) -> torch.Tensor:
    return (x.float() - zero_point) * _like(scale, x, axis)


def _scale_of(make: Any, scale: Any, x: Any, axis: int) -> Any:
    return make.reshape(make.as_float(scale), _aligned(make.dims(scale), len(make.dims(x)), axis))


def _build_quantize(make: Any, x: Any, scale: Any, zero_point: float, axis: int, out_dtype: torch.dtype) -> Any:
    low, high = _RANGES[out_dtype]
    scaled = make.add("divide", make.as_float(x), _scale_of(make, scale, x, axis))
    shifted = make.with_number("add", make.add("round", scaled), zero_point)
    return make.add("cast", make.with_number("minimum", make.with_number("maximum", shifted, low), high),
                    to=_NAMES[out_dtype])


def _build_dequantize(make: Any, x: Any, scale: Any, zero_point: float, axis: int) -> Any:
    return make.add("multiply", make.with_number("subtract", x, zero_point), _scale_of(make, scale, x, axis))


def _requantize(x: torch.Tensor, scale: torch.Tensor, in_zp: float, out_zp: float, axis: int,
                out_dtype: torch.dtype) -> torch.Tensor:
    low, high = _RANGES[out_dtype]
    return torch.clamp(torch.round((x.float() - in_zp) * _like(scale, x, axis)) + out_zp, low, high).to(out_dtype)


def _build_requantize(make: Any, x: Any, scale: Any, in_zp: float, out_zp: float, axis: int,
                      out_dtype: torch.dtype) -> Any:
    low, high = _RANGES[out_dtype]
    scaled = make.add("round", _build_dequantize(make, x, scale, in_zp, axis))
    shifted = make.with_number("add", scaled, out_zp)
    return make.add("cast", make.with_number("minimum", make.with_number("maximum", shifted, low), high),
                    to=_NAMES[out_dtype])


define("quantize", _quantize, _build_quantize)
define("dequantize", _dequantize, _build_dequantize)
define("requantize", _requantize, _build_requantize)


def _checked(out_dtype: torch.dtype) -> DataFormat:
    assert out_dtype in _RANGES, f"quantized tensors must be int8, uint8 or int32, not {out_dtype}"
    return {torch.int8: DataFormat.Int8, torch.uint8: DataFormat.RawUInt8, torch.int32: DataFormat.Int32}[out_dtype]


def _known(name: str, what: str, given: Any) -> torch.Tensor:
    """The value of a number, a torch tensor, a constant or a parameter. RuntimeError for a tensor without a value."""
    if isinstance(given, Operand):
        if not given.has_value():
            raise OpError(name, f"{what} of op '{name}' is a tensor whose value is not known when the op is made; give "
                          "a number, a constant or a parameter with a value")
        given = given.value()
    return torch.as_tensor(given).detach().float().reshape(-1)


def _zero_point(name: str, what: str, given: Any) -> float:
    """RuntimeError if it differs along the axis."""
    values = _known(name, what, given)
    if values.numel() == 0 or bool((values != values[0]).any()):
        raise OpError(name, f"{what} of op '{name}' has {values.numel()} different values; give one number for all, as "
                      "in symmetric quantization along an axis")
    return float(values[0])


def _scale(name: str, what: str, given: Any) -> Any:
    """pybuda tensors and parameters unchanged, other values as constants."""
    return given if isinstance(given, Operand) else Tensor.create_from_torch(_known(name, what, given), constant=True)


def Quantize(name: str, operandA: Tensor, scale: Any, zero_point: Any, axis: int, out_dtype: torch.dtype) -> Tensor:
    """Rounds to nearest even, and clamps to the range of `out_dtype` (int8, uint8, int32). `scale`, one or one per
    position of the axis, and `zero_point`, one, may be numbers or tensors."""
    return result("quantize", name, operandA, _scale(name, "scale", scale), out_df=_checked(out_dtype),
                  zero_point=_zero_point(name, "zero_point", zero_point), axis=axis, out_dtype=out_dtype)


def Dequantize(name: str, operandA: Tensor, scale: Any, zero_point: Any, axis: int = -1,
               out_dtype: torch.dtype = torch.float32) -> Tensor:
    """(x - zero_point) * scale in floats, in the shape of x; one scale, or one per position of `axis`. RuntimeError for
    different zero points."""
    return result("dequantize", name, operandA, _scale(name, "scale", scale), out_df=DataFormat.Float32,
                  zero_point=_zero_point(name, "zero_point", zero_point), axis=axis)


def Requantize(name: str, operandA: Tensor, input_scale: Any, output_scale: Any, input_zero_point: Any,
               output_zero_point: Any, out_dtype: torch.dtype, axis: int = -1, rounding: str = "None") -> Tensor:
    """Converts between scales and zero points, which must be numbers, constants or parameters."""
    ratio = _known(name, "input_scale", input_scale) / _known(name, "output_scale", output_scale)
    return result("requantize", name, operandA, Tensor.create_from_torch(ratio), out_df=_checked(out_dtype),
                  in_zp=_zero_point(name, "input_zero_point", input_zero_point),
                  out_zp=_zero_point(name, "output_zero_point", output_zero_point), axis=axis, out_dtype=out_dtype)


def BudaRequantize(name: str, operandA: Tensor, scale: Any, zero_point: Any, out_dtype: torch.dtype,
                   axis: int = -1, rounding: str = "None") -> Tensor:
    """round(x * scale) + zero_point."""
    return result("requantize", name, operandA, _scale(name, "scale", scale), out_df=_checked(out_dtype), in_zp=0.0,
                  out_zp=_zero_point(name, "zero_point", zero_point), axis=axis, out_dtype=out_dtype)
