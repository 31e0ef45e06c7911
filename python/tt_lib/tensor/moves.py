"""Data movement: axes, layouts, padding, caches."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ttsim.eager import DataType, EagerTensor, Layout, MemoryConfig
from ttsim.eager.surface import call

from .ops import formatted, in_place, returned, run_op, unary
from .tensor import Tensor, check_shape


def _move(name: str, table: str, order: Sequence[int]) -> Callable[..., Any]:
    def op(x: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
        made: Tensor = run_op(name, table, [x], list(order), output_mem_config=output_mem_config)
        return made
    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"The axes in the order {list(order)}."
    return op


transpose, transpose_hc = _move("transpose", "permute", (0, 1, 3, 2)), _move("transpose_hc", "permute", (0, 2, 1, 3))
transpose_cn = _move("transpose_cn", "permute", (1, 0, 2, 3))
transpose_hc_rm = _move("transpose_hc_rm", "permute", (0, 2, 1, 3))
transpose_nh, transpose_nw = _move("transpose_nh", "permute", (2, 1, 0, 3)), _move("transpose_nw", "permute", (3, 1, 2, 0))
transpose_cw = _move("transpose_cw", "permute", (0, 3, 2, 1))


def permute(x: Tensor, n: int, c: int, h: int, w: int, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """The axes in another order."""
    made: Tensor = run_op("permute", "permute", [x], [n, c, h, w], output_mem_config=output_mem_config)
    return made


def reshape(x: Tensor, n: int, c: int, h: int, w: int, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """The same elements in another shape; in TILE layout with height and width that are multiples of 32."""
    if isinstance(x, EagerTensor) and x._layout is Layout.TILE and (h % 32 or w % 32) and min(h, w) > 0:
        raise ValueError(f"tt_lib.tensor.reshape: in TILE layout height and width are multiples of 32, not {h} x {w}")
    made: Tensor = run_op("reshape", "reshape", [x], (n, c, h, w), output_mem_config=output_mem_config)
    return made


def concat(tensors: list[Tensor], dim: int = 0, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Tensors one after the other along an axis."""
    given, hosted = formatted("concat", tensors)
    made: Tensor = returned(call("concat", "tt_lib.tensor.concat", given, dim, memory=output_mem_config), hosted)
    return made


def split_last_dim_two_chunks_tiled(x: Tensor) -> list[Tensor]:
    """Both halves along the last axis."""
    return list(run_op("split_last_dim_two_chunks_tiled", "chunk", [x], 2, -1))


def split_dim_two_chunks_tiled(x: Tensor, dim: int = 3) -> list[Tensor]:
    """Both halves along an axis."""
    return list(run_op("split_dim_two_chunks_tiled", "chunk", [x], 2, dim))


def repeat_interleave(x: Tensor, repeats: int, dim: int = 0) -> Tensor:
    """Every element along an axis, several times."""
    made: Tensor = run_op("repeat_interleave", "repeat_interleave", [x], repeats, dim)
    return made


def typecast(x: Tensor, dtype: DataType, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """In another element type; block floats in TILE layout."""
    made: Tensor = call("to_layout", "tt_lib.tensor.typecast", x, dtype=dtype, memory=output_mem_config,
                        layout=Layout.TILE if dtype.is_block_float else None)
    return made


def interleaved_to_sharded(x: Tensor, memory_config: MemoryConfig) -> Tensor:
    """In the shards of a sharded place."""
    made: Tensor = call("interleaved_to_sharded", "tt_lib.tensor.interleaved_to_sharded", x, memory=memory_config)
    return made


def sharded_to_interleaved(x: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Dealt over the banks of a memory, by default DRAM."""
    made: Tensor = call("sharded_to_interleaved", "tt_lib.tensor.sharded_to_interleaved", x, memory=output_mem_config)
    return made


def fill_cache(cache: Tensor, x: Tensor, batch_idx: int) -> Tensor:
    """The cache [B, H, S, D] with x [1, H, s, D] at the start of a batch entry, in the memory of the cache."""
    return in_place(cache, call("fill_cache", "tt_lib.tensor.fill_cache", cache, x, batch_idx))


def update_cache(cache: Tensor, x: Tensor, update_idx: int, batch_offset: int = 0) -> Tensor:
    """The cache [B, H, S, D] with the rows of x [1, H, B, D] at a position, in the memory of the cache."""
    return in_place(cache, call("update_cache", "tt_lib.tensor.update_cache", cache, x, update_idx, batch_offset))


def repeat(x: Tensor, shape: Sequence[int]) -> Tensor:
    """Copies beside each other along every axis."""
    made: Tensor = run_op("repeat", "repeat", [x], list(shape))
    return made


clone, move, assign, copy = unary("clone move assign copy").values()


def pad(x: Tensor, output_shape: Sequence[int], input_start: Sequence[int], value: float) -> Tensor:
    """Placed at `input_start` in a tensor of `value`."""
    pairs = [(start, size - start - own) for own, size, start in zip(x._shape, output_shape, input_start, strict=True)]
    made: Tensor = run_op("pad", "pad", [x], pairs, value)
    return made


def unpad(x: Tensor, start: Sequence[int], end: Sequence[int]) -> Tensor:
    """Elements start .. end, the end included."""
    made: Tensor = run_op("unpad", "slice", [x], list(start), [n + 1 for n in end])
    return made


def tilize(x: Tensor) -> Tensor:
    """In TILE layout, on the device. ValueError for sizes that are not multiples of 32."""
    check_shape("tt_lib.tensor.tilize", list(x._shape), Layout.TILE)
    made: Tensor = call("tilize", "tt_lib.tensor.tilize", x, layout=Layout.TILE)
    return made


def untilize(x: Tensor) -> Tensor:
    """In ROW_MAJOR layout, on the device."""
    made: Tensor = call("untilize", "tt_lib.tensor.untilize", x, layout=Layout.ROW_MAJOR)
    return made


def tilize_with_val_padding(x: Tensor, output_shape: Sequence[int], input_start: Sequence[int], value: float) -> Tensor:
    """Padded to a shape, then in TILE layout."""
    padded = pad(x, output_shape, input_start, value)
    made: Tensor = call("tilize", "tt_lib.tensor.tilize_with_val_padding", padded, layout=Layout.TILE)
    return made


def tilize_with_zero_padding(x: Tensor) -> Tensor:
    """Padded with 0 to multiples of 32, then in TILE layout."""
    from ..utils import nearest_32
    return tilize_with_val_padding(x, [*x._shape[:2], nearest_32(x._shape[2]), nearest_32(x._shape[3])], [0] * 4, 0.0)


def untilize_with_unpadding(x: Tensor, start: Sequence[int], end: Sequence[int]) -> Tensor:
    """In ROW_MAJOR layout, elements start .. end, the end included."""
    part = unpad(x, start, end)
    made: Tensor = call("untilize", "tt_lib.tensor.untilize_with_unpadding", part, layout=Layout.ROW_MAJOR)
    return made


__all__ = ["assign", "clone", "copy", "move"] + [name for name, value in dict(globals()).items()  # noqa: PLE0605
           if not name.startswith("_") and getattr(value, "__module__", "") == __name__ and callable(value)]
