"""Rounding to integers. Integers stay unchanged."""
from __future__ import annotations

from typing import Any

import torch

from ..table import Op, Refused, Tensor, converts

aten = torch.ops.aten

_ROUND = {aten.floor.default: "floor", aten.ceil.default: "ceil", aten.round.default: "round",
          aten.trunc.default: "truncate", aten.fix.default: "truncate"}


@converts(*_ROUND)
def rounding(op: Op, x: Tensor) -> Any:
    return op.one(_ROUND[op.target], x) if x.dtype.is_floating_point else op.tensor(x, x.dtype)


@converts(aten.round.decimals)
def round_decimals(op: Op, x: Tensor, *, decimals: Any = 0) -> Any:
    if not -4 <= decimals <= 4:
        raise Refused(f"it rounds to {decimals} decimals; -4 to 4 are supported")
    scale = 10.0 ** decimals
    return op.build.scaled(op.build.add("round", op.build.scaled(op.float(x), scale)), 1 / scale)


@converts(aten.frac.default)
def frac(op: Op, x: Tensor) -> Any:
    return op.build.add("subtract", op.float(x), op.one("truncate", x))
