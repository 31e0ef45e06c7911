"""Random calls of every op: arguments by a generator of random numbers, and the tolerance of the comparison with torch."""
from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
import torch
import ttnn

import ttsim
from ttsim.eager import all_ops
from ttsim.eager.config import observers

DTYPES = {"bfloat16": ttnn.bfloat16, "float32": ttnn.float32, "bfloat8_b": ttnn.bfloat8_b, "bfloat4_b": ttnn.bfloat4_b}
# share of the largest result that rounding to the format explains, over the handful of steps of an op
TOLERANCE = {"bfloat16": 0.04, "float32": 0.03, "bfloat8_b": 0.1, "bfloat4_b": 0.6}
INTEGERS = {"int32": ttnn.int32, "uint32": ttnn.uint32, "uint16": ttnn.uint16, "uint8": ttnn.uint8}


class Draw:
    """Random arguments of one call; `dtype`: of its float tensors."""

    def __init__(self, seed: int, dtype: str, layout: Any, device: Any) -> None:
        self.random = random.Random(seed)
        self.generator = torch.Generator().manual_seed(seed)
        self.dtype, self.layout, self.device = dtype, layout, device

    def size(self, most: int = 70) -> int:
        return self.random.choice([1, 2, 3, 5, 17, 31, 32, 33, 50, 64, most])

    def shape(self, low: int = 1, high: int = 5) -> list[int]:
        rank = self.random.randint(low, high)
        return [self.random.randint(1, 3) for _ in range(rank - 2)] + [self.size() for _ in range(min(rank, 2))]

    def values(self, shape: list[int], low: float = -3.0, high: float = 3.0) -> torch.Tensor:
        return torch.rand(shape, generator=self.generator) * (high - low) + low

    def tensor(self, shape: list[int] | None = None, low: float = -3.0, high: float = 3.0, dtype: str | None = None) -> Any:
        """On the device, of uniform floats."""
        return ttnn.from_torch(self.values(shape or self.shape(), low, high), dtype=DTYPES[dtype or self.dtype],
                               layout=self.layout, device=self.device)

    def integers(self, shape: list[int], low: int, high: int, dtype: Any = ttnn.uint32) -> Any:
        return ttnn.from_torch(torch.randint(low, high, shape, generator=self.generator), dtype=dtype,
                               layout=ttnn.ROW_MAJOR_LAYOUT, device=self.device)

    def pair(self, low: float = -3.0, high: float = 3.0) -> tuple[Any, Any]:
        """Two tensors whose shapes broadcast."""
        shape = self.shape()
        other = [1 if self.random.random() < 0.25 else size for size in shape][self.random.choice([0, 0, 0, 1]):] or shape
        return self.tensor(shape, low, high), self.tensor(other, low, high)

    def axis(self, tensor: Any) -> int:
        rank = len(tensor.shape)
        return self.random.randint(-rank, rank - 1)

    def number(self) -> float:
        return round(self.random.uniform(0.25, 3), 2) * self.random.choice([1, -1])


Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass
class OpCase:
    """`make`: Draw -> arguments. `exact`: results are torch's bits. `integers`: it takes integers too. `jumps`: a step of
    the function that a rounded operand may cross; then correlation is compared, at `pcc`. `tile`: TILE layout only."""
    make: Callable[[Draw], Arguments]
    exact: bool = False
    integers: bool = False
    jumps: bool = False
    pcc: float = 0.99
    tile: bool = False
    loose: float = 1.0
    floats: tuple[str, ...] = ("bfloat16", "float32", "bfloat8_b", "bfloat4_b")


CASES: dict[str, OpCase] = {}


def _unary(names: str, low: float = -3.0, high: float = 3.0, **properties: Any) -> None:
    for name in names.split():
        CASES[name] = OpCase(lambda d, low=low, high=high: ((d.tensor(low=low, high=high),), {}), **properties)


