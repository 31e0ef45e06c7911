"""Converts values of a configuration to JSON and back."""
from __future__ import annotations

import dataclasses
import enum
from typing import Any

from ._C import DataFormat, MathFidelity, NodeEpochType
from ._C.backend_api import BackendDevice, BackendType, DeviceMode
from ._C.balancer import OpOverride
from ._C.placer import DRAMPlacementAlgorithm
from .config_fields import CompileDepth, PerfTraceLevel, TTIDumpFormat
from .config_values import AMPNodeProperties, InsertionInstruction, PlacerOpOverride

_ENUMS = {kind.__name__: kind for kind in (DataFormat, MathFidelity, NodeEpochType, BackendDevice, BackendType,
                                           DeviceMode, DRAMPlacementAlgorithm, CompileDepth, PerfTraceLevel,
                                           TTIDumpFormat)}


def _classes() -> dict[str, Any]:
    """Classes of values in a configuration; a file may name only these."""
    return {kind.__name__: kind for kind in (AMPNodeProperties, InsertionInstruction, OpOverride, PlacerOpOverride)}


def to_plain(value: Any) -> Any:
    """Enumerations, sets and tuples are tagged; values without a JSON form become text."""
    if isinstance(value, enum.Enum):
        return {"__enum__": str(value)}
    if isinstance(value, set):
        return {"__set__": sorted(map(str, value))}
    if isinstance(value, tuple):
        return {"__tuple__": [to_plain(one) for one in value]}
    if isinstance(value, list):
        return [to_plain(one) for one in value]
    if isinstance(value, dict):
        return {"__dict__": [[to_plain(key), to_plain(one)] for key, one in value.items()]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {"__class__": type(value).__name__, **{k: to_plain(v) for k, v in vars(value).items()}}
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def from_plain(value: Any) -> Any:
    """Inverse of to_plain(). KeyError for unknown names of enumerations."""
    if isinstance(value, list):
        return [from_plain(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "__enum__" in value:
        kind, name = value["__enum__"].split(".")
        return _ENUMS[kind][name]
    if "__set__" in value:
        return set(value["__set__"])
    if "__tuple__" in value:
        return tuple(from_plain(one) for one in value["__tuple__"])
    if "__dict__" in value:
        return {from_plain(key): from_plain(one) for key, one in value["__dict__"]}
    if "__class__" in value:
        fields = {key: from_plain(one) for key, one in value.items() if key != "__class__"}
        return _classes()[value["__class__"]](**fields)
    return {key: from_plain(one) for key, one in value.items()}
