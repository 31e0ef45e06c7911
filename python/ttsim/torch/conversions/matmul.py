"""Products of matrices."""
from __future__ import annotations

import math
from typing import Any

import torch

from ..table import Op, Tensor, converts

aten = torch.ops.aten


@converts(aten.matmul.default, aten.mm.default, aten.bmm.default, aten.mv.default, aten.dot.default,
          aten.vdot.default)
def matmul(op: Op, a: Tensor, b: Tensor) -> Any:
    return product(op, op.float(a), op.float(b))


@converts(aten.inner.default)
def inner(op: Op, a: Tensor, b: Tensor) -> Any:
    """Products of each row of a with each row of b."""
    if a.rank == 0 or b.rank == 0:
        return op.build.add("multiply", op.float(a), op.float(b))
    rows = [op.build.reshape(op.float(one), [math.prod(one.shape[:-1]), one.shape[-1]]) for one in (a, b)]
    y = op.build.add("matmul", rows[0], op.build.swap(rows[1], 0, 1))
    return op.build.reshape(y, op.result.shape)


def product(op: Op, a: Any, b: Any) -> Any:
    """numpy's matmul: a vector is a row if it is the first operand, else a column."""
    build = op.build
    left, right = build.shape(a), build.shape(b)
    if len(left) == 0 or len(right) == 0:
        return build.add("multiply", a, b)
    row, column = len(left) == 1, len(right) == 1
    y = build.add("matmul", build.reshape(a, [1, *left]) if row else a, build.reshape(b, [*right, 1]) if column else b)
    shape = list(build.shape(y))
    if column:
        shape.pop()
    if row:
        shape.pop(-1 if column else -2)
    return build.reshape(y, shape)


@converts(aten.linear.default)
def linear(op: Op, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    """x [.., in] with weight [out, in] or [in]."""
    turned = op.build.swap(op.float(weight), 0, 1) if weight.rank == 2 else op.float(weight)
    y = product(op, op.float(x), turned)
    return y if bias is None else op.build.add("add", y, op.float(bias))


@converts(aten.bilinear.default)
def bilinear(op: Op, a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    """a [.., m] and b [.., n] with weight [out, m, n]: for each out, rows of (a weight[out]) times b."""
    build, rows = op.build, math.prod(a.shape[:-1])
    left, right = (build.reshape(op.float(one), [1, rows, one.shape[-1]]) for one in (a, b))
    y = build.sum(build.add("multiply", build.add("matmul", left, op.float(weight)), right), 2)
    y = build.reshape(build.transpose(y, [1, 0, 2]), op.result.shape)
    return y if bias is None else build.add("add", y, op.float(bias))


@converts(aten.addmm.default, aten.addmv.default, aten.baddbmm.default)
def add_product(op: Op, x: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * x + alpha * (a b)"""
    y = op.build.scaled(product(op, op.float(a), op.float(b)), alpha)
    return y if beta == 0 else op.build.add("add", y, op.build.scaled(op.float(x), beta))


@converts(aten.addbmm.default)
def add_products(op: Op, x: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * x + alpha * (sum of a b over the batch)"""
    y = product(op, op.float(a), op.float(b))
    y = op.build.scaled(op.build.reshape(op.build.sum(y, 0), op.result.shape), alpha)
    return y if beta == 0 else op.build.add("add", y, op.build.scaled(op.float(x), beta))
