"""What torch does not train: results of detach(), parts under torch.no_grad(), and the padding row of a table. Parts
under torch.enable_grad() inside of torch.no_grad() are trained."""
import pybuda
import pytest
import torch

from training import GRAYSKULL, WORMHOLE, train_both


class Detached(torch.nn.Module):
    """A target network, a stopped branch and a table, as self-supervised models have them."""

    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(40, 16, padding_idx=3)
        self.online = torch.nn.Linear(16, 16)
        self.target = torch.nn.Linear(16, 16)
        self.after = torch.nn.Linear(16, 16)
        with torch.no_grad():
            self.words.weight[3] = 0.5

    def forward(self, ids):
        x = self.words(ids)
        with torch.no_grad():
            still = torch.tanh(self.target(x))
            with torch.enable_grad():
                trained = self.after(still)
        branch = self.online(x)
        return (branch * still + trained + torch.sigmoid(branch).detach() * x).mean(1)


@pytest.mark.parametrize("arch", [WORMHOLE, GRAYSKULL])
def test_what_is_not_trained(arch):
    torch.manual_seed(2)
    data = [(torch.randint(0, 8, (2, 6)), torch.rand(2, 16)) for _ in range(4)]
    data[0][0][0, :2] = 3
    network = Detached()
    before = {name: value.detach().clone() for name, value in network.named_parameters()}
    made = train_both(network, pybuda.SGD(0.5, device_params=True), data, 4, arch=arch,
                      data_format=pybuda.DataFormat.Float32)
    assert made.losses == pytest.approx(made.wanted_losses, rel=0.01)
    assert made.worst() < 0.005
    assert (made.wanted["words.weight"] - before["words.weight"]).abs().max() > 0.01
    assert torch.equal(made.wanted["words.weight"][3], before["words.weight"][3])
    assert torch.equal(made.wanted["target.weight"], before["target.weight"])
    assert (made.wanted["after.weight"] - before["after.weight"]).abs().max() > 0.01


def test_divided_by_frequency_is_refused():
    network = torch.nn.Embedding(40, 16, scale_grad_by_freq=True)
    with pytest.raises(Exception, match="divided by the number of equal ids"):
        train_both(network, pybuda.SGD(0.5, device_params=True), [(torch.ones(1, 4).long(), torch.rand(1, 4, 16))], 1)
