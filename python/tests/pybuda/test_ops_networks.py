"""Products, convolutions, pools, resizes, normalisations, look-ups and bytes beside torch."""
import pybuda
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from on_chip import check
from pybuda import Parameter, Tensor, op

few = settings(max_examples=4, deadline=None)


class Weighted(pybuda.PyBudaModule):
    pass


@few
@given(st.integers(1, 3), st.integers(1, 40), st.integers(1, 70), st.integers(1, 40))
def test_matmul(z, m, k, n):
    a, b, bias = torch.rand(1, z, m, k), torch.rand(1, z, k, n), torch.rand(1, 1, 1, n)
    check(lambda a, b: op.Matmul("", a, b), torch.matmul, a, b, roundings=4)
    check(lambda a, b, c: op.Matmul("mm", a, b, c), lambda a, b, c: a @ b + c, a, b, bias, roundings=4)


def test_sparse_matmul():
    picker = torch.zeros(6, 40)
    picker[torch.arange(6), torch.arange(6) * 5] = 1
    sparse = Tensor.create_from_torch(picker.to_sparse(), constant=True)
    x = torch.randn(1, 3, 40, 16)
    check(lambda x: op.SparseMatmul("", sparse, x), lambda x: picker @ x, x, exact=True)


def test_embedding_of_numbers_on_the_host():
    table = torch.randn(50, 32).bfloat16().float()
    fixed = Tensor.create_from_torch(table)
    ids = torch.randint(0, 50, (1, 7))
    check(lambda i: op.Embedding("", fixed, i), lambda i: table[i], ids, exact=True)


CONVS = {
    "same": {}, "stride": {"stride": 2, "padding": 1}, "sides": {"padding": [1, 0, 2, 1]},
    "dilated": {"dilation": 2}, "groups": {"groups": 2}, "channels last": {"channel_last": True},
}


