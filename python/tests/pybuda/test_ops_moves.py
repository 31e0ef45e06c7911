"""Ops of op/tm.py, op/eltwise_nary.py and op/reduce.py beside torch."""
import pybuda
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from on_chip import check
from pybuda import op

few = settings(max_examples=4, deadline=None)
rank4 = st.tuples(st.just(1), st.integers(1, 6), st.integers(1, 40), st.integers(1, 40))


def hslice(x, n):
    w, z, r, c = x.shape
    return x.reshape(w, z, r, n, c // n).permute(0, 1, 3, 2, 4).reshape(w, z * n, r, c // n)


@few
@given(st.integers(1, 3), st.integers(1, 33), st.integers(1, 20), st.integers(1, 4))
def test_slices_and_stacks_undo_each_other(z, r, c, n):
    x = torch.randn(1, z, r, c * n)
    check(lambda x: op.HSlice("", x, n), lambda x: hslice(x, n), x, exact=True)
    check(lambda x: op.HStack("", op.HSlice("", x, n), n), lambda x: x, x, exact=True)
    check(lambda x: op.HStack("", x), lambda x: x.permute(0, 2, 1, 3).reshape(1, 1, r, z * c * n), x, exact=True)
    y = x.transpose(2, 3).contiguous()
    check(lambda y: op.VSlice("", y, n), lambda y: y.reshape(1, z * n, c, r), y, exact=True)
    check(lambda y: op.VStack("", op.VSlice("", y, n), n), lambda y: y, y, exact=True)


@few
@given(rank4, st.data())
def test_transpose_reshape_squeeze(shape, data):
    a, b = data.draw(st.sampled_from([(1, 2), (1, 3), (2, 3), (-1, -2)]))
    x = torch.randn(shape)
    check(lambda x: op.Transpose("", x, a, b), lambda x: x.transpose(a, b), x, exact=True)
    check(lambda x: op.Reshape("", x, (1, -1, shape[1])), lambda x: x.reshape(1, -1, shape[1]), x, exact=True)
    check(lambda x: op.Squeeze("", op.Unsqueeze("", x, 1), 1), lambda x: x, x, exact=True)
    check(lambda x: op.Identity("", x, "unsqueeze", 1), lambda x: x.unsqueeze(1), x, exact=True)


@few
@given(rank4, st.data())
def test_parts_of_an_axis(shape, data):
    dim = data.draw(st.sampled_from([1, 2, 3, -1, -2]))
    size = shape[dim]
    start = data.draw(st.integers(0, size - 1))
    stop = data.draw(st.integers(start + 1, size))
    step = data.draw(st.integers(1, 3))
    x = torch.randn(shape)

    def cut(x):
        return x.index_select(dim, torch.arange(start, stop, step))

    check(lambda x: op.Index("", x, dim, start, stop, step), cut, x, exact=True)
    check(lambda x: op.Index("", x, dim, start), lambda x: x.narrow(dim, start, 1), x, exact=True)
    check(lambda x: op.Select("", x, dim, (start, stop - start)), lambda x: x.narrow(dim, start, stop - start), x,
          exact=True)
    check(lambda x: op.Narrow("", x, dim, start, stop - start, size), lambda x: x.narrow(dim, start, stop - start), x,
          exact=True)


def test_select_repeats_by_its_stride():
    x = torch.randn(1, 1, 12, 8)
    check(lambda x: op.Select("", x, 2, (1, 2), stride=4), lambda x: x[:, :, [1, 2, 5, 6, 9, 10]], x, exact=True)
    check(lambda x: op.Select("", x, -2, 3, stride=6), lambda x: x[:, :, [3, 9]], x, exact=True)


@pytest.mark.parametrize("mode", ["constant", "replicate", "reflect"])
@pytest.mark.parametrize("channel_last", [False, True])
def test_pad(mode, channel_last):
    x = torch.randn(1, 6, 9, 7)

    def reference(x):
        x = x.movedim(-1, 1) if channel_last else x
        y = F.pad(x, (1, 2, 3, 0), mode=mode)
        return y.movedim(1, -1) if channel_last else y

    check(lambda x: op.Pad("", x, (1, 2, 3, 0), mode, channel_last), reference, x, exact=True)
    if not channel_last:
        check(lambda x: op.Pad("", x, (2, 1), mode), lambda x: F.pad(x[0], (2, 1), mode=mode)[None], x, exact=True)


def test_tiles_made_explicit():
    x = torch.randn(1, 2, 20, 40)
    check(lambda x: op.PadTile("", x, -1, 40), lambda x: F.pad(x, (0, 24)), x, exact=True)
    check(lambda x: op.BudaPad("", x, (1, 0), 2.0), lambda x: F.pad(x, (0, 24, 0, 44), value=2.0), x, exact=True)
    check(lambda x: op.BudaUnpad("", op.BudaPad("", x, (1, 0)), (20, 40), (1, 0)), lambda x: x, x, exact=True)


@few
@given(rank4)
def test_broadcast_and_repeat(shape):
    x = torch.randn(shape)
    one = x[:, :, :1]
    check(lambda x: op.Broadcast("", x, 2, 7), lambda x: x.expand(-1, -1, 7, -1), one, exact=True)
    check(lambda x: op.Repeat("", x, (1, 2, 1, 3)), lambda x: x.repeat(1, 2, 1, 3), x, exact=True)


def test_pixel_shuffle():
    x = torch.randn(1, 8, 5, 6)
    check(lambda x: op.PixelShuffle("", x, 2), lambda x: F.pixel_shuffle(x, 2), x, exact=True)


@few
@given(rank4, st.data())
def test_joins(shape, data):
    axis = data.draw(st.sampled_from([1, 2, 3, -1]))
    a, b, c = (torch.randn(shape) for _ in range(3))
    check(lambda a, b, c: op.Concatenate("", a, b, c, axis=axis), lambda a, b, c: torch.cat([a, b, c], axis), a, b, c,
          exact=True)
    check(lambda a, b: op.Stack("", a, b, axis=1), lambda a, b: torch.stack([a, b], 1), a, b, exact=True)
    check(lambda a, b: op.Interleave("", a, b), lambda a, b: torch.stack([a, b], 2).flatten(1, 2), a, b, exact=True)
    for dim in (-1, -2):
        check(lambda a, b, dim=dim: op.BinaryStack("", a, b, dim),
              lambda a, b, dim=dim: torch.stack([a, b], 4 if dim == -1 else 3).flatten(dim - 1, dim), a, b, exact=True)


def test_index_copy_and_rows_by_number():
    a, value = torch.randn(1, 1, 12, 8), torch.randn(1, 1, 3, 8)
    index = torch.tensor([4, 0, 11])
    row = torch.tensor([4])
    check(lambda a, i, v: op.IndexCopy("", a, i, v, -2), lambda a, i, v: a.index_copy(2, row, v), a, row,
          value[:, :, :1], exact=True)
    from pybuda import Tensor
    fixed = Tensor.create_from_torch(index.int())
    check(lambda a, v: op.IndexCopy("", a, fixed, v, 2), lambda a, v: a.index_copy(2, index, v), a, value, exact=True)
    check(lambda a: op.AdvIndex("", a, fixed, 2), lambda a: a[:, :, index], a, exact=True)
    check(lambda a: op.AdvIndex("", a, Tensor.create_from_torch(torch.tensor([-2, 3]).int()), 2),
          lambda a: a[:, :, [-2, 3]], a, exact=True)


@pytest.mark.parametrize("index", [3, torch.tensor([0, 3]), torch.tensor([[-2]])])
def test_rows_that_an_axis_does_not_have_are_refused_when_it_compiles(index):
    """The first axis is what is left of a micro-batch."""
    from pybuda import Tensor
    from pybuda.verify import VerifyConfig, verify_module

    class Rows(pybuda.PyBudaModule):
        def forward(self, x):
            fixed = index if isinstance(index, int) else Tensor.create_from_torch(index.int())
            return op.AdvIndex("rows", x, fixed, 0)
    pybuda.pybuda_reset()
    with pytest.raises(Exception, match="'rows' takes index -?[23] of axis 0, which has 1: indices are -1 to 0"):
        verify_module(Rows("net"), [(1, 8, 32)], VerifyConfig())


@few
@given(rank4, st.data())
def test_reductions(shape, data):
    dim = data.draw(st.sampled_from([1, 2, 3, -1, -2, -3]))
    x = torch.randn(shape)
    check(lambda x: op.ReduceSum("", x, dim), lambda x: x.abs().sum(dim, keepdim=True), x.abs(), roundings=3)
    check(lambda x: op.ReduceAvg("", x, dim), lambda x: x.mean(dim, keepdim=True), x.abs(), roundings=3)
    check(lambda x: op.ReduceMax("", x, dim), lambda x: x.amax(dim, keepdim=True), x, exact=True)


def test_reductions_in_groups():
    x = torch.rand(1, 4, 32, 24)
    check(lambda x: op.ReduceMax("", x, 2, 8), lambda x: x.reshape(1, 4, 4, 8, 24).amax(3), x, exact=True)
    check(lambda x: op.GroupedReduceAvg("", x, 1, 2), lambda x: x.reshape(1, 2, 2, 32, 24).mean(2), x, roundings=3)
    check(lambda x: op.GroupedReduceAvg("", x, 1, 2, True),
          lambda x: x.reshape(1, 2, 2, 32, 24).mean(2).repeat_interleave(2, 1), x, roundings=3)
