"""Tensors and ops. A name that is not here raises AttributeError with near names."""
from typing import Any as _Any

from ttsim.eager import BufferType, DataType, Layout
from ttsim.eager.surface import near as _near

from . import ops as _ops
from .ops import *  # noqa: F403
from .tensor import MemoryConfig, StorageType, Tensor

__all__ = ["BufferType", "DataType", "Layout", "MemoryConfig", "StorageType", "Tensor", *_ops.__all__]

_MISSING = ("bert_large_fused_qkv_matmul", "bert_large_ff1_matmul", "bert_large_ff2_matmul", "bert_large_selfout_matmul",
            "falcon_fused_qkv_matmul", "falcon_lm_head_matmul", "resnet_matmul", "groupnorm", "conv", "average_pool_2d",
            "fill_rm", "fill_ones_rm")


def __getattr__(name: str) -> _Any:
    if name in _MISSING:
        def missing(*args: _Any, **kwargs: _Any) -> None:
            raise NotImplementedError(f"tt_lib.tensor.{name} is not available in the simulator")
        return missing
    raise AttributeError(f"module 'tt_lib.tensor' has no attribute '{name}'{_near(name, __all__)}")
