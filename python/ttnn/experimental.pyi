"""Made by python -m ttnn.stubs."""
from collections.abc import Callable, Sequence
from typing import Any

from ttsim.eager import DataType as DataType, Layout as Layout, MemoryConfig as MemoryConfig

from .tensor import Tensor

def rotary_embedding(input_tensor: Tensor, cos_cache: Tensor, sin_cache: Tensor, token_index: int | None = ..., *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """x cos + rotate_half(x) sin, of [1, H, S, D] and tables [1, 1, .., D]; `token_index`: one row of them."""

def nlp_create_qkv_heads(input_tensor: Tensor, input_kv: Tensor | None = ..., *, num_heads: int, num_kv_heads: int | None = ..., transpose_k_heads: bool = ..., memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> tuple[Tensor, ...]:
    """[B, 1, S, (q, k, v)] -> q, k, v as split_query_key_value_and_split_heads()."""

def nlp_concat_heads(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """[B, H, S, D] -> [B, 1, S, H * D]."""

def view(input_tensor: Tensor, shape: Sequence[int], *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """As reshape()."""
