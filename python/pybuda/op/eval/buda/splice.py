"""Splice: a tensor put together of parts of others, in turn."""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import torch

from ....pybudaglobal import TILE_DIM


def _unit(dim: int, rank: int) -> int:
    """Elements of a step: tiles of rows and columns, slices of the axes before."""
    return TILE_DIM if (dim if dim < 0 else dim - rank) >= -2 else 1


@dataclasses.dataclass
class Splice:
    """`ranges`: of each input (index, length, stride) in tiles, along other axes than rows and columns in slices: skip
    `index`, copy `length`, go on `stride` behind what was skipped; one input after the other, until all are used."""
    dim: int
    ranges: list[tuple[int, int, int]]

    @classmethod
    def create_concatenate(cls, dim: int, input_shapes: Sequence[Sequence[int]]) -> Splice:
        """Of inputs of these shapes behind each other along `axis`."""
        sizes = [cls._units(shape, dim) for shape in input_shapes]
        return cls(dim, [(0, size, size) for size in sizes])

    @classmethod
    def create_select(cls, dim: int, index: int, length: int, stride: int,
                      input_shapes: Sequence[Sequence[int]]) -> Splice:
        """`length` from `index` of every `stride` elements."""
        unit, _ = _unit(dim, len(input_shapes[0])), cls._units(input_shapes[0], dim)
        assert index % unit == length % unit == stride % unit == 0, \
            f"{length} from {index} of every {stride} are no whole tiles of {unit}"
        return cls(dim, [(index // unit, length // unit, (stride - index) // unit)])

    @classmethod
    def create_interleave(cls, dim: int, stride: int, input_shapes: Sequence[Sequence[int]]) -> Splice:
        """`stride` of each input in turn, in tiles or slices."""
        for shape in input_shapes:
            assert cls._units(shape, dim) % stride == 0, f"{tuple(shape)} has no whole steps of {stride} along {dim}"
        return cls(dim, [(0, stride, stride)] * len(input_shapes))

    @staticmethod
    def _units(shape: Sequence[int], dim: int) -> int:
        unit = _unit(dim, len(shape))
        assert shape[dim] % unit == 0, f"{shape[dim]} along axis {dim} are no whole tiles of {unit}"
        return shape[dim] // unit

    def eval(self, tensors: Sequence[torch.Tensor]) -> torch.Tensor:
        """AssertionError for inputs that do not end together."""
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
        """Of the result for inputs of these shapes."""
        return tuple(self.eval([torch.empty(tuple(shape), device="meta") for shape in input_shapes]).shape)
