"""Values of a configuration: rules and overrides of single ops."""
from __future__ import annotations

import dataclasses
from typing import Any

from ._C import DataFormat, MathFidelity, NodeEpochType


@dataclasses.dataclass
class AMPNodeProperties:
    """A rule of mixed precision; all given selectors must match."""
    op_type: str | None = None
    epoch_type: NodeEpochType | None = None
    output_df: DataFormat | None = None
    intermediate_df: DataFormat | None = None
    accumulate_df: DataFormat | None = None
    math_fidelity: MathFidelity | None = None
    name_regex: str | None = None
    input_df: Any = None
    is_gradient_op: bool | None = None
    input_parameter_indices_to_optimize: Any = None


@dataclasses.dataclass
class PlacerOpOverride:
    """Placement of an op: `start` is the row and column of its first core."""
    op_name: Any
    start: tuple[int, int] | None = None
    transpose_op: bool = False
    chip_id: int | None = None
    spatial_epoch_break: bool = False
    temporal_epoch_break: bool = False


@dataclasses.dataclass
class InsertionInstruction:
    """Nops between an op and its readers."""
    src: Any
    dest: list[Any]
    hoist_tms: bool = True
    nop_count: int = 1
    daisy_chain: bool = False
    buffering: bool = False
