"""Order of elements in tiles: helpers that prepare data for tensors in TILE layout."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import torch

_TILE, _FACE = 32, 16


def nearest_32(x: int) -> int:
    """The least multiple of 32 that is not smaller."""
    return -(-x // _TILE) * _TILE


def _check(shape: Sequence[int]) -> None:
    if len(shape) < 2 or shape[-1] % _TILE or shape[-2] % _TILE:
        raise ValueError(f"the last two sizes are multiples of 32, not {list(shape[-2:])}")


def tilize(x: Any) -> Any:
    """Numpy or torch, rows first -> tile by tile, in each four faces of 16 x 16. The shape stays."""
    _check(x.shape)
    rows, columns = x.shape[-2] // _TILE, x.shape[-1] // _TILE
    parts = x.reshape(-1, rows, 2, _FACE, columns, 2, _FACE)
    order = (0, 1, 4, 2, 5, 3, 6)
    moved = parts.permute(*order) if isinstance(x, torch.Tensor) else parts.transpose(order)
    return moved.reshape(x.shape)


def untilize(x: Any) -> Any:
    """The reverse of tilize()."""
    _check(x.shape)
    rows, columns = x.shape[-2] // _TILE, x.shape[-1] // _TILE
    parts = x.reshape(-1, rows, columns, 2, 2, _FACE, _FACE)
    order = (0, 1, 3, 5, 2, 4, 6)
    moved = parts.permute(*order) if isinstance(x, torch.Tensor) else parts.transpose(order)
    return moved.reshape(x.shape)


def tilize_to_list(x: Any) -> list[float]:
    """The elements in the order of tiles, as a flat list."""
    flat: list[float] = tilize(x).reshape(-1).tolist()
    return flat


def _padded(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.pad(x, (0, nearest_32(x.shape[-1]) - x.shape[-1], 0, nearest_32(x.shape[-2]) - x.shape[-2]))


def pad_weight(x: torch.Tensor) -> torch.Tensor:
    """The last two axes filled with zeros to multiples of 32."""
    return _padded(x)


def pad_activation(x: torch.Tensor) -> torch.Tensor:
    """As pad_weight(), of rank 4: leading axes of size 1 are added."""
    while x.dim() < 4:
        x = x.unsqueeze(0)
    return _padded(x)


def convert_weights_2d_matrix(weights: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    """[K, C, R, S] -> [1, 1, C * R * S, K], as the operand of a product."""
    return weights.reshape(shape[0], -1).transpose(0, 1).reshape(1, 1, -1, shape[0])


def print_diff_argmax(a: Any, b: Any, annotation: str = "") -> None:
    """Prints the largest difference and its place."""
    difference = numpy.abs(numpy.asarray(a, dtype=numpy.float64) - numpy.asarray(b, dtype=numpy.float64))
    place = numpy.unravel_index(int(difference.argmax()), difference.shape)
    print(f"largest difference{' of ' + annotation if annotation else ''}: {difference[place]} at {tuple(map(int, place))}")
