"""Cores of a device's grid, and shards of tensors in their L1."""
from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


class ShardOrientation(enum.Enum):
    """Order of the cores of a grid: row by row, or column by column."""
    ROW_MAJOR = 0
    COL_MAJOR = 1


class ShardStrategy(enum.Enum):
    """How a sharded tensor is cut: in rows, in columns, or in blocks."""
    HEIGHT = 0
    WIDTH = 1
    BLOCK = 2


@dataclass(frozen=True, order=True)
class CoreCoord:
    """A core: column and row in the grid of working cores."""
    x: int
    y: int


@dataclass(frozen=True)
class CoreGrid:
    """A grid of cores from the corner (0, 0): rows and columns."""
    y: int
    x: int

    @property
    def num_cores(self) -> int:
        return self.x * self.y


@dataclass(frozen=True)
class CoreRange:
    """The cores of a rectangle; `end` is included."""
    start: CoreCoord
    end: CoreCoord

    def __init__(self, start: CoreCoord, end: CoreCoord) -> None:
        if end.x < start.x or end.y < start.y:
            raise ValueError(f"CoreRange: the end {end} is before the start {start}")
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)

    def grid_size(self) -> CoreCoord:
        """Columns and rows."""
        return CoreCoord(self.end.x - self.start.x + 1, self.end.y - self.start.y + 1)


class CoreRangeSet:
    """Rectangles of cores."""

    def __init__(self, ranges: Any = ()) -> None:
        given: Iterable[CoreRange] = (ranges,) if isinstance(ranges, CoreRange) else ranges
        self._ranges = tuple(sorted(given, key=lambda one: (one.start.y, one.start.x)))

    def ranges(self) -> list[CoreRange]:
        """The rectangles."""
        return list(self._ranges)

    def num_cores(self) -> int:
        """Number of cores."""
        return len(self.cores())

    def cores(self, orientation: ShardOrientation = ShardOrientation.ROW_MAJOR) -> list[CoreCoord]:
        """All cores, rectangle after rectangle, each in this order."""
        made: list[CoreCoord] = []
        for one in self._ranges:
            inside = [CoreCoord(x, y) for y in range(one.start.y, one.end.y + 1) for x in range(one.start.x, one.end.x + 1)]
            if orientation is ShardOrientation.COL_MAJOR:
                inside.sort()
            made += inside
        return made

    def bounding_box(self) -> CoreRange:
        """The smallest rectangle around all."""
        cores = self.cores()
        return CoreRange(CoreCoord(min(c.x for c in cores), min(c.y for c in cores)),
                         CoreCoord(max(c.x for c in cores), max(c.y for c in cores)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CoreRangeSet) and self._ranges == other._ranges

    def __hash__(self) -> int:
        return hash(self._ranges)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"[(x={r.start.x},y={r.start.y}) - (x={r.end.x},y={r.end.y})]" for r in self._ranges) + "}"


def core_range_set(value: Any) -> CoreRangeSet:
    """The cores of a CoreGrid, CoreRange, CoreRangeSet, or a collection of ranges. TypeError for other values."""
    if isinstance(value, CoreRangeSet):
        return value
    if isinstance(value, CoreGrid):
        return CoreRangeSet(CoreRange(CoreCoord(0, 0), CoreCoord(value.x - 1, value.y - 1)))
    if isinstance(value, CoreRange) or (isinstance(value, (set, frozenset, list, tuple)) and
                                        all(isinstance(one, CoreRange) for one in value)):
        return CoreRangeSet(value)
    raise TypeError(f"cores are a CoreGrid, CoreRange or CoreRangeSet, not {type(value).__name__}")


@dataclass(frozen=True)
class ShardSpec:
    """The cores of shards, in order, and rows and columns of a shard."""
    grid: CoreRangeSet
    shape: tuple[int, int]
    orientation: ShardOrientation = ShardOrientation.ROW_MAJOR

    def __init__(self, grid: Any, shape: Sequence[int], orientation: ShardOrientation = ShardOrientation.ROW_MAJOR,
                 *accepted: Any) -> None:
        if len(shape) != 2 or min(shape) < 1:
            raise ValueError(f"ShardSpec: a shard has rows and columns, not the shape {list(shape)}")
        object.__setattr__(self, "grid", core_range_set(grid))
        object.__setattr__(self, "shape", (int(shape[0]), int(shape[1])))
        object.__setattr__(self, "orientation", orientation)

    def num_cores(self) -> int:
        """Number of cores."""
        return self.grid.num_cores()

    def cores(self) -> list[CoreCoord]:
        """The cores in the order of the shards."""
        return self.grid.cores(self.orientation)

    def __repr__(self) -> str:
        return f"ShardSpec(grid={self.grid},shape={list(self.shape)},orientation=ShardOrientation.{self.orientation.name})"


def cores_of_grid(count: int, columns: int) -> CoreRangeSet:
    """The first cores of a grid with this many columns, row by row."""
    whole, rest = divmod(count, columns)
    ranges = [CoreRange(CoreCoord(0, 0), CoreCoord(columns - 1, whole - 1))] if whole else []
    if rest:
        ranges.append(CoreRange(CoreCoord(0, whole), CoreCoord(rest - 1, whole)))
    return CoreRangeSet(ranges)
