"""Sums, means and maxima along one axis, which stays with size 1."""
from __future__ import annotations

from typing import Any

import torch

from ..tensor import Tensor
from .common import define, result


def _grouped(x: torch.Tensor, dim: int, stride: int) -> torch.Tensor:
    return torch.unflatten(x, dim, (x.shape[dim] // stride, stride))


def _reduce_max(x: torch.Tensor, dim: int, stride: int) -> torch.Tensor:
    return torch.amax(_grouped(x, dim, stride), dim % x.dim() + 1)


def _build_max(make: Any, x: Any, dim: int, stride: int) -> Any:
    dims = make.dims(x)
    dim %= len(dims)
    apart = [*dims[:dim], dims[dim] // stride, stride, *dims[dim + 1:]]
    found = make.add("reduce_max", make.reshape(make.as_float(x), apart), axis=dim + 1)
    return make.reshape(found, [*dims[:dim], dims[dim] // stride, *dims[dim + 1:]])


def _grouped_avg(x: torch.Tensor, dim: int, groups: int, keep_dims: bool) -> torch.Tensor:
    size = x.shape[dim] // groups
    means = _grouped(x, dim, size).mean(dim % x.dim() + 1)
    return means.repeat_interleave(size, dim) if keep_dims else means


define("reduce_sum", lambda x, dim: x.sum(dim, keepdim=True),
       lambda make, x, dim: make.total(x, make.axis(x, dim)))
define("reduce_avg", lambda x, dim: x.mean(dim, keepdim=True),
       lambda make, x, dim: make.total(x, make.axis(x, dim), 1.0 / make.dims(x)[dim]))
define("reduce_max", _reduce_max, _build_max)
define("grouped_reduce_avg", _grouped_avg,
       lambda make, x, dim, groups, keep_dims: make.along(
           x, make.axis(x, dim), lambda v: _grouped_avg(v, 0, groups, keep_dims)))


def _check(dim: int) -> int:
    assert -4 <= dim <= 3, f"dim {dim} of a reduction is not from -4 to 3"
    return dim


def ReduceSum(name: str, operandA: Tensor, dim: int) -> Tensor:
    """The sum along `dim` (-4 to 3), which stays with size 1. AssertionError for another dim."""
    return result("reduce_sum", name, operandA, attrs=(dim,), dim=_check(dim))


def ReduceAvg(name: str, operandA: Tensor, dim: int) -> Tensor:
    """The mean along `dim` (-4 to 3), which stays with size 1. AssertionError for another dim."""
    return result("reduce_avg", name, operandA, attrs=(dim,), dim=_check(dim))


def ReduceMax(name: str, operandA: Tensor, dim: int, stride: int = -1) -> Tensor:
    """The maxima of groups of `stride` elements; -1: of all elements."""
    stride = operandA.shape[dim] if stride == -1 else stride
    return result("reduce_max", name, operandA, attrs=(dim, stride), dim=_check(dim), stride=stride)


def GroupedReduceAvg(name: str, operandA: Tensor, dim: int, groups: int, keep_dims: bool = False) -> Tensor:
    """The mean of each of `groups` blocks along `dim`; `keep_dims`: repeated for each element of the block.
    AssertionError if blocks would have different sizes."""
    assert operandA.shape[dim] % groups == 0, \
        f"{operandA.shape[dim]} elements cannot be divided into {groups} equal groups"
    return result("grouped_reduce_avg", name, operandA, attrs=(dim, groups, keep_dims), dim=dim, groups=groups,
                  keep_dims=keep_dims)
