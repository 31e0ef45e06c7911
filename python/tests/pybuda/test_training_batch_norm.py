"""Batch norms in training mode: gradients through the statistics of a micro-batch, and running averages, as in torch."""
import copy

import pybuda
import pytest
import torch
from pybuda.verify import TestKind, VerifyConfig, verify_module
from torch import nn


class Twice(nn.Module):
    """One norm called twice, and two results."""

    def __init__(self):
        super().__init__()
        self.norm, self.first, self.second = nn.BatchNorm2d(4), nn.Conv2d(4, 4, 3, padding=1), nn.Conv2d(4, 2, 1)

    def forward(self, x):
        y = self.norm(torch.relu(self.first(self.norm(x))))
        return y + x, self.second(y)


NETWORKS = {
    "convolutions": (lambda: nn.Sequential(nn.Conv2d(3, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(),
                                           nn.Conv2d(4, 4, 3)), (4, 3, 8, 8)),
    "bias": (lambda: nn.Sequential(nn.Linear(20, 12), nn.BatchNorm1d(12), nn.Tanh()), (8, 20)),  # its gradient is 0
    "plain": (lambda: nn.Sequential(nn.BatchNorm2d(3, affine=False, momentum=None), nn.Conv2d(3, 4, 3)), (2, 3, 6, 6)),
    "alone": (lambda: nn.BatchNorm1d(12, track_running_stats=False), (6, 12)),
    "sequence": (lambda: nn.BatchNorm1d(5), (6, 5, 7)),
    "dropout": (lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Dropout(0.3)), (4, 3, 6, 6)),
    "twice": (Twice, (4, 4, 6, 6)),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_gradients_are_those_of_torch(name):
    make, shape = NETWORKS[name]
    torch.manual_seed(5)
    verify_module(pybuda.PyTorchModule("module", make()), [shape], VerifyConfig(
        test_kind=TestKind.TRAINING, devtype=pybuda.BackendType.Golden, steps=2, accumulation_steps=2, microbatch_count=2,
        pcc=0.9999, optimizer={"type": "adam", "params": {"learning_rate": 0.01}}))


def close(found, wanted, part):
    return float((found - wanted).abs().max()) <= part * float(wanted.abs().max()) + 1e-3


@pytest.mark.parametrize("arch, data_format", [("Wormhole_B0", "Float32"), ("Wormhole_B0", "Float16_b"),
                                               ("Grayskull", "Float16_b")])
def test_steps_move_weights_and_running_averages_as_in_torch(arch, data_format):
    torch.manual_seed(1)
    network = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(),
                            nn.Linear(8 * 36, 6), nn.BatchNorm1d(6, momentum=None))
    wanted = copy.deepcopy(network)
    device = pybuda.TTDevice("tt0", arch=getattr(pybuda.BackendDevice, arch), devtype=pybuda.BackendType.Golden,
                             module=pybuda.PyTorchModule("network", network),
                             optimizer=pybuda.SGD(0.05, device_params=True))
    pybuda.set_configuration_options(default_df_override=getattr(pybuda.DataFormat, data_format))
    host = pybuda.CPUDevice("cpu0")
    host.place_loss_module(pybuda.PyTorchModule("loss", nn.MSELoss()))
    pairs = [(torch.randn(8, 3, 6, 6) + 0.2 * (k % 3), torch.randn(8, 6)) for k in range(8)]  # few samples amplify rounding
    for x, target in pairs:
        device.push_to_inputs(x)
        host.push_to_target_inputs(target)
    checkpoints = pybuda.run_training(epochs=1, steps=4, accumulation_steps=1, microbatch_count=2)
    optimizer, losses = torch.optim.SGD(wanted.parameters(), 0.05), []
    for place, (x, target) in enumerate(pairs):
        loss = nn.functional.mse_loss(wanted(x), target)
        loss.backward()
        losses.append(loss.item())
        if place % 2:
            optimizer.step()
            optimizer.zero_grad()
    for loss in losses:
        assert pybuda.get_loss_queue().get()[0] == pytest.approx(loss, rel=0.02)
    trained = checkpoints.get()[0]
    for name, value in wanted.named_parameters():
        if name != "4.bias":  # its gradient is 0 but for rounding
            assert close(trained[name].value().float(), value.detach(), 0.05), name
    averages = dict(network.named_buffers())
    assert int(averages["1.num_batches_tracked"]) == int(averages["5.num_batches_tracked"]) == 8
    for name, value in wanted.named_buffers():
        assert close(averages[name].float(), value.float(), 0.05), name


def test_inference_after_training_has_the_running_averages():
    network = nn.Sequential(nn.Linear(16, 8), nn.BatchNorm1d(8))
    device = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", network), devtype=pybuda.BackendType.Golden,
                             optimizer=pybuda.SGD(0.05, device_params=True))
    host = pybuda.CPUDevice("cpu0")
    host.place_loss_module(pybuda.PyTorchModule("loss", nn.MSELoss()))
    for _ in range(6):
        device.push_to_inputs(torch.randn(4, 16) + 3)
        host.push_to_target_inputs(torch.randn(4, 8))
    trained = pybuda.run_training(epochs=1, steps=6).get()[0]
    network.eval()
    host.remove_loss_module()
    pybuda.set_device_pipeline((device,))
    x = torch.randn(4, 16) + 3
    device.push_to_inputs(x)
    found = pybuda.run_inference().get()[0].value().float()
    values = {name: one.value().float() for name, one in trained.items()}
    assert close(found, torch.func.functional_call(network, values, (x,)).detach(), 0.03)
    assert float(network[1].running_mean.abs().max()) > 0.1


def test_norms_without_a_batch_are_refused():
    network = nn.Sequential(nn.Linear(16, 8), nn.BatchNorm1d(8))
    device = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", network),
                             optimizer=pybuda.SGD(0.05, device_params=True))
    device.place_loss_module(pybuda.op.loss.L1Loss("loss"))
    one = {"training": True, "sample_inputs": (torch.rand(1, 16),), "sample_targets": (torch.rand(1, 8),)}
    with pytest.raises(RuntimeError, match="BatchNorm1d in training mode has one value of each channel.*2 samples or more"):
        pybuda.initialize_pipeline(**one)
    network[1].eval()
    pybuda.initialize_pipeline(**one)


def test_a_loss_with_norms_is_refused():
    class Loss(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(8)

        def forward(self, output, target):
            return (self.norm(output) - target).abs().mean()

    device = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", nn.Linear(16, 8)),
                             optimizer=pybuda.SGD(0.05, device_params=True))
    device.place_loss_module(pybuda.PyTorchModule("loss", Loss()))
    with pytest.raises(RuntimeError, match="loss 'loss' has batch norms in training mode.*move them to the module"):
        pybuda.initialize_pipeline(training=True, sample_inputs=(torch.rand(4, 16),), sample_targets=(torch.rand(4, 8),))
