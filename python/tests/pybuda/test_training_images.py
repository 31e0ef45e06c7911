"""Device images that train."""
import queue

import pybuda
import pytest
import torch
from training import WORMHOLE, losses_of, mlp

X, TARGET = torch.rand(2, 20), torch.rand(2, 4)
ON_CHIP = {"arch": WORMHOLE, "devtype": pybuda.BackendType.Golden}


def device(module, optimizer=None):
    return pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", module), optimizer=optimizer, **ON_CHIP)


def adam():
    return pybuda.Adam(0.01, device_params=True)


def trained(first):
    """Losses, and parameters after three steps."""
    last = pybuda.CPUDevice("cpu0")
    last.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.MSELoss()))
    generator = torch.Generator().manual_seed(0)
    for _ in range(3):
        first.push_to_inputs(torch.rand(2, 20, generator=generator))
        last.push_to_target_inputs(torch.rand(2, 4, generator=generator))
    losses = queue.Queue()
    checkpoints = pybuda.run_training(steps=3, loss_queue=losses)
    gradients = pybuda.get_parameter_gradients(first)[0]
    values = checkpoints.get()[0]
    return losses_of(losses), {name: one.value() for name, one in values.items()}, \
        {name: one.value() for name, one in gradients.items()}


def test_a_loaded_image_trains_as_the_device_did(tmp_path):
    torch.manual_seed(0)
    network = mlp()
    losses, values, gradients = trained(device(network, adam()))
    pybuda.pybuda_reset()
    image = device(network, adam()).compile_to_image(img_path=str(tmp_path / "net.tti"), training=True, sample_inputs=(X,))
    assert image.is_compiled_for_training() and image.training
    pybuda.pybuda_reset()
    loaded = pybuda.TTDevice.load_image(img_path=str(tmp_path / "net.tti"))
    again, same_values, same_gradients = trained(loaded)
    assert again == losses
    for name, value in values.items():
        assert torch.equal(same_values[name], value) and torch.equal(same_gradients[name], gradients[name])


def test_a_loaded_image_saves_the_results_of_its_ops(tmp_path):
    class Layers(pybuda.PyBudaModule):
        def __init__(self):
            super().__init__("layers")
            self.w, self.v = (pybuda.Parameter(torch.linspace(-0.5, 0.5, 20 * n).reshape(20, n)) for n in (20, 4))

        def forward(self, x):
            return pybuda.op.Matmul("last", pybuda.op.Relu("kept", pybuda.op.Matmul("first", x, self.w)), self.v)

    def saved(first):
        trained(first)
        found = pybuda.get_intermediates_queue()
        return [found.get()[0].value() for _ in range(3)]

    def layers():
        pybuda.pybuda_reset()
        pybuda.set_configuration_options(op_intermediates_to_save=["kept"])
        return pybuda.TTDevice("tt0", module=Layers(), optimizer=adam(), **ON_CHIP)
    wanted = saved(layers())
    layers().compile_to_image(img_path=str(tmp_path / "net.tti"), training=True, sample_inputs=(X,))
    pybuda.pybuda_reset()
    for one, want in zip(saved(pybuda.TTDevice.load_image(img_path=str(tmp_path / "net.tti"))), wanted):
        assert one.any() and torch.equal(one, want)


def test_parameters_of_a_loaded_image_are_set(tmp_path):
    device(mlp(), adam()).compile_to_image(img_path=str(tmp_path / "net.tti"), training=True, sample_inputs=(X,))
    pybuda.pybuda_reset()
    loaded = pybuda.TTDevice.load_image(img_path=str(tmp_path / "net.tti"))
    last = pybuda.CPUDevice("cpu0")
    last.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.MSELoss()))
    pybuda.initialize_pipeline(training=True, sample_inputs=(X,), sample_targets=(TARGET,))
    pybuda.update_device_parameters(loaded, [{"0.bias": torch.full((32,), 0.5)}])
    assert torch.equal(pybuda.get_parameter_checkpoint(loaded)[0]["0.bias"].value(), torch.full((32,), 0.5))


@pytest.mark.parametrize("what, message", [
    ("loss", "has the loss, which images do not hold; place it on a CPUDevice"),
    ("norm", r"statistics images do not hold; call eval\(\) of them"),
    ("frozen", "1 compilations, and an image for training has one that trains")])
def test_what_an_image_cannot_hold_is_refused(tmp_path, what, message):
    network = torch.nn.Sequential(torch.nn.Linear(20, 4), torch.nn.BatchNorm1d(4)) if what == "norm" else mlp()
    if what == "frozen":
        network.requires_grad_(False)
    first = device(network)
    if what == "loss":
        first.place_loss_module(pybuda.op.loss.L1Loss("loss"))
    with pytest.raises(RuntimeError, match=message):
        first.compile_to_image(img_path=str(tmp_path / "net.tti"), training=True, sample_inputs=(X,))
    assert not list(tmp_path.iterdir())


def test_an_image_that_trains_runs_no_inference_and_other_micro_batches_are_refused(tmp_path):
    device(mlp(), adam()).compile_to_image(img_path=str(tmp_path / "net.tti"), training=True, sample_inputs=(X,))
    pybuda.pybuda_reset()
    loaded = pybuda.TTDevice.load_image(img_path=str(tmp_path / "net.tti"))
    loaded.push_to_inputs(X)
    with pytest.raises(RuntimeError, match=r"is of a device that trains; call run_training\(\)"):
        pybuda.run_inference()
    pybuda.pybuda_reset()
    loaded = pybuda.TTDevice.load_image(img_path=str(tmp_path / "net.tti"))
    last = pybuda.CPUDevice("cpu0")
    last.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.MSELoss()))
    with pytest.raises(RuntimeError, match="compiled for micro-batches of 2, and 4 samples were pushed"):
        pybuda.initialize_pipeline(training=True, sample_inputs=(torch.rand(4, 20),), sample_targets=(torch.rand(4, 4),))
