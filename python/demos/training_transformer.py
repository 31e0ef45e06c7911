"""Compares a step of a transformer with torch, and then trains it to predict the next token."""
import pybuda
import torch
from pybuda.verify import TestKind, VerifyConfig, verify_module

WORDS, LENGTH, STEPS = 20, 8, 100


class NextWord(torch.nn.Module):
    """One layer of a transformer that sees the words before each place."""

    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(WORDS, 32)
        torch.nn.init.normal_(self.words.weight, std=0.2)
        self.places = torch.nn.Parameter(torch.randn(LENGTH, 32) / 8)
        self.norm1, self.norm2, self.norm3 = (torch.nn.LayerNorm(32) for _ in range(3))
        self.query, self.key, self.value, self.out = (torch.nn.Linear(32, 32) for _ in range(4))
        self.up, self.down = torch.nn.Linear(32, 64), torch.nn.Linear(64, 32)
        self.register_buffer("mask", torch.triu(torch.full((LENGTH, LENGTH), -1e4), diagonal=1))

    def forward(self, ids):
        x = self.words(ids) + self.places
        y = self.norm1(x)
        q, k, v = (part(y).unflatten(-1, (2, 16)).transpose(1, 2) for part in (self.query, self.key, self.value))
        seen = torch.softmax(q @ k.transpose(-1, -2) / 4 + self.mask, -1) @ v
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        x = x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))
        return self.norm3(x) @ self.words.weight.T


class Loss(torch.nn.Module):
    """The mean cross entropy of all words but the first."""

    def forward(self, logits, ids):
        return torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


def sentences():
    """Words that follow each other in steps of 1 or 2."""
    return (torch.randint(0, WORDS, (8, 1)) + torch.randint(1, 3, (8, 1)) * torch.arange(LENGTH)) % WORDS


torch.manual_seed(0)
network = NextWord()
verify_module(pybuda.PyTorchModule("step", network), [(8, LENGTH)], VerifyConfig(
    test_kind=TestKind.TRAINING, optimizer={"type": "sgd", "params": {"learning_rate": 0.1}}), inputs=[(sentences(),)])
print("a step is as in torch")

pybuda.pybuda_reset()
chip = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("network", network), devtype=pybuda.BackendType.Golden,
                       optimizer=pybuda.optimizers.AdamW(learning_rate=0.01, device_params=True))
host = pybuda.CPUDevice("cpu0")
host.place_loss_module(pybuda.PyTorchModule("loss", Loss()))
for _ in range(STEPS):
    ids = sentences()
    chip.push_to_inputs(ids)
    host.push_to_target_inputs(ids)
weights = pybuda.run_training(steps=STEPS).get()[0]
losses = [pybuda.get_loss_queue().get()[0] for _ in range(STEPS)]
print("losses", " ".join(f"{loss:.2f}" for loss in losses[::20]))

network.load_state_dict({name: one.value() for name, one in weights.items()}, strict=False)
ids = sentences()
right = (network(ids).argmax(-1)[:, 1:-1] == ids[:, 2:]).float().mean()
print(f"predicts {float(right):.0%} of the words")
