"""Shapes of tensors."""
from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .process import TILE_DIM, round_up_div


class TensorShape:
    """A shape of rank 1 to 5. w, z, r and c are its last four dims, or 1 if missing; rt and ct are in tiles."""

    def __init__(self, *dims: Any) -> None:
        if len(dims) == 1 and isinstance(dims[0], Iterable):
            dims = tuple(dims[0])
        try:
            self.dims = tuple(operator.index(dim) for dim in dims)
        except TypeError:
            raise RuntimeError(f"dims of a shape must be integers, not {dims!r:.80}") from None

    @staticmethod
    def create_from_pytorch_tensor(value: Any) -> TensorShape:
        """The shape of a torch tensor."""
        return TensorShape(*value.shape)

    def _last(self, place: int) -> int:
        return self.dims[-place] if len(self.dims) >= place else 1

    @property
    def c(self) -> int:
        """Columns."""
        return self._last(1)

    @property
    def r(self) -> int:
        """Rows; 1 if there are none."""
        return self._last(2)

    @property
    def z(self) -> int:
        """The third dim from the end; 1 if there is none."""
        return self._last(3)

    @property
    def w(self) -> int:
        """The fourth dim from the end; 1 if there is none."""
        return self._last(4)

    @property
    def rt(self) -> int:
        """Tiles of 32 rows."""
        return round_up_div(self.r, TILE_DIM)

    @property
    def ct(self) -> int:
        """Tiles of 32 columns."""
        return round_up_div(self.c, TILE_DIM)

    def get_pytorch_shape(self) -> tuple[int, ...]:
        """As a tuple."""
        return self.dims

    def numel(self) -> int:
        """Number of elements."""
        return math.prod(self.dims)

    def __getitem__(self, index: Any) -> Any:
        return self.dims[index]

    def __len__(self) -> int:
        return len(self.dims)

    def __iter__(self) -> Iterator[int]:
        return iter(self.dims)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self.dims == other.dims
        return isinstance(other, Sequence) and self.dims == tuple(other)

    def __hash__(self) -> int:
        return hash(self.dims)

    def __repr__(self) -> str:
        return f"TensorShape{self.dims}"