_WIDE = ("bfloat16", "float32")  # a block float changes operands near a pole too much for a comparison with torch
_unary("abs neg relu relu6 identity clone", integers=False)
_unary("square cos sin sigmoid tanh silu swish softsign mish tanhshrink log_sigmoid hardsigmoid hardswish erf erfc gelu atan "
       "softplus leaky_relu elu celu selu hardtanh clip clamp deg2rad rad2deg i0 i1")
_unary("exp exp2 expm1 sinh cosh cbrt asinh", loose=1.5)
_unary("acos asin", -0.95, 0.95, loose=2)
_unary("atanh erfinv", -0.9, 0.9, floats=_WIDE, loose=2)
_unary("acosh", 1.2, 6, floats=_WIDE, loose=2)
_unary("log log2 log10 rsqrt reciprocal recip log1p lgamma digamma", 0.5, 6, floats=_WIDE)
_unary("sqrt", 0, 6, floats=_WIDE)
_unary("logit", 0.1, 0.9, floats=_WIDE)
_unary("multigammaln", 3, 8, floats=_WIDE)
_unary("tan", -1.2, 1.2, floats=_WIDE, loose=2)
_unary("ceil floor trunc sign round gtz gez ltz lez eqz nez logical_not signbit frac isinf isnan isfinite isposinf isneginf heaviside hardshrink "
       "softshrink", jumps=True, floats=_WIDE)
for _name, _args in (("relu_max", (2.0,)), ("relu_min", (0.5,)), ("rdiv", (2.0,)), ("rpow", (2.0,)), ("polyval", ([1.0, -2.0, 0.5],)),
                     ("polygamma", (2,)), ("tril", ()), ("triu", ()), ("threshold", (0.5, 0.0))):
    _low = 0.5 if _name in ("rdiv", "polygamma") else -2.0
    _rank = 2 if _name in ("tril", "triu") else 1
    CASES[_name] = OpCase(lambda d, a=_args, low=_low, r=_rank: ((d.tensor(d.shape(r), low, 3.0), *a), {}), jumps=_name == "threshold",
                          floats=_WIDE if _name in ("rdiv", "polygamma", "threshold") else OpCase.floats, loose=2)
for _name in ("glu", "reglu", "geglu", "swiglu"):
    CASES[_name] = OpCase(lambda d: ((d.tensor([*d.shape(1, 3), 2 * d.size()]),), {}))


def _binary(names: str, low: float = -3.0, high: float = 3.0, number: bool = True, **properties: Any) -> None:
    for name in names.split():
        def make(d: Draw, low: float = low, high: float = high) -> Arguments:
            a, b = d.pair(low, high)
            return ((a, abs(d.number()) if low > 0 else d.number()) if number and d.random.random() < 0.2 else (a, b)), {}
        CASES[name] = OpCase(make, **properties)


_binary("add subtract multiply sub mul rsub maximum minimum squared_difference bias_gelu")
_binary("divide div atan2 hypot", 0.5, 4, floats=_WIDE)
_binary("floor_div floor_divide remainder fmod div_no_nan", 0.5, 4, jumps=True, floats=_WIDE, pcc=0.9)
_binary("eq ne lt le gt ge logical_and logical_or logical_xor", jumps=True, floats=_WIDE, pcc=0.97)
_binary("logaddexp logaddexp2 ldexp", -2, 2, floats=_WIDE, loose=2)
_binary("xlogy", 0.5, 4, floats=_WIDE)
_binary("nextafter", number=False, floats=("float32",))
_binary("isclose", jumps=True, number=False, floats=_WIDE, pcc=0.9)
_binary("addalpha subalpha", number=False)
CASES["pow"] = OpCase(lambda d: ((d.tensor(low=0.5, high=2.5), d.random.choice([2, 3, 0.5, 1.5])), {}), floats=_WIDE, loose=2)
CASES["power"] = CASES["pow"]
CASES["prelu"] = OpCase(lambda d: ((d.tensor(d.shape(2)), 0.25), {}))
CASES["outer"] = OpCase(lambda d: ((d.tensor([d.size()]), d.tensor([d.size()])), {}))


