"""Losses, gradients and weights of training on the chip are those of torch's autograd and optimizers."""
import pybuda
import pytest
import torch
from pybuda import DataFormat
from pybuda.verify import TestKind, VerifyConfig, verify_module, verify_module_pipeline

from training import GRAYSKULL, WORMHOLE, LeNet, mlp, pipeline, train_both

OPTIMIZERS = {"sgd": lambda: pybuda.SGD(0.05, device_params=True), "adam": lambda: pybuda.Adam(0.01, device_params=True),
              "adamw": lambda: pybuda.AdamW(0.01, weight_decay=0.1, device_params=True),
              "adam_plain": lambda: pybuda.Adam(0.01, bias_correction=False, device_params=True)}


def rows(count, size=2, width=20):
    return [(torch.rand(size, width), torch.rand(size, 4)) for _ in range(count)]


def pictures(count, size=2):
    """Each class has its own bright rows."""
    found = []
    for _ in range(count):
        labels, x = torch.randint(0, 4, (size,)), torch.randn(size, 1, 12, 12) * 0.3
        for at, label in enumerate(labels):
            x[at, 0, 3 * label:3 * label + 3] += 1
        found.append((x, labels))
    return found


@pytest.mark.parametrize("accumulation", [1, 4])
@pytest.mark.parametrize("optimizer", list(OPTIMIZERS))
@pytest.mark.parametrize("data_format", [DataFormat.Float32, DataFormat.Float16_b])
@pytest.mark.parametrize("arch", [WORMHOLE, GRAYSKULL])
def test_an_mlp(arch, data_format, optimizer, accumulation):
    made = train_both(mlp(), OPTIMIZERS[optimizer](), rows(6 * accumulation), 3, accumulation, 2, arch=arch,
                      data_format=data_format)
    assert made.losses == pytest.approx(made.wanted_losses, abs=0.01)
    assert made.wanted_losses[-1] < made.wanted_losses[0]  # so a test of what learns
    # With moments, a gradient near 0 decides the direction of whole steps, of 0.01 here. Without bias correction the
    # first one is (1 - 0.9) / sqrt(1 - 0.999) = 3.2 times as long.
    assert made.worst() < {"sgd": 0.004, "adam_plain": 0.095}.get(optimizer, 0.03)


@pytest.mark.parametrize("optimizer, accumulation", [("sgd", 1), ("adam", 4)])
@pytest.mark.parametrize("arch, data_format", [(WORMHOLE, DataFormat.Float32), (GRAYSKULL, DataFormat.Float16_b)])
def test_a_network_of_convolutions(arch, data_format, optimizer, accumulation):
    torch.manual_seed(1)
    made = train_both(LeNet(), OPTIMIZERS[optimizer](), pictures(4 * accumulation), 4, accumulation, arch=arch,
                      data_format=data_format, loss=torch.nn.CrossEntropyLoss())
    assert made.losses == pytest.approx(made.wanted_losses, abs=0.03)
    assert made.worst() < (0.05 if optimizer == "adam" else 0.01)


@pytest.mark.parametrize("loss", [torch.nn.MSELoss(), torch.nn.L1Loss(), torch.nn.BCEWithLogitsLoss(),
                                  torch.nn.CrossEntropyLoss(), torch.nn.MSELoss(reduction="sum")],
                         ids=lambda one: type(one).__name__)
def test_a_loss_of_torch_on_the_chip_is_one_of_each_sample(loss):
    made = train_both(mlp(), OPTIMIZERS["sgd"](), rows(4), 2, count=2, loss=loss, on_host=False,
                      data_format=DataFormat.Float32)
    assert made.losses == pytest.approx(made.wanted_losses, rel=0.03)
    assert made.worst() < 0.003


class GammaLoss(torch.nn.Module):
    """Needs an op that the chip does not have."""

    def forward(self, output, target):
        return (torch.lgamma(output.abs() + 1) - target).square().mean()


