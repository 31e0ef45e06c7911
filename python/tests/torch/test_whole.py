"""Graphs that torch leaves as they are: which need no decompositions, and that writing over a tensor means the same."""
import models
import pytest
import torch
import ttsim
from torch.export import ExportedProgram
from ttsim.torch import import_module


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.scale = torch.nn.Parameter(torch.tensor([2.0]))
        self.register_buffer("shift", torch.arange(6.0), persistent=False)

    def forward(self, x):
        return self.function(self, x)


@pytest.fixture
def decomposed(monkeypatch):
    """How often torch's decompositions were asked for."""
    calls = []
    real = ExportedProgram.run_decompositions

    def counted(*given):
        calls.append(1)
        return real(*given)
    monkeypatch.setattr(ExportedProgram, "run_decompositions", counted)
    return calls


@pytest.mark.parametrize("name", ["resnet18", "mobilenet_v2", "densenet121", "vgg11", "unet", "yolo", "openpose", "vit",
                                  "bert", "llama"])
def test_networks_need_no_decompositions(decomposed, name):
    module, args, kwargs = models.make(name, small=True)
    import_module(module, args, kwargs)
    assert not decomposed


def _residual(self, x):
    y = x * self.scale
    z = y + 1
    y.relu_()
    return y * 2 + z


def _chain(self, x):
    y = (x * self.scale).add_(1).mul_(3)
    y -= self.shift
    return y, y.clamp_(max=2)


def _known(self, x):
    mask = torch.zeros(4, 6)
    mask[1:3, 2] = 5
    return x + mask


def _cast(self, x):
    y = x * self.scale
    return y.to(torch.float32).neg_() + y


def _other_name(self, x):
    y = x * self.scale
    same = y.view(4, 6)
    y.neg_()
    return same + 1, y


WHOLE = [_residual, _chain, _known, _cast, _other_name]


def _view_before(self, x):
    y = x * self.scale
    part = y[:, 1:3]
    y.neg_()
    return part + 1, y


def _part_written(self, x):
    y = x * self.scale
    y[:, 0] = 7
    return y


def _early_reader(self, x):
    zeros = torch.zeros(4, 6)
    y = x + zeros
    zeros.add_(3)
    return y * zeros


def _through_a_view(self, x):
    y = x * self.scale
    y.view(24).sigmoid_()
    return y + 1


def _other_dtype(self, x):
    y = (x * 4).to(torch.int32)
    y.mul_(torch.tensor([2], dtype=torch.int64))
    return y.float() * self.scale


@pytest.mark.parametrize("function", [*WHOLE, _view_before, _part_written, _early_reader, _through_a_view,
                                      _other_dtype])
def test_what_is_written_over_is_read_as_torch_reads_it(decomposed, function):
    module, x = Function(function).eval(), torch.linspace(-2, 2, 24).reshape(4, 6)
    with torch.no_grad():
        wanted = module(x.clone())
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    imported = import_module(module, (x,))
    assert bool(decomposed) == (function not in WHOLE)
    model = ttsim.Model(ttsim.compile(imported.graph, format="Float32"), engine="functional", numerics="float32")
    made = model.run(dict(zip(imported.inputs, imported.device_inputs(x), strict=True)))
    got = imported.finish([torch.as_tensor(made[name]) for name in imported.outputs], x)
    for host, device, one in zip(imported.evaluate(x), got, wanted, strict=True):
        assert host.dtype == device.dtype == one.dtype
        torch.testing.assert_close(host, one)
        torch.testing.assert_close(device, one, atol=1e-4, rtol=1e-4)


def test_statistics_that_a_layer_changes_are_refused():
    def changes(self, x):
        return torch.nn.functional.batch_norm(x, self.shift, self.shift, training=True)
    with pytest.raises(ttsim.UnsupportedError, match="buffer 'shift' in place"):
        import_module(Function(changes), (torch.ones(4, 6),))
