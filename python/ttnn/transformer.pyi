"""Made by python -m ttnn.stubs."""
from collections.abc import Callable, Sequence
from typing import Any

from ttsim.eager import DataType as DataType, Layout as Layout, MemoryConfig as MemoryConfig

from .tensor import Tensor

def split_query_key_value_and_split_heads(input_tensor: Tensor, kv_input_tensor: Tensor | None = ..., *, num_heads: int, num_kv_heads: int | None = ..., transpose_key: bool = ..., memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> tuple[Tensor, Tensor, Tensor]:
    """[B, S, (q, k, v)] -> q [B, H, S, D], k [B, H, D, S] (without transpose_key [B, H, S, D]), v [B, H, S, D]."""

def concatenate_heads(input_tensor: Tensor, *, memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """[B, H, S, D] -> [B, S, H * D]."""

def attention_softmax(input_tensor: Tensor, *, head_size: int | None = ..., attention_mask: Tensor | None = ..., causal_mask: bool = ..., memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """softmax(x / sqrt(head_size) + mask) over the last axis."""

def attention_softmax_(input_tensor: Tensor, *, head_size: int | None = ..., attention_mask: Tensor | None = ..., causal_mask: bool = ..., memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """softmax(x / sqrt(head_size) + mask) over the last axis."""

def scaled_dot_product_attention(input_tensor_q: Tensor, input_tensor_k: Tensor, input_tensor_v: Tensor, *, attn_mask: Tensor | None = ..., is_causal: bool = ..., scale: float | None = ..., memory_config: MemoryConfig | None = ..., dtype: DataType | None = ..., output_tensor: Tensor | None = ..., layout: Layout | None = ..., compute_kernel_config: Any = ..., queue_id: int = ..., program_config: Any = ..., core_grid: Any = ...) -> Tensor:
    """softmax(q k^T * scale + mask) v, of [B, H, S, D]; heads of k and v may be fewer. `scale`: 1 / sqrt(D) by default.
`is_causal`: keys after a query have no weight."""
