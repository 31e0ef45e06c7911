"""Dropout, recompute, optimizers with trust ratios, and ONNX models in training."""
import io

import pytest
import torch

import pybuda
from pybuda.verify import TestKind, VerifyConfig, verify_module


def config(**options):
    given = {"test_kind": TestKind.TRAINING, "steps": 2, "accumulation_steps": 2, "microbatch_count": 2,
             "optimizer": {"type": "sgd", "params": {"learning_rate": 0.05}}} | options
    return VerifyConfig(**given)


class Attention(torch.nn.Module):
    """Multi-head attention with dropout of its weights, by torch's own function."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(32, 96)

    def forward(self, x):
        q, k, v = self.inner(x).reshape(-1, 32, 3, 2, 16).permute(2, 0, 3, 1, 4)
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=0.3 if self.training else 0.0)


@pytest.mark.parametrize("network, shape", [
    (torch.nn.Sequential(torch.nn.Linear(40, 70), torch.nn.Dropout(0.3), torch.nn.Tanh(), torch.nn.Linear(70, 8),
                         torch.nn.Dropout(0.5)), (3, 40)),
    (torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.Dropout2d(0.4), torch.nn.ReLU()), (2, 3, 6, 6)),
    (torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.2, batch_first=True), (2, 5, 16)),
    (Attention(), (2, 32, 32))], ids=["linear", "channels", "encoder", "attention"])
def test_dropout_of_torch(network, shape):
    torch.manual_seed(3)
    network.train()
    verify_module(pybuda.PyTorchModule("network", network), [shape], config())


def test_dropout_of_pybuda_with_recompute():
    class Dropped(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.weights = pybuda.Parameter(torch.randn(40, 24) / 6)

        def forward(self, x):
            x = pybuda.op.Dropout("first", pybuda.op.Matmul("product", x, self.weights), p=0.25, seed=5)
            return pybuda.op.Dropout("second", pybuda.op.Tanh("tanh", x), p=0.5, seed=5)

    verify_module(Dropped("network"), [(2, 10, 40)], config(test_kind=TestKind.TRAINING_RECOMPUTE))


def outputs_of(network, count=4, **settings):
    pybuda.pybuda_reset()
    pybuda.set_configuration_options(**settings)
    device = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", network),
                             optimizer=pybuda.SGD(0.1, device_params=True))
    device.place_loss_module(pybuda.op.loss.L1Loss("loss", reduction="none"))
    x, target = torch.ones(2, 64), torch.zeros(2, 64)
    pybuda.initialize_pipeline(training=True, sample_inputs=(x,), sample_targets=(target,))
    losses, gradients = [], []
    for _ in range(count):
        device.push_to_inputs(x)
        device.push_to_target_inputs(target)
        pybuda.run_forward()
        pybuda.run_backward(zero_grad=True)
        losses.append(pybuda.get_loss_queue().get()[0].value().float().clone())
        gradients.append(pybuda.get_parameter_gradients(device)[0]["0.weight"].value().clone())
    return device.training.stages[0].compiled.report().saved_bytes, losses, gradients


def dropping():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Dropout(0.4))


def test_masks_differ_by_sample_and_step_and_are_those_of_the_seed():
    _, losses, _ = outputs_of(dropping())
    masks = [loss != 0 for loss in losses]
    kept = torch.cat(masks).float().mean()
    assert abs(kept - 0.6) < 4 * (0.24 / (8 * 64)) ** 0.5
    assert not torch.equal(masks[0][0], masks[0][1]) and not torch.equal(masks[0], masks[1])
    again = [loss != 0 for loss in outputs_of(dropping())[1]]
    assert all(torch.equal(a, b) for a, b in zip(masks, again))
    network = dropping()
    torch.manual_seed(2)
    assert not torch.equal(outputs_of(network, 1)[1][0] != 0, masks[0])
    assert (outputs_of(dropping().eval(), 1)[1][0] != 0).all()


def test_recompute_saves_nothing_and_has_the_same_bits():
    def network():
        torch.manual_seed(1)
        return torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Dropout(0.4), torch.nn.Tanh(),
                                   torch.nn.Linear(64, 64), torch.nn.GELU())
    saved, losses, gradients = outputs_of(network(), 2)
    again, same_losses, same_gradients = outputs_of(network(), 2, enable_recompute=True)
    assert saved > again == 0
    assert all(torch.equal(a, b) for a, b in zip(losses + gradients, same_losses + same_gradients))
    for checkpoints in ({"recompute_checkpoints": ["2.*"]}, {"recompute_saved_limit": saved // 2}):
        some, _, same_gradients = outputs_of(network(), 2, enable_recompute=True, **checkpoints)
        assert saved > some > 0
        assert all(torch.equal(a, b) for a, b in zip(gradients, same_gradients))
    with pytest.raises(RuntimeError, match="recompute_checkpoints and recompute_saved_limit .* set enable_recompute=True"):
        outputs_of(network(), 2, recompute_checkpoints=["2.*"])


@pytest.mark.parametrize("kind, params", [
    ("lamb", {"learning_rate": 0.05, "weight_decay": 0.02}),
    ("lamb", {"learning_rate": 0.05, "correction": True, "clip_value": (0.0, 0.5)}),
    ("lars", {"learning_rate": 5.0, "momentum": 0.8, "lars_coeff": 0.01}),
    ("lars", {"learning_rate": 5.0, "nesterov": True, "dampening": 0.2, "lars_coeff": 0.01})])
def test_optimizers_with_trust_ratios_run_on_the_chip(kind, params, recwarn):
    torch.manual_seed(3)
    network = torch.nn.Sequential(torch.nn.Linear(40, 50), torch.nn.Tanh(), torch.nn.Linear(50, 8))
    verify_module(pybuda.PyTorchModule("network", network), [(2, 40)],
                  config(steps=3, optimizer={"type": kind, "params": params}))
    assert not [one for one in recwarn if "host" in str(one.message)]


@pytest.mark.parametrize("optimizer", [lambda: pybuda.LAMB(0.05, correction=True, device_params=True),
                                       lambda: pybuda.LARS(5.0, device_params=True)])
def test_state_of_trust_ratios_is_restored(optimizer):
    def train(network, made, steps, state=None):
        pybuda.pybuda_reset()
        if state is not None:
            made.load_optimizer_params(state)
        device = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", network), optimizer=made)
        device.place_loss_module(pybuda.op.loss.L1Loss("loss"))
        x, target = torch.linspace(-1, 1, 80).reshape(2, 40), torch.ones(2, 8)
        for _ in range(steps):
            device.push_to_inputs(x)
            device.push_to_target_inputs(target)
        checkpoint = pybuda.run_training(steps=steps).get()[0]
        return {name: one.value() for name, one in checkpoint.items()}, device.get_optimizer_params(False)

    torch.manual_seed(3)
    network = torch.nn.Linear(40, 8)
    start = {name: value.detach().clone() for name, value in network.named_parameters()}
    whole, _ = train(network, optimizer(), 3)
    network.load_state_dict(start)
    first, state = train(network, optimizer(), 2)
    network.load_state_dict(first)
    resumed, _ = train(network, optimizer(), 1, state)
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


def test_backward_of_fewer_micro_batches():
    def gradient(*counts):
        pybuda.pybuda_reset()
        torch.manual_seed(5)
        network = torch.nn.Sequential(torch.nn.Linear(20, 30), torch.nn.Tanh(), torch.nn.Linear(30, 4))
        first = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", network),
                                optimizer=pybuda.SGD(0.1, device_params=True), devtype=pybuda.BackendType.Golden)
        last = pybuda.CPUDevice("cpu0")
        last.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.MSELoss()))
        inputs = [torch.rand(2, 20, requires_grad=True) for _ in range(3)]
        pybuda.initialize_pipeline(training=True, sample_inputs=(inputs[0],), sample_targets=(torch.zeros(2, 4),),
                                   microbatch_count=3, _verify_cfg=VerifyConfig())
        for x in inputs:
            first.push_to_inputs(x)
            last.push_to_target_inputs(torch.zeros(2, 4))
        pybuda.run_forward(3)
        for place, count in enumerate(counts):
            with pytest.raises(RuntimeError, match="wait for run_backward"):
                pybuda.run_optimizer()
            pybuda.run_backward(count, zero_grad=place == 0)
        pybuda.run_optimizer()
        return [pybuda.get_parameter_gradients(first)[0]["0.weight"].value(), *(x.grad for x in inputs)]

    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(gradient(3), gradient(1, 2)))


def test_powers_of_a_tensor():
    class Powers(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.exponents = pybuda.Parameter(torch.rand(1, 32) + 0.5)

        def forward(self, x):
            return pybuda.op.Power("power", x, self.exponents)

    class Learned(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.exponents = torch.nn.Parameter(torch.rand(32) + 0.5)

        def forward(self, x):
            return torch.pow(torch.exp(x), self.exponents) + torch.pow(x.abs() + 0.1, self.exponents)

    for module in (Powers("powers"), pybuda.PyTorchModule("learned", Learned())):
        pybuda.pybuda_reset()
        verify_module(module, [(2, 8, 32)], config())


def exported(network, x):
    buffer = io.BytesIO()
    torch.onnx.export(network, (x,), buffer, input_names=["x"], output_names=["y"], dynamo=False,
                      do_constant_folding=False)
    onnx = pytest.importorskip("onnx")
    return onnx.load_from_string(buffer.getvalue())


def test_an_onnx_model_trains_as_its_torch_module():
    torch.manual_seed(3)
    network = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Flatten(),
                                  torch.nn.Linear(64, 5)).eval()
    for value in (network[1].weight, network[1].bias, network[1].running_mean, network[1].running_var):
        value.data.uniform_(0.5, 1.0)  # torch exports equal values as one initializer
    model = exported(network, torch.rand(1, 1, 6, 6))
    inputs = [torch.rand(2, 1, 6, 6, requires_grad=True) for _ in range(3)]

    def train(module):
        pybuda.pybuda_reset()
        device = pybuda.TTDevice("tt0", module=module, optimizer=pybuda.SGD(0.1, device_params=True))
        host = pybuda.CPUDevice("cpu0")
        host.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.MSELoss()))
        for x in inputs:
            x.grad = None
            device.push_to_inputs(x)
            host.push_to_target_inputs(torch.ones(2, 5))
        checkpoint = pybuda.run_training(steps=3).get()[0]
        return {name: one.value().float() for name, one in checkpoint.items()}, [x.grad for x in inputs]

    found, gradients = train(pybuda.OnnxModule("network", model, ""))
    wanted, same = train(pybuda.PyTorchModule("network", network))
    assert set(found) == set(wanted) and "1.running_mean" not in found
    for name, value in wanted.items():
        assert torch.allclose(found[name], value, atol=0.02 * float(value.abs().max())), name
    assert all(torch.allclose(a, b, atol=0.02 * float(b.abs().max())) for a, b in zip(gradients, same))


def test_onnx_models_are_verified():
    torch.manual_seed(3)
    model = exported(torch.nn.Sequential(torch.nn.Linear(12, 16), torch.nn.Tanh()).eval(), torch.rand(1, 12))
    verify_module(pybuda.OnnxModule("network", model, ""), [(2, 12)], config())


class Gated(pybuda.PyBudaModule):
    def __init__(self, name):
        super().__init__(name)
        self.weights = pybuda.Parameter(torch.randn(24, 16, generator=torch.Generator().manual_seed(4)))

    def forward(self, x):
        product = pybuda.op.Matmul("product", x, self.weights)
        return pybuda.op.Multiply("gated", product, pybuda.op.Sigmoid("gate", product))


@pytest.mark.parametrize("on_chip", [True, False], ids=["loss_on_chip", "loss_on_host"])
def test_results_of_ops_are_saved_in_each_forward_pass(on_chip):
    module = Gated("gated_module")
    weights = module.weights.value().detach().clone()
    device = pybuda.TTDevice("tt0", module=module, optimizer=pybuda.SGD(0.1, device_params=True),
                             devtype=pybuda.BackendType.Golden)
    last = device if on_chip else pybuda.CPUDevice("cpu0")
    last.place_loss_module(pybuda.op.loss.L1Loss("loss", "sum") if on_chip else
                           pybuda.PyTorchModule("loss", torch.nn.L1Loss(reduction="sum")))
    pybuda.set_configuration_options(op_intermediates_to_save=["gate", "product"])
    batches = [torch.randn(2, 8, 24) for _ in range(2)]
    pybuda.initialize_pipeline(training=True, sample_inputs=(batches[0],), sample_targets=(torch.zeros(2, 8, 16),),
                               microbatch_count=2)
    for batch in batches:
        device.push_to_inputs(batch)
        last.push_to_target_inputs(torch.full((2, 8, 16), -9.0))
    pybuda.run_forward(input_count=2)
    for batch in batches:
        gate, product = (one.value().float() for one in pybuda.get_intermediates_queue().get())
        wanted = batch @ weights
        assert torch.allclose(product.reshape(wanted.shape), wanted, atol=0.15)
        assert torch.allclose(gate.reshape(wanted.shape), torch.sigmoid(wanted), atol=0.02)
    pybuda.run_backward(input_count=2, zero_grad=True)
    leaf = weights.clone().requires_grad_()
    for batch in batches:
        (batch @ leaf * torch.sigmoid(batch @ leaf)).sum().backward()
    found = next(iter(pybuda.get_parameter_gradients(device)[0].values())).value().float()
    assert float(torch.corrcoef(torch.stack([found.flatten(), leaf.grad.flatten()]))[0, 1]) > 0.99


def test_results_of_ops_of_a_torch_module_are_saved():
    network = torch.nn.Sequential(torch.nn.Linear(20, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
    device = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", network), devtype=pybuda.BackendType.Golden,
                             optimizer=pybuda.SGD(0.1, device_params=True))
    host = pybuda.CPUDevice("cpu0")
    host.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.L1Loss()))
    x = torch.rand(2, 20)
    samples = {"training": True, "sample_inputs": (x,), "sample_targets": (torch.rand(2, 4),)}
    pybuda.initialize_pipeline(**samples)
    names = [op.name for op in device.training.stages[0].compiled.layout.ops]
    forward = next(name for name in names if ".add" in name)
    backward = next(name for name in names if name.startswith("bw_"))
    pybuda.shutdown()
    pybuda.set_configuration_options(op_intermediates_to_save=[forward])
    pybuda.initialize_pipeline(**samples)
    device.push_to_inputs(x)
    host.push_to_target_inputs(torch.rand(2, 4))
    pybuda.run_forward()
    found = pybuda.get_intermediates_queue().get()[0].value().float()
    wanted = network[0](x).detach()
    assert torch.allclose(found.reshape(2, -1)[:, :32], wanted, atol=0.02)
    pybuda.run_backward(zero_grad=True)
    pybuda.shutdown()
    pybuda.set_configuration_options(op_intermediates_to_save=[backward])
    with pytest.raises(RuntimeError, match=f"'{backward}' is no op of the forward pass of device 'tt0'"):
        pybuda.initialize_pipeline(**samples)
