"""tt_lib: the documented examples in every form, tensors, ops, lifetimes."""
import subprocess
import sys
import textwrap

import pytest
import torch
from libs import tt_lib

ttl = tt_lib.tensor
BF16, TILE, ROW = ttl.DataType.BFLOAT16, ttl.Layout.TILE, ttl.Layout.ROW_MAJOR


@pytest.fixture()
def device():
    made = tt_lib.device.CreateDevice(tt_lib.device.Arch.GRAYSKULL, 0)
    assert tt_lib.device.InitializeDevice(made)
    yield made
    tt_lib.device.CloseDevice(made)


def on(device, values):
    return ttl.Tensor(tt_lib.utils.tilize_to_list(values), list(values.shape), BF16, TILE, device)


def read(tensor):
    return tensor.to(tt_lib.device.GetHost()).to_torch().float()


START = """
from libs import tt_lib as tt_lib
device = tt_lib.device.CreateDevice(tt_lib.device.Arch.GRAYSKULL, 0)
host = tt_lib.device.GetHost()
def tensor():
    t = tt_lib.tensor
    return t.Tensor([1.0] * 1024, [1, 1, 32, 32], t.DataType.BFLOAT16, t.Layout.TILE, device)
"""
FORMS = {
    "as printed": "tt_lib.device.InitializeDevice(device)\ntt_lib.device.CloseDevice(device)",
    "outer scope": """
        def compute(device):
            tt_lib.device.InitializeDevice(device)
            out = tt_lib.tensor.exp(tensor())
            tt_lib.device.CloseDevice(device)
        compute(device)""",
    "deleted": """
        tt_lib.device.InitializeDevice(device)
        out = tt_lib.tensor.exp(tensor())
        out_host = out.to(host)
        del out
        tt_lib.device.CloseDevice(device)""",
    "lost": """
        tt_lib.device.InitializeDevice(device)
        out = tt_lib.tensor.exp(tensor()).to(host)
        tt_lib.device.CloseDevice(device)
        assert abs(out.data()[0] - 2.71875) < 0.05""",
    "device first": """
        tt_lib.device.InitializeDevice(device)
        out = tt_lib.tensor.exp(tensor())
        del device
        import gc; gc.collect()
        assert abs(out.to(host).data()[0] - 2.71875) < 0.05""",
    "closed, tensors later": """
        tt_lib.device.InitializeDevice(device)
        kept = [tt_lib.tensor.exp(tensor()) for _ in range(3)]
        tt_lib.device.CloseDevice(device)
        del device
        kept.pop()""",
    "never closed": "tt_lib.device.InitializeDevice(device)\nout = tensor()",
    "exception": """
        tt_lib.device.InitializeDevice(device)
        def fail():
            inner = tensor()
            raise ValueError
        try:
            fail()
        except ValueError:
            pass
        out = tensor()""",
    "cycle": """
        tt_lib.device.InitializeDevice(device)
        a = tensor(); a.me = a; a.device_handle = device
        del a, device""",
    "again": """
        for _ in range(3):
            tt_lib.device.InitializeDevice(device)
            out = tensor()
            device = tt_lib.device.CreateDevice(tt_lib.device.Arch.GRAYSKULL, 0) if tt_lib.device.CloseDevice(device) else None""",
}