@pytest.mark.parametrize("case", CONVS)
def test_conv2d(case):
    given_ = dict(CONVS[case])
    groups = given_.get("groups", 1)
    x, w, b = torch.rand(1, 4, 12, 10), torch.rand(6, 4 // groups, 3, 3) - 0.3, torch.rand(6)
    w, b = w.bfloat16().float(), b.bfloat16().float()
    pads = {"same": [given_.get("dilation", 1)] * 4}.get(given_.get("padding", "same")) if isinstance(
        given_.get("padding", "same"), str) else given_["padding"]
    pads = [pads] * 4 if isinstance(pads, int) else pads
    last = given_.get("channel_last", False)

    def reference(x):
        x = x.movedim(-1, 1) if last else x
        y = F.conv2d(F.pad(x, pads), w, b, given_.get("stride", 1), 0, given_.get("dilation", 1), groups)
        return y.movedim(1, -1) if last else y

    tw, tb = Tensor.create_from_torch(w), Tensor.create_from_torch(b)
    check(lambda x: op.Conv2d("", x, tw, tb, **given_), reference, x.movedim(1, -1).contiguous() if last else x,
          roundings=4)


def test_conv2d_transpose_and_conv3d():
    x, w = torch.rand(1, 4, 6, 5), (torch.rand(4, 3, 3, 3) - 0.3).bfloat16().float()
    fixed = Tensor.create_from_torch(w)
    check(lambda x: op.Conv2dTranspose("", x, fixed, stride=2, padding=1),
          lambda x: F.conv_transpose2d(x, w, None, 2, 1), x, roundings=4)
    volume, w3 = torch.rand(1, 2, 4, 6, 6), (torch.rand(3, 2, 3, 3, 3) - 0.3).bfloat16().float()
    fixed3 = Tensor.create_from_torch(w3)
    check(lambda x: op.Conv3d("", x, fixed3), lambda x: F.conv3d(x, w3, None, 1, 1), volume, roundings=4)


def test_max_pools():
    x = torch.randn(1, 3, 13, 11)
    check(lambda x: op.MaxPool2d("", x, 3, 2, 1), lambda x: F.max_pool2d(x, 3, 2, 1), x, exact=True)
    check(lambda x: op.MaxPool2d("", x, 3), lambda x: F.max_pool2d(x, 3, 1, 1), x, exact=True)
    check(lambda x: op.MaxPool2d("", x, 2, 2, 0, ceil_mode=True), lambda x: F.max_pool2d(x, 2, 2, 0, ceil_mode=True), x,
          exact=True)
    check(lambda x: op.MaxPool2d("", x, 3, 2, 1, channel_last=True),
          lambda x: F.max_pool2d(x.movedim(-1, 1), 3, 2, 1).movedim(1, -1), x, exact=True)
    check(lambda x: op.MaxPool1d("", x, 4, 2), lambda x: F.max_pool1d(x, 4, 2), x[0, :1], exact=True)
    volume = torch.randn(1, 2, 4, 6, 6)
    check(lambda x: op.MaxPool3d("", x, 2, 2, 0), lambda x: F.max_pool3d(x, 2, 2), volume, exact=True)


@pytest.mark.parametrize("pool", ["MaxPool2d", "AvgPool2d"])
@pytest.mark.parametrize("kernel, padding", [(2, 1), (3, 1), ((3, 2), 1)])
def test_pools_whose_last_window_would_begin_outside(pool, kernel, padding):
    x = torch.randn(1, 3, 9, 13)
    torch_pool = F.max_pool2d if pool == "MaxPool2d" else F.avg_pool2d
    check(lambda x: getattr(op, pool)("", x, kernel, 2, padding, ceil_mode=True),
          lambda x: torch_pool(x, kernel, 2, padding, ceil_mode=True), x)


@pytest.mark.parametrize("given_", [{}, {"count_include_pad": False}, {"ceil_mode": True}, {"divisor_override": 5},
                                    {"ceil_mode": True, "count_include_pad": False},
                                    {"ceil_mode": True, "divisor_override": 7}])
def test_avg_pools(given_):
    x = torch.rand(1, 3, 12, 11)
    check(lambda x: op.AvgPool2d("", x, 3, 2, 1, **given_), lambda x: F.avg_pool2d(x, 3, 2, 1, **given_), x,
          roundings=3)


def test_avg_pools_of_the_whole_picture_and_of_rows():
    x = torch.rand(1, 3, 12, 11)
    check(lambda x: op.AvgPool2d("", x, (12, 11), 1, 0), lambda x: x.mean((2, 3), keepdim=True), x, roundings=3)
    check(lambda x: op.AvgPool1d("", x, 11), lambda x: x.mean(-1, keepdim=True), x[0, :1], roundings=3)


@pytest.mark.parametrize("method", ["nearest_neighbor", "bilinear"])
@pytest.mark.parametrize("channel_last", [False, True])
def test_resize(method, channel_last):
    x = torch.rand(1, 3, 6, 8)
    mode = {"nearest_neighbor": "nearest"}.get(method, method)
    want = {} if mode == "nearest" else {"align_corners": False}

    def reference(x):
        x = x.movedim(-1, 1) if channel_last else x
        y = F.interpolate(x, size=(12, 16), mode=mode, **want)
        return y.movedim(1, -1) if channel_last else y

    check(lambda x: op.Resize2d("", x, (12, 16), method, channel_last=channel_last), reference,
          x.movedim(1, -1).contiguous() if channel_last else x, roundings=4)


def test_resize_down_and_of_volumes():
    x = torch.rand(1, 2, 4, 6, 8)
    check(lambda x: op.Resize3d("", x, (8, 12, 16)), lambda x: F.interpolate(x, size=(8, 12, 16)), x, exact=True)
    check(lambda x: op.Resize2d("", x, (3, 4), "bilinear", True),
          lambda x: F.interpolate(x, size=(3, 4), mode="bilinear", align_corners=True), x[:, :, 0], roundings=4)


@few
@given(st.integers(1, 3), st.integers(1, 40), st.integers(2, 70), st.sampled_from([-1, 1, 2]))
def test_softmax(z, r, c, dim):
    x = torch.randn(1, z, r, c)
    check(lambda x: op.Softmax("", x, dim=dim), lambda x: x.softmax(dim), x, roundings=5)
    check(lambda x: op.LogSoftmax("", x, dim=dim), lambda x: x.log_softmax(dim), x, roundings=8)


@pytest.mark.parametrize("dim", [-1, -2])
def test_layernorm(dim):
    x = torch.randn(1, 1, 24, 40)
    size = [1, 40] if dim == -1 else [24, 1]
    w, b = torch.rand(size).bfloat16().float() + 0.5, torch.rand(size).bfloat16().float()
    w = w.bfloat16().float()
    tw, tb = Tensor.create_from_torch(w), Tensor.create_from_torch(b)

    def reference(x):
        mean, var = x.mean(dim, keepdim=True), x.var(dim, keepdim=True, unbiased=False)
        return (x - mean) / (var + 1e-5).sqrt() * w + b

    check(lambda x: op.Layernorm("norm", x, tw, tb, dim), reference, x, roundings=8)


def test_batchnorm():
    x = torch.randn(1, 5, 6, 7)
    given_ = [torch.rand(5).bfloat16().float() + 0.5 for _ in range(4)]
    fixed = [Tensor.create_from_torch(value) for value in given_]
    check(lambda x: op.Batchnorm("", x, *fixed),
          lambda x: F.batch_norm(x, given_[2], given_[3], given_[0], given_[1], False, 0, 1e-5), x, roundings=6)


def test_bytes():
    x = torch.randn(1, 1, 8, 32)
    scale = Tensor.create_from_torch(torch.tensor([0.0625]))
    want = torch.clamp(torch.round(x.bfloat16().float() / 0.0625), -128, 127)
    check(lambda x: op.Quantize("", x, scale, 0.0, -1, torch.int8), lambda _: want, x, exact=True)
    bytes_ = torch.randint(-100, 100, (1, 1, 8, 32)).float()
    check(lambda x: op.Dequantize("", x, scale, 3.0), lambda x: (x - 3) * 0.0625, bytes_, roundings=2)


def test_scales_and_zero_points_of_many_kinds():
    x = torch.randn(1, 1, 8, 32)
    for scale, zero in ((0.0625, 3), (torch.tensor([0.0625]), torch.tensor(3)),
                        (pybuda.Parameter(torch.tensor([0.0625])), pybuda.Parameter(torch.tensor([3.0]))),
                        (Tensor.create_from_torch(torch.full((32,), 0.0625)), torch.full((32,), 3))):
        given = Tensor.create_from_torch(x)
        made = op.Quantize("q", given, scale, zero, 3, torch.int8)
        assert torch.equal(made.value(), (torch.round(x / 0.0625) + 3).clamp(-128, 127).to(torch.int8))
        back = op.Dequantize("d", made, scale, zero, 3)
        assert torch.allclose(back.value(), (made.value().float() - 3) * 0.0625)
        twice = op.Requantize("r", made, scale, scale, zero, torch.tensor([1.0]), torch.int8, 3)
        assert torch.equal(twice.value(), (made.value().float() - 2).clamp(-128, 127).to(torch.int8))
    unknown = Tensor(None, (1,), pybuda.DataFormat.Float32)
    with pytest.raises(RuntimeError, match="zero_point of op 'q' is a tensor whose value is not known"):
        op.Quantize("q", given, 0.1, unknown, 3, torch.int8)
    with pytest.raises(RuntimeError, match="zero_point of op 'd' has 2 different values"):
        op.Dequantize("d", given, 0.1, torch.tensor([1, 2]))


@pytest.mark.parametrize("make, reference", [
    (lambda: op.nn.Linear("m", 40, 24), lambda m, x: x @ m.weights.value() + m.bias.value()),
    (lambda: op.nn.Linear("m", 40, 24, bias=False), lambda m, x: x @ m.weights.value()),
])
def test_linear_module(make, reference):
    module = make()
    x = torch.rand(1, 3, 40)
    got = pybuda.run_inference(module, inputs=[(x,)]).get()[0].value().float()
    assert (got - reference(module, x)).abs().max() < 0.05


def test_convolution_modules():
    x = torch.rand(1, 4, 8, 8)
    conv = op.nn.Conv2dModule("conv", 4, 6, (3, 3))
    got = pybuda.run_inference(conv, inputs=[(x,)]).get()[0].value().float()
    assert (got - F.conv2d(x, conv.weights.value(), conv.bias.value(), 1, 1)).abs().max() < 0.03
    up = op.nn.ConvTranspose2dModule("up", 4, 6, (2, 2), 2, 0)
    got = pybuda.run_inference(up, inputs=[(x,)]).get()[0].value().float()
    assert (got - F.conv_transpose2d(x, up.weights.value(), up.bias.value(), 2)).abs().max() < 0.03
    pool = op.nn.MaxPool2dModule("pool", 2, 2, 0)
    got = pybuda.run_inference(pool, inputs=[(x,)]).get()[0].value()
    assert torch.equal(got, F.max_pool2d(x.bfloat16(), 2))


def test_losses():
    x, labels = torch.rand(1, 8, 10), F.one_hot(torch.randint(0, 10, (1, 8)), 10).float()
    got = pybuda.run_inference(op.loss.CrossEntropyLoss("ce"), inputs=[(x, labels)]).get()[0].value().float()
    assert abs(float(got) - float(F.cross_entropy(x[0], labels[0]))) < 0.05
    got = pybuda.run_inference(op.loss.L1Loss("l1"), inputs=[(x, labels)]).get()[0].value().float()
    assert abs(float(got) - float(F.l1_loss(x, labels))) < 0.02


def test_parameters_are_made_of_shapes_and_tensors():
    assert Parameter(3, 4).shape == (3, 4) and not Parameter(3, 4).has_value()
    assert Parameter(torch.tensor(2.0)).shape == (1,)
    with pytest.raises(RuntimeError, match="shape or a torch tensor"):
        Parameter()
