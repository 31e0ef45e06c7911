"""Modules of a function, and their way through the simulated chip."""
import torch
import ttsim
from torch import nn
from ttsim.torch import import_module


class Of(nn.Module):
    """A module with this function as forward, and these parts."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            if isinstance(part, torch.Tensor) and not isinstance(part, nn.Parameter):
                self.register_buffer(name, part)
            else:
                setattr(self, name, part)

    def forward(self, *args, **kwargs):
        return self.function(self, *args, **kwargs)


def device_run(imported, args, kwargs=None, **compile_options):
    """Results by way of the compiler and the chip's values."""
    kwargs = kwargs or {}
    model = ttsim.Model(ttsim.compile(imported.graph, **compile_options), engine="functional")
    made = model.run(dict(zip(imported.inputs, imported.device_inputs(*args, **kwargs), strict=True)))
    return imported.finish([torch.as_tensor(made[name]) for name in imported.outputs], *args, **kwargs)


def check(module, args, kwargs=None, options=None, **import_options):
    """Imports, runs, and compares with the module itself."""
    kwargs = kwargs or {}
    imported = import_module(module, args, kwargs, **import_options)
    with torch.no_grad():
        wanted = imported.evaluate(*args, **kwargs)
    got = device_run(imported, args, kwargs, **(options or {}))
    assert [(one.shape, one.dtype) for one in got] == [(one.shape, one.dtype) for one in wanted]
    for one, other in zip(got, wanted, strict=True):
        one, other = one.double(), other.double()
        assert (one - other).abs().max() <= 0.03 * max(other.abs().max(), 1)
    return imported


X = torch.linspace(-2, 2, 12).reshape(3, 4)
