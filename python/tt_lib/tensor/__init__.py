"""Tensors and ops. A name that is not here raises AttributeError with near names; one of the public project that the
simulator does not have raises NotImplementedError with what to use instead."""
from typing import Any as _Any

from ttsim.eager import BufferType, DataType, Layout
from ttsim.eager.cores import CoreCoord, CoreRange, CoreRangeSet, ShardOrientation, ShardSpec
from ttsim.eager.memory import TensorMemoryLayout
from ttsim.eager.surface import near as _near

from . import creation as _creation
from . import models as _models
from . import moves as _moves
from . import ops as _ops
from .creation import *  # noqa: F403
from .models import *  # noqa: F403
from .moves import *  # noqa: F403
from .ops import *  # noqa: F403
from .tensor import MemoryConfig, StorageType, Tensor

__all__ = ["BufferType", "CoreCoord", "CoreRange", "CoreRangeSet", "DataType", "Layout", "MemoryConfig", "ShardOrientation",
           "ShardSpec", "StorageType", "Tensor", "TensorMemoryLayout", *_creation.__all__, *_models.__all__, *_moves.__all__,
           *_ops.__all__]

_MISSING = {
    "lamb_optimizer": "compute the step with add, mul and sqrt", "complex_abs": "keep real and imaginary parts in two tensors",
    "complex_mul": "keep real and imaginary parts in two tensors", "complex_recip": "keep real and imaginary parts in two tensors",
    "conj": "keep real and imaginary parts in two tensors", "real": "keep real and imaginary parts in two tensors",
    "imag": "keep real and imaginary parts in two tensors", "unary_chain": "call the ops one after the other",
    "run_eltwise_unary": "call the op by its name", "split_fused_qkv_and_split_heads": "use nlp_create_qkv_heads",
}


def __getattr__(name: str) -> _Any:
    if name not in _MISSING:
        raise AttributeError(f"module 'tt_lib.tensor' has no attribute '{name}'{_near(name, __all__)}")

    def missing(*args: _Any, **kwargs: _Any) -> None:
        raise NotImplementedError(f"tt_lib.tensor.{name} is not available in the simulator: {_MISSING[name]}")
    return missing