def test_a_loss_that_the_chip_cannot_compute_runs_on_the_host_and_says_so():
    with pytest.warns(UserWarning, match="(?s)the loss 'loss' runs in torch on the host.*lgamma"):
        made = train_both(mlp(), OPTIMIZERS["sgd"](), rows(4), 2, count=2, loss=GammaLoss(), on_host=False,
                          data_format=DataFormat.Float32)
    assert made.losses == pytest.approx(made.wanted_losses, rel=0.01)
    assert made.worst() < 0.002


class Layer(pybuda.PyBudaModule):
    def __init__(self, name):
        super().__init__(name)
        self.weights = pybuda.Parameter(torch.rand(24, 40) / 5 - 0.1)
        self.bias = pybuda.Parameter(torch.rand(1, 40) / 5)

    def forward(self, x):
        return pybuda.op.Add("add", pybuda.op.Matmul("matmul", x, self.weights), self.bias)


def far():
    """Targets on both sides of outputs, of which none is near: there the gradient of a difference jumps."""
    return torch.rand(1, 10, 40) + 3 * torch.tensor([1.0, -1.0]).repeat(20)


def one_hot(rows, classes):
    return torch.nn.functional.one_hot(torch.randint(0, classes, (1, rows)), classes).float()


@pytest.mark.parametrize("loss, target, reference", [
    (lambda: pybuda.op.loss.L1Loss("l1"), far, lambda y, t: (y - t).abs().mean()),
    (lambda: pybuda.op.loss.L1Loss("l1", "sum"), far, lambda y, t: (y - t).abs().sum()),
    (lambda: pybuda.op.loss.L1Loss("l1", "none"), far, lambda y, t: (y - t).abs()),
    (lambda: pybuda.op.loss.CrossEntropyLoss("ce"), lambda: one_hot(10, 40),
     lambda y, t: -(torch.log_softmax(y, -1) * t).sum(-1).mean())], ids=["avg", "sum", "none", "cross_entropy"])
@pytest.mark.parametrize("of_torch", [False, True], ids=["pybuda", "torch"])
def test_losses_of_pybuda(loss, target, reference, of_torch):
    linear, layer, target = torch.nn.Linear(24, 40), Layer("layer"), target()
    with torch.no_grad():
        linear.weight.copy_(layer.weights.value().T)
        linear.bias.copy_(layer.bias.value()[0])
    module = pybuda.PyTorchModule("layer", linear) if of_torch else layer
    device = pybuda.TTDevice("tt0", module=module, devtype=pybuda.BackendType.Golden)
    pybuda.set_configuration_options(default_df_override=DataFormat.Float32)
    device.place_loss_module(loss())
    x = torch.rand(1, 10, 24)
    pybuda.initialize_pipeline(training=True, sample_inputs=(x,), sample_targets=(target,))
    device.push_to_inputs(x)
    device.push_to_target_inputs(target)
    pybuda.run_forward()
    pybuda.run_backward(zero_grad=True)
    want = reference(linear(x), target)
    want.sum().backward()
    got = pybuda.get_loss_queue().get()
    assert torch.allclose(got[0].value().reshape(want.shape), want.detach(), rtol=0.01, atol=0.01)
    found = {name: one.value() for name, one in pybuda.get_parameter_gradients()[0].items()}
    weight, bias = (found["weight"], found["bias"]) if of_torch else (found["layer.weights"].T, found["layer.bias"][0])
    for value, wanted in ((weight, linear.weight.grad), (bias, linear.bias.grad)):
        assert float((value - wanted).abs().max()) < 0.01 * float(wanted.abs().max()) + 0.002


