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
    with pytest.raises(NotImplementedError):
        ttl.resnet_matmul(x, x)


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
