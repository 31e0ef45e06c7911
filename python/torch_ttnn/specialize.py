"""Graphs with symbols for sizes: compiled for each set of sizes."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule


class Specialized:
    """Compiles the graph for the shapes of a call when they first occur."""

    def __init__(self, gm: GraphModule, make: Callable[[list[Any]], Callable[..., Any]]) -> None:
        self.gm, self._make = gm, make
        self._known: dict[Any, Callable[..., Any]] = {}

    def __call__(self, *values: Any) -> Any:
        key = (torch.is_grad_enabled(), *(_key(value) for value in values))
        made = self._known.get(key)
        if made is None:
            made = self._known[key] = self._make([int(value) if isinstance(value, torch.SymInt) else value for value in values])
        return made(*values)


def _key(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return tuple(value.shape), value.stride(), value.dtype, value.requires_grad
    return value