def test_gradients_of_inputs_that_require_them_are_added_to_their_grad():
    network = mlp()
    first, last = pipeline(network, None, data_format=DataFormat.Float32)
    x, target = torch.rand(2, 20, requires_grad=True), torch.rand(2, 4)
    for _ in range(2):
        first.push_to_inputs(x)
        last.push_to_target_inputs(target)
    pybuda.initialize_pipeline(training=True, microbatch_count=2)
    pybuda.run_forward(2)
    pybuda.run_backward(2, zero_grad=True)
    own = x.detach().clone().requires_grad_()
    (torch.nn.MSELoss()(network(own), target) * 2).backward()
    assert float((x.grad - own.grad).abs().max()) < 0.003 * float(own.grad.abs().max()) + 1e-4


@pytest.mark.parametrize("data_format", [DataFormat.Float32, DataFormat.Float16_b, DataFormat.Bfp8_b])
@pytest.mark.parametrize("arch", [WORMHOLE, GRAYSKULL])
def test_small_updates_add_up(arch, data_format):
    """40 updates, each of about a hundredth of half a digit of Float16_b, as the loss of one number asks for."""
    module = Scaled("scaled")
    device = pybuda.TTDevice("tt0", arch=arch, module=module, devtype=pybuda.BackendType.Golden,
                             optimizer=pybuda.SGD(2.0**-15, device_params=True))
    pybuda.set_configuration_options(default_df_override=data_format)
    device.place_loss_module(pybuda.op.loss.L1Loss("loss", "sum"))
    ones = torch.ones(1, 32, 32)
    pybuda.initialize_pipeline(training=True, sample_inputs=(ones,), sample_targets=(0 * ones,), microbatch_count=1)
    for _ in range(40):
        device.push_to_inputs(ones)
        device.push_to_target_inputs(0 * ones)
        pybuda.run_forward()
        pybuda.run_backward(zero_grad=True)
        pybuda.run_optimizer()
    value = pybuda.get_parameter_checkpoint()[0]["scaled.weights"].value()
    wanted = 0.875 - 40 * 2.0**-15  # a gradient of 1 in every step
    assert float((value - wanted).abs().max()) < 0.03 * 40 * 2.0**-15


class Scaled(pybuda.PyBudaModule):
    def __init__(self, name):
        super().__init__(name)
        self.weights = pybuda.Parameter(torch.full((1, 32, 32), 0.875))

    def forward(self, x):
        return pybuda.op.Multiply("product", x, self.weights)


def config(**fields):
    return VerifyConfig(test_kind=TestKind.TRAINING, **({"optimizer": {"type": "sgd", "params": {"learning_rate": 0.05}}}
                                                        | fields))


def encoder():
    return torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)


@pytest.mark.parametrize("module, shape", [
    (encoder, (1, 8, 16)), (lambda: torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.GroupNorm(2, 4)), (1, 3, 8, 8)),
    (lambda: torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)).eval(), (2, 3, 8, 8))],
    ids=["encoder", "group_norm", "fixed_batch_norm"])
def test_modules_of_torch_are_verified(module, shape):
    torch.manual_seed(3)
    verify_module(pybuda.PyTorchModule("module", module()), [shape], config(accumulation_steps=2))


def test_an_embedding_is_trained_on_the_device():
    network = torch.nn.Sequential(torch.nn.Embedding(10, 16), torch.nn.Linear(16, 4))
    ids = torch.tensor([[1, 5, 5, 9]])
    verify_module(pybuda.PyTorchModule("module", network), None, config(), inputs=[(ids,)])


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "adamw", "lamb", "lars"])
def test_pybuda_modules_are_verified_with_each_optimizer(optimizer):
    verify_module(Layer("layer"), [(2, 10, 24)], config(steps=2, microbatch_count=2, accumulation_steps=2,
                                                        optimizer={"type": optimizer, "params": {"learning_rate": 0.01}}))


class TwoResults(pybuda.PyBudaModule):
    def forward(self, a, b):
        return pybuda.op.Multiply("product", a, b), pybuda.op.Subtract("difference", a, b)


