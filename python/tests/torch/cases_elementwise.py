"""Random arguments of ops that work elementwise."""
import torch
from draws import ALL, NUMBERS, known
from harness import case

aten = torch.ops.aten


@case(aten.exp.default, aten.sigmoid.default, aten.tanh.default, aten.sin.default, aten.cos.default, aten.erf.default,
      aten.atan.default, aten.exp2.default, aten.expm1.default, aten.erfc.default, aten.sinh.default,
      aten.cosh.default, aten.asinh.default)
def any_number(d):
    return [d.tensor(NUMBERS)]


@case(aten.abs.default, aten.neg.default, aten.sign.default, aten.sgn.default, aten.square.default,
      aten.floor.default, aten.ceil.default, aten.round.default, aten.trunc.default, aten.fix.default)
def signed(d):
    return [d.tensor(NUMBERS)]


@case(aten.relu.default)
def rectified(d):
    return [d.tensor(NUMBERS)]


@case(aten.log.default, aten.sqrt.default, aten.reciprocal.default, aten.rsqrt.default, aten.log2.default,
      aten.log10.default, aten.log1p.default)
def positive(d):
    return [d.tensor(NUMBERS, low=0.5, high=8)]


@case(aten.asin.default, aten.acos.default)
def up_to_one(d):
    return [d.tensor(low=-1, high=1, step=1 / 16)]


@case(aten.atanh.default)
def below_one(d):
    return [d.tensor(low=-0.9, high=0.9, step=1 / 16)]


@case(aten.acosh.default)
def from_one(d):
    return [d.tensor(low=1.25, high=8)]


@case(aten.tan.default)
def within_a_quarter(d):
    return [d.tensor(low=-1.25, high=1.25)]


@case(aten.atan2.default)
def coordinates(d):
    return list(d.pair())


@case(aten.frac.default)
def fractions(d):
    return [d.tensor()]


@case(aten.round.decimals, exact16=False)
def decimals(d):
    return [d.tensor(step=1 / 16)], {"decimals": d.integer(-1, 2)}


@case(aten.add.Tensor, aten.sub.Tensor, aten.rsub.Tensor)
def sums(d):
    a, b = d.pair(NUMBERS)
    whole = not (a.dtype.is_floating_point or b.dtype.is_floating_point)
    return [a, b], {"alpha": d.one(1, 2, 3 if whole else -0.5)}


@case(aten.add.Tensor)
def sums_of_all(d):
    return [*d.pair(ALL)]


@case(aten.add.Scalar, aten.sub.Scalar, aten.rsub.Scalar)
def sums_with_numbers(d):
    a = d.tensor(NUMBERS)
    return [a, d.one(2, 3.5, -1), d.one(1, 2)] if a.dtype.is_floating_point else [a, d.one(2, -3, 0.5)]


@case(aten.mul.Tensor)
def products(d):
    return [*d.pair(ALL)]


@case(aten.mul.Scalar)
def products_with_numbers(d):
    return [d.tensor(NUMBERS), d.one(2, -0.5, 3)]


@case(aten.div.Tensor, aten.true_divide.Tensor)
def quotients(d):
    return [*d.pair(NUMBERS, nonzero=True)]


@case(aten.div.Scalar)
def quotients_by_numbers(d):
    return [d.tensor(NUMBERS), d.one(2, -0.5, 3)]


@case(aten.floor_divide.default, aten.remainder.Tensor, aten.fmod.Tensor, exact16=False)
def whole_quotients(d):
    return [*d.pair((torch.int64, torch.int32), low=-40, high=40, nonzero=True)]


@case(aten.floor_divide.default, aten.remainder.Tensor, aten.fmod.Tensor, exact16=False)
def float_quotients(d):
    """By powers of two, whose quotients no format rounds."""
    a = d.tensor()
    return [a, torch.pow(2.0, d.values(a.shape, low=-1, high=1, step=1))]


@case(aten.remainder.Scalar, aten.fmod.Scalar, exact16=False)
def rests_by_numbers(d):
    a = d.tensor(NUMBERS)
    return [a, d.one(2.0, 0.5, 4.0) if a.dtype.is_floating_point else d.one(2, 3, -5)]


@case(aten.div.Tensor_mode, exact16=False)
def rounded_quotients(d):
    mode = d.one("floor", "trunc", None)
    if d.flag():
        return [*d.pair((torch.int64,), low=-40, high=40, nonzero=True)], {"rounding_mode": mode}
    a = d.tensor()
    return [a, torch.pow(2.0, d.values(a.shape, low=-1, high=1, step=1))], {"rounding_mode": mode}


