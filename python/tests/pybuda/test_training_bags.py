"""Bags of embeddings and bilinear layers train as in torch."""
import pybuda
import pytest
import torch

from training import GRAYSKULL, WORMHOLE, train_both


class Bags(torch.nn.Module):
    def __init__(self, mode, padding):
        super().__init__()
        self.words = torch.nn.EmbeddingBag(40, 16, mode=mode, padding_idx=padding)
        self.pairs = torch.nn.Bilinear(16, 16, 4)

    def forward(self, ids):
        bag = self.words(ids)
        return self.pairs(bag, torch.tanh(bag))


@pytest.mark.parametrize("mode, padding, arch", [("sum", None, WORMHOLE), ("mean", 3, GRAYSKULL), ("max", None, GRAYSKULL)])
def test_bags_and_bilinear_layers(mode, padding, arch):
    torch.manual_seed(2)
    data = [(torch.randint(0, 40, (2, 6)), torch.rand(2, 4)) for _ in range(4)]
    data[0][0][0, :2] = 3
    network = Bags(mode, padding)
    made = train_both(network, pybuda.SGD(0.01, device_params=True), data, 4, arch=arch,
                      data_format=pybuda.DataFormat.Float32)
    assert made.losses == pytest.approx(made.wanted_losses, rel=0.03)
    assert made.worst() < 0.005
    assert (made.wanted["words.weight"] - network.words.weight).abs().max() > 0.0005
