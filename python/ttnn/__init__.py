"""ttnn on simulated Tenstorrent chips.

    import torch, ttnn
    device = ttnn.open_device(device_id=0)
    a = ttnn.from_torch(torch.rand(32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    y = ttnn.to_torch(ttnn.add(a, a))
    print(device.report())
    ttnn.close_device(device)

Ops take tensors of one device, in the shapes of the vendor's library, and raise RuntimeError, TypeError or ValueError with
the op's name, what it got and what it takes. docs/ttnn.md has the table of ops."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ttsim.eager.config import CONFIG
from ttsim.eager.surface import near as _near

from . import convolution as _convolution
from . import creation as _creation
from . import decorators as _decorators
from . import device as device
from . import experimental, graph, kv_cache, model_preprocessing, operations, ops, tracer, transformer
from . import mesh as _mesh
from . import tensor as _tensor
from . import traces as _traces
from . import types as _types
from .convolution import *  # noqa: F403
from .creation import *  # noqa: F403
from .decorators import *  # noqa: F403
from .device import *  # noqa: F403
from .mesh import *  # noqa: F403
from .refused import refused as _refused
from .tensor import *  # noqa: F403
from .traces import *  # noqa: F403
from .types import *  # noqa: F403

globals().update(ops.functions("", "ttnn"))


def get_golden_function(operation: Any) -> Callable[..., Any]:
    """The op in torch: a function of torch tensors. RuntimeError for a function without one, whose remedy is
    attach_golden_function()."""
    found = getattr(operation, "golden_function", None)
    if found is None:
        raise RuntimeError(f"ttnn.get_golden_function: {getattr(operation, '__name__', operation)!r} has no golden function; "
                           "set one with ttnn.attach_golden_function(operation, function)")
    made: Callable[..., Any] = found
    return made


class manage_config:
    """Sets a field of ttnn.CONFIG in a block."""

    def __init__(self, name: str, value: Any) -> None:
        if not hasattr(CONFIG, name):
            raise AttributeError(f"ttnn.CONFIG has no field '{name}'{_near(name, vars(CONFIG))}")
        self.name, self.value = name, value

    def __enter__(self) -> None:
        self.before = getattr(CONFIG, self.name)
        setattr(CONFIG, self.name, self.value)

    def __exit__(self, *error: Any) -> None:
        setattr(CONFIG, self.name, self.before)


def __getattr__(name: str) -> Any:
    return _refused(name, "ttnn", globals())


_ = (_convolution, _creation, _decorators, _mesh, _tensor, _traces, _types, experimental, graph, kv_cache, model_preprocessing, operations,
     tracer, transformer)
