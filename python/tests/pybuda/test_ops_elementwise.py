"""Ops of op/eltwise_*.py beside torch, on small shapes of rank 1 to 4."""
import pybuda
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from on_chip import check
from pybuda import op

shapes = st.lists(st.integers(1, 40), min_size=0, max_size=3).map(lambda tail: (1, *tail))
few = settings(max_examples=4, deadline=None)


def near_integers_apart(x):
    """No number so close to 0 that its rounding decides."""
    return torch.where(x.abs() < 0.1, torch.full_like(x, 0.5), x)


UNARY = {
    "Abs": (lambda x: op.Abs("", x), torch.abs, 1),
    "Exp": (lambda x: op.Exp("", x), torch.exp, 8),
    "Sqrt": (lambda x: op.Sqrt("", op.Abs("", x)), lambda x: x.abs().sqrt(), 4),
    "Log": (lambda x: op.Log("", op.Abs("", x)), lambda x: (x.abs() + 1e-10).log(), 4),
    "Reciprocal": (lambda x: op.Reciprocal("", x), lambda x: 1 / (x + 1e-10), 4),
    "Sigmoid": (lambda x: op.Sigmoid("", x), torch.sigmoid, 4),
    "Tanh": (lambda x: op.Tanh("", x), torch.tanh, 8),
    "Gelu": (lambda x: op.Gelu("", x), torch.nn.functional.gelu, 6),
    "Gelu tanh": (lambda x: op.Gelu("", x, "tanh"), lambda x: torch.nn.functional.gelu(x, approximate="tanh"), 6),
    "Sine": (lambda x: op.Sine("", x), torch.sin, 8),
    "Cosine": (lambda x: op.Cosine("", x), torch.cos, 8),
    "Relu": (lambda x: op.Relu("", x), torch.relu, 1),
    "Relu from 0.5": (lambda x: op.Relu("", x, 0.5), lambda x: torch.where(x >= 0.5, x, 0), 1),
    "Relu to 0.5": (lambda x: op.Relu("", x, 0.5, "max"), lambda x: x.clamp(0, 0.5), 1),
    "LeakyRelu": (lambda x: op.LeakyRelu("", x, 0.1), lambda x: torch.nn.functional.leaky_relu(x, 0.1), 2),
    "Clip": (lambda x: op.Clip("", x, -0.5, 1.0), lambda x: x.clamp(-0.5, 1), 1),
    "Clip from 0": (lambda x: op.Clip("", x, 0.0, 6.0), lambda x: x.clamp(0, 6), 1),
    "Pow": (lambda x: op.Pow("", x, 2), lambda x: x**2, 4),
    "Pow 1.5": (lambda x: op.Pow("", op.Abs("", x), 1.5), lambda x: x.abs()**1.5, 12),
    "Dropout": (lambda x: op.Dropout("", x), lambda x: x, 1),
    "Identity": (lambda x: op.Identity("", x), lambda x: x, 1),
    "Buffer": (lambda x: op.Buffer("", x), lambda x: x, 1),
    "Tilize": (lambda x: op.Tilize("", x), lambda x: x, 1),
    "DRAMQueue": (lambda x: op.DRAMQueue("", x, num_entries=2), lambda x: x, 1),
    "Constant": (lambda x: op.Add("", x, op.Constant("", constant=1.5)), lambda x: x + 1.5, 2),
    "numbers": (lambda x: 2.0 * (x - 1.0) + 0.5, lambda x: 2 * (x - 1) + 0.5, 4),
}


@pytest.mark.parametrize("name", UNARY)
@few
@given(shape=shapes)
def test_unary(name, shape):
    function, reference, roundings = UNARY[name]
    x = near_integers_apart(torch.randn(shape))
    check(function, reference, x, roundings=roundings)


BINARY = {
    "Add": (op.Add, torch.add), "Subtract": (op.Subtract, torch.sub), "Multiply": (op.Multiply, torch.mul),
    "Max": (op.Max, torch.maximum), "Min": (op.Min, torch.minimum),
    "Divide": (lambda n, a, b: op.Divide(n, a, b), torch.div),
    "Greater": (op.Greater, torch.gt), "GreaterEqual": (op.GreaterEqual, torch.ge), "Less": (op.Less, torch.lt),
    "LessEqual": (op.LessEqual, torch.le), "Equal": (op.Equal, torch.eq), "NotEqual": (op.NotEqual, torch.ne),
    "LogicalAnd": (op.LogicalAnd, torch.logical_and), "Heaviside": (op.Heaviside, torch.heaviside),
}


@pytest.mark.parametrize("name", BINARY)
@few
@given(shape=shapes, data=st.data())
def test_binary(name, shape, data):
    function, reference = BINARY[name]
    other = tuple(1 if data.draw(st.booleans()) else size for size in shape)
    a = near_integers_apart(torch.randn(shape))
    b = near_integers_apart(torch.randn(other))
    if name in ("Equal", "NotEqual", "GreaterEqual", "LessEqual", "LogicalAnd", "Heaviside"):
        a, b = a.round().clamp(-1, 1), b.round().clamp(-1, 1)
    check(lambda a, b: function("", a, b), lambda a, b: reference(a, b).float(), a, b, roundings=4)


@few
@given(shape=shapes)
def test_power_of_positive_numbers(shape):
    a, b = torch.rand(shape) + 0.5, torch.rand(shape) * 2
    check(lambda a, b: op.Power("", a, b), torch.pow, a, b, roundings=12)


@few
@given(shape=shapes)
def test_logical_not_and_where(shape):
    c = torch.randint(0, 2, shape).float()
    a, b = torch.randn(shape), torch.randn(shape)
    check(lambda c: op.LogicalNot("", c), lambda c: (c == 0).float(), c, exact=True)
    check(lambda c, a, b: op.Where("", c, a, b), lambda c, a, b: torch.where(c != 0, a, b), c, a, b, roundings=1)


@pytest.mark.parametrize("dim", [-1, -2, 1, None])
def test_argmax_returns_indices(dim):
    x = torch.randn(1, 3, 33, 40).bfloat16().float()
    want = x.argmax(dim, keepdim=True) if dim is not None else x.argmax().reshape(1, 1, 1, 1)
    check(lambda x: op.Argmax("", x, dim), lambda _: want, x, exact=True)


@few
@given(shape=st.tuples(st.just(1), st.integers(1, 8), st.integers(1, 40)), data=st.data())
def test_cumsum(shape, data):
    axis = data.draw(st.sampled_from([1, 2, -1, -2]))
    check(lambda x: op.CumSum("", x, axis), lambda x: x.cumsum(axis), torch.rand(shape), roundings=3)


def test_rank_2_to_4_operands_go_together():
    a, b = torch.randn(1, 3, 5, 7), torch.randn(1, 1, 5, 1)
    check(lambda a, b: op.Add("", a, b), torch.add, a, b, roundings=2)


def test_wrong_shapes_name_the_op():
    with pytest.raises(RuntimeError, match="op 'sum' .add. does not accept operands of shape"):
        from on_chip import run
        run(lambda a, b: op.Add("sum", a, b), torch.zeros(1, 3, 4), torch.zeros(1, 5, 4))
    with pytest.raises(RuntimeError, match="create_from_torch"):
        op.Add("", torch.zeros(3), pybuda.Tensor.create_from_torch(torch.zeros(3)))
