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


def moved(x, to):
    """The values `to` with the gradient of x; x if there are none."""
    return x if to is None else x + (to - x).detach()


def largest(x, axis, chosen):
    """The maximum along an axis; if given, of the elements that are the first largest ones of `chosen`."""
    if chosen is None:
        return x.amax(axis, keepdim=True)
    return x.gather(axis, chosen.argmax(axis, keepdim=True))


def pooled(x, chosen):
    """Max pool of 3x3 windows; if given, of the elements that are the first largest ones of `chosen`."""
    if chosen is None:
        return torch.nn.functional.max_pool2d(x, 3, 1, 1)
    _, at = torch.nn.functional.max_pool2d(chosen, 3, 1, 1, return_indices=True)
    return x.flatten(2).gather(2, at.flatten(2)).reshape(x.shape)


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
    """A graph of imported(), compiled with gradients of all inputs.

    `others`: values of the outputs behind the first one in the last gradients(), whose gradient is 0."""

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
        results = trainer.forward({name: one.unsqueeze(0) for name, one in zip(self.imported.inputs, given)})
        shapes = {one.name: one.shape for one in self.imported.graph.outputs}
        whole = [torch.as_tensor(results[name]).reshape(shapes[name]) for name in self.imported.outputs]
        self.others = [one.double() for one in self.imported.finish(whole, *self.inputs)[1:]]
        output, *others = self.imported.outputs
        zeros = {name: torch.zeros(1, *shapes[name]) for name in others}
        found = trainer.backward({output: incoming.reshape(shapes[output]).unsqueeze(0)} | zeros)
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
