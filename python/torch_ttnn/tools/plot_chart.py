"""Charts of memory, of MemoryManager.data_points. They need matplotlib."""
from __future__ import annotations

from collections.abc import Mapping, Sequence

Points = Mapping[str, Sequence[tuple[int, int]]]


def totals(data_points: Points) -> list[int]:
    """Bytes at each call."""
    return [sum(size for _, size in one) for one in data_points.values()]


def plot_mem_footprint_bar_chart(data_points: Points, file: str) -> None:
    """Bytes of each tensor at each call, stacked."""
    from matplotlib import pyplot  # type: ignore[import-not-found]
    pyplot.figure(figsize=(max(6, len(data_points) / 4), 5))
    for place, parts in enumerate(data_points.values()):
        below = 0
        for tid, size in parts:
            pyplot.bar(place, size, bottom=below, color=f"C{tid % 10}")
            below += size
    _finish(pyplot, file)


def plot_mem_footprint_line_chart(data_points: Points, file: str) -> None:
    """Bytes at each call."""
    from matplotlib import pyplot
    pyplot.figure(figsize=(10, 5))
    pyplot.plot(totals(data_points))
    _finish(pyplot, file)


def _finish(pyplot: object, file: str) -> None:
    pyplot.xlabel("call")  # type: ignore[attr-defined]
    pyplot.ylabel("bytes of L1")  # type: ignore[attr-defined]
    pyplot.savefig(file)  # type: ignore[attr-defined]
    pyplot.close()  # type: ignore[attr-defined]
