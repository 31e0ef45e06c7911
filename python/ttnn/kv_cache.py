"""Caches of keys and values."""
from __future__ import annotations

from typing import Any

from .ops import functions as _functions
from .tensor import Tensor

_ops = _functions("", "ttnn")


def fill_cache_for_user_(cache: Tensor, input_tensor: Tensor, batch_index: int) -> Any:
    """The cache [B, H, S, D] with the input [1, H, s, D] at the start of a batch entry, in the memory of the cache."""
    return _ops["fill_cache"](cache, input_tensor, batch_index)


def update_cache_for_token_(cache: Tensor, input_tensor: Tensor, update_index: int, batch_offset: int = 0) -> Any:
    """The cache [B, H, S, D] with the rows of the input [1, H, B, D] at a position, in the memory of the cache."""
    return _ops["update_cache"](cache, input_tensor, update_index, batch_offset)
