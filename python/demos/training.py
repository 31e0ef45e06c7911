"""Trains a small classifier on the simulated chip, and then runs it."""
import pybuda
import torch

torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
tt0 = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", network),
                      optimizer=pybuda.optimizers.Adam(learning_rate=0.02, device_params=True))
cpu0 = pybuda.CPUDevice("cpu0")
cpu0.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.CrossEntropyLoss()))


def samples(count):
    """Noise with a one, whose place is the class."""
    labels = torch.randint(0, 4, (count,))
    return torch.nn.functional.one_hot(labels * 4, 16) + torch.rand(count, 16) / 2, labels


for _ in range(30):
    x, labels = samples(8)
    tt0.push_to_inputs(x)
    cpu0.push_to_target_inputs(labels)
weights = pybuda.run_training(steps=30).get()[0]
losses = [pybuda.get_loss_queue().get()[0] for _ in range(30)]
print("losses", " ".join(f"{loss:.3f}" for loss in losses[::5]))

network.load_state_dict({name: value.value() for name, value in weights.items()})
pybuda.pybuda_reset()
x, labels = samples(32)
output = pybuda.PyTorchModule("trained", network).run(x)[0].value()
print("right:", int((output.argmax(1) == labels).sum()), "of 32")