@pytest.mark.parametrize("kept", [True, False])
def test_the_documented_forms_and_orders_of_deletion(kept):
    """`kept`: everything lives until the interpreter ends; else until the end of each form."""
    forms = [(START + textwrap.dedent(body)).replace("GRAYSKULL, 0", f"GRAYSKULL, {slot}") for slot, body in enumerate(FORMS.values())]
    script = f"import gc\nspaces = []\nfor form in {forms!r}:\n    space = {{}}\n    exec(form, space)\n"
    script += "    spaces.append(space)\n" if kept else "    del space\n    gc.collect()\n"
    done = subprocess.run([sys.executable, "-c", script + "print(len(spaces))"], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", f"{len(forms) if kept else 0}\n")


def test_before_initialization_and_after_closing():
    made = tt_lib.device.CreateDevice(tt_lib.device.Arch.WORMHOLE_B0, 1)
    assert tt_lib.device.CloseDevice(made) is False
    with pytest.raises(RuntimeError, match="call InitializeDevice"):
        on(made, torch.ones(1, 1, 32, 32))
    tt_lib.device.InitializeDevice(made)
    with pytest.raises(RuntimeError, match="initialized already"):
        tt_lib.device.InitializeDevice(made)
    x = on(made, torch.ones(1, 1, 32, 32))
    assert tt_lib.device.CloseDevice(made) is True and tt_lib.device.CloseDevice(made) is False
    with pytest.raises(RuntimeError, match="tensor .* cannot be used: device 1 was closed"):
        ttl.exp(x)
    with pytest.raises(RuntimeError, match="was closed"):
        on(made, torch.ones(1, 1, 32, 32))
    x.deallocate()


def test_tensors(device, capsys):
    values = torch.randn(2, 3, 64, 32).bfloat16().float()
    x = on(device, values)
    host = x.to(tt_lib.device.GetHost())
    assert host.data() == tt_lib.utils.tilize_to_list(values) and host.to(ROW).data() == values.reshape(-1).tolist()
    assert x.shape == [2, 3, 64, 32] and x.shape() == [2, 3, 64, 32] and x.layout() is TILE and x.dtype is BF16
    assert tt_lib.device.GetHost() is tt_lib.device.GetHost()
    with pytest.raises(RuntimeError, match="read it first"):
        x.data()
    odd = ttl.Tensor(torch.arange(35.0).reshape(1, 1, 5, 7), BF16)
    assert odd.pad_to_tile(0).shape == [1, 1, 32, 32] and odd.pad_to_tile(0).unpad_from_tile([1, 1, 5, 7]).data() == odd.data()
    with pytest.raises(ValueError, match="multiples of 32"):
        odd.to(TILE)
    with pytest.raises(ValueError, match="even number"):
        odd.to(device)
    assert ttl.Tensor([1.0 + 2 ** -7 - 2 ** -12] * 2, [1, 1, 1, 2], BF16, ROW).data()[0] == 1.0  # cut, not rounded
    odd.print()
    assert "34.0" in capsys.readouterr().out
    assert torch.equal(tt_lib.utils.untilize(tt_lib.utils.tilize(values)), values)


def test_ops(device):
    a, b = torch.rand(1, 2, 64, 32) + 0.5, torch.rand(1, 2, 64, 32) + 0.5
    x, y = on(device, a), on(device, b)
    for name, expected in (("add", a + b), ("sub", a - b), ("mul", a * b), ("gt", (a > b).float()), ("exp", a.exp()),
                           ("recip", 1 / a), ("power", a ** 2), ("softmax", a.softmax(-1)), ("transpose", a.transpose(2, 3)),
                           ("transpose_hc", a.transpose(1, 2)), ("max", torch.maximum(a, b)), ("gelu", torch.nn.functional.gelu(a))):
        operands = (x, y) if name in ("add", "sub", "mul", "gt", "max") else (x, 2.0) if name == "power" else (x,)
        got = read(getattr(ttl, name)(*operands))
        assert got.shape == expected.shape, name
        assert float(((got - expected).abs() > 0.04 * max(1, float(expected.abs().max()))).float().mean()) < 0.02, name
    made = read(ttl.reduce(x, ttl.ReduceOpMath.SUM, ttl.ReduceOpDim.W, 0.5))
    assert made.shape == (1, 2, 64, 32) and (made[..., 0] - a.sum(-1) / 2).abs().max() < 0.2 and made[..., 1:].abs().max() == 0
    top = ttl.reduce(x, ttl.ReduceOpMath.MAX, ttl.ReduceOpDim.H, 1.0)
    assert (read(ttl.bcast(x, top, ttl.BcastOpMath.SUB, ttl.BcastOpDim.H)) - (a - a.amax(2, keepdim=True))).abs().max() < 0.02
    assert (read(ttl.bmm(x, ttl.transpose(y))) - a @ b.transpose(2, 3)).abs().max() < 0.5
    with pytest.raises(ValueError, match="use bmm"):
        ttl.matmul(x, ttl.transpose(y))
    assert torch.equal(read(ttl.untilize(x)), read(x)) and ttl.untilize(x).layout is ROW
    assert torch.equal(read(ttl.concat([x, y], 3)), torch.cat([read(x), read(y)], 3))
    with pytest.raises(AttributeError, match="did you mean"):
        ttl.softmaxx  # noqa: B018


def test_autoformat_and_fallback(device):
    odd = ttl.Tensor(torch.rand(1, 1, 5, 7), BF16)
    tt_lib.device.SetDefaultDevice(None)
    with pytest.raises(RuntimeError, match="SetDefaultDevice"):
        ttl.exp(odd)
    tt_lib.device.SetDefaultDevice(device)
    made = ttl.exp(odd)
    assert made.storage_type() is ttl.StorageType.HOST and made.layout is ROW and made.shape == [1, 1, 5, 7]
    hidden = device.report()["hidden"]
    assert (hidden["tilize"], hidden["pad"], hidden["untilize"]) == (1, 1, 1)
    x = on(device, torch.rand(1, 1, 32, 32))
    assert tt_lib.fallback_ops.softmax(x, -1).layout is TILE
    assert device.report()["hidden"]["fallback"] == {"tt_lib.fallback_ops.softmax": 1}
    assert tt_lib.program_cache.num_entries() > 0


# the names of ops that the public project of mid-2023 had, as far as its facts list them
NAMES = ["add", "sub", "mul", "max", "min", "squared_difference", "hypot", "addcmul", "addcdiv", "mac", "lerp", "logaddexp", "logaddexp2", "ldexp", "xlogy", "atan2", "gt", "gte", "lt", "lte", "eq", "ne", "exp", "recip", "sqrt", "log", "sigmoid", "tanh", "gelu", "relu", "abs", "square", "sin", "cos", "sign", "log2", "log10", "relu6", "relu_max", "relu_min", "leaky_relu", "elu", "power", "rsqrt", "erf", "erfc", "erfinv", "exp2", "expm1", "heaviside", "i0", "tan", "asin", "acos", "atan", "gtz", "gez", "ltz", "lez", "eqz", "nez", "isinf", "isnan", "isfinite", "logical_not", "neg", "silu", "swish", "mish", "softplus", "log1p", "log_sigmoid", "hardtanh", "hardsigmoid", "hardswish", "hardshrink", "softshrink", "softsign", "tanhshrink", "threshold", "clip", "cbrt", "sinh", "cosh", "asinh", "acosh", "atanh", "add1", "deg2rad", "rad2deg", "polyval", "rpow", "rsub", "rdiv", "glu", "reglu", "geglu", "swiglu", "add_unary", "sub_unary", "mul_unary", "div_unary", "where", "bcast", "reduce", "sum", "global_mean", "mean_hw", "std_hw", "normalize_hw", "matmul", "bmm", "softmax", "softmax_in_place", "scale_mask_softmax_in_place", "layernorm", "add_layernorm", "rmsnorm", "groupnorm", "transpose", "transpose_hc", "transpose_cn", "permute", "reshape", "concat", "split_last_dim_two_chunks_tiled", "repeat", "clone", "move", "assign", "transpose_hc_rm", "fill_rm", "fill_ones_rm", "pad", "unpad", "tilize", "tilize_with_zero_padding", "tilize_with_val_padding", "untilize", "untilize_with_unpadding", "zeros", "ones", "full", "arange", "zeros_like", "ones_like", "full_like", "empty", "embeddings", "conv", "max_pool2d", "average_pool_2d", "create_qkv_heads", "nlp_create_qkv_heads", "nlp_concat_heads", "rotary_embedding", "fill_cache", "update_cache", "bert_large_fused_qkv_matmul", "bert_large_ff1_matmul", "falcon_lm_head_matmul", "resnet_matmul"]


def test_names():
    for name in NAMES:
        assert getattr(ttl, name).__doc__, name
    with pytest.raises(NotImplementedError, match="call the ops one after the other"):
        ttl.unary_chain()


def close(got, expected, share=0.03):
    assert tuple(got.shape) == tuple(expected.shape)
    assert (got - expected).abs().max() <= share * max(1.0, float(expected.abs().max()))


def test_products_of_models(device):
    a, b, bias = torch.randn(1, 2, 32, 64) / 4, torch.randn(1, 1, 64, 96) / 4, torch.randn(1, 1, 32, 96)
    x, y, z = on(device, a), on(device, b), on(device, bias)
    close(read(ttl.bert_large_ff1_matmul(x, y, bias=z, fused_activation=("gelu", True))), torch.nn.functional.gelu(a @ b + bias[:, :, :1]))
    close(read(ttl.falcon_lm_head_matmul(x, y)), a @ b)
    close(read(ttl.bert_large_pre_softmax_bmm(x, ttl.transpose(x))), a @ a.transpose(2, 3))
    with pytest.raises(ValueError, match="tt_lib.tensor.resnet_matmul: N and C of the second operand are 1"):
        ttl.resnet_matmul(x, x)


def test_heads_and_caches(device):
    x = on(device, torch.randn(1, 1, 32, 192))
    fused = read(x)
    q, k, v = ttl.nlp_create_qkv_heads(x, num_heads=2)
    parts = [fused[..., n * 64:(n + 1) * 64].reshape(1, 32, 2, 32).transpose(1, 2) for n in range(3)]
    assert torch.equal(read(q), parts[0]) and torch.equal(read(k), parts[1].transpose(2, 3)) and torch.equal(read(v), parts[2])
    assert torch.equal(read(ttl.concatenate_heads(q)), fused[..., :64])
    cache, rows = on(device, torch.zeros(1, 2, 64, 32)), on(device, torch.ones(1, 2, 32, 32))
    assert ttl.fill_cache(cache, rows, 0) is cache
    assert read(cache)[0, :, :32].min() == 1 and read(cache)[0, :, 32:].max() == 0


def test_pictures(device):
    picture, weight = torch.randn(1, 8, 10, 12), torch.randn(16, 8, 3, 3) / 8
    x = ttl.Tensor(picture, BF16).to(device)
    expected = torch.nn.functional.conv2d(picture, weight, None, 1, 1)
    for kernel in (weight, tt_lib.utils.convert_weights_2d_matrix(weight, [16, 8, 3, 3])):
        close(read(ttl.conv(x, ttl.Tensor(kernel, BF16), [3, 3, 1, 1, 1, 1])), expected)
    last = ttl.Tensor(picture.permute(0, 2, 3, 1).reshape(1, 1, 120, 8), BF16).to(device)
    pooled = read(ttl.max_pool2d(last, 1, 10, 12, 2, 2, 2, 2)).reshape(1, 5, 6, 8).permute(0, 3, 1, 2)
    close(pooled, torch.nn.functional.max_pool2d(picture, 2))
    close(read(ttl.average_pool_2d(last)), picture.mean((2, 3)).reshape(1, 1, 1, 8))
    tiled = torch.randn(1, 8, 32, 32)
    close(read(ttl.groupnorm(on(device, tiled), 4, 1e-5)), torch.nn.functional.group_norm(tiled, 2, eps=1e-5), 0.06)


def test_filled_and_typed(device):
    x = on(device, torch.ones(1, 1, 32, 32))
    made = read(ttl.fill_ones_rm(1, 2, 32, 64, 3, 5, x))
    assert made.shape == (1, 2, 32, 64) and made.sum() == 2 * 15 and made[0, 1, :3, :5].min() == 1
    assert ttl.typecast(x, ttl.DataType.BFLOAT8_B).dtype is ttl.DataType.BFLOAT8_B
    close(read(ttl.normalize_hw(on(device, values := torch.randn(1, 2, 32, 32)))),
          (values - values.mean((2, 3), True)) / values.std((2, 3), keepdim=True), 0.05)
    spec = ttl.ShardSpec(ttl.CoreRangeSet({ttl.CoreRange(ttl.CoreCoord(0, 0), ttl.CoreCoord(1, 0))}), [32, 32])
    place = ttl.MemoryConfig(ttl.TensorMemoryLayout.WIDTH_SHARDED, ttl.BufferType.L1, spec)
    assert "in 2 shards on 0,0 1,0" in sharded_map(device, ttl.interleaved_to_sharded(on(device, torch.ones(1, 1, 32, 64)), place))


def sharded_map(device, tensor):
    return device.eager("test").memory_map() if tensor.on_device else ""


def test_on_another_device_and_after_deallocation(device):
    other = tt_lib.device.CreateDevice(tt_lib.device.Arch.WORMHOLE_B0, 2)
    tt_lib.device.InitializeDevice(other)
    x, y = on(device, torch.ones(1, 1, 32, 32)), on(other, torch.ones(1, 1, 32, 32))
    with pytest.raises(RuntimeError, match="tt_lib.tensor.add: tensor .* and tensor .* are on different devices"):
        ttl.add(x, y)
    with pytest.raises(RuntimeError, match=r"Tensor.to\(device\): tensor .* is on another device"):
        x.to(other)
    y.deallocate()
    for use in (lambda: ttl.exp(y), lambda: y.to(tt_lib.device.GetHost()), lambda: y.buffer_address()):
        with pytest.raises(RuntimeError, match="was deallocated"):
            use()
    host = ttl.Tensor(torch.ones(1, 1, 2, 2), BF16)
    host.deallocate()
    with pytest.raises(RuntimeError, match="was deallocated"):
        host.data()
    assert tt_lib.device.CloseDevice(other)


SCRIPTS = {
    "whole": """
        tt_lib.device.InitializeDevice(device)
        ...
        tt_lib.device.CloseDevice(device)""",
    "function": """
        def compute(device):
            tt_lib.device.InitializeDevice(device)
            ...
            tt_lib.device.CloseDevice(device)
        compute(device)""",
    "options": """
        tt_lib.device.InitializeDevice(device)
        host = tt_lib.device.GetHost()
        args = tt_lib.tensor.Tensor([1.0] * 1024, [1, 1, 32, 32], tt_lib.tensor.DataType.BFLOAT16, tt_lib.tensor.Layout.TILE, device)
        out = tt_lib.tensor.exp(args)
        out_host = out.to(host)
        del out
        out = tt_lib.tensor.exp(args).to(host)
        assert out.data() == out_host.data()
        tt_lib.device.CloseDevice(device)""",
}


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_the_documented_scripts(name, tmp_path):
    """Each as a script of its own, whose device and tensors live until the interpreter ends."""
    script = tmp_path / "script.py"
    script.write_text("from libs import tt_lib as tt_lib\ndevice = tt_lib.device.CreateDevice(tt_lib.device.Arch.GRAYSKULL, 0)\n" +
                      textwrap.dedent(SCRIPTS[name]))
    done = subprocess.run([sys.executable, "-m", "ttsim", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_documented_names():
    for name in ("Host", "Device", "Arch", "CreateDevice", "InitializeDevice", "GetHost", "CloseDevice", "SetDefaultDevice",
                 "GetDefaultDevice"):
        assert getattr(tt_lib.device, name).__doc__, name
    assert isinstance(tt_lib.device.Host(), type(tt_lib.device.GetHost()))
