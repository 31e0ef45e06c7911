"""Ops. All return new tensors on the device of their inputs and take the keyword `output_mem_config`. Tensors on the host go
to the default device, and the result comes back if no input was on a device; these steps are counted."""
from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

from ttsim.eager import DataType, EagerTensor, Layout, MemoryConfig
from ttsim.eager import ops as _all_ops  # noqa: F401 (fills the table)
from ttsim.eager.surface import call, create

from ..device import Device, default_for
from .tensor import Tensor


class BcastOpMath(enum.Enum):
    """Ops of bcast()."""
    ADD = 0
    SUB = 1
    MUL = 2


class BcastOpDim(enum.Enum):
    """H: one row for all rows; W: one column for all columns; HW: one number for a slice."""
    H = 0
    W = 1
    HW = 2


class ReduceOpMath(enum.Enum):
    """Ops of reduce()."""
    SUM = 0
    MAX = 1
    MIN = 2


class ReduceOpDim(enum.Enum):
    """H: over rows; W: over columns; HW: over both."""
    H = 0
    W = 1
    HW = 2


def _formatted(who: str, values: Sequence[Any]) -> tuple[list[Any], bool]:
    """Operands on a device, and whether all were on the host. TypeError for other values in place of tensors."""
    tensors = [one for one in values if isinstance(one, EagerTensor)]
    if not tensors:
        raise TypeError(f"tt_lib.tensor.{who}: no operand is a Tensor (got {', '.join(type(one).__name__ for one in values)})")
    hosted = all(not one.on_device for one in tensors)
    if not any(not one.on_device for one in tensors):
        return list(values), False
    device = default_for(f"tt_lib.tensor.{who}") if hosted else next(one._device for one in tensors if one.on_device)
    assert device is not None
    made = []
    for one in values:
        if isinstance(one, EagerTensor) and not one.on_device:
            if one._layout is Layout.ROW_MAJOR:
                device.hidden.tilize += 1
            if one._shape[-1] % 32 or one._shape[-2] % 32:
                device.hidden.pad += 1
            held = type(one)(one._shape, one._dtype, Layout.TILE, host=one.host_values(who))
            one = held.to_device(device, op=f"tt_lib.tensor.{who}")
        made.append(one)
    return made, hosted


def _run(who: str, name: str, operands: Sequence[Any], *args: Any, output_mem_config: MemoryConfig | None = None,
         **kwargs: Any) -> Any:
    given, hosted = _formatted(who, operands)
    made = call(name, f"tt_lib.tensor.{who}", *given, *args, memory=output_mem_config, **kwargs)
    return _back(made, hosted)


def _back(made: Any, hosted: bool) -> Any:
    if not hosted:
        return made
    if isinstance(made, tuple):
        return tuple(_back(one, True) for one in made)
    made._device.hidden.untilize += 1
    read = made.to_host("tt_lib.tensor")
    return type(made)(read._shape, read._dtype, Layout.ROW_MAJOR, host=read._host)


def _unary(names: str, table: str = "") -> dict[str, Callable[..., Any]]:
    made = {}
    for name in names.split():
        def op(x: Tensor, *args: Any, _name: str = name, _table: str = table or name,
               output_mem_config: MemoryConfig | None = None) -> Tensor:
            result: Tensor = _run(_name, _table, [x], *args, output_mem_config=output_mem_config)
            return result
        op.__name__ = op.__qualname__ = name
        op.__doc__ = f"{name} of each element."
        made[name] = op
    return made


def _binary(names: str, table: str = "", tensors_only: bool = True) -> dict[str, Callable[..., Any]]:
    made = {}
    for name in names.split():
        def op(a: Any, b: Any, *args: Any, _name: str = name, _table: str = table or name,
               output_mem_config: MemoryConfig | None = None) -> Tensor:
            if tensors_only and isinstance(a, EagerTensor) and isinstance(b, EagerTensor) and a._shape != b._shape:
                raise ValueError(f"tt_lib.tensor.{_name}: the shapes {list(a._shape)} and {list(b._shape)} differ; use bcast()")
            result: Tensor = _run(_name, _table, [a, b], *args, output_mem_config=output_mem_config)
            return result
        op.__name__ = op.__qualname__ = name
        op.__doc__ = f"{name} of two tensors of one shape, each element."
        made[name] = op
    return made


