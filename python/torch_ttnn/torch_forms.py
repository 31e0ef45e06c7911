"""What targets of a graph compute, as functions of torch: for shapes and dtypes of new nodes, and for graph mode."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
import ttnn
from ttsim.eager import DataType
from ttsim.eager.surface import Operation

from . import target_wrappers as wrappers
from .utils import TtnnBfloat16

Form = Callable[..., Any]
_KEYWORDS = frozenset(("memory_config", "dtype", "layout", "device", "output_tensor", "compute_kernel_config"))


def _same(x: Any, *_: Any, **__: Any) -> Any:
    return x


def is_float_type(kind: Any) -> bool:
    """Whether an element type of ttnn, or what stands for it, is a float."""
    return isinstance(kind, TtnnBfloat16) or (isinstance(kind, DataType) and kind.is_float)


def _typecast(x: torch.Tensor, kind: Any, **_: Any) -> torch.Tensor:
    if is_float_type(kind):
        return x if x.is_floating_point() else x.float()
    return x.to(torch.int32) if x.is_floating_point() or x.dtype == torch.bool else x


def _to_torch(x: torch.Tensor, dtype: torch.dtype | None = None, **_: Any) -> torch.Tensor:
    return x if dtype is None else x.to(dtype)


def _full(shape: Sequence[int], fill_value: float, *, dtype: Any = None, **_: Any) -> torch.Tensor:
    return torch.full(tuple(shape), fill_value, dtype=_kind(dtype))


def _kind(kind: Any) -> torch.dtype:
    return torch.float32 if kind is None or is_float_type(kind) else torch.int64


def _filled(value: float) -> Form:
    return lambda shape, dtype=None, **_: torch.full(tuple(shape), value, dtype=_kind(dtype))


def _arange(start: float, end: float | None = None, step: float = 1, *, dtype: Any = None, **_: Any) -> torch.Tensor:
    first, last = (0, start) if end is None else (start, end)
    return torch.arange(first, last, step, dtype=_kind(dtype))


def _embedding(indices: torch.Tensor, weight: torch.Tensor, **_: Any) -> torch.Tensor:
    return F.embedding(indices.long(), weight.reshape(-1, weight.shape[-1]))


def conv_nchw(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, stride: Sequence[int],
              padding: Sequence[int], dilation: Sequence[int], groups: int, transposed: bool,
              output_padding: Sequence[int]) -> torch.Tensor:
    """A convolution as torch has it."""
    bias = None if bias is None else bias.reshape(-1)
    return torch.convolution(x, weight, bias, list(stride), list(padding), list(dilation), transposed,
                             list(output_padding), groups)


def rows_of(picture: torch.Tensor) -> torch.Tensor:
    """[N, C, ...] -> [1, 1, N * ..., C]."""
    channels = picture.shape[1]
    order = [0, *range(2, picture.dim()), 1]
    return picture.permute(order).reshape(1, 1, -1, channels)


def picture_of(rows: torch.Tensor, batch: int, size: Sequence[int]) -> torch.Tensor:
    """The reverse."""
    channels = rows.shape[-1]
    order = [0, len(size) + 1, *range(1, len(size) + 1)]
    return rows.reshape(batch, *size, channels).permute(order)


def conv_picture(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, batch: int, inner: int, outer: int,
                 size: Sequence[int], kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int],
                 dilation: Sequence[int], groups: int, transposed: bool, output_padding: Sequence[int],
                 device: Any = None) -> torch.Tensor:
    """target_wrappers.conv on [N, C, H, W]."""
    return conv_nchw(x, weight, bias, stride, padding, dilation, groups, transposed, output_padding)


def max_picture(x: torch.Tensor, batch: int, height: int, width: int, channels: int, kernel: Sequence[int],
                stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], ceil_mode: bool = False,
                **_: Any) -> torch.Tensor:
    """ttnn.max_pool2d on [N, C, H, W]."""
    return F.max_pool2d(x, tuple(kernel), tuple(stride), tuple(padding), tuple(dilation), ceil_mode)


def avg_picture(x: torch.Tensor, batch: int, height: int, width: int, channels: int, kernel: Sequence[int],
                stride: Sequence[int], padding: Sequence[int], ceil_mode: bool = False, count_include_pad: bool = True,
                divisor_override: int | None = None, **_: Any) -> torch.Tensor:
    """ttnn.avg_pool2d on [N, C, H, W]."""
    return F.avg_pool2d(x, tuple(kernel), tuple(stride), tuple(padding), ceil_mode, count_include_pad, divisor_override)


# targets that take and return rows [1, 1, N * H * W, C]: their forms on [N, C, H, W], and the arguments with the sizes
PICTURES: dict[Any, tuple[Form, Callable[[tuple[Any, ...]], tuple[int, Sequence[int]]]]] = {
    wrappers.conv: (conv_picture, lambda args: (args[3], args[6])),
    ttnn.max_pool2d: (max_picture, lambda args: (args[1], args[2:4])),
    ttnn.avg_pool2d: (avg_picture, lambda args: (args[1], args[2:4])),
}


def _on_rows(target: Any) -> Form:
    form, sizes = PICTURES[target]

    def call(x: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        batch, size = sizes((x, *args))
        return rows_of(form(picture_of(x, batch, size), *args, **kwargs))
    return call


def _layer_norm(t: torch.Tensor, shape: Sequence[int], weight: Any, bias: Any, eps: float, statistics: bool = False) -> Any:
    if statistics:
        return torch.native_layer_norm(t, list(shape), weight, bias, eps)
    return F.layer_norm(t, list(shape), weight, bias, eps), None, None


def _dropout(t: torch.Tensor, p: float, device: Any = None) -> Any:
    mask = torch.rand(t.shape, device=t.device) >= p
    return t * mask * (1 / (1 - p) if p < 1 else 0.0), mask


def _roll(t: torch.Tensor, shifts: Sequence[int], dims: Sequence[int]) -> torch.Tensor:
    return torch.roll(t, list(shifts), list(dims))


def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, attn_mask: torch.Tensor | None = None,
               is_causal: bool = True, scale: float | None = None, **_: Any) -> torch.Tensor:
    function: Any = ttnn.get_golden_function(ttnn.transformer.scaled_dot_product_attention)
    made: torch.Tensor = function(q, k, v, attn_mask=attn_mask, is_causal=is_causal, scale=scale)
    return made


_FORMS: dict[Any, Form] = {
    ttnn.from_torch: _same, ttnn.to_torch: _to_torch, ttnn.to_device: _same, ttnn.from_device: _same,
    ttnn.to_layout: _same, ttnn.to_memory_config: _same, ttnn.sharded_to_interleaved: _same,
    ttnn.interleaved_to_sharded: _same, ttnn.reshard: _same, ttnn.typecast: _typecast, ttnn.deallocate: lambda *_, **__: None,
    ttnn.full: _full, ttnn.zeros: _filled(0), ttnn.ones: _filled(1), ttnn.empty: _filled(0), ttnn.arange: _arange,
    ttnn.embedding: _embedding,
    ttnn.transformer.scaled_dot_product_attention: _attention,
    wrappers.clone: lambda t: t.clone(), wrappers.repeat: lambda t, sizes: t.repeat(*sizes),
    wrappers.pack_to_tuple: lambda *values: values, wrappers.move_to_host: _same, wrappers.roll: _roll,
    wrappers.stack: lambda tensors, dim: torch.stack(list(tensors), dim),
    wrappers.all: lambda t, dim=None, keepdim=False: torch.all(t) if dim is None else torch.all(t, dim, keepdim),
    wrappers.native_layer_norm: _layer_norm, wrappers.dropout: _dropout, wrappers.replicate_tensor: _same,
    wrappers.shard_tensor: _same, wrappers.concat_tensor: _same,
    **{target: _on_rows(target) for target in PICTURES},
}


def form_of(target: Any) -> Form:
    """The function of torch tensors that a target computes. KeyError for a target without one."""
    if target in _FORMS:
        return _FORMS[target]
    if isinstance(target, Operation):
        function, own = target.golden_function, set(target.op.signature.parameters)

        def call(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **{key: one for key, one in kwargs.items() if key in own or key not in _KEYWORDS})
        return call
    raise KeyError(f"{getattr(target, '__name__', target)} has no form in torch")


def is_ttnn(target: Any) -> bool:
    """Whether a target is a function of ttnn or a wrapper of such."""
    return target in _FORMS or isinstance(target, Operation) or \
        (inspect.isfunction(target) and target.__module__.split(".")[0] == "ttnn")