@case(aten.div.Scalar_mode, exact16=False)
def rounded_quotients_by_numbers(d):
    a = d.tensor(NUMBERS)
    by = d.one(2.0, -0.5) if a.dtype.is_floating_point else d.one(2, 3, -5)
    return [a, by], {"rounding_mode": d.one("floor", "trunc", None)}


@case(aten.maximum.default, aten.minimum.default, aten.max.other, aten.min.other)
def extremes(d):
    return [*d.pair(NUMBERS)]


@case(aten.pow.Tensor_Scalar)
def powers(d):
    whole = d.flag()
    if d.integer(0, 4) == 0:
        return [d.tensor((torch.int64, torch.int32)), d.one(0, 1, 2, 3)]
    if whole:
        return [d.tensor(low=-2, high=2, step=0.5), d.one(0, 1, 2, 3, 4, 5, 66, 67)]
    return [d.tensor(low=0.5, high=4), d.one(0.5, -0.5, 1.5, -1, -2, 0.25)]


@case(aten.pow.Tensor_Tensor, exact16=False)
def powers_by_uneven_tensors(d):
    base = d.tensor(low=-2, high=2, step=0.5)
    exponent = d.values(base.shape, low=0, high=5, step=1)
    return [base, known(exponent) if d.flag() else exponent]


@case(aten.pow.Tensor_Tensor)
def powers_by_tensors(d):
    base = d.tensor(low=0.5, high=4)
    exponent = torch.full(base.shape, d.one(2.0, 0.5, 3.0))
    return [base, known(exponent) if d.flag() else exponent]


@case(aten.pow.Scalar)
def powers_of_numbers(d):
    base = d.one(2.0, 0.5, 3.0, -2.0)
    return [base, d.tensor(step=0.125 if base > 0 else 1)]


@case(aten.addcmul.default)
def product_added(d):
    a = d.tensor()
    return [a, d.values(a.shape), d.values(a.shape)], {"value": d.one(1, -0.5)}


@case(aten.addcdiv.default)
def quotient_added(d):
    a = d.tensor()
    return [a, d.values(a.shape), d.values(a.shape, low=0.5, high=4)], {"value": d.one(1, -0.5)}


@case(aten.lerp.Scalar)
def between(d):
    a, b = d.pair()
    return [a, b, d.one(0.25, 0.5)]


@case(aten.lerp.Tensor)
def between_by_tensors(d):
    a = d.tensor()
    return [a, d.values(a.shape), d.values(a.shape, low=0, high=1)]


@case(aten.clamp.default, aten.clip.default)
def clamped(d):
    a, least = d.tensor(NUMBERS), d.one(None, -2, 0)
    return [a, least, d.one(1, 3) if least is None else d.one(None, 1, 3)]


@case(aten.clamp.Tensor)
def clamped_by_tensors(d):
    a, least = d.pair()
    return [a, least, least + 1.5 if d.flag() else None]


@case(aten.hardtanh.default)
def hard_tanh(d):
    return [d.tensor(), *(() if d.flag() else (0.0, 2.0))]


@case(aten.clamp_min.default, aten.clamp_max.default)
def clamped_one_side(d):
    return [d.tensor(NUMBERS), d.one(-1, 0, 2)]


@case(aten.clamp_min.Tensor, aten.clamp_max.Tensor)
def clamped_one_side_by_tensors(d):
    return [*d.pair()]


@case(aten.relu6.default, aten.silu.default, aten.hardsigmoid.default, aten.hardswish.default, aten.mish.default)
def activated(d):
    return [d.tensor(low=-8, high=8)]


@case(aten.log_sigmoid_forward.default, results=(0,))
def log_sigmoid(d):
    return [d.tensor(low=-8, high=8)]


@case(aten.leaky_relu.default)
def leaky(d):
    return [d.tensor(), d.one(0.01, 0.25)]


@case(aten.gelu.default)
def gelu(d):
    return [d.tensor()], {"approximate": d.one("none", "tanh")}


@case(aten.glu.default)
def gated(d):
    a = d.tensor(ranks=(1, 4))
    axis = d.axis(a)
    return [torch.cat([a, d.values(a.shape)], axis), axis]


@case(aten.elu.default)
def elu(d):
    return [d.tensor(), d.one(1, 0.5), d.one(1, 1.5), d.one(1, 0.5)]


@case(aten.softplus.default)
def softplus(d):
    return [d.tensor(), d.one(1, 2)]


@case(aten.prelu.default)
def prelu(d):
    a = d.tensor(ranks=(1, 5))
    return [a, d.values([d.one(1, a.shape[1]) if a.dim() > 1 else 1], low=0, high=1)]


@case(aten._prelu_kernel.default)
def prelu_broadcast(d):
    a = d.tensor(ranks=(2, 5))
    return [a, d.values([1, a.shape[1]] + [1] * (a.dim() - 2), low=0, high=1)]
