"""Ops of several operands."""
from __future__ import annotations

from typing import Any

import torch

from ..tensor import Tensor
from .common import define, result



def _where(condition: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.where(condition != 0, x, y)


def _build_stack(make: Any, *values: Any, axis: int) -> Any:
    dims = make.dims(values[0])
    axis %= len(dims) + 1
    dims.insert(axis, 1)
    return make.join([make.reshape(value, dims) for value in values], axis, torch.cat)


def _interleave(*values: torch.Tensor, axis: int) -> torch.Tensor:
    if len({value.shape for value in values}) != 1:
        raise ValueError("all operands must have the same shape")
    return torch.stack(values, axis % values[0].dim() + 1).flatten(axis % values[0].dim(), axis % values[0].dim() + 1)


def _index_copy(a: torch.Tensor, index: torch.Tensor, value: torch.Tensor, dim: int) -> torch.Tensor:
    return torch.index_copy(a, dim, index.long(), value)


def _build_index_copy(make: Any, a: Any, index: Any, value: Any, dim: int) -> Any:
    """Sets the copied rows to 0 and adds the values, with a matrix of zeros and ones built from the indices."""
    rank, size = len(make.dims(a)), make.dims(a)[dim]
    dim %= rank
    a, value = make.swap(a, dim, rank - 2), make.swap(value, dim, rank - 2)
    places = make.constant(torch.arange(size, dtype=torch.float32).reshape(size, 1), "places")
    hot = make.as_float(make.add("equal", places, make.reshape(make.as_float(index), [1, make.count(index)])))
    kept = make.add("subtract", make.number(1), make.total(hot, 1))
    copied = make.add("add", make.add("multiply", a, kept), make.add("matmul", hot, value))
    return make.swap(copied, dim, rank - 2)


define("concatenate", lambda *values, axis: torch.cat(values, axis),
       lambda make, *values, axis: make.join(values, make.axis(values[0], axis), torch.cat))
define("where", _where, lambda make, c, x, y: make.add("where", make.as_bool(c), make.as_float(x), make.as_float(y)))
define("stack", lambda *values, axis: torch.stack(values, axis), _build_stack)
define("interleave", _interleave,
       lambda make, *values, axis: make.join(values, make.axis(values[0], axis),
                                             lambda parts: torch.stack(parts, 1).flatten(0, 1)))
define("index_copy", _index_copy, _build_index_copy)


def Concatenate(name: str, *operands: Tensor, axis: int) -> Tensor:
    """Concatenates along `axis`; other dims must be equal. RuntimeError for incompatible shapes."""
    return result("concatenate", name, *operands, attrs=(axis,), axis=axis)


def Where(name: str, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """x if the condition is not 0, else y; in the format of x."""
    return result("where", name, condition, x, y, out_df=getattr(x, "data_format", None))


def IndexCopy(name: str, operandA: Tensor, index: Tensor, value: Tensor, dim: int) -> Tensor:
    """operandA with the rows `value` at the indices `index` along `dim`."""
    return result("index_copy", name, operandA, index, value, attrs=(dim,), dim=dim)


def Stack(name: str, *operands: Tensor, axis: int) -> Tensor:
    """Stacks along a new axis."""
    return result("stack", name, *operands, attrs=(axis,), axis=axis)


def Interleave(name: str, *operands: Tensor, axis: int = -3, stride: int = 1) -> Tensor:
    """a0 b0 ... a1 b1 ... AssertionError unless axis is -3 and stride 1."""
    assert axis == -3 and stride == 1, f"Interleave needs axis -3 and stride 1, not {axis} and {stride}"
    return result("interleave", name, *operands, attrs=(axis, stride), axis=axis)
