"""Sparse matrices that pick: what a convolution reads at one place of its kernel, cut and laid out by tiles."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ...pybudaglobal import TILE_DIM, align_up_tile
from ..convolution import per_axis


def create_conv2d_sparse_picker_matrix(y: int, x: int, y_shift: int, x_shift: int, y_kernel: int, x_kernel: int,
                                       stride: Any, padding: Any, dilation: Any = 1, tile_align: bool = False,
                                       pad_x_only: bool = False, sparse_r_pad: int = 0,
                                       sparse_c_pad: int = 0) -> torch.Tensor:
    """[rows * columns of the output, y * x], sparse: times activations [y * x, channels] it gives what one place of the
    kernel reads. That place is `(k - 1) // 2 - shift` along each axis. `padding`: [left, right, top, bottom];
    `pad_x_only` leaves out top and bottom. `tile_align`: both sizes in whole tiles, and as many more as `sparse_r_pad`
    and `sparse_c_pad` say. AssertionError for a shift that is no place of the kernel."""
    (down, right), (apart_y, apart_x) = per_axis(stride, 2), per_axis(dilation, 2)
    left, behind_x, top, behind_y = [padding] * 4 if isinstance(padding, int) else padding
    top, behind_y = (0, 0) if pad_x_only else (top, behind_y)
    row, column = (y_kernel - 1) // 2 - y_shift, (x_kernel - 1) // 2 - x_shift
    assert 0 <= row < y_kernel and 0 <= column < x_kernel, \
        f"shift {y_shift}, {x_shift} is no place of a kernel of {y_kernel} x {x_kernel}"
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
    """One picker with the first row of tiles of each, then the second of each, and so on. AssertionError for pickers
    that differ in shape or are no whole tiles high."""
    height, width = pickers[0].shape
    assert height % TILE_DIM == 0 and all(tuple(one.shape) == (height, width) for one in pickers), \
        f"pickers of shapes {[tuple(one.shape) for one in pickers]} are not whole tiles high, and alike"
    places, values = [], []
    for k, picker in enumerate(one.coalesce() for one in pickers):
        rows, columns = picker.indices()
        tiles = rows // TILE_DIM * len(pickers) + k
        places.append(torch.stack([tiles * TILE_DIM + rows % TILE_DIM, columns]))
        values.append(picker.values())
    return _sparse(torch.cat(places, 1), torch.cat(values), [height * len(pickers), width])


def vslice(picker: torch.Tensor, factor: int) -> list[torch.Tensor]:
    """`factor` pickers of as many rows each. AssertionError where the rows are no such parts."""
    height, width = picker.shape
    assert height % factor == 0, f"{height} rows are no {factor} equal slices"
    rows, columns = picker.coalesce().indices()
    part = height // factor
    kept = [rows // part == k for k in range(factor)]
    return [_sparse(torch.stack([rows[one] - k * part, columns[one]]), picker.coalesce().values()[one], [part, width])
            for k, one in enumerate(kept)]
