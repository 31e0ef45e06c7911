"""Training on the simulated chip and in torch, step by step."""
import copy
import dataclasses
import queue

import pybuda
import torch

WORMHOLE, GRAYSKULL = pybuda.BackendDevice.Wormhole_B0, pybuda.BackendDevice.Grayskull


class LeNet(torch.nn.Module):
    """Two convolutions, for pictures of 12 x 12."""

    def __init__(self):
        super().__init__()
        self.one, self.two = torch.nn.Conv2d(1, 4, 3), torch.nn.Conv2d(4, 8, 3)
        self.pool, self.head = torch.nn.MaxPool2d(2), torch.nn.Linear(32, 4)

    def forward(self, x):
        x = self.pool(torch.relu(self.one(x)))
        return self.head(torch.relu(self.two(x))[:, :, :2, :2].flatten(1))


def mlp():
    return torch.nn.Sequential(torch.nn.Linear(20, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))


@dataclasses.dataclass
class Trained:
    """Losses and parameters of both."""
    losses: list
    wanted_losses: list
    values: dict
    wanted: dict

    def worst(self):
        """The largest difference of a parameter."""
        return max(float((self.values[name].value() - value).abs().max()) for name, value in self.wanted.items())


def emptied(results):
    """Everything in a queue."""
    found = []
    while not results.empty():
        found.append(results.get())
    return found


def losses_of(results):
    """Numbers from losses of the host (tuples of floats) or of the device (tensors)."""
    return [float(one[0]) if isinstance(one, tuple) else float(one[0].value().sum()) for one in emptied(results)]


def pipeline(network, optimizer, arch=WORMHOLE, data_format=None, loss=None, on_host=True, **device):
    """A TTDevice, and the device with the loss."""
    if data_format is not None:
        pybuda.set_configuration_options(default_df_override=data_format)
    first = pybuda.TTDevice("tt0", arch=arch, devtype=pybuda.BackendType.Golden, optimizer=optimizer,
                            module=pybuda.PyTorchModule("network", network), **device)
    last = pybuda.CPUDevice("cpu0") if on_host else first
    last.place_loss_module(loss or pybuda.PyTorchModule("loss", torch.nn.MSELoss()))
    return first, last


def train_both(network, optimizer, data, steps, accumulation=1, count=1, loss=None, **how):
    """`data`: (input, target) of every micro-batch. With a loss on the device, torch's is of each sample."""
    loss = loss or torch.nn.MSELoss()
    reference = copy.deepcopy(network)
    first, last = pipeline(network, optimizer, loss=pybuda.PyTorchModule("loss", loss), **how)
    for x, target in data:
        first.push_to_inputs(x)
        last.push_to_target_inputs(target)
    losses = queue.Queue()
    checkpoints = pybuda.run_training(steps=steps, accumulation_steps=accumulation, microbatch_count=count,
                                      loss_queue=losses)
    rule = optimizer.get_pytorch_optimizer(dict(reference.named_parameters()))
    wanted, left = [], iter(data)
    for _ in range(steps):
        rule.zero_grad()
        for _ in range(accumulation * count):
            x, target = next(left)
            one = loss(reference(x), target) if last is not first else sum(
                loss(reference(x[at:at + 1]), target[at:at + 1]) for at in range(len(x)))
            one.backward()
            wanted.append(one.item())
        rule.step()
    return Trained(losses_of(losses), wanted, checkpoints.get()[0], {name: value.detach() for name, value in
                                                                    reference.named_parameters()})
