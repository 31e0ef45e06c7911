"""Sparse selection matrices: the elements that a convolution reads for one kernel position, split and laid out in
tiles."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ...process import TILE_DIM, align_up_tile
from ..convolution import per_axis


def create_conv2d_sparse_picker_matrix(y: int, x: int, y_shift: int, x_shift: int, y_kernel: int, x_kernel: int,
                                       stride: Any, padding: Any, dilation: Any = 1, tile_align: bool = False,
                                       pad_x_only: bool = False, sparse_r_pad: int = 0,
                                       sparse_c_pad: int = 0) -> torch.Tensor:
    """A sparse matrix [rows * columns of the output, y * x]. Multiplied by activations [y * x, channels] it selects the
    elements read for one kernel position, which is `(k - 1) // 2 - shift` along each axis. `padding`: [left, right,
    top, bottom]; `pad_x_only` omits top and bottom. `tile_align` rounds both sizes up to tiles and adds `sparse_r_pad`
    and `sparse_c_pad` tiles. AssertionError for a shift outside the kernel."""
    (down, right), (apart_y, apart_x) = per_axis(stride, 2), per_axis(dilation, 2)
    left, behind_x, top, behind_y = [padding] * 4 if isinstance(padding, int) else padding
    top, behind_y = (0, 0) if pad_x_only else (top, behind_y)
    row, column = (y_kernel - 1) // 2 - y_shift, (x_kernel - 1) // 2 - x_shift
    assert 0 <= row < y_kernel and 0 <= column < x_kernel, \
        f"shift {y_shift}, {x_shift} is outside of a kernel of {y_kernel} x {x_kernel}"
    rows = torch.arange((y + top + behind_y - apart_y * (y_kernel - 1) - 1) // down + 1) * down + row * apart_y - top
    columns = torch.arange((x + left + behind_x - apart_x * (x_kernel - 1) - 1) // right + 1) * right \
        + column * apart_x - left
    inside = ((rows >= 0) & (rows < y))[:, None] & ((columns >= 0) & (columns < x))[None]
    read = (rows[:, None] * x + columns[None])[inside]
    places = torch.stack([inside.flatten().nonzero().flatten(), read])
    size = [inside.numel(), y * x]
    if tile_align:
        size = [align_up_tile(one) + more * TILE_DIM for one, more in zip(size, (sparse_r_pad, sparse_c_pad))]
    return _sparse(places, torch.ones(read.numel()), size)


def _sparse(places: torch.Tensor, values: torch.Tensor, size: Sequence[int]) -> torch.Tensor:
    return torch.sparse_coo_tensor(places, values, tuple(size), check_invariants=True).coalesce()


def interleave_tiles(pickers: Sequence[torch.Tensor]) -> torch.Tensor:
    """A matrix with the first row of tiles of each picker, then the second of each, and so on. AssertionError for
    different shapes, or heights that are not multiples of a tile."""
    height, width = pickers[0].shape
    assert height % TILE_DIM == 0 and all(tuple(one.shape) == (height, width) for one in pickers), \
        f"pickers of shapes {[tuple(one.shape) for one in pickers]} must be equal, with heights in whole tiles"
    places, values = [], []
    for k, picker in enumerate(one.coalesce() for one in pickers):
        rows, columns = picker.indices()
        tiles = rows // TILE_DIM * len(pickers) + k
        places.append(torch.stack([tiles * TILE_DIM + rows % TILE_DIM, columns]))
        values.append(picker.values())
    return _sparse(torch.cat(places, 1), torch.cat(values), [height * len(pickers), width])


def vslice(picker: torch.Tensor, factor: int) -> list[torch.Tensor]:
    """Splits into `factor` matrices with equal numbers of rows. AssertionError if the rows cannot be divided."""
    height, width = picker.shape
    assert height % factor == 0, f"{height} rows cannot be divided into {factor} equal slices"
    rows, columns = picker.coalesce().indices()
    part = height // factor
    kept = [rows // part == k for k in range(factor)]
    return [_sparse(torch.stack([rows[one] - k * part, columns[one]]), picker.coalesce().values()[one], [part, width])
            for k, one in enumerate(kept)]
