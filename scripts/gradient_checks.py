"""Gradients of functions on the simulated chip and in torch, for scripts/gradients and scripts/gradient-graphs."""
import torch


def shaped_values(rng, dims, low=-2.0, high=2.0):
    """Uniform random numbers."""
    generator = torch.Generator().manual_seed(rng.randrange(1 << 30))
    return torch.rand(dims, generator=generator) * (high - low) + low


class Function(torch.nn.Module):
    """A function as a module without parameters."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def rounded(tensor, data_format):
    """Inputs that the format holds."""
    return tensor.bfloat16().float() if data_format == "Float16_b" else tensor


def torch_gradients(function, inputs, incoming):
    """In 64 bits; the result if `incoming` is None."""
    wide = [one.double().requires_grad_() for one in inputs]
    result = function(*wide)
    if incoming is None:
        return result.detach()
    return torch.autograd.grad(result, wide, incoming.double(), allow_unused=True, materialize_grads=True)


def imported(function, inputs):
    """The graph of a function."""
    from ttsim.torch import import_module
    return import_module(Function(function), tuple(inputs), fallback=False)


class OnChip:
    """A graph of imported(), compiled with gradients of all inputs."""

    def __init__(self, graph, inputs, device, data_format):
        import ttsim
        self.inputs, self._numerics = inputs, {"numerics": "float32"} if data_format == "Float32" else {}
        self.imported = graph
        self.compiled = ttsim.compile(self.imported.graph, training=True, optimizer="none", freeze=["*"],
                                      input_gradients=list(self.imported.inputs), device=device, format=data_format)

    def gradients(self, incoming, engine="functional"):
        """Of the inputs; 0 for those that the result does not depend on."""
        import ttsim
        trainer = ttsim.Trainer(self.compiled, engine=engine, **self._numerics)
        given = self.imported.device_inputs(*self.inputs)
        trainer.forward({name: one.unsqueeze(0) for name, one in zip(self.imported.inputs, given)})
        output = self.compiled.outputs[0]
        found = trainer.backward({output.name: incoming.reshape(output.shape).unsqueeze(0)})
        names = [name if name in self.imported.inputs else None for name in self.imported.input_names]
        return [torch.as_tensor(found[name]).reshape(one.shape) if name in found else torch.zeros(one.shape)
                for name, one in zip(names, self.inputs)]


def difference(found, wanted):
    """The largest error relative to the largest gradient, and the correlation. Both over all inputs."""
    a = torch.cat([one.double().flatten() for one in found])
    b = torch.cat([one.double().flatten() for one in wanted])
    error = ((a - b).abs().max() / b.abs().max().clamp_min(1e-30)).item()
    if a.numel() < 2 or (a.std() <= 1e-9 * b.abs().max() and b.std() <= 1e-9 * b.abs().max()):
        return error, 1.0 if error < 0.02 else 0.0
    return error, torch.corrcoef(torch.stack([a, b]))[0, 1].item()