globals().update(_unary(
    "exp sqrt log sigmoid tanh gelu relu abs square sin cos sign log2 log10 relu6 relu_max relu_min leaky_relu elu rsqrt erf "
    "erfc erfinv exp2 expm1 heaviside i0 tan asin acos atan gtz gez ltz lez eqz nez isinf isnan isfinite logical_not neg silu "
    "swish mish softplus log1p log_sigmoid hardtanh hardsigmoid hardswish hardshrink softshrink softsign tanhshrink threshold "
    "clip cbrt sinh cosh asinh acosh atanh deg2rad rad2deg polyval rpow rdiv glu reglu geglu swiglu tril triu"))
globals().update(_unary("recip", "reciprocal") | _unary("power", "pow"))
globals().update(_binary("add sub mul squared_difference hypot logaddexp logaddexp2 ldexp xlogy atan2 gt lt eq ne isclose bias_gelu"))
globals().update(_binary("gte", "ge") | _binary("lte", "le") | _binary("max", "maximum") | _binary("min", "minimum"))
globals().update(_binary("add_unary", "add", False) | _binary("sub_unary", "subtract", False) |
                 _binary("mul_unary", "multiply", False) | _binary("div_unary", "divide", False) |
                 _binary("logical_and logical_or logical_xor"))