def _integer_pair(d: Draw) -> Arguments:
    shape = d.shape()
    return (d.integers(shape, 0, 30, ttnn.int32), d.integers(shape, 1, 4, ttnn.int32)), {}


for _name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm"):
    CASES[_name] = OpCase(_integer_pair, exact=True, floats=("bfloat16",))
CASES["bitwise_not"] = OpCase(lambda d: ((d.integers(d.shape(), 0, 30, ttnn.int32),), {}), exact=True, floats=("bfloat16",))


def _three(d: Draw, low: float = 0.5) -> Arguments:
    shape = d.shape()
    return (d.tensor(shape), d.tensor(shape), d.tensor(shape, low, 3.0)), {}


for _name in ("addcmul", "mac", "lerp"):
    CASES[_name] = OpCase(_three)
CASES["addcdiv"] = OpCase(_three, floats=_WIDE)


def _where(d: Draw) -> Arguments:
    shape = d.shape()
    mask = ttnn.from_torch((d.values(shape) > 0).float(), dtype=DTYPES[d.dtype], layout=d.layout, device=d.device)
    return (mask, d.tensor(shape), d.tensor(shape) if d.random.random() < 0.7 else d.number()), {}


CASES["where"] = OpCase(_where)
CASES["masked_fill"] = OpCase(lambda d: (_where(d)[0][1::-1] + (d.number(),), {}))


def _reduced(d: Draw, keep: bool = True) -> Arguments:
    x = d.tensor()
    dim = d.random.choice([None, d.axis(x), d.axis(x)])
    return (x,), {"dim": dim, "keepdim": d.random.random() < 0.5} if keep else {"dim": d.axis(x)}


for _name in ("sum", "mean", "max", "min"):
    CASES[_name] = OpCase(_reduced, loose=1.5)
CASES["moreh_sum"], CASES["moreh_mean"] = CASES["sum"], CASES["mean"]
for _name in ("var", "std"):
    CASES[_name] = OpCase(lambda d: ((d.tensor([d.random.randint(2, 3), 33, 50]),), {"dim": d.random.choice([-1, 1, None])}), loose=2,
                          floats=_WIDE)
for _name in ("all", "any"):
    CASES[_name] = OpCase(_reduced, jumps=True, floats=_WIDE)
CASES["cumsum"] = OpCase(lambda d: _reduced(d, False), loose=1.5)
CASES["moreh_cumsum"] = CASES["cumsum"]
CASES["cumprod"] = OpCase(lambda d: ((d.tensor(low=0.8, high=1.2),), {"dim": -1}), loose=2)
CASES["prod"] = OpCase(lambda d: ((d.tensor(low=0.8, high=1.2),), {"dim": -1}), loose=2)
CASES["argmax"] = OpCase(lambda d: _reduced(d, False), exact=True)
CASES["topk"] = OpCase(lambda d: ((d.tensor([3, 17 + d.size()]), 5), {}), exact=True)
CASES["sort"] = OpCase(lambda d: ((d.tensor(),), {"stable": True}), exact=True)
CASES["global_avg_pool2d"] = OpCase(lambda d: ((d.tensor([1, d.random.randint(2, 9), d.random.randint(2, 9), d.size()]),), {}))
CASES["softmax"] = OpCase(lambda d: _reduced(d, False))
CASES["log_softmax"] = OpCase(lambda d: _reduced(d, False), floats=_WIDE)
CASES["scale_mask_softmax"] = OpCase(lambda d: ((x := d.tensor(d.shape(2)), 0.5, d.tensor(list(x.shape))), {}), tile=True)


