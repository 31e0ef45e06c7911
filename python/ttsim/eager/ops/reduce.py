"""Reductions, sums along an axis, order."""
from __future__ import annotations

from collections.abc import Sequence

import torch

from ..table import alias, op

Dims = int | Sequence[int] | None


def _dims(x: torch.Tensor, dim: Dims) -> list[int]:
    given = range(x.dim()) if dim is None else (dim,) if isinstance(dim, int) else dim
    return sorted({one + x.dim() if one < 0 else one for one in given})


@op("sum", group="reduction")
def sum_(input_tensor: torch.Tensor, dim: Dims = None, keepdim: bool = False, scalar: float = 1.0) -> torch.Tensor:
    """Sum over axes (None: all) times `scalar`. `keepdim`: reduced axes stay with size 1."""
    made = torch.sum(input_tensor, _dims(input_tensor, dim), keepdim)
    return made if scalar == 1.0 else made * scalar


@op(group="reduction")
def mean(input_tensor: torch.Tensor, dim: Dims = None, keepdim: bool = False) -> torch.Tensor:
    """Mean over axes (None: all)."""
    return torch.mean(input_tensor, _dims(input_tensor, dim), keepdim)


@op("max", group="reduction")
def max_(input_tensor: torch.Tensor, dim: Dims = None, keepdim: bool = False) -> torch.Tensor:
    """Largest element over axes (None: all)."""
    return torch.amax(input_tensor, _dims(input_tensor, dim), keepdim)


@op("min", group="reduction")
def min_(input_tensor: torch.Tensor, dim: Dims = None, keepdim: bool = False) -> torch.Tensor:
    """Smallest element over axes (None: all)."""
    return torch.amin(input_tensor, _dims(input_tensor, dim), keepdim)


@op(group="reduction")
def var(input_tensor: torch.Tensor, dim: Dims = None, keepdim: bool = False) -> torch.Tensor:
    """Variance over axes (None: all), divided by n - 1."""
    return torch.var(input_tensor, _dims(input_tensor, dim), keepdim=keepdim)


@op(group="reduction")
def std(input_tensor: torch.Tensor, dim: Dims = None, keepdim: bool = False) -> torch.Tensor:
    """Standard deviation over axes (None: all), divided by n - 1."""
    return torch.std(input_tensor, _dims(input_tensor, dim), keepdim=keepdim)


@op(group="reduction", kind="host")
def prod(input_tensor: torch.Tensor, dim: int | None = None, keepdim: bool = False) -> torch.Tensor:
    """Product over one axis (None: all)."""
    return torch.prod(input_tensor) if dim is None else torch.prod(input_tensor, dim, keepdim)


@op("all", group="reduction")
def all_(input_tensor: torch.Tensor, dim: Dims = None, keepdim: bool = False) -> torch.Tensor:
    """1 where all elements over the axes are not 0, else 0."""
    return torch.amin((input_tensor != 0).float(), _dims(input_tensor, dim), keepdim)


@op("any", group="reduction")
def any_(input_tensor: torch.Tensor, dim: Dims = None, keepdim: bool = False) -> torch.Tensor:
    """1 where some element over the axes is not 0, else 0."""
    return torch.amax((input_tensor != 0).float(), _dims(input_tensor, dim), keepdim)


@op(group="reduction", kind="host")
def argmax(input_tensor: torch.Tensor, dim: int | None = None, keepdim: bool = False) -> torch.Tensor:
    """Position of the first largest element along an axis (None: in the flattened tensor), as uint32."""
    return torch.argmax(input_tensor, dim, keepdim)


@op(group="reduction", kind="host")
def topk(input_tensor: torch.Tensor, k: int, dim: int = -1, largest: bool = True,
         sorted: bool = True) -> tuple[torch.Tensor, torch.Tensor]:  # noqa: A002
    """The k largest elements along an axis and their positions (uint32)."""
    values, places = torch.topk(input_tensor, k, dim, largest, sorted)
    return values, places


@op(group="reduction", kind="host")
def sort(input_tensor: torch.Tensor, dim: int = -1, descending: bool = False,
         stable: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    """The elements in order along an axis, and their positions (uint32)."""
    values, places = torch.sort(input_tensor, dim=dim, descending=descending, stable=stable)
    return values, places


@op(group="reduction")
def cumsum(input_tensor: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Sums of the elements up to each position along an axis."""
    return torch.cumsum(input_tensor, dim)


@op("moreh_cumsum", group="reduction")
def moreh_cumsum(input_tensor: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """As cumsum()."""
    return torch.cumsum(input_tensor, dim)


@op(group="reduction", kind="host")
def cumprod(input_tensor: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Products of the elements up to each position along an axis."""
    return torch.cumprod(input_tensor, dim)


@op("global_avg_pool2d", group="pool")
def global_avg_pool2d(input_tensor: torch.Tensor) -> torch.Tensor:
    """Mean over height and width of [N, H, W, C]: [N, 1, 1, C]."""
    return torch.mean(input_tensor, [1, 2], keepdim=True)


alias("moreh_sum", "sum")
alias("moreh_mean", "mean")