def add1(x: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """x + 1."""
    made: Tensor = _run("add1", "add", [x], 1.0, output_mem_config=output_mem_config)
    return made


def rsub(x: Tensor, value: float, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """value - x."""
    made: Tensor = _run("rsub", "rsub", [x], value, output_mem_config=output_mem_config)
    return made


def addcmul(a: Tensor, b: Tensor, c: Tensor, value: float = 1.0, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """a + value * b * c."""
    made: Tensor = _run("addcmul", "addcmul", [a, b, c], value, output_mem_config=output_mem_config)
    return made


def addcdiv(a: Tensor, b: Tensor, c: Tensor, value: float = 1.0, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """a + value * b / c."""
    made: Tensor = _run("addcdiv", "addcdiv", [a, b, c], value, output_mem_config=output_mem_config)
    return made


def mac(a: Tensor, b: Any, c: Any, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """a * b + c."""
    made: Tensor = _run("mac", "mac", [a, b, c], output_mem_config=output_mem_config)
    return made


def lerp(a: Tensor, b: Tensor, weight: Any, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """a + weight * (b - a)."""
    made: Tensor = _run("lerp", "lerp", [a, b, weight], output_mem_config=output_mem_config)
    return made


def where(mask: Tensor, a: Any, b: Any, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """a where mask is not 0, else b."""
    made: Tensor = _run("where", "where", [mask, a, b], output_mem_config=output_mem_config)
    return made


def bcast(a: Tensor, b: Tensor, math: BcastOpMath, dim: BcastOpDim, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """a [N, C, H, W] with b: its first row for every row (H), its first column for every column (W), or its first element
    (HW). N and C of b are those of a, or 1. ValueError for shapes that do not fit."""
    (given_a, given_b), hosted = _formatted("bcast", [a, b])
    n, c, h, w = given_b._shape
    rows, columns = (h if dim is BcastOpDim.W else 1), (w if dim is BcastOpDim.H else 1)
    if (dim is not BcastOpDim.W and dim is not BcastOpDim.HW and w != a._shape[3]) or (dim is BcastOpDim.W and h != a._shape[2]) or \
            n not in (1, a._shape[0]) or c not in (1, a._shape[1]):
        raise ValueError(f"tt_lib.tensor.bcast: {list(b._shape)} does not broadcast along {dim.name} of {list(a._shape)}")
    part = given_b if (rows, columns) == (h, w) else call("slice", "tt_lib.tensor.bcast", given_b, [0] * 4, [n, c, rows, columns])
    name = {BcastOpMath.ADD: "add", BcastOpMath.SUB: "subtract", BcastOpMath.MUL: "multiply"}[math]
    made: Tensor = _back(call(name, "tt_lib.tensor.bcast", given_a, part, memory=output_mem_config), hosted)
    return made


def reduce(a: Tensor, math: ReduceOpMath, dim: ReduceOpDim, scaler: float = 1.0,
           output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Sum or extreme over rows (H), columns (W) or both, times scaler: the result has 32 rows or columns there, the value in
    the first and 0 in the others."""
    (given,), hosted = _formatted("reduce", [a])
    axes = {ReduceOpDim.H: [2], ReduceOpDim.W: [3], ReduceOpDim.HW: [2, 3]}[dim]
    who = "tt_lib.tensor.reduce"
    if math is ReduceOpMath.SUM:
        made = call("sum", who, given, axes, True, float(scaler))
    else:
        made = call("max" if math is ReduceOpMath.MAX else "min", who, given, axes, True)
        made = made if scaler == 1 else call("multiply", who, made, float(scaler))
    pads = [(0, 0), (0, 0), (0, 31 if 2 in axes else 0), (0, 31 if 3 in axes else 0)]
    result: Tensor = _back(call("pad", who, made, pads, 0.0, memory=output_mem_config), hosted)
    return result


def sum(x: Tensor, dim: int, output_mem_config: MemoryConfig | None = None) -> Tensor:  # noqa: A001
    """Sum over one axis, which stays with size 1."""
    made: Tensor = _run("sum", "sum", [x], dim, True, output_mem_config=output_mem_config)
    return made


def global_sum(x: Tensor) -> Tensor:
    """Sum over all elements: [1, 1, 1, 1]."""
    made: Tensor = _run("global_sum", "sum", [x], None, True)
    return made


def global_mean(x: Tensor) -> Tensor:
    """Mean over all elements: [1, 1, 1, 1]."""
    made: Tensor = _run("global_mean", "mean", [x], None, True)
    return made


def mean_hw(x: Tensor) -> Tensor:
    """Mean over height and width."""
    made: Tensor = _run("mean_hw", "mean", [x], [2, 3], True)
    return made


def std_hw(x: Tensor) -> Tensor:
    """Standard deviation over height and width."""
    made: Tensor = _run("std_hw", "std", [x], [2, 3], True)
    return made


def matmul(a: Tensor, b: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """[N, C, M, K] by [1, 1, K, W]. ValueError for other shapes; bmm() multiplies slices."""
    if isinstance(b, EagerTensor) and tuple(b._shape[:2]) != (1, 1):
        raise ValueError(f"tt_lib.tensor.matmul: N and C of the second operand are 1, not {list(b._shape[:2])}; use bmm()")
    made: Tensor = _run("matmul", "matmul", [a, b], output_mem_config=output_mem_config)
    return made


def bmm(a: Tensor, b: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """[N, C, M, K] by [N, C, K, W], slice by slice."""
    if isinstance(a, EagerTensor) and isinstance(b, EagerTensor) and a._shape[:2] != b._shape[:2]:
        raise ValueError(f"tt_lib.tensor.bmm: N and C of both operands are equal, not {list(a._shape[:2])} and {list(b._shape[:2])}; use matmul()")
    made: Tensor = _run("bmm", "matmul", [a, b], output_mem_config=output_mem_config)
    return made


def softmax(x: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Over the last axis."""
    made: Tensor = _run("softmax", "softmax", [x], -1, output_mem_config=output_mem_config)
    return made


def scale_mask_softmax_in_place(scale: float, mask: Tensor, x: Tensor) -> Tensor:
    """softmax(scale * x + mask) over the last axis, in the memory of x."""
    made = _run("scale_mask_softmax_in_place", "scale_mask_softmax", [x], scale, mask)
    return _in_place(x, made)


def softmax_in_place(x: Tensor) -> Tensor:
    """softmax(), in the memory of x."""
    return _in_place(x, softmax(x))


def _in_place(x: Tensor, made: Tensor) -> Tensor:
    x.free()
    x._buffer, made._buffer = made._buffer, None
    x._host, made._host = made._host, None
    x._device, x._layout = made._device, made._layout
    return x


def layernorm(x: Tensor, eps: float, gamma: Tensor | None = None, beta: Tensor | None = None,
              output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Normalization over the last axis, times gamma plus beta (the first row of each)."""
    (given,), hosted = _formatted("layernorm", [x])
    width = given._shape[-1]

    def row(one: Tensor | None) -> Any:
        if one is None or one._shape.volume() == width:
            return one
        return call("slice", "tt_lib.tensor.layernorm", one, [0] * 4, [1, 1, 1, width])
    made: Tensor = _back(call("layer_norm", "tt_lib.tensor.layernorm", given, eps, row(gamma), row(beta),
                              memory=output_mem_config), hosted)
    return made


def add_layernorm(a: Tensor, b: Tensor, eps: float, gamma: Tensor | None = None, beta: Tensor | None = None) -> Tensor:
    """layernorm() of a + b."""
    return layernorm(_run("add_layernorm", "add", [a, b]), eps, gamma, beta)


def rmsnorm(x: Tensor, eps: float, gamma: Tensor | None = None, beta: Tensor | None = None) -> Tensor:
    """x / sqrt(mean(x^2) + eps) over the last axis, times gamma plus beta."""
    made: Tensor = _run("rmsnorm", "rms_norm", [x], eps, gamma, beta)
    return made


def _move(name: str, table: str, order: Sequence[int]) -> Callable[..., Any]:
    def op(x: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
        made: Tensor = _run(name, table, [x], list(order), output_mem_config=output_mem_config)
        return made
    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"The axes in the order {list(order)}."
    return op


transpose, transpose_hc = _move("transpose", "permute", (0, 1, 3, 2)), _move("transpose_hc", "permute", (0, 2, 1, 3))
transpose_cn = _move("transpose_cn", "permute", (1, 0, 2, 3))
transpose_hc_rm = _move("transpose_hc_rm", "permute", (0, 2, 1, 3))


def permute(x: Tensor, n: int, c: int, h: int, w: int, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """The axes in another order."""
    made: Tensor = _run("permute", "permute", [x], [n, c, h, w], output_mem_config=output_mem_config)
    return made


def reshape(x: Tensor, n: int, c: int, h: int, w: int, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """The same elements in another shape; in TILE layout with height and width that are multiples of 32."""
    if isinstance(x, EagerTensor) and x._layout is Layout.TILE and (h % 32 or w % 32) and min(h, w) > 0:
        raise ValueError(f"tt_lib.tensor.reshape: in TILE layout height and width are multiples of 32, not {h} x {w}")
    made: Tensor = _run("reshape", "reshape", [x], (n, c, h, w), output_mem_config=output_mem_config)
    return made


def concat(tensors: list[Tensor], dim: int = 0, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Tensors one after the other along an axis."""
    given, hosted = _formatted("concat", tensors)
    made: Tensor = _back(call("concat", "tt_lib.tensor.concat", given, dim, memory=output_mem_config), hosted)
    return made


def split_last_dim_two_chunks_tiled(x: Tensor) -> list[Tensor]:
    """Both halves along the last axis."""
    return list(_run("split_last_dim_two_chunks_tiled", "chunk", [x], 2, -1))


def repeat(x: Tensor, shape: Sequence[int]) -> Tensor:
    """Copies beside each other along every axis."""
    made: Tensor = _run("repeat", "repeat", [x], list(shape))
    return made


globals().update(_unary("clone move assign"))


def pad(x: Tensor, output_shape: Sequence[int], input_start: Sequence[int], value: float) -> Tensor:
    """Placed at `input_start` in a tensor of `value`."""
    pairs = [(start, size - start - own) for own, size, start in zip(x._shape, output_shape, input_start, strict=True)]
    made: Tensor = _run("pad", "pad", [x], pairs, value)
    return made


def unpad(x: Tensor, start: Sequence[int], end: Sequence[int]) -> Tensor:
    """Elements start .. end, the end included."""
    made: Tensor = _run("unpad", "slice", [x], list(start), [n + 1 for n in end])
    return made


def tilize(x: Tensor) -> Tensor:
    """In TILE layout, on the device. ValueError for sizes that are not multiples of 32."""
    from .tensor import check_shape
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


def _create(name: str, args: Sequence[Any], data_type: DataType, layout: Layout, device: Device | None,
            output_mem_config: MemoryConfig | None) -> Tensor:
    made: Tensor = create(name, f"tt_lib.tensor.{name}", Tensor, *args, dtype=data_type, layout=layout,
                          device=None if device is None else device.eager(f"tt_lib.tensor.{name}"), memory=output_mem_config)
    return made


def full(shape: Sequence[int], fill_value: float, data_type: DataType = DataType.BFLOAT16, layout: Layout = Layout.ROW_MAJOR,
         device: Device | None = None, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """All elements equal."""
    return _create("full", [shape, fill_value], data_type, layout, device, output_mem_config)


def zeros(shape: Sequence[int], data_type: DataType = DataType.BFLOAT16, layout: Layout = Layout.ROW_MAJOR,
          device: Device | None = None, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """All elements 0."""
    return _create("zeros", [shape], data_type, layout, device, output_mem_config)


def ones(shape: Sequence[int], data_type: DataType = DataType.BFLOAT16, layout: Layout = Layout.ROW_MAJOR,
         device: Device | None = None, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """All elements 1."""
    return _create("ones", [shape], data_type, layout, device, output_mem_config)


def empty(shape: Sequence[int], data_type: DataType = DataType.BFLOAT16, layout: Layout = Layout.ROW_MAJOR,
          device: Device | None = None, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Elements of no certain value; here 0."""
    return _create("empty", [shape], data_type, layout, device, output_mem_config)


def _like(x: Tensor, value: float) -> Tensor:
    made: Tensor = create("full", "tt_lib.tensor.full_like", Tensor, x._shape, value, dtype=x._dtype, layout=x._layout,
                          device=x._device, memory=x._memory)
    return made


def full_like(x: Tensor, value: float) -> Tensor:
    """All elements equal, like another tensor."""
    return _like(x, float(value))


def zeros_like(x: Tensor) -> Tensor:
    """Zeros like another tensor."""
    return _like(x, 0.0)


def ones_like(x: Tensor) -> Tensor:
    """Ones like another tensor."""
    return _like(x, 1.0)


def arange(start: float, end: float, step: float = 1, device: Device | None = None,
           output_mem_config: MemoryConfig | None = None) -> Tensor:
    """start, start + step, ... below end: [1, 1, 1, n]."""
    made = create("arange", "tt_lib.tensor.arange", Tensor, start, end, step, dtype=DataType.BFLOAT16, layout=Layout.ROW_MAJOR,
                  device=None)
    held = Tensor.from_host(made.host_values("arange").reshape(1, 1, 1, -1), DataType.BFLOAT16, Layout.ROW_MAJOR)
    result: Tensor = held if device is None else held.to(device, output_mem_config)
    return result


def embeddings(table: Tensor, ids: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Rows of a table [1, 1, V, D] by ids [N, 1, 1, S]: [N, 1, S, D]."""
    who = "tt_lib.tensor.embeddings"
    flat = call("reshape", who, ids, (ids._shape[0], 1, ids._shape[-1]))
    made: Tensor = call("embedding", who, flat, table, memory=output_mem_config, layout=table._layout)
    return made


def nlp_concat_heads(x: Tensor) -> Tensor:
    """[B, H, S, D] -> [B, 1, S, H * D]."""
    made: Tensor = _run("nlp_concat_heads", "experimental.nlp_concat_heads", [x])
    return made


def rotary_embedding(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """x cos + rotate_half(x) sin."""
    made: Tensor = _run("rotary_embedding", "experimental.rotary_embedding", [x, cos, sin])
    return made


__all__ = [name for name, value in dict(globals()).items()  # noqa: PLE0605
           if not name.startswith("_") and (name.startswith(("Bcast", "Reduce")) or
                                            getattr(value, "__module__", "") == __name__ and callable(value))]
