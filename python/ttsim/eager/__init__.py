"""Ops one by one on the simulated chip: the layer under `ttnn` and `tt_lib`.

Tensors are buffers in the DRAM or L1 of an open Device. An op is a function of torch tensors (table.py), which is its
golden function and from which its program is made: captured, compiled and timed once for its shapes, formats, layouts
and attributes, then launched from the device's cache."""
from .._torch_needed import refusal

try:
    import torch  # noqa: F401 (reports a missing torch here)
except ModuleNotFoundError as _missing:
    raise refusal("ttnn") from _missing  # tt_lib and torch_ttnn import it as well
from .device import Device, open_devices
from .dtypes import DataType, Layout
from .memory import BufferType, MemoryConfig, TensorMemoryLayout
from .table import OpDef, all_ops, op, ops_named
from .tensor import EagerTensor, Shape

__all__ = ["BufferType", "DataType", "Device", "EagerTensor", "Layout", "MemoryConfig", "OpDef", "Shape",
           "TensorMemoryLayout", "all_ops", "op", "open_devices", "ops_named"]
