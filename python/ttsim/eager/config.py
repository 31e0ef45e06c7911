"""Settings of calls, common to all devices, and observers of calls."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Config:
    """`enable_comparison_mode`: each op is compared with its golden function on the same operands, by Pearson
    correlation; below `comparison_mode_pcc` a call warns, or raises with `comparison_mode_should_raise_exception`."""
    enable_comparison_mode: bool = False
    comparison_mode_pcc: float = 0.99
    comparison_mode_should_raise_exception: bool = False
    enable_logging: bool = False
    enable_graph_report: bool = False
    enable_detailed_buffer_report: bool = False
    throw_exception_on_fallback: bool = False
    report_name: str | None = None
    comparisons: list[tuple[str, float]] = field(default_factory=list)  # op and correlation, of this mode


CONFIG = Config()

Observer = Callable[[str, str, Any], None]  # (event, op, details)
observers: list[Observer] = []


def observe(event: str, op: str, details: Any = None) -> None:
    """Tells observers of "begin" and "end" of a call; "run" and "ran" of an op of the table; "allocate" of its results;
    "created", "replaced" and "free" of a tensor; "read" and "write" by the host."""
    for one in observers:
        one(event, op, details)