def test_gradients_of_inputs_are_verified_without_parameters():
    verify_module(TwoResults("two"), [(2, 32, 64), (2, 32, 64)], config())


@pytest.mark.parametrize("types", [["CPUDevice", "TTDevice", "CPUDevice"], ["TTDevice", "TTDevice"],
                                   ["CPUDevice", "TTDevice"], ["TTDevice", "-"]], ids=" ".join)
def test_pipelines_pass_gradients_back(types):
    sizes = [20, 32, 24, 8]
    modules = [pybuda.PyTorchModule(f"part{k}", torch.nn.Sequential(torch.nn.Linear(sizes[k], sizes[k + 1]), torch.nn.Tanh()))
               for k in range(len(types))]
    if "-" in types:
        with pytest.raises(RuntimeError, match="two modules have a parameter '0.weight'.*on two TTDevices"):
            verify_module_pipeline(modules, [(2, 20)], config(steps=2), device_types=types)
        return
    verify_module_pipeline(modules, [(2, 20)], config(steps=2, accumulation_steps=2), device_types=types)


def test_verification_finds_a_wrong_gradient(monkeypatch):
    from pybuda.train_stages import TracedTraining
    backward = TracedTraining.backward
    monkeypatch.setattr(TracedTraining, "backward", lambda self, gradients, clear, count: backward(
        self, [[one.flip(-1) for one in batch] for batch in gradients], clear, count))
    with pytest.raises(RuntimeError, match="gradient of .* differs from torch's"):
        verify_module(Layer("layer"), [(1, 10, 24)], config(), inputs_centered_on_zero=True)


