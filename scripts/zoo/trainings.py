"""Networks with data for scripts/training-parity: a network, micro-batches of inputs and targets, a loss, learning
rates of SGD and Adam. Random weights and data have fixed seeds; every task can be learned."""
import dataclasses
import itertools
from collections.abc import Callable, Iterator

import torch
from torch import nn

from zoo import small, trained

FULL_DIGITS = 9000  # pictures for training, of scripts/zoo/trained.py


@dataclasses.dataclass
class Training:
    """`batches`: (inputs, target) without end. `rates`: learning rates by optimizer."""
    network: nn.Module
    batches: Iterator
    loss: nn.Module
    rates: dict


def _source(seed=0):
    return torch.Generator().manual_seed(seed)


def digits(cache, size=8):
    """LeNet on real digits."""
    x, y = _normal_digits(cache)
    def batches():
        for at in itertools.cycle(range(0, FULL_DIGITS, size)):
            yield (x[at:at + size],), y[at:at + size]
    return Training(trained.LeNet(), batches(), nn.CrossEntropyLoss(), {"sgd": 0.1, "adam": 2e-3})


def other_digits(cache, batches, size=8):
    """(pictures, labels) that are not among the first batches."""
    x, y = _normal_digits(cache)
    first = min(batches * size, FULL_DIGITS)
    return x[first:], y[first:]


def _normal_digits(cache):
    """Of mean 0 and variance 1."""
    x, y = trained.digits(cache)
    return (x - x.mean()) / x.std(), y


def lenet(cache):
    """LeNet on noise with a bright row and column for each class."""
    source = _source()
    def batches():
        while True:
            y = torch.randint(0, 10, (4,), generator=source)
            x = torch.rand((4, 1, 28, 28), generator=source) * 0.5
            for at, label in enumerate(y):
                x[at, 0, 2 * label + 3] += 0.5
                x[at, 0, :, 2 * label + 4] += 0.5
            yield (x,), y
    return Training(trained.LeNet(), batches(), nn.CrossEntropyLoss(), {"sgd": 0.02, "adam": 1e-3})


def autoencoder(cache):
    """A bottleneck of 8 for vectors of 64 that have 6 degrees of freedom."""
    source = _source()
    basis = torch.randn(6, 64, generator=source) / 2
    def batches():
        while True:
            x = torch.sigmoid(torch.randn(4, 6, generator=source) @ basis)
            yield (x,), x
    network = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 8), nn.ReLU(), nn.Linear(8, 32), nn.ReLU(),
                            nn.Linear(32, 64), nn.Sigmoid())
    return Training(network, batches(), nn.MSELoss(), {"sgd": 0.2, "adam": 2e-3})


def _silent(config):
    """Without dropout: its masks cannot be the same on both sides."""
    for name in vars(config):
        if name.endswith(("dropout", "dropout_prob", "pdrop")):
            setattr(config, name, 0.0)
    return config


class Tokens(nn.Module):
    """A model of transformers whose result is its first tensor."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids):
        return self.model(ids, return_dict=False)[0]


def _sequences(words, length, source, size=2):
    """Each token is the one before it plus a step; a sequence has one step of 4."""
    while True:
        step = torch.randint(0, 4, (size, 1), generator=source)
        first = torch.randint(0, words, (size, 1), generator=source)
        yield (first + step * torch.arange(length)) % words, step[:, 0]


def bert(cache):
    """Two layers, a classifier of sequences."""
    import transformers
    config = _silent(transformers.BertConfig(vocab_size=60, hidden_size=64, num_hidden_layers=2, num_attention_heads=2,
                                             intermediate_size=128, max_position_embeddings=32, num_labels=4))
    batches = (((ids,), kind) for ids, kind in _sequences(60, 24, _source()))
    return Training(Tokens(transformers.BertForSequenceClassification(config)), batches, nn.CrossEntropyLoss(),
                    {"sgd": 0.02, "adam": 5e-4})


class NextToken(nn.Module):
    """The mean cross entropy of all tokens but the first."""

    def forward(self, logits, ids):
        return nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


def gpt2(cache):
    """One block that predicts the next token; the table of tokens is also the last matrix."""
    import transformers
    config = _silent(transformers.GPT2Config(vocab_size=60, bos_token_id=0, eos_token_id=0, n_positions=32, n_embd=64, n_layer=1, n_head=2, n_inner=128))
    batches = (((ids,), ids) for ids, _ in _sequences(60, 24, _source()))
    return Training(Tokens(transformers.GPT2LMHeadModel(config)), batches, NextToken(), {"sgd": 0.05, "adam": 1e-3})


def _freeze_norms(network):
    """Batch norms with statistics that stay and are not 0 and 1."""
    source = _source(1)
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eval()
            module.running_mean.copy_(torch.rand(module.num_features, generator=source) * 0.2 - 0.1)
            module.running_var.copy_(torch.rand(module.num_features, generator=source) * 0.5 + 0.5)
    return network


class Residual(nn.Module):
    """A basic block of ResNet: two convolutions, and a projection where the size changes."""

    def __init__(self, given, made, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(given, made, 3, stride, 1, bias=False), nn.BatchNorm2d(made)
        self.conv2, self.bn2 = nn.Conv2d(made, made, 3, 1, 1, bias=False), nn.BatchNorm2d(made)
        self.down = None if stride == 1 else nn.Sequential(nn.Conv2d(given, made, 1, stride, bias=False),
                                                           nn.BatchNorm2d(made))

    def forward(self, x):
        y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + (x if self.down is None else self.down(x)))


def resnet(cache):
    """A stem, two residual blocks, a head; batch norms keep their statistics."""
    network = nn.Sequential(nn.Conv2d(3, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                            Residual(8, 8, 1), Residual(8, 16, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                            nn.Linear(16, 4))
    source = _source()
    patterns = torch.randn(4, 3, 16, 16, generator=source)
    def batches():
        while True:
            y = torch.randint(0, 4, (2,), generator=source)
            yield (patterns[y] + 0.5 * torch.randn(2, 3, 16, 16, generator=source),), y
    return Training(_freeze_norms(network), batches(), nn.CrossEntropyLoss(), {"sgd": 0.02, "adam": 1e-3})


def unet(cache):
    """Marks the bright pixels of pictures; batch norms keep their statistics."""
    source = _source()
    def batches():
        while True:
            x = torch.nn.functional.interpolate(torch.randn(1, 3, 4, 4, generator=source), scale_factor=4)
            yield (x + 0.3 * torch.randn(1, 3, 16, 16, generator=source),), (x.sum(1) > 0).long()
    return Training(_freeze_norms(small.UNet()), batches(), nn.CrossEntropyLoss(), {"sgd": 0.02, "adam": 1e-3})


NETWORKS: dict[str, Callable] = {one.__name__: one for one in (autoencoder, lenet, resnet, unet, bert, gpt2)}
