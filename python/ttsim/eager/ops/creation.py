"""Tensors made on the device."""
from __future__ import annotations

from collections.abc import Sequence

import torch

from ..table import op


def _create(name: str = "") -> object:
    return op(name, kind="create", group="creation")


@op("full", kind="create", group="creation")
def full(shape: Sequence[int], fill_value: float) -> torch.Tensor:
    """All elements equal."""
    return torch.full(tuple(shape), fill_value, dtype=torch.float32 if isinstance(fill_value, float) else torch.float64)


@op("zeros", kind="create", group="creation")
def zeros(shape: Sequence[int]) -> torch.Tensor:
    """All elements 0."""
    return torch.zeros(tuple(shape))


@op("ones", kind="create", group="creation")
def ones(shape: Sequence[int]) -> torch.Tensor:
    """All elements 1."""
    return torch.ones(tuple(shape))


@op("empty", kind="create", group="creation")
def empty(shape: Sequence[int]) -> torch.Tensor:
    """Elements of no certain value; here 0."""
    return torch.zeros(tuple(shape))


@op("arange", kind="create", group="creation")
def arange(start: float, end: float | None = None, step: float = 1) -> torch.Tensor:
    """start, start + step, ... below end; with one argument 0 .. start - 1."""
    first, last = (0, start) if end is None else (start, end)
    return torch.arange(first, last, step, dtype=torch.float64)


@op("rand", kind="create", group="creation")
def rand(shape: Sequence[int], low: float = 0.0, high: float = 1.0, seed: int = 0) -> torch.Tensor:
    """Uniform random numbers of a seed."""
    made = torch.rand(tuple(shape), generator=torch.Generator().manual_seed(seed))
    return made * (high - low) + low