def _norm(d: Draw) -> Arguments:
    shape = [*d.shape(1, 3), 32 + d.size()]
    return (d.tensor(shape),), {"epsilon": 1e-5, "weight": d.tensor([shape[-1]], 0.5, 2), "bias": d.tensor([shape[-1]])}


for _name in ("layer_norm", "rms_norm"):
    CASES[_name] = OpCase(_norm, tile=True, loose=1.5, floats=_WIDE)
CASES["group_norm"] = OpCase(lambda d: ((d.tensor([d.random.randint(1, 2), 1, 4 + d.size(), 64]),), {"num_groups": 4, "epsilon": 1e-5}),
                             tile=True, loose=1.5, floats=_WIDE)
CASES["batch_norm"] = OpCase(lambda d: ((d.tensor([2, 5, 6, 33]), d.tensor([5]), d.tensor([5], 0.5, 2)), {"weight": d.tensor([5]),
                                                                                                     "bias": d.tensor([5])}),
                             tile=True, floats=_WIDE)


def _product(d: Draw) -> Arguments:
    m, k, n = d.size(), d.size(), d.size()
    lead = d.shape(1, 2)[:d.random.randint(0, 2)] if d.random.random() < 0.5 else []
    lead = [min(3, size) for size in lead]
    same = d.random.random() < 0.5
    return (d.tensor([*lead, m, k]), d.tensor([*(lead if same else []), k, n])), {}


CASES["matmul"] = OpCase(_product, tile=True)
CASES["linear"] = OpCase(lambda d: ((*(given := _product(d)[0]),), {"bias": d.tensor([given[1].shape[-1]]), "activation": d.random.choice([None, "relu", "gelu"])}),
                         tile=True)
CASES["addmm"] = OpCase(lambda d: ((d.tensor([17, 40]), d.tensor([17, 33]), d.tensor([33, 40])), {"alpha": 2.0, "beta": 0.5}), tile=True)
CASES["moreh_dot"] = OpCase(lambda d: ((d.tensor([1, 1, 1, n := d.size()]), d.tensor([1, 1, 1, n])), {}), tile=True, loose=2)
for _name in ("l1_loss", "mse_loss"):
    CASES[_name] = OpCase(lambda d: ((d.tensor(s := d.shape()), d.tensor(s)), {"reduction": d.random.choice(["none", "mean", "sum"])}), loose=2)


