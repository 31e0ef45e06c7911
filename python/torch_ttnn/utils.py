"""Objects that stand in graphs for the device, layouts, element types and memories of a call."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from ttnn import types as ttnn_types


@dataclass(frozen=True)
class _Standin:
    """Stands in a graph for an object that generated code finds under a global name. Instances are equal."""
    key: ClassVar[str] = ""

    def __repr__(self) -> str:
        return self.key


class TtnnDevice(_Standin):
    """The device of the option."""
    key = "ttnn_Specified_Device"


class TtnnRowMajorLayout(_Standin):
    """ttnn.ROW_MAJOR_LAYOUT."""
    key = "ttnn_ROW_MAJOR_LAYOUT"


class TtnnTileLayout(_Standin):
    """ttnn.TILE_LAYOUT."""
    key = "ttnn_TILE_LAYOUT"


class TtnnUint32(_Standin):
    """ttnn.uint32."""
    key = "ttnn_uint32"


class TtnnInt32(_Standin):
    """ttnn.int32."""
    key = "ttnn_int32"


class TtnnBfloat16(_Standin):
    """ttnn.bfloat16."""
    key = "ttnn_bfloat16"


class TtnnDramMemoryConfig(_Standin):
    """ttnn.DRAM_MEMORY_CONFIG."""
    key = "ttnn_DRAM_MEMORY_CONFIG"


class TtnnL1MemoryConfig(_Standin):
    """ttnn.L1_MEMORY_CONFIG."""
    key = "ttnn_L1_MEMORY_CONFIG"


_FIXED: dict[str, Any] = {
    TtnnRowMajorLayout.key: ttnn_types.ROW_MAJOR_LAYOUT, TtnnTileLayout.key: ttnn_types.TILE_LAYOUT, TtnnUint32.key: ttnn_types.uint32,
    TtnnInt32.key: ttnn_types.int32, TtnnBfloat16.key: ttnn_types.bfloat16, TtnnDramMemoryConfig.key: ttnn_types.DRAM_MEMORY_CONFIG,
    TtnnL1MemoryConfig.key: ttnn_types.L1_MEMORY_CONFIG}


class CustomObject:
    """An object under a name: its repr is the name, by which generated code finds it."""

    def __init__(self, key: str, value: Any) -> None:
        self.key, self.value = key, value

    def __repr__(self) -> str:
        return self.key

    def __deepcopy__(self, memo: Any) -> CustomObject:
        return self


def _register(key: str, value: Any) -> None:
    """Puts an object into the globals of code that torch.fx generates; no effect in a torch without such a function."""
    put = getattr(torch.fx.graph, "_register_custom_builtin", None)
    if put is not None:
        put(key, "", value)


def get_add_custom_object_in_graph(key: str, obj: Any) -> CustomObject:
    """An argument of nodes that stands for any object, under a name of generated code."""
    _register(key, obj)
    return CustomObject(key, obj)


def register_objects(device: Any) -> None:
    """Puts the device and the constants into the globals of code that torch.fx generates."""
    for key, value in {**_FIXED, TtnnDevice.key: device}.items():
        _register(key, value)


def resolved(value: Any, device: Any) -> Any:
    """An argument of a node with the real objects in place of those that stand for them."""
    if isinstance(value, TtnnDevice):
        return device
    if isinstance(value, _Standin):
        return _FIXED[value.key]
    if isinstance(value, CustomObject):
        return value.value
    if type(value) in (list, tuple):
        return type(value)(resolved(one, device) for one in value)
    if isinstance(value, dict):
        return {key: resolved(one, device) for key, one in value.items()}
    return value


def is_placeholder(value: Any) -> bool:
    """Whether an argument stands for a device, layout, element type or memory."""
    return isinstance(value, (_Standin, CustomObject))
