"""Lookups of rows."""
from __future__ import annotations

import torch

from ..operand import Operand
from ..tensor import Tensor
from .common import define, result


define("embedding", lambda table, indices: torch.nn.functional.embedding(indices.long(), table),
       lambda make, table, indices: make.add("take", table, make.as_integer(indices), axis=0))


def Embedding(name: str, embedding_table: Operand, indices: Operand) -> Tensor:
    """Rows of a two-dimensional table."""
    return result("embedding", name, embedding_table, indices)