def _regrouped(shape: list[int], d: Draw) -> list[int]:
    total = math.prod(shape)
    first = d.random.choice([n for n in range(1, total + 1) if total % n == 0])
    return [first, total // first]


def _moved(name: str, make: Callable[[Draw, Any], Arguments], low: int = 1, **properties: Any) -> None:
    def arguments(d: Draw) -> Arguments:
        x = d.tensor(d.shape(low))
        args, kwargs = make(d, x)
        return (x, *args), kwargs
    CASES[name] = OpCase(arguments, exact=True, **properties)


_moved("reshape", lambda d, x: ((_regrouped(list(x.shape), d),), {}))
_moved("view", lambda d, x: ((_regrouped(list(x.shape), d),), {}))
_moved("squeeze", lambda d, x: ((), {}))
_moved("unsqueeze", lambda d, x: ((d.random.randint(0, len(x.shape)),), {}))
CASES["unsqueeze_to_4D"] = OpCase(lambda d: ((d.tensor(d.shape(1, 4)),), {}), exact=True)
_moved("permute", lambda d, x: ((d.random.sample(range(len(x.shape)), len(x.shape)),), {}))
_moved("transpose", lambda d, x: ((d.axis(x), d.axis(x)), {}))
_moved("split", lambda d, x: ((d.random.randint(1, 20), 0), {}))
_moved("chunk", lambda d, x: ((2, d.axis(x)), {}))
_moved("slice", lambda d, x: (([0] * len(x.shape), [max(1, n // 2) for n in x.shape], [1] * len(x.shape)), {}))
_moved("pad", lambda d, x: (([(0, d.random.randint(0, 5)) for _ in x.shape], 1.0), {}))
_moved("repeat", lambda d, x: (([d.random.randint(1, 2) for _ in x.shape],), {}))
_moved("repeat_interleave", lambda d, x: ((2, d.axis(x)), {}))
_moved("roll", lambda d, x: ((d.random.randint(-5, 5), d.axis(x)), {}))
_moved("flip", lambda d, x: (([d.axis(x)],), {}))
_moved("assign", lambda d, x: ((), {}))
_moved("move", lambda d, x: ((), {}))
_moved("tilize", lambda d, x: ((), {}))
_moved("untilize", lambda d, x: ((), {}), floats=_WIDE)
CASES["expand"] = OpCase(lambda d: ((d.tensor([1, n := d.size()]), [d.random.randint(1, 40), n]), {}), exact=True)
CASES["broadcast_to"] = OpCase(CASES["expand"].make, exact=True)
CASES["concat"] = OpCase(lambda d: (([d.tensor(s := d.shape()), d.tensor(s)],), {"dim": d.random.randint(-len(s), len(s) - 1)}), exact=True)
CASES["concatenate"] = CASES["concat"]
CASES["stack"] = OpCase(lambda d: (([d.tensor(s := d.shape(1, 3)), d.tensor(s)],), {"dim": d.random.randint(0, len(s))}), exact=True)
CASES["embedding"] = OpCase(lambda d: ((d.integers([d.random.randint(1, 3), d.size()], 0, 33), d.tensor([33, d.size()], dtype="bfloat16")), {}),
                            exact=True, floats=("bfloat16",))
CASES["gather"] = OpCase(lambda d: ((d.tensor([7, 40]), 1, d.integers([7, 9], 0, 40)), {}), exact=True)
CASES["index_select"] = OpCase(lambda d: ((d.tensor([33, 40]), 0, d.integers([9], 0, 33)), {}), exact=True)
CASES["scatter"] = OpCase(lambda d: ((d.tensor([7, 40]), 1, d.integers([7, 1], 0, 40), d.tensor([7, 1])), {}), exact=True)
CASES["slice_scatter"] = OpCase(lambda d: ((d.tensor([7, 40]), d.tensor([3, 40]), 0, 2, 5), {}), exact=True)
CASES["upsample"] = OpCase(lambda d: ((d.tensor([1, 5, 6, d.size()]), 2), {}), exact=True)
CASES["indexed_fill"] = OpCase(lambda d: ((d.integers([2], 0, 4), d.tensor([4, 1, 5, 33]), d.tensor([2, 1, 5, 33])), {}), exact=True,
                               floats=_WIDE)
CASES["transformer.split_query_key_value_and_split_heads"] = OpCase(lambda d: ((d.tensor([1, d.size(), 192]),), {"num_heads": 2}), exact=True)
CASES["transformer.concatenate_heads"] = OpCase(lambda d: ((d.tensor([1, 3, d.size(), 32]),), {}), exact=True)
CASES["transformer.attention_softmax"] = OpCase(lambda d: ((d.tensor([1, 2, d.size(), 33]),), {"head_size": 64, "attention_mask": d.tensor([1, 1, 1, 33])}), tile=True)
CASES["transformer.scaled_dot_product_attention"] = OpCase(
    lambda d: ((d.tensor([1, 2, n := d.size(), 32]), d.tensor([1, 2, n, 32]), d.tensor([1, 2, n, 32])), {"is_causal": d.random.random() < 0.5}),
    tile=True, loose=1.5, floats=_WIDE)
CASES["experimental.rotary_embedding"] = OpCase(lambda d: ((d.tensor([1, 2, n := d.size(), 64]), d.tensor([1, 1, n, 64]), d.tensor([1, 1, n, 64])), {}), tile=True)
CASES["experimental.nlp_create_qkv_heads"] = OpCase(lambda d: ((d.tensor([1, 1, d.size(), 192]),), {"num_heads": 2}), exact=True)
CASES["experimental.nlp_concat_heads"] = OpCase(lambda d: ((d.tensor([1, 3, d.size(), 32]),), {}), exact=True)




def _same(name: str) -> None:
    """Ops whose result has the values of the operand."""
    CASES[name] = OpCase(lambda d: ((d.tensor(),), {}), exact=True)


for _name in ("interleaved_to_sharded", "sharded_to_interleaved", "reshard"):
    _same(_name)
for _name in ("interleaved_to_sharded", "reshard"):
    CASES[_name] = OpCase(lambda d: ((d.tensor(), ttnn.L1_HEIGHT_SHARDED_MEMORY_CONFIG), {}), exact=True)
CASES["to_memory_config"] = OpCase(lambda d: ((d.tensor(), d.random.choice([ttnn.L1_MEMORY_CONFIG, ttnn.L1_WIDTH_SHARDED_MEMORY_CONFIG])), {}),
                                   exact=True)
CASES["fill_implicit_tile_padding"] = OpCase(lambda d: ((d.tensor(), 1.0), {}), exact=True)
_moved("experimental.view", lambda d, x: ((_regrouped(list(x.shape), d),), {}))
CASES["tilize_with_val_padding"] = OpCase(lambda d: ((x := d.tensor(), [n + d.random.randint(0, 9) for n in x.shape], 1.5), {}), exact=True)
CASES["untilize_with_unpadding"] = OpCase(lambda d: ((x := d.tensor(), [d.random.randint(0, n - 1) for n in x.shape]), {}), exact=True,
                                          floats=_WIDE)
CASES["alt_complex_rotate90"] = OpCase(lambda d: ((d.tensor([*d.shape(1, 3), 2 * d.size()]),), {}), exact=True)
CASES["softmax_in_place"] = OpCase(lambda d: _reduced(d, False))
CASES["scale_mask_softmax_in_place"] = OpCase(CASES["scale_mask_softmax"].make, tile=True)
CASES["transformer.attention_softmax_"] = OpCase(CASES["transformer.attention_softmax"].make, tile=True)
CASES["operations.moreh.layer_norm"] = OpCase(lambda d: ((x := d.tensor([*d.shape(1, 3), 32 + d.size()]), 1, 1e-5, d.tensor([x.shape[-1]], 0.5, 2),
                                                          d.tensor([x.shape[-1]])), {}), tile=True, loose=1.5, floats=_WIDE)
CASES["fill_cache"] = OpCase(lambda d: ((d.tensor([2, 3, 64, 32]), d.tensor([1, 3, d.random.randint(1, 64), 32]), d.random.randint(0, 1)), {}),
                             exact=True)
CASES["update_cache"] = OpCase(lambda d: ((d.tensor([2, 3, 64, 32]), d.tensor([1, 3, 2, 32]), d.random.randint(0, 63)), {}), exact=True)


def function_of(name: str) -> Any:
    """ttnn's function of this name."""
    found: Any = ttnn
    for part in name.split("."):
        found = getattr(found, part)
    return found


_OWN_LAYOUT = ("tilize", "untilize", "embedding", "indexed_fill", "tilize_with_val_padding", "untilize_with_unpadding")


class Watch:
    """Keeps the operands of the last op of the chip, as they were before it."""

    def __init__(self) -> None:
        self.operands: list[torch.Tensor] = []

    def __call__(self, event: str, op: str, details: Any) -> None:
        if event == "run" and details.op.kind == "chip":
            self.operands = [one.peek("check") for one in details.tensors]

    def __enter__(self) -> Watch:
        observers.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        observers.remove(self)


def bits_of_netlist(device: Any, operands: list[torch.Tensor]) -> list[Any] | None:
    """The results of the last program of the chip, as `ttsim run` of its netlist computes them, rounded to the tensors'
    formats; None if the last launches had no program."""
    program = next((one.program for one in reversed(device.launches) if one.kind == "chip"), None)
    if program is None:
        return None
    names = [info.name for info in program.compiled.inputs]
    values = {key: operands[place].numpy() for key, place in zip(names, program.order, strict=True)}
    made = []
    for spec, result in zip(program.specs, ttsim.Model(program.compiled, engine="full").run(values).values(), strict=True):
        buffer = device.session.write(spec, result)
        made.append(device.session.peek(buffer))
        device.session.free(buffer)
    return made


def check(name: str, seed: int, device: Any, bits: bool = False) -> str:
    """One random call; "" if the result is torch's within the tolerance, else what is wrong. `bits`: the result of an op of
    the chip must also have the bits of `ttsim run` of its netlist."""
    case = CASES[name]
    chosen = random.Random(f"{name}{seed}")
    dtype = chosen.choice(case.floats)
    layout = ttnn.TILE_LAYOUT if case.tile or dtype.endswith("_b") or chosen.random() < 0.5 else ttnn.ROW_MAJOR_LAYOUT
    args, kwargs = case.make(Draw(chosen.randint(0, 1 << 30), dtype, layout, device))

    def plain(value: Any) -> Any:
        if isinstance(value, ttnn.Tensor):
            return value.peek("check")
        return type(value)(plain(one) for one in value) if isinstance(value, (list, tuple)) else value
    golden_function = all_ops()[name].function
    names = list(inspect.signature(golden_function).parameters)
    given = [one for one in plain(args) if not isinstance(one, ttnn.MemoryConfig)]
    golden = golden_function(*given[:len(names)], **{key: plain(one) for key, one in kwargs.items()})  # before the op: it may write into an operand
    device.launches.clear()
    with Watch() as watch:
        made = function_of(name)(*args, **kwargs)
    pairs = zip(golden if isinstance(golden, tuple) else (golden,), made if isinstance(made, tuple) else (made,), strict=True)
    what = f"{name}({dtype}, {layout}, {[list(x.shape) for x in args if isinstance(x, ttnn.Tensor)]}, {kwargs}, seed {seed})"
    for expected, result in pairs:
        if tuple(expected.shape) != tuple(result.shape):
            return f"{what}: shape {list(result.shape)}, not {list(expected.shape)}"
        if result.layout is not layout and name not in _OWN_LAYOUT and case.floats != ("bfloat16",):
            return f"{what}: layout {result.layout}"
        got = result.peek("check").float()
        wrong = _difference(case, expected.float(), got, dtype)
        if wrong:
            return f"{what}: {wrong}"
    run = bits_of_netlist(device, watch.operands) if bits else None
    for result, other in zip(made if isinstance(made, tuple) else (made,), run or ()):
        if not numpy.array_equal(result.peek("check").numpy(), other.reshape(result.shape), equal_nan=True):
            return f"{what}: other bits than the run of its netlist"
    return ""


def _difference(case: OpCase, expected: torch.Tensor, got: torch.Tensor, dtype: str) -> str:
    if not torch.isfinite(got[torch.isfinite(expected)]).all():
        return "it is not finite where torch is"
    if case.exact:
        limit = 0.0 if dtype in ("bfloat16", "float32") else TOLERANCE[dtype]
    else:
        limit = TOLERANCE[dtype] * case.loose
    if case.jumps:
        wrong = float((expected != got).float().mean()) if limit == 0 else \
            float(((expected - got).abs() > limit * max(1.0, float(expected.abs().max()))).float().mean())
        return f"{wrong:.1%} of the elements differ" if wrong > 1 - case.pcc else ""
    error = float((expected - got).abs().max())
    most = max(1.0, float(expected.abs().max()))
    return f"error {error:.4g} of {most:.4g}, allowed {limit * most:.4g}" if error > limit * most else ""
