"""Data movement ops: slices and stacks, transposes, pads and repeats."""
from __future__ import annotations

from collections.abc import Sequence

import torch

from ..operand import Operand
from ..tensor import Tensor
from . import tm_kinds  # noqa: F401 (defines them)
from .common import result



def HSlice(name: str, operandA: Operand, slices: int) -> Tensor:
    """(z, r, c) to (z * slices, r, c / slices), of rank 4: dim 0 is the micro-batch. AssertionError if the columns
    cannot be divided."""
    assert operandA.shape.c % slices == 0, f"{operandA.shape.c} columns cannot be divided into {slices} equal slices"
    return result("hslice", name, operandA, attrs=(slices,), slices=slices)


def HStack(name: str, operandA: Operand, slices: int = -1) -> Tensor:
    """(z, r, c) to (z / slices, r, c * slices); -1: all of z."""
    slices = operandA.shape.z if slices == -1 else slices
    assert operandA.shape.z % slices == 0, f"{operandA.shape.z} slices cannot be divided into groups of {slices}"
    return result("hstack", name, operandA, attrs=(slices,), slices=slices)


def VSlice(name: str, operandA: Operand, slices: int) -> Tensor:
    """(z, r, c) to (z * slices, r / slices, c), of rank 4."""
    assert operandA.shape.r % slices == 0, f"{operandA.shape.r} rows cannot be divided into {slices} equal slices"
    return result("vslice", name, operandA, attrs=(slices,), slices=slices)


def VStack(name: str, operandA: Operand, slices: int = -1) -> Tensor:
    """(z, r, c) to (z / slices, r * slices, c); -1: all of z."""
    slices = operandA.shape.z if slices == -1 else slices
    assert operandA.shape.z % slices == 0, f"{operandA.shape.z} slices cannot be divided into groups of {slices}"
    return result("vstack", name, operandA, attrs=(slices,), slices=slices)


def Transpose(name: str, operandA: Operand, dim0: int, dim1: int, z_dim_slice: int = -1,
              out_dtype: torch.dtype = torch.float32) -> Tensor:
    """Exchanges two dims. RuntimeError for an invalid dim."""
    return result("transpose", name, operandA, attrs=(dim0, dim1, z_dim_slice), dim0=dim0, dim1=dim1)


def Reshape(name: str, operandA: Operand, shape: Sequence[int]) -> Tensor:
    """One size may be -1."""
    assert sum(size == -1 for size in shape) <= 1, f"shape {tuple(shape)} has more than one -1"
    return result("reshape", name, operandA, attrs=tuple(shape), shape=tuple(shape))


def Index(name: str, operandA: Operand, dim: int, start: int, stop: int | None = None, stride: int = 1) -> Tensor:
    """A slice along `dim`, which stays; without `stop` one element."""
    if stop is None:
        stop = start + 1 if start != -1 else operandA.shape[dim]
    return result("index", name, operandA, attrs=(dim, start, stop, stride), dim=dim, start=start, stop=stop,
                  stride=stride)


def Select(name: str, operandA: Operand, dim: int, index: int | tuple[int, int], stride: int = 0) -> Tensor:
    """The element `index`, or `(start, length)`, of every `stride` elements (0: of all) along `dim`."""
    start, length = (index, 1) if isinstance(index, int) else index
    size = operandA.shape[dim]
    stride = stride or size
    assert start >= 0 and length > 0 and start + length <= stride <= size, \
        f"Select of {length} from {start} of every {stride} is not valid along an axis of {size}"
    return result("select", name, operandA, attrs=(dim, start, length, stride), dim=dim, start=start, length=length,
                  stride=stride)


def Pad(name: str, operandA: Operand, pad: tuple[int, int, int, int] | tuple[int, int], mode: str = "constant",
        channel_last: bool = False) -> Tensor:
    """(left, right) or (left, right, top, bottom). AssertionError for a mode other than constant, replicate and
    reflect."""
    assert len(pad) in (2, 4), f"Pad needs 2 or 4 numbers, not {len(pad)}"
    assert mode in ("constant", "replicate", "reflect"), f"Pad needs mode constant, replicate or reflect, not '{mode}'"
    return result("pad", name, operandA, attrs=(*pad, mode, channel_last), pad=tuple(pad), mode=mode,
                  channel_last=channel_last)


def PadTile(name: str, operandA: Operand, dim: int, original_length: int) -> Tensor:
    """Pads `dim` with zeros to a multiple of the tile size."""
    return result("pad_tile", name, operandA, attrs=(dim, original_length), dim=dim)


def Broadcast(name: str, operandA: Operand, dim: int, shape: int) -> Tensor:
    """Broadcasts `dim` from size 1 to `shape`."""
    return result("broadcast", name, operandA, attrs=(dim, shape), dim=dim, shape=shape)


def Repeat(name: str, operandA: Operand, factors: Sequence[int]) -> Tensor:
    """As torch.Tensor.repeat()."""
    return result("repeat", name, operandA, attrs=tuple(factors), factors=tuple(factors))


def AdvIndex(name: str, operandA: Operand, operandB: Operand, dim: int = 0) -> Tensor:
    """The rows with the indices operandB along `dim`."""
    return result("adv_index", name, operandA, operandB, attrs=(dim,), dim=dim)


def Narrow(name: str, operandA: Operand, dim: int, start: int, length: int, original_length: int) -> Tensor:
    """`length` elements from `start` along `dim`."""
    return result("narrow", name, operandA, attrs=(dim, start, length, original_length), dim=dim, start=start,
                  length=length)


def Unsqueeze(name: str, operandA: Operand, dim: int) -> Tensor:
    """Inserts a dim of size 1 at `dim`."""
    return result("unsqueeze", name, operandA, attrs=(dim,), dim=dim)


def Squeeze(name: str, operandA: Operand, dim: int) -> Tensor:
    """Removes dim `dim` if its size is 1."""
    return result("squeeze", name, operandA, attrs=(dim,), dim=dim)


def PixelShuffle(name: str, operandA: Operand, upscale_factor: int) -> Tensor:
    """(.., c * f * f, r, w) to (.., c, r * f, w * f) for `upscale_factor` f. RuntimeError if f * f does not divide the
    channels."""
    return result("pixel_shuffle", name, operandA, attrs=(upscale_factor,), upscale_factor=upscale_factor)


def BudaPad(name: str, operandA: Tensor, paddings: tuple[int, int], value: float = 0.0) -> Tensor:
    """Pads rows and columns to tiles, plus a number of tiles each."""
    return result("buda_pad", name, operandA, attrs=(*paddings, value), paddings=tuple(paddings), value=value)


def BudaUnpad(name: str, operandA: Tensor, original_length: tuple[int, int], paddings: tuple[int, int]) -> Tensor:
    """The first rows and columns."""
    return result("buda_unpad", name, operandA, attrs=(*original_length, *paddings),
                  original_length=tuple(original_length))
