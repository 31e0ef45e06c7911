"""Element types and layouts of tensors."""
from __future__ import annotations

import enum
from dataclasses import dataclass

import torch

from .._ttsim import ElementType


@dataclass(frozen=True)
class _Kind:
    torch: torch.dtype  # of values on the host
    element: ElementType
    format: str  # of buffers on the device; "": integers
    bits: int  # of an element in memory


_KINDS = {
    "BFLOAT16": _Kind(torch.bfloat16, ElementType.F32, "Float16_b", 16),
    "FLOAT32": _Kind(torch.float32, ElementType.F32, "Float32", 32),
    "BFLOAT8_B": _Kind(torch.float32, ElementType.F32, "Bfp8_b", 8),
    "BFLOAT4_B": _Kind(torch.float32, ElementType.F32, "Bfp4_b", 4),
    "UINT8": _Kind(torch.uint8, ElementType.U8, "", 8),
    "UINT16": _Kind(torch.int32, ElementType.U16, "", 16),
    "UINT32": _Kind(torch.int64, ElementType.U32, "", 32),
    "INT32": _Kind(torch.int32, ElementType.I32, "", 32),
}


class DataType(enum.Enum):
    """Element types. BFLOAT8_B and BFLOAT4_B share an exponent over 16 columns and exist in TILE layout only."""
    BFLOAT16 = 0
    FLOAT32 = 1
    UINT32 = 2
    BFLOAT8_B = 3
    BFLOAT4_B = 4
    UINT8 = 5
    UINT16 = 6
    INT32 = 7

    @property
    def kind(self) -> _Kind:
        """Types of its values."""
        return _KINDS[self.name]

    @property
    def is_float(self) -> bool:
        return bool(self.kind.format)

    @property
    def is_block_float(self) -> bool:
        return self in (DataType.BFLOAT8_B, DataType.BFLOAT4_B)

    def __call__(self) -> DataType:
        """Itself: tensors of tt_lib have methods dtype() and layout()."""
        return self

    def __repr__(self) -> str:
        return f"DataType.{self.name}"


class Layout(enum.Enum):
    """TILE: tiles of 32 x 32 over the last two axes, padded with zeros that are never visible. ROW_MAJOR: rows."""
    ROW_MAJOR = 0
    TILE = 1

    def __call__(self) -> Layout:
        """Itself, as DataType."""
        return self

    def __repr__(self) -> str:
        return f"Layout.{self.name}"


def of_torch(dtype: torch.dtype) -> DataType:
    """The element type for values of torch. TypeError for a dtype without one."""
    found = {torch.bfloat16: DataType.BFLOAT16, torch.float32: DataType.FLOAT32, torch.float64: DataType.FLOAT32,
             torch.float16: DataType.BFLOAT16, torch.uint8: DataType.UINT8, torch.int32: DataType.INT32,
             torch.int16: DataType.UINT16, torch.int64: DataType.UINT32, torch.bool: DataType.BFLOAT16,
             torch.uint16: DataType.UINT16, torch.uint32: DataType.UINT32}.get(dtype)
    if found is None:
        raise TypeError(f"tensors of {dtype} are not supported; convert to one of bfloat16, float32, uint8, int32, int64")
    return found
