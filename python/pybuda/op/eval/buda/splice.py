"""Splice: a tensor assembled from parts of several tensors in turn."""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import torch

from ....process import TILE_DIM


def _unit(dim: int, rank: int) -> int:
    """Elements of a unit: tiles of rows and columns, slices of other axes."""
    return TILE_DIM if (dim if dim < 0 else dim - rank) >= -2 else 1


@dataclasses.dataclass
class Splice:
    """`ranges`: for each input (index, length, stride), in tiles of rows and columns or slices of other axes: skip
    `index`, copy `length`, continue `stride` after the skipped part; inputs take turns until all are used."""
    dim: int
    ranges: list[tuple[int, int, int]]

    @classmethod
    def create_concatenate(cls, dim: int, input_shapes: Sequence[Sequence[int]]) -> Splice:
        """Concatenates inputs of these shapes along `axis`."""
        sizes = [cls._units(shape, dim) for shape in input_shapes]
        return cls(dim, [(0, size, size) for size in sizes])

    @classmethod
    def create_select(cls, dim: int, index: int, length: int, stride: int,
                      input_shapes: Sequence[Sequence[int]]) -> Splice:
        """Selects `length` from `index` of every `stride` elements."""
        unit, _ = _unit(dim, len(input_shapes[0])), cls._units(input_shapes[0], dim)
        assert index % unit == length % unit == stride % unit == 0, \
            f"{length} from {index} of every {stride} are not multiples of the tile size {unit}"
        return cls(dim, [(index // unit, length // unit, (stride - index) // unit)])

    @classmethod
    def create_interleave(cls, dim: int, stride: int, input_shapes: Sequence[Sequence[int]]) -> Splice:
        """`stride` of each input in turn, in tiles or slices."""
        for shape in input_shapes:
            assert cls._units(shape, dim) % stride == 0, f"{tuple(shape)} is not a multiple of {stride} along {dim}"
        return cls(dim, [(0, stride, stride)] * len(input_shapes))

    @staticmethod
    def _units(shape: Sequence[int], dim: int) -> int:
        unit = _unit(dim, len(shape))
        assert shape[dim] % unit == 0, f"{shape[dim]} along axis {dim} is not a multiple of the tile size {unit}"
        return shape[dim] // unit

    def eval(self, tensors: Sequence[torch.Tensor]) -> torch.Tensor:
        """AssertionError if inputs are not used up at the same time."""
        unit = _unit(self.dim, tensors[0].dim())
        at, parts = [0] * len(tensors), []
        sizes = [self._units(tensor.shape, self.dim) for tensor in tensors]
        while any(place < size for place, size in zip(at, sizes, strict=True)):
            for k, (index, length, stride) in enumerate(self.ranges):
                start = at[k] + index
                at[k] = start + stride
                assert at[k] <= sizes[k], f"input {k} has {sizes[k]} steps along axis {self.dim}; {at[k]} are used"
                parts.append(tensors[k].narrow(self.dim, start * unit, length * unit))
        return torch.cat(parts, self.dim)

    def shape(self, input_shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
        """Shape of the result for inputs of these shapes."""
        return tuple(self.eval([torch.empty(tuple(shape), device="meta") for shape in input_shapes]).shape)
