"""Names of the balancer: policies, and overrides of single ops."""
from __future__ import annotations

import dataclasses

from ..refusal import refusal
from .enumeration import JsonEnum


class PolicyType(JsonEnum):
    """How the balancer chooses grids."""
    MaximizeTMinimizeGrid = 0
    MinimizeGrid = 1
    Random = 2
    NLP = 3
    CNN = 4
    Ribbon = 5
    SingleOpPerEpoch = 6


@dataclasses.dataclass
class OpOverride:
    """None: chosen by the balancer. Grids and streaming shapes are (rows, columns)."""
    grid_shape: tuple[int, int] | None = None
    force_dram_parameters: bool | None = None
    t_stream_dir: str | None = None
    t_stream_shape: tuple[int, int] | None = None
    u_kt: int | None = None
    input_buffer_multiplier: dict[int, int] | None = None
    output_buffer_multiplier: int | None = None


BalancerConfig = refusal(
    "BalancerConfig", "the balancer is part of the compiler and has no configuration of its own",
    "set pybuda.config.set_configuration_options(balancer_policy=...) and fields of the compiler configuration")
OpShape = refusal("OpShape", "ops have no separate models outside the compiler",
                  "read the sizes of a compiled op from pybuda_compile(...).netlist_filename")
