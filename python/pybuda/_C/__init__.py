"""Number formats, math fidelities and epoch types, with the values used in files and pickles of PyBuda programs."""
from __future__ import annotations

from . import backend_api, balancer, graph, placer  # noqa: F401 (reached as attributes)
from ..refusal import refusal
from .enumeration import JsonEnum

__all__ = ["DataFormat", "MathFidelity", "NodeEpochType", "UnsupportedHWOpsError", "backend_api", "balancer", "graph",
           "k_dim", "placer", "run_pre_placer_buda_passes"]


class DataFormat(JsonEnum):
    """Number formats of the device, with the values used in files. Float32, Float16 and block floats (Bfp8, Bfp4, Bfp2)
    have 5 exponent bits, formats with suffix _b have 8; Int8 and Int32 are sign-magnitude."""
    Float32 = 0
    Float16 = 1
    Bfp8 = 2
    Bfp4 = 3
    Float16_b = 5
    Bfp8_b = 6
    Bfp4_b = 7
    Int32 = 8
    UInt16 = 9
    Lf8 = 10
    Bfp2 = 11
    Int8 = 14
    Bfp2_b = 15
    RawUInt8 = 0xF0
    RawUInt16 = 0xF1
    RawUInt32 = 0xF2
    Invalid = 0xFF


class MathFidelity(JsonEnum):
    """Number of passes of the multiplier per product: LoFi 1, HiFi2 2, HiFi3 3, HiFi4 4."""
    LoFi = 0
    HiFi2 = 2
    HiFi3 = 3
    HiFi4 = 4
    Invalid = 0xFF


class NodeEpochType(JsonEnum):
    """The pass of a network that an op belongs to."""
    Forward = 0
    Backward = 1
    Optimizer = 2


class UnsupportedHWOpsError(RuntimeError):
    """A graph contains something that the device cannot do."""


run_pre_placer_buda_passes = refusal(
    "run_pre_placer_buda_passes", "the compiler's passes run together",
    "compile by pybuda.pybuda_compile(), whose result has lowered_graph and netlist_filename")
k_dim = -(1 << 31)  # denotes the inner dimension of products in fracture groups

globals().update(DataFormat.__members__)  # programs write _C.Float16_b as well
