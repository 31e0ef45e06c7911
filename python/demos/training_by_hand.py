"""A training loop by hand on two devices: gradients of several micro-batches, a learning rate that falls, and a
checkpoint from which a second run goes on with the same bits."""
import pybuda
import torch


class Halving(pybuda.schedulers.LearningRateScheduler):
    """Halves the learning rate."""

    def get_lr(self):
        return self.optimizer.learning_rate / 2


def started(values=None, state=None):
    """The pipeline, with weights and the optimizer's state of a checkpoint."""
    pybuda.pybuda_reset()
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(),
                                  torch.nn.Linear(36, 3))
    optimizer = pybuda.optimizers.Adam(learning_rate=0.02, device_params=True)
    if values is not None:
        network.load_state_dict(values)
        optimizer.load_optimizer_params(state)
    chip = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", network), devtype=pybuda.BackendType.Golden,
                           optimizer=optimizer, scheduler=Halving(optimizer))
    host = pybuda.CPUDevice("cpu0")
    host.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.CrossEntropyLoss()))
    pybuda.initialize_pipeline(training=True, sample_inputs=pictures(0)[:1], sample_targets=pictures(0)[1:])
    return chip, host


def pictures(seed):
    """Noise with bright rows, and the class that says where."""
    source = torch.Generator().manual_seed(seed)
    labels, x = torch.randint(0, 3, (4,), generator=source), torch.rand(4, 1, 8, 8, generator=source) / 2
    for at, label in enumerate(labels):
        x[at, 0, 2 * label + 1] += 1
    return x, labels


def train(chip, host, steps):
    """Losses of these steps."""
    losses = []
    for step in steps:
        for acc_step in range(2):
            x, labels = pictures(2 * step + acc_step)
            chip.push_to_inputs(x)
            host.push_to_target_inputs(labels)
            pybuda.run_forward(input_count=1)
            pybuda.run_backward(input_count=1, zero_grad=(acc_step == 0))
            losses.append(pybuda.get_loss_queue().get()[0])
        pybuda.run_optimizer()
        if step % 10 == 9:
            pybuda.run_schedulers()
    return losses


chip, host = started()
losses = train(chip, host, range(15))
values = {name: one.value() for name, one in pybuda.get_parameter_checkpoint(chip)[0].items()}
state = chip.get_optimizer_params(False)
losses += train(chip, host, range(15, 20))
print("losses", " ".join(f"{loss:.3f}" for loss in losses[::8]))
print("learning rate", chip.optimizer.learning_rate)

chip, host = started(values, state)
print("resumed with the same losses:", train(chip, host, range(15, 20)) == losses[-10:])