class TwoHeads(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = torch.nn.Linear(20, 4), torch.nn.Linear(20, 3)

    def forward(self, x, scale=None):
        return self.one(x) if scale is None else self.one(x * scale), self.two(x)


class FirstOnly(torch.nn.Module):
    def forward(self, one, two, target):
        return (one - target).square().mean()


def test_an_output_that_the_loss_does_not_read_has_no_gradient():
    first, last = pipeline(TwoHeads(), pybuda.SGD(0.1), loss=pybuda.PyTorchModule("loss", FirstOnly()))
    for x, target in rows(2):
        first.push_to_inputs({"x": x, "scale": torch.full((2, 20), 0.5)})
        last.push_to_target_inputs(target)
    pybuda.run_training(steps=2, _verify_cfg=VerifyConfig(scale_loss=1.0))
    found = pybuda.get_parameter_gradients(first)[0]
    assert float(found["one.weight"].value().abs().max()) > 0 and not found["two.weight"].value().any()


def test_a_module_in_16_bits():
    first, last = pipeline(mlp().bfloat16(), pybuda.Adam(0.01))
    for x, target in rows(2):
        first.push_to_inputs(x.bfloat16())
        last.push_to_target_inputs(target)
    values = pybuda.run_training(steps=2, _verify_cfg=VerifyConfig(scale_loss=1.0)).get()
    pybuda.update_device_parameters(parameters=values)


FUNCTIONS = {
    "gelu": torch.nn.functional.gelu, "silu": torch.nn.functional.silu, "elu": torch.nn.functional.elu,
    "softmax": lambda y: y.softmax(-1), "log_softmax": lambda y: y.log_softmax(-1), "power": lambda y: (y.abs() + 0.1)**1.7,
    "clamp": lambda y: y.clamp(-0.3, 0.3), "amax": lambda y: y.amax(1), "var": lambda y: y.var(-1, keepdim=True),
    "norm": lambda y: torch.nn.functional.normalize(y, dim=-1), "cumsum": lambda y: y.cumsum(-1),
    "moves": lambda y: y.reshape(1, 2, 4, 8).permute(0, 2, 1, 3).reshape(1, 4, 16)[:, :, 2:12:2],
    "joined": lambda y: torch.cat([y, torch.stack([y, y.square()], 1).sum(1)], -1), "flip": lambda y: y.roll(1, -1).flip(1),
    "where": lambda y: torch.where(y > 0, y, y * 0.3), "minimum": lambda y: torch.minimum(y, -2 * y),
    "layer_norm": lambda y: torch.nn.functional.layer_norm(y, (8,)), "sort": lambda y: y.sort(-1)[0],
    "topk": lambda y: y.topk(3, -1)[0], "attention": lambda y: torch.nn.functional.scaled_dot_product_attention(y, y, y),
    "max_pool": lambda y: torch.nn.functional.max_pool1d(y, 2), "logsumexp": lambda y: y.logsumexp(-1),
    "expand": lambda y: y[:, :1].expand(1, 8, 8) * 2, "masked": lambda y: y.masked_fill(torch.eye(8, dtype=torch.bool), 0.0)}


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_gradients_of_functions(name):
    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.shift = torch.nn.Linear(8, 8), torch.nn.Parameter(torch.randn(8) / 2)

        def forward(self, x):
            return FUNCTIONS[name](self.layer(x) + self.shift)

    verify_module(pybuda.PyTorchModule("module", Module()), [(1, 8, 8)], config(relative_atol=0.02, pcc=0.999),
                  inputs_centered_on_zero=True)


def test_a_loss_of_pybuda_that_cannot_be_compiled_runs_on_the_host(monkeypatch):
    import ttsim
    from pybuda import train_stages
    made = train_stages.compile_graph

    def compile_graph(graph, settings, *given, training=None, **named):
        if training["losses"]:
            raise ttsim.UnsupportedError("an op of the loss has no gradient")
        return made(graph, settings, *given, training=training, **named)

    monkeypatch.setattr("pybuda.stage_kinds.compile_graph", compile_graph)
    device = pybuda.TTDevice("tt0", module=Layer("layer"), optimizer=pybuda.SGD(0.1), devtype=pybuda.BackendType.Golden)
    device.place_loss_module(pybuda.op.loss.CrossEntropyLoss("loss"))
    for _ in range(2):
        device.push_to_inputs(torch.rand(2, 10, 24))
        device.push_to_target_inputs(one_hot(10, 40).expand(2, 10, 40))
    with pytest.warns(UserWarning, match="the loss 'loss' runs in torch on the host.*no gradient"):
        pybuda.run_training(steps=2, _verify_cfg=VerifyConfig())
    assert tuple(pybuda.get_loss_queue().get()[0].shape.dims) == (2, 1, 1)


class Before(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(20, 8)

    def forward(self, x):
        return self.layer(x), (x[:, :4] > 0.5).long()


class After(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.layer = torch.nn.Embedding(2, 8), torch.nn.Linear(8, 4)

    def forward(self, x, ids):
        return self.layer(torch.tanh(x) + self.words(ids).sum(1))


def test_integers_between_devices_have_no_gradients():
    verify_module_pipeline([pybuda.PyTorchModule("before", Before()), pybuda.PyTorchModule("after", After())], [(2, 20)],
                           config(steps=2), device_types=["CPUDevice", "TTDevice"])


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = torch.nn.Linear(20, 20, bias=False), torch.nn.Linear(20, 20, bias=False)
        self.two.weight = self.one.weight

    def forward(self, x):
        return self.two(torch.tanh(self.one(x)))


def test_tied_weights_have_the_sum_of_their_gradients():
    verify_module(pybuda.PyTorchModule("tied", Tied()), [(2, 20)], config(steps=2), inputs_centered_on_zero=True)
    pybuda.pybuda_reset()
    first, last = pipeline(Tied(), pybuda.SGD(0.1))
    first.push_to_inputs(torch.rand(2, 20))
    last.push_to_target_inputs(torch.rand(2, 20))
    pybuda.run_training()
    assert list(pybuda.get_parameter_gradients(first)[0]) == ["one.weight"]
