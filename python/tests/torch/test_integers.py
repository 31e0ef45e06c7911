"""Integers of every width and of any size, beside torch, which wraps them around as the host does here."""
import pytest
import torch
from harness import EXACT, Case, outcome
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

aten = torch.ops.aten
TYPES = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
SHAPE = (2, 5)


def numbers(draw, dtype, nonzero=False):
    """The ends of the type, small ones and any."""
    ends = torch.iinfo(dtype)
    one = st.one_of(st.sampled_from([ends.min, ends.min + 1, ends.max - 1, ends.max, 1, 2]),
                    st.integers(ends.min, ends.max))
    if nonzero:  # nor -1, by which the processor divides no least number
        one = one.filter(lambda value: value not in (0, -1))
    count = SHAPE[0] * SHAPE[1]
    return torch.tensor(draw(st.lists(one, min_size=count, max_size=count)), dtype=dtype).reshape(SHAPE)


def small(draw, dtype, most):
    return torch.tensor(draw(st.lists(st.integers(0, most), min_size=SHAPE[0] * SHAPE[1],
                                      max_size=SHAPE[0] * SHAPE[1])), dtype=dtype).reshape(SHAPE)


PAIRS = [aten.add.Tensor, aten.sub.Tensor, aten.mul.Tensor, aten.maximum.default, aten.minimum.default,
         aten.eq.Tensor, aten.lt.Tensor, aten.ge.Tensor]
QUOTIENTS = [(aten.floor_divide.default, {}), (aten.remainder.Tensor, {}), (aten.fmod.Tensor, {}),
             (aten.div.Tensor_mode, {"rounding_mode": "trunc"}), (aten.div.Tensor_mode, {"rounding_mode": "floor"})]
SINGLE = [(aten.neg.default, ()), (aten.abs.default, ()), (aten.sign.default, ()), (aten.square.default, ()),
          (aten.pow.Tensor_Scalar, (3,)), (aten.clamp.default, (3, 100)), (aten.relu.default, ()),
          (aten.sum.dim_IntList, ([1],)), (aten.cumsum.default, (1,)), (aten.prod.dim_int, (1,)),
          (aten.amax.default, ([1],)), (aten.amin.default, ([1],)), (aten.argmax.default, (1,)),
          (aten.argmin.default, (1,)), (aten.max.dim, (1,)), (aten.min.dim, (1,)), (aten.topk.default, (3, 1)),
          (aten.sort.stable, ())]


def check(target, arguments, keywords=None):
    found = outcome(Case(target, None), arguments, keywords or {}, EXACT)
    assert found.refused is None, found.refused
    assert not found.wrong, found.wrong


def random(test):
    quick = settings(max_examples=3, deadline=None, derandomize=True, database=None,
                     suppress_health_check=list(HealthCheck))
    return quick(given(st.data())(test))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("target", PAIRS, ids=str)
def test_pairs(target, dtype):
    random(lambda data: check(target, [numbers(data.draw, dtype), numbers(data.draw, dtype)]))()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("target, keywords", QUOTIENTS, ids=str)
def test_quotients(target, keywords, dtype):
    random(lambda data: check(target, [numbers(data.draw, dtype), numbers(data.draw, dtype, nonzero=True)],
                              keywords))()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("target, more", SINGLE, ids=str)
def test_single(target, more, dtype):
    keywords = {"stable": True, "dim": 1} if target == aten.sort.stable else {}
    if target == aten.topk.default:  # torch orders equal ones as it likes
        keywords = {}

    def compare(data):
        values = numbers(data.draw, dtype)
        if target == aten.topk.default:
            values = torch.unique(values.flatten())
            values = torch.cat([values, values.new_zeros(0)])[None]
            if values.shape[1] < 3:
                return
        check(target, [values, *more], keywords)
    random(compare)()


@pytest.mark.parametrize("dtype", TYPES)
def test_what_moves_numbers_keeps_their_bits(dtype):
    def compare(data):
        values, other = numbers(data.draw, dtype), numbers(data.draw, dtype)
        ids = small(data.draw, torch.int64, SHAPE[1] - 1)
        check(aten.gather.default, [values, 1, ids])
        check(aten.where.self, [values > other, values, other])
        check(aten.scatter_add.default, [values, 1, ids, other])
    random(compare)()


@pytest.mark.parametrize("dtype", TYPES)
def test_powers_of_a_number(dtype):
    random(lambda data: check(aten.pow.Scalar, [3, small(data.draw, dtype, 40)]))()


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("to", TYPES)
def test_casts(source, to):
    random(lambda data: check(aten._to_copy.default, [numbers(data.draw, source)], {"dtype": to}))()
