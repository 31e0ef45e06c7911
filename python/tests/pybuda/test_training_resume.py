"""A run that is resumed from a checkpoint has the bits of an uninterrupted one; runs are repeatable."""
import io

import pybuda
import pytest
import torch

from training import GRAYSKULL, WORMHOLE, emptied, losses_of, pipeline

OPTIMIZERS = {"sgd": lambda: pybuda.SGD(0.01, device_params=True), "adam": lambda: pybuda.Adam(0.002, device_params=True),
              "adamw": lambda: pybuda.AdamW(0.002, weight_decay=0.1, device_params=True)}


class Halving(pybuda.schedulers.LearningRateScheduler):
    def get_lr(self):
        return self.optimizer.learning_rate / 2


class Layers(torch.nn.Module):
    """With a convolution, whose weights have another layout on the device, and a norm."""

    def __init__(self):
        super().__init__()
        self.convolution, self.norm, self.head = torch.nn.Conv2d(2, 4, 3), torch.nn.LayerNorm(36), torch.nn.Linear(144, 3)

    def forward(self, x):
        y = self.norm(torch.relu(self.convolution(x)).flatten(2))
        return self.head(y.flatten(1))


def started(optimizer, arch, data_format, values=None):
    torch.manual_seed(4)
    network = Layers()
    if values is not None:
        network.load_state_dict(values)
    first, last = pipeline(network, optimizer, arch=arch, data_format=data_format, scheduler=Halving(optimizer))
    pybuda.initialize_pipeline(training=True, sample_inputs=(torch.rand(2, 2, 8, 8),), sample_targets=(torch.rand(2, 3),))
    return first, last


def steps(first, last, numbers):
    for number in numbers:
        source = torch.Generator().manual_seed(number)
        first.push_to_inputs(torch.rand(2, 2, 8, 8, generator=source))
        last.push_to_target_inputs(torch.rand(2, 3, generator=source))
        pybuda.run_forward()
        pybuda.run_backward(zero_grad=True)
        pybuda.run_optimizer()
        if number % 2:
            pybuda.run_schedulers()


def saved(first):
    """A file of weights and state."""
    values = {name: one.value() for name, one in pybuda.get_parameter_checkpoint(first)[0].items()}
    state = {name: {key: one.value() for key, one in kept.items()} for name, kept in
             first.get_optimizer_params(False).items()}
    file = io.BytesIO()
    torch.save((values, state), file)
    return file.getvalue()


@pytest.mark.parametrize("in_the_module", [True, False])
@pytest.mark.parametrize("optimizer", list(OPTIMIZERS))
@pytest.mark.parametrize("arch, data_format", [(GRAYSKULL, pybuda.DataFormat.Float16_b),
                                               (WORMHOLE, pybuda.DataFormat.Float16_b),
                                               (WORMHOLE, pybuda.DataFormat.Float32)])
def test_a_resumed_run_has_the_same_bits(arch, data_format, optimizer, in_the_module):
    first, last = started(OPTIMIZERS[optimizer](), arch, data_format)
    steps(first, last, range(3))
    middle = saved(first)
    steps(first, last, range(3, 6))
    wanted, losses = saved(first), losses_of(pybuda.get_loss_queue())

    pybuda.pybuda_reset()
    values, state = torch.load(io.BytesIO(middle))
    resumed = OPTIMIZERS[optimizer]()
    resumed.load_optimizer_params(state)
    assert resumed.learning_rate == OPTIMIZERS[optimizer]().learning_rate / 2  # of the checkpoint
    first, last = started(resumed, arch, data_format, values if in_the_module else None)
    if not in_the_module:
        pybuda.update_device_parameters(first, [values])
    steps(first, last, range(3, 6))
    assert losses_of(pybuda.get_loss_queue()) == losses[3:]
    for one, other in zip(torch.load(io.BytesIO(saved(first))), torch.load(io.BytesIO(wanted))):
        assert str(one) == str(other)
    assert saved(first) == wanted


def test_run_training_is_repeatable():
    made = []
    for _ in range(2):
        pybuda.pybuda_reset()
        first, last = started(OPTIMIZERS["adam"](), WORMHOLE, None)
        for number in range(4):
            source = torch.Generator().manual_seed(number)
            first.push_to_inputs(torch.rand(2, 2, 8, 8, generator=source))
            last.push_to_target_inputs(torch.rand(2, 3, generator=source))
        checkpoints = emptied(pybuda.run_training(steps=4, checkpoint_interval=2))
        made.append([losses_of(pybuda.get_loss_queue()), [saved(first)], len(checkpoints)])
    assert made[0] == made[1] and made[0][2] == 2


def test_a_long_run_goes_on_without_adams_correction():
    optimizer = pybuda.Adam(0.002, device_params=True)
    ones = {name: pybuda.Tensor.create_from_torch(torch.tensor([value]))
            for name, value in (("beta1_pow", 0.0), ("beta2_pow", 0.0))}
    assert optimizer._steps(ones) > 80000 and 1 - 0.999 ** optimizer._steps(ones) == 1


def test_dropouts_of_a_resumed_run_have_the_masks_of_an_uninterrupted_one():
    def dropping(state=None):
        pybuda.pybuda_reset()
        torch.manual_seed(4)
        optimizer = OPTIMIZERS["adam"]()
        optimizer.load_optimizer_params(state or {})
        network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Dropout(0.4), torch.nn.Linear(128, 3))
        devices = pipeline(network, optimizer)
        pybuda.initialize_pipeline(training=True, sample_inputs=(torch.rand(2, 2, 8, 8),),
                                   sample_targets=(torch.rand(2, 3),))
        return devices

    first, last = dropping()
    steps(first, last, range(3))
    values, state = torch.load(io.BytesIO(saved(first)))
    steps(first, last, range(3, 5))
    wanted, losses = saved(first), losses_of(pybuda.get_loss_queue())
    first, last = dropping(state)
    pybuda.update_device_parameters(first, [values])
    steps(first, last, range(3, 5))
    assert losses_of(pybuda.get_loss_queue()) == losses[3:] and saved(first) == wanted
