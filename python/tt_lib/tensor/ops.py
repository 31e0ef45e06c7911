"""Ops. All return new tensors on the device of their inputs and take the keyword `output_mem_config`. Tensors on the host go
to the default device, and the result comes back if no input was on a device; these steps are counted."""
from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

from ttsim.eager import EagerTensor, Layout, MemoryConfig
from ttsim.eager import ops as _all_ops  # noqa: F401 (fills the table)
from ttsim.eager.surface import call

from ..device import default_for
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


def formatted(who: str, values: Sequence[Any]) -> tuple[list[Any], bool]:
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


def run_op(who: str, name: str, operands: Sequence[Any], *args: Any, output_mem_config: MemoryConfig | None = None,
         **kwargs: Any) -> Any:
    given, hosted = formatted(who, operands)
    made = call(name, f"tt_lib.tensor.{who}", *given, *args, memory=output_mem_config, **kwargs)
    return returned(made, hosted)


def returned(made: Any, hosted: bool) -> Any:
    if not hosted:
        return made
    if isinstance(made, tuple):
        return tuple(returned(one, True) for one in made)
    made._device.hidden.untilize += 1
    read = made.to_host("tt_lib.tensor")
    return type(made)(read._shape, read._dtype, Layout.ROW_MAJOR, host=read._host)


def unary(names: str, table: str = "") -> dict[str, Callable[..., Any]]:
    made = {}
    for name in names.split():
        def op(x: Tensor, *args: Any, _name: str = name, _table: str = table or name,
               output_mem_config: MemoryConfig | None = None) -> Tensor:
            result: Tensor = run_op(_name, _table, [x], *args, output_mem_config=output_mem_config)
            return result
        op.__name__ = op.__qualname__ = name
        op.__doc__ = f"{name} of each element."
        made[name] = op
    return made


def binary(names: str, table: str = "", tensors_only: bool = True) -> dict[str, Callable[..., Any]]:
    made = {}
    for name in names.split():
        def op(a: Any, b: Any, *args: Any, _name: str = name, _table: str = table or name,
               output_mem_config: MemoryConfig | None = None) -> Tensor:
            if tensors_only and isinstance(a, EagerTensor) and isinstance(b, EagerTensor) and a._shape != b._shape:
                raise ValueError(f"tt_lib.tensor.{_name}: the shapes {list(a._shape)} and {list(b._shape)} differ; use bcast()")
            result: Tensor = run_op(_name, _table, [a, b], *args, output_mem_config=output_mem_config)
            return result
        op.__name__ = op.__qualname__ = name
        op.__doc__ = f"{name} of two tensors of one shape, each element."
        made[name] = op
    return made


globals().update(unary(
    "exp sqrt log sigmoid tanh gelu relu abs square sin cos sign log2 log10 relu6 relu_max relu_min leaky_relu elu rsqrt erf "
    "erfc erfinv exp2 expm1 heaviside i0 tan asin acos atan gtz gez ltz lez eqz nez isinf isnan isfinite logical_not neg silu "
    "swish mish softplus log1p log_sigmoid hardtanh hardsigmoid hardswish hardshrink softshrink softsign tanhshrink threshold "
    "clip cbrt sinh cosh asinh acosh atanh deg2rad rad2deg polyval rpow rdiv glu reglu geglu swiglu tril triu"))
globals().update(unary("recip", "reciprocal") | unary("power", "pow"))
globals().update(unary(
    "celu selu prelu logit frac round trunc floor ceil signbit isposinf isneginf lgamma digamma multigammaln polygamma bitwise_not"))
globals().update(binary("add sub mul squared_difference hypot logaddexp logaddexp2 ldexp xlogy atan2 gt lt eq ne isclose bias_gelu "
                        "addalpha subalpha nextafter"))
globals().update(binary("outer", tensors_only=False))
globals().update(binary("gte", "ge") | binary("lte", "le") | binary("max", "maximum") | binary("min", "minimum"))
globals().update(binary("add_unary", "add", False) | binary("sub_unary", "subtract", False) |
                 binary("mul_unary", "multiply", False) | binary("div_unary", "divide", False) |
                 binary("logical_and logical_or logical_xor"))


