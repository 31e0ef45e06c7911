"""Random arguments of comparisons, logic, choices and what is filled with a value."""
import torch
from draws import ALL, FLOATS, NUMBERS
from harness import case

aten = torch.ops.aten


@case(aten.eq.Tensor, aten.ne.Tensor, aten.lt.Tensor, aten.le.Tensor, aten.gt.Tensor, aten.ge.Tensor)
def compared(d):
    return [*d.pair(ALL)]


@case(aten.eq.Scalar, aten.ne.Scalar, aten.lt.Scalar, aten.le.Scalar, aten.gt.Scalar, aten.ge.Scalar)
def compared_with_numbers(d):
    return [d.tensor(NUMBERS), d.one(0, 1, -0.5)]


@case(aten.logical_not.default)
def negated(d):
    return [d.tensor(ALL, low=-1, high=1, step=0.5)]


@case(aten.logical_and.default, aten.logical_or.default, aten.logical_xor.default)
def decided(d):
    return [*d.pair(ALL, low=-1, high=1)]


@case(aten.__and__.Tensor, aten.__or__.Tensor, aten.__xor__.Tensor, aten.bitwise_and.Tensor,
      aten.bitwise_or.Tensor, aten.bitwise_xor.Tensor, refuses=("bitwise ops on",))
def bits(d):
    return [*d.pair((torch.bool, torch.bool, torch.int64))]


@case(aten.bitwise_and.Scalar, aten.bitwise_or.Scalar, aten.bitwise_xor.Scalar, refuses=("bitwise ops on",))
def bits_with_numbers(d):
    return [d.tensor((torch.bool,)), d.flag()]


@case(aten.bitwise_not.default, refuses=("bitwise ops on",))
def turned_bits(d):
    return [d.tensor((torch.bool, torch.bool, torch.int32))]


@case(aten.where.self)
def chosen(d):
    a, b = d.pair(NUMBERS)
    return [d.values(torch.broadcast_shapes(a.shape, b.shape), torch.bool), a, b]


@case(aten.where.ScalarOther)
def chosen_or_number(d):
    a = d.tensor(FLOATS)
    return [d.values(a.shape, torch.bool), a, d.one(0.0, -1e4)]


@case(aten.where.ScalarSelf)
def chosen_number(d):
    a = d.tensor(FLOATS)
    return [d.values(a.shape, torch.bool), d.one(0.0, 2.5), a]


@case(aten.where.Scalar)
def chosen_of_numbers(d):
    return [d.tensor((torch.bool,)), 1.5, -2.0]


@case(aten.masked_fill.Scalar)
def filled(d):
    a = d.tensor(NUMBERS)
    return [a, d.values(a.shape[d.integer(0, a.dim()):], torch.bool), d.one(0, 3)]


@case(aten.masked_fill.Tensor)
def filled_of_tensor(d):
    a = d.tensor()
    return [a, d.values(a.shape, torch.bool), torch.tensor(1.5)]


def _uneven(d):
    """With NaN and infinities."""
    a = d.tensor()
    for value in (torch.nan, torch.inf, -torch.inf):
        a = a.masked_fill(d.values(a.shape, low=0, high=8, step=1) == 0, value)
    return a


@case(aten.isnan.default, aten.isinf.default, aten.isfinite.default, aten.isposinf.default, aten.isneginf.default)
def not_finite(d):
    return [d.one(_uneven(d), d.tensor(NUMBERS))]


@case(aten.nan_to_num.default)
def in_the_place_of_nan(d):
    return [_uneven(d), d.one(None, 0.5, 2), d.one(4.0, -1.0), d.one(3.0, -2.0)]


@case(aten.zeros_like.default, aten.ones_like.default)
def like(d):
    return [d.tensor(ALL)]


@case(aten.new_zeros.default, aten.new_ones.default)
def like_in_shape(d):
    return [d.tensor(ALL), d.shape()]


@case(aten.full_like.default, aten.fill.Scalar)
def like_of_value(d):
    return [d.tensor(NUMBERS), d.one(0, 3, -2)]


@case(aten.new_full.default)
def like_of_value_in_shape(d):
    return [d.tensor(NUMBERS), d.shape(), d.one(0, 3, -2)]
