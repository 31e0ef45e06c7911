"""Data movement: values stay as they are, and change their place."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F

from ..table import add, alias, op

Sizes = Sequence[int]


def _move(name: str = "", **properties: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return op(name, kind="move", group="data movement", **properties)


@_move(keeps_order=True)
def reshape(input_tensor: torch.Tensor, shape: Sizes) -> torch.Tensor:
    """The same elements in another shape; -1: what is left."""
    return input_tensor.reshape(tuple(shape))


@_move("experimental.view", keeps_order=True)
def view(input_tensor: torch.Tensor, shape: Sizes) -> torch.Tensor:
    """As reshape()."""
    return input_tensor.reshape(tuple(shape))


alias("view", "experimental.view")


@_move(keeps_order=True)
def squeeze(input_tensor: torch.Tensor, dim: int | Sizes | None = None) -> torch.Tensor:
    """Without axes of size 1: all, or those of `dim`."""
    return torch.squeeze(input_tensor) if dim is None else torch.squeeze(input_tensor, dim if isinstance(dim, int) else tuple(dim))


@_move(keeps_order=True)
def unsqueeze(input_tensor: torch.Tensor, dim: int) -> torch.Tensor:
    """With a new axis of size 1 at `dim`."""
    return torch.unsqueeze(input_tensor, dim)


@_move("unsqueeze_to_4D", keeps_order=True)
def unsqueeze_to_4d(input_tensor: torch.Tensor) -> torch.Tensor:
    """With new axes of size 1 in front, up to rank 4."""
    if input_tensor.dim() > 4:
        raise ValueError("a tensor of at most 4 axes is needed")
    return input_tensor.reshape([1] * (4 - input_tensor.dim()) + list(input_tensor.shape))


@_move()
def permute(input_tensor: torch.Tensor, dims: Sizes) -> torch.Tensor:
    """The axes in another order."""
    return input_tensor.permute(tuple(dims))


@_move()
def transpose(input_tensor: torch.Tensor, dim1: int = -2, dim2: int = -1) -> torch.Tensor:
    """Two axes exchanged."""
    return input_tensor.transpose(dim1, dim2)


@_move()
def concat(tensors: list[torch.Tensor], dim: int = 0) -> torch.Tensor:
    """Tensors one after the other along an axis."""
    return torch.cat(list(tensors), dim)


alias("concatenate", "concat")


@_move()
def stack(tensors: list[torch.Tensor], dim: int = 0) -> torch.Tensor:
    """Tensors along a new axis."""
    return torch.stack(list(tensors), dim)


@_move()
def split(input_tensor: torch.Tensor, split_size: int | Sizes, dim: int = 0) -> tuple[torch.Tensor, ...]:
    """Pieces of one size (the last may be smaller), or of these sizes, along an axis."""
    return tuple(torch.split(input_tensor, split_size if isinstance(split_size, int) else list(split_size), dim))


@_move()
def chunk(input_tensor: torch.Tensor, num_chunks: int, dim: int = 0) -> tuple[torch.Tensor, ...]:
    """About equal pieces along an axis."""
    return tuple(torch.chunk(input_tensor, num_chunks, dim))


@_move("slice")
def slice_(input_tensor: torch.Tensor, slice_start: Sizes, slice_end: Sizes, slice_step: Sizes | None = None) -> torch.Tensor:
    """Elements start .. end - 1 of every axis, in steps."""
    steps = [1] * len(slice_start) if slice_step is None else list(slice_step)
    if not len(slice_start) == len(slice_end) == len(steps) <= input_tensor.dim():
        raise ValueError(f"starts, ends and steps of {input_tensor.dim()} axes are needed")
    return input_tensor[tuple(slice(a, b, s) for a, b, s in zip(slice_start, slice_end, steps))]


@_move()
def getitem(input_tensor: torch.Tensor, index: Any) -> torch.Tensor:
    """x[index] with numbers, slices, None and Ellipsis."""
    def part(one: Any) -> Any:
        return slice(*one[1:]) if isinstance(one, tuple) and one[:1] == ("slice",) else one
    return input_tensor[tuple(part(one) for one in index)]


@_move()
def pad(input_tensor: torch.Tensor, padding: Any, value: Any = 0.0, use_multicore: Any = True) -> torch.Tensor:
    """`padding`: pairs (before, after) of the last axes, in their order; or the shape of the result, then `value` is the
    position of the operand in it, and a third argument the value."""
    if all(isinstance(one, int) for one in padding):
        starts, value = (list(value), float(use_multicore)) if isinstance(value, (list, tuple)) else ([0] * len(padding), value)
        pairs = [(start, size - start - own) for start, size, own in zip(starts, padding, input_tensor.shape)]
    else:
        pairs = [tuple(one) for one in padding]
    flat = [int(size) for pair in reversed(pairs) for size in pair]
    if any(size < 0 for size in flat):
        raise ValueError("a padding is not negative")
    return F.pad(input_tensor, flat, value=value)


@_move()
def repeat(input_tensor: torch.Tensor, repetition_vector: Sizes) -> torch.Tensor:
    """Copies beside each other along every axis."""
    return input_tensor.repeat(tuple(repetition_vector))


@_move()
def repeat_interleave(input_tensor: torch.Tensor, repeats: int, dim: int = 0) -> torch.Tensor:
    """Every element along an axis, several times."""
    return torch.repeat_interleave(input_tensor, repeats, dim)


@_move()
def expand(input_tensor: torch.Tensor, output_shape: Sizes) -> torch.Tensor:
    """Axes of size 1 repeated to a shape; -1: as it is."""
    return input_tensor.expand(tuple(output_shape)).contiguous()


@_move()
def broadcast_to(input_tensor: torch.Tensor, output_shape: Sizes) -> torch.Tensor:
    """As expand()."""
    return input_tensor.expand(tuple(output_shape)).contiguous()


@_move()
def roll(input_tensor: torch.Tensor, shifts: int | Sizes, dim: int | Sizes | None = None) -> torch.Tensor:
    """Elements moved along axes; those beyond the end come back at the start."""
    if dim is None:
        return torch.roll(input_tensor.flatten(), shifts if isinstance(shifts, int) else shifts[0]).reshape(input_tensor.shape)
    return torch.roll(input_tensor, shifts if isinstance(shifts, int) else tuple(shifts), dim if isinstance(dim, int) else tuple(dim))


@_move()
def flip(input_tensor: torch.Tensor, dims: Sizes) -> torch.Tensor:
    """The axes in reverse order."""
    return torch.flip(input_tensor, list(dims))


@_move()
def gather(input_tensor: torch.Tensor, dim: int, index: torch.Tensor) -> torch.Tensor:
    """Elements along an axis by index."""
    return torch.gather(input_tensor, dim, index.long())


@_move()
def scatter(input_tensor: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor) -> torch.Tensor:
    """The input with elements of src at the indices along an axis."""
    return torch.scatter(input_tensor, dim, index.long(), src)


@_move()
def slice_scatter(input_tensor: torch.Tensor, src: torch.Tensor, dim: int = 0, start: int | None = None,
                  end: int | None = None, step: int = 1) -> torch.Tensor:
    """The input with src in a slice of an axis."""
    return torch.slice_scatter(input_tensor, src, dim, start, end, step)


@_move()
def index_select(input_tensor: torch.Tensor, dim: int, index: torch.Tensor) -> torch.Tensor:
    """Slices of an axis by index."""
    return torch.index_select(input_tensor, dim, index.reshape(-1).long())


@_move()
def embedding(input_tensor: torch.Tensor, weight: torch.Tensor, padding_idx: int | None = None) -> torch.Tensor:
    """Rows of weight [.., V, D] by index (integers below V): the shape of the indices with D."""
    table = weight.reshape(-1, weight.shape[-1])
    rows = input_tensor.long()
    if rows.device.type != "meta" and rows.numel() and (int(rows.min()) < 0 or int(rows.max()) >= table.shape[0]):
        raise ValueError(f"indices {int(rows.min())}..{int(rows.max())} are not in 0..{table.shape[0] - 1}")
    return F.embedding(rows, table)


def _copy(name: str, text: str) -> None:
    def call(input_tensor: torch.Tensor) -> torch.Tensor:
        return input_tensor.clone()
    call.__doc__ = text
    add(name, call, kind="move", group="data movement")


for _name in ("clone", "copy", "assign", "move", "to_memory_config", "to_layout", "interleaved_to_sharded",
              "sharded_to_interleaved", "reshard"):
    _copy(_name, "The same values in another place: memory, layout or buffer.")
_copy("tilize", "The same values in TILE layout.")
_copy("untilize", "The same values in ROW_MAJOR layout.")


@_move()
def tilize_with_val_padding(input_tensor: torch.Tensor, output_tensor_shape: Sizes, pad_value: float = 0.0) -> torch.Tensor:
    """Padded at the end of each axis to a shape, in TILE layout."""
    flat = [n for size, wanted in zip(reversed(input_tensor.shape), reversed(tuple(output_tensor_shape))) for n in (0, wanted - size)]
    return F.pad(input_tensor, flat, value=pad_value)


@_move()
def untilize_with_unpadding(input_tensor: torch.Tensor, output_tensor_end: Sizes) -> torch.Tensor:
    """Elements 0 .. end of each axis (the end included), in ROW_MAJOR layout."""
    return input_tensor[tuple(slice(0, end + 1) for end in output_tensor_end)].clone()


@_move()
def fill_implicit_tile_padding(input_tensor: torch.Tensor, fill_value: float) -> torch.Tensor:
    """A copy: padding of tiles is never visible."""
    return input_tensor.clone()


@_move()
def indexed_fill(batch_id: torch.Tensor, input_tensor_a: torch.Tensor, input_tensor_b: torch.Tensor, dim: int = 0) -> torch.Tensor:
    """a, with slices of axis 0 replaced by those of b at the positions batch_id."""
    made = input_tensor_a.clone()
    made[batch_id.reshape(-1).long()] = input_tensor_b
    return made


@_move()
def update_cache(cache: torch.Tensor, input_tensor: torch.Tensor, update_idx: int, batch_offset: int = 0) -> torch.Tensor:
    """The cache [B, H, S, D] with the rows of the input [1, H, B, D] or [B, H, 1, D] at position update_idx."""
    rows = input_tensor if input_tensor.shape[0] == cache.shape[0] and input_tensor.shape[2] == 1 else input_tensor.permute(2, 1, 0, 3)
    made = cache.clone()
    made[batch_offset:batch_offset + rows.shape[0], :, update_idx:update_idx + 1] = rows[:cache.shape[0]]
    return made


@_move()
def fill_cache(cache: torch.Tensor, input_tensor: torch.Tensor, batch_idx: int = 0) -> torch.Tensor:
    """The cache [B, H, S, D] with the input [1, H, s, D] at the start of a batch entry."""
    made = cache.clone()
    made[batch_idx, :, :input_tensor.shape[-2]] = input_tensor[0]
    return made