def add1(x: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """x + 1."""
    made: Tensor = run_op("add1", "add", [x], 1.0, output_mem_config=output_mem_config)
    return made


def rsub(x: Tensor, value: float, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """value - x."""
    made: Tensor = run_op("rsub", "rsub", [x], value, output_mem_config=output_mem_config)
    return made


def addcmul(a: Tensor, b: Tensor, c: Tensor, value: float = 1.0, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """a + value * b * c."""
    made: Tensor = run_op("addcmul", "addcmul", [a, b, c], value, output_mem_config=output_mem_config)
    return made


def addcdiv(a: Tensor, b: Tensor, c: Tensor, value: float = 1.0, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """a + value * b / c."""
    made: Tensor = run_op("addcdiv", "addcdiv", [a, b, c], value, output_mem_config=output_mem_config)
    return made


def mac(a: Tensor, b: Any, c: Any, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """a * b + c."""
    made: Tensor = run_op("mac", "mac", [a, b, c], output_mem_config=output_mem_config)
    return made


def lerp(a: Tensor, b: Tensor, weight: Any, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """a + weight * (b - a)."""
    made: Tensor = run_op("lerp", "lerp", [a, b, weight], output_mem_config=output_mem_config)
    return made


def where(mask: Tensor, a: Any, b: Any, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """a where mask is not 0, else b."""
    made: Tensor = run_op("where", "where", [mask, a, b], output_mem_config=output_mem_config)
    return made


def bcast(a: Tensor, b: Tensor, math: BcastOpMath, dim: BcastOpDim, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """a [N, C, H, W] with b: its first row for every row (H), its first column for every column (W), or its first element
    (HW). N and C of b are those of a, or 1. ValueError for shapes that do not fit."""
    (given_a, given_b), hosted = formatted("bcast", [a, b])
    n, c, h, w = given_b._shape
    rows, columns = (h if dim is BcastOpDim.W else 1), (w if dim is BcastOpDim.H else 1)
    if (dim is not BcastOpDim.W and dim is not BcastOpDim.HW and w != a._shape[3]) or (dim is BcastOpDim.W and h != a._shape[2]) or \
            n not in (1, a._shape[0]) or c not in (1, a._shape[1]):
        raise ValueError(f"tt_lib.tensor.bcast: {list(b._shape)} does not broadcast along {dim.name} of {list(a._shape)}")
    part = given_b if (rows, columns) == (h, w) else call("slice", "tt_lib.tensor.bcast", given_b, [0] * 4, [n, c, rows, columns])
    name = {BcastOpMath.ADD: "add", BcastOpMath.SUB: "subtract", BcastOpMath.MUL: "multiply"}[math]
    made: Tensor = returned(call(name, "tt_lib.tensor.bcast", given_a, part, memory=output_mem_config), hosted)
    return made


def reduce(a: Tensor, math: ReduceOpMath, dim: ReduceOpDim, scaler: float = 1.0,
           output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Sum or extreme over rows (H), columns (W) or both, times scaler: the result has 32 rows or columns there, the value in
    the first and 0 in the others."""
    (given,), hosted = formatted("reduce", [a])
    axes = {ReduceOpDim.H: [2], ReduceOpDim.W: [3], ReduceOpDim.HW: [2, 3]}[dim]
    who = "tt_lib.tensor.reduce"
    if math is ReduceOpMath.SUM:
        made = call("sum", who, given, axes, True, float(scaler))
    else:
        made = call("max" if math is ReduceOpMath.MAX else "min", who, given, axes, True)
        made = made if scaler == 1 else call("multiply", who, made, float(scaler))
    pads = [(0, 0), (0, 0), (0, 31 if 2 in axes else 0), (0, 31 if 3 in axes else 0)]
    result: Tensor = returned(call("pad", who, made, pads, 0.0, memory=output_mem_config), hosted)
    return result


def sum(x: Tensor, dim: int, output_mem_config: MemoryConfig | None = None) -> Tensor:  # noqa: A001
    """Sum over one axis, which stays with size 1."""
    made: Tensor = run_op("sum", "sum", [x], dim, True, output_mem_config=output_mem_config)
    return made


def global_sum(x: Tensor) -> Tensor:
    """Sum over all elements: [1, 1, 1, 1]."""
    made: Tensor = run_op("global_sum", "sum", [x], None, True)
    return made


def global_mean(x: Tensor) -> Tensor:
    """Mean over all elements: [1, 1, 1, 1]."""
    made: Tensor = run_op("global_mean", "mean", [x], None, True)
    return made


def mean_hw(x: Tensor) -> Tensor:
    """Mean over height and width."""
    made: Tensor = run_op("mean_hw", "mean", [x], [2, 3], True)
    return made


def std_hw(x: Tensor) -> Tensor:
    """Standard deviation over height and width."""
    made: Tensor = run_op("std_hw", "std", [x], [2, 3], True)
    return made


def matmul(a: Tensor, b: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """[N, C, M, K] by [1, 1, K, W]. ValueError for other shapes; bmm() multiplies slices."""
    if isinstance(b, EagerTensor) and tuple(b._shape[:2]) != (1, 1):
        raise ValueError(f"tt_lib.tensor.matmul: N and C of the second operand are 1, not {list(b._shape[:2])}; use bmm()")
    made: Tensor = run_op("matmul", "matmul", [a, b], output_mem_config=output_mem_config)
    return made


def bmm(a: Tensor, b: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """[N, C, M, K] by [N, C, K, W], slice by slice."""
    if isinstance(a, EagerTensor) and isinstance(b, EagerTensor) and a._shape[:2] != b._shape[:2]:
        raise ValueError(f"tt_lib.tensor.bmm: N and C of both operands are equal, not {list(a._shape[:2])} and {list(b._shape[:2])}; use matmul()")
    made: Tensor = run_op("bmm", "matmul", [a, b], output_mem_config=output_mem_config)
    return made


def cumsum(x: Tensor, dim: int = -1, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Sums of the elements up to each position along an axis."""
    made: Tensor = run_op("cumsum", "cumsum", [x], dim, output_mem_config=output_mem_config)
    return made


def prod(x: Tensor, dim: int, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Product over one axis, which stays with size 1."""
    made: Tensor = run_op("prod", "prod", [x], dim, True, output_mem_config=output_mem_config)
    return made


def argmax(x: Tensor, dim: int = -1, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Position of the first largest element along an axis, which stays with size 1, as UINT32."""
    made: Tensor = run_op("argmax", "argmax", [x], dim, True, output_mem_config=output_mem_config)
    return made


def var_hw(x: Tensor) -> Tensor:
    """Variance over height and width."""
    made: Tensor = run_op("var_hw", "var", [x], [2, 3], True)
    return made


def _normalized(who: str, x: Tensor, axes: Sequence[int] | None) -> Tensor:
    name = f"tt_lib.tensor.{who}"
    (given,), hosted = formatted(who, [x])
    centred = call("subtract", name, given, call("mean", name, given, axes, True))
    made: Tensor = returned(call("divide", name, centred, call("std", name, given, axes, True)), hosted)
    return made


def normalize_hw(x: Tensor) -> Tensor:
    """(x - mean) / deviation over height and width."""
    return _normalized("normalize_hw", x, [2, 3])


def normalize_global(x: Tensor) -> Tensor:
    """(x - mean) / deviation over all elements."""
    return _normalized("normalize_global", x, None)


def softmax(x: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Over the last axis."""
    made: Tensor = run_op("softmax", "softmax", [x], -1, output_mem_config=output_mem_config)
    return made


def scale_mask_softmax_in_place(scale: float, mask: Tensor, x: Tensor) -> Tensor:
    """softmax(scale * x + mask) over the last axis, in the memory of x."""
    made = run_op("scale_mask_softmax_in_place", "scale_mask_softmax", [x], scale, mask)
    return in_place(x, made)


def softmax_in_place(x: Tensor) -> Tensor:
    """softmax(), in the memory of x."""
    return in_place(x, softmax(x))


def in_place(x: Tensor, made: Tensor) -> Tensor:
    x.take_memory(made)
    return x


def layernorm(x: Tensor, eps: float, gamma: Tensor | None = None, beta: Tensor | None = None,
              output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Normalization over the last axis, times gamma plus beta (the first row of each)."""
    (given,), hosted = formatted("layernorm", [x])
    width = given._shape[-1]

    def row(one: Tensor | None) -> Any:
        if one is None or one._shape.volume() == width:
            return one
        return call("slice", "tt_lib.tensor.layernorm", one, [0] * 4, [1, 1, 1, width])
    made: Tensor = returned(call("layer_norm", "tt_lib.tensor.layernorm", given, eps, row(gamma), row(beta),
                              memory=output_mem_config), hosted)
    return made


def add_layernorm(a: Tensor, b: Tensor, eps: float, gamma: Tensor | None = None, beta: Tensor | None = None) -> Tensor:
    """layernorm() of a + b."""
    return layernorm(run_op("add_layernorm", "add", [a, b]), eps, gamma, beta)


def rmsnorm(x: Tensor, eps: float, gamma: Tensor | None = None, beta: Tensor | None = None) -> Tensor:
    """x / sqrt(mean(x^2) + eps) over the last axis, times gamma plus beta."""
    made: Tensor = run_op("rmsnorm", "rms_norm", [x], eps, gamma, beta)
    return made


__all__ = [name for name, value in dict(globals()).items()  # noqa: PLE0605
           if not name.startswith("_") and name not in ("formatted", "run_op", "returned", "unary", "binary", "in_place") and
           (name.startswith(("Bcast", "Reduce")) or getattr(value, "__module__", "") == __name__ and callable(value))]
