"""What runs on the host: embeddings, what was asked for, what has no conversion; before the device or behind it."""
import logging
import warnings

import pytest
import torch
import ttsim
from small_modules import X, Of, check
from torch import nn
from ttsim.torch import fallback_names, import_module


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.words, self.out = nn.Embedding(11, 8), nn.Linear(8, 3)

    def forward(self, ids):
        return self.out(torch.relu(self.words(ids + 1)))


IDS = torch.tensor([[1, 5, 7, 2]])


def test_embeddings_run_before_the_device(caplog):
    with warnings.catch_warnings(), caplog.at_level(logging.INFO, logger="ttsim.torch"):
        warnings.simplefilter("error", UserWarning)  # what was asked for is not a warning
        imported = check(Words(), (IDS,))
    assert [(one.op, one.asked) for one in imported.fallbacks] == [("add", True), ("embedding", True)]
    assert "words (" in str(imported.fallbacks[1]) and "it is one of fallback_ops" in str(imported.fallbacks[1])
    assert "test_host.py" in str(imported.fallbacks[0])
    assert imported.inputs == ["embedding"] and imported.input_names == ["ids"]
    assert set(imported.parameters) == {"out.weight", "out.bias"}
    assert imported.device_inputs(IDS)[0].shape == (1, 4, 8)
    assert "embedding at words" in caplog.text


def test_without_fallback_embeddings_are_looked_up_by_the_compiler():
    imported = check(Words(), (IDS,), fallback=False)
    assert not imported.fallbacks and imported.inputs == ["ids"] and "words.weight" in imported.parameters
    assert check(Words(), (IDS,), fallback_ops=()).inputs == ["ids"]


@pytest.mark.parametrize("kind", ["nn.dense", "linear", "aten.linear"])
def test_kinds_of_ops_go_by_the_names_scripts_use(kind):
    module = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Linear(4, 2))
    imported = check(module, (X,), fallback_ops=[kind])
    assert [one.op for one in imported.fallbacks] == ["linear"]
    assert imported.outputs == ["tanh"]


def test_every_kind_names_ops_that_torch_has():
    names = [name for kind in fallback_names._TYPES.values() for name in kind.split()]
    assert names and not [name for name in names if not hasattr(torch.ops.aten, name)]


def cut(middle):
    """Two ops before, one behind, or the other way round."""
    return Of(lambda self, x: torch.tanh(middle(torch.relu(x + 1))))


def refused_op(x):
    return torch.cummax(x, -1)[0]


def test_what_has_no_conversion_takes_the_shorter_side_with_it():
    text = r"2 ops run on the host:\n  cummax at forward .*test_host.py:\d+\): it has no conversion\n  tanh at .*"
    with pytest.warns(UserWarning, match=text + "it runs after cummax"):
        imported = check(cut(refused_op), (X,))
    assert [one.op for one in imported.fallbacks] == ["cummax", "tanh"]
    with pytest.warns(UserWarning, match="it runs before cummax"):
        front = check(Of(lambda self, x: torch.tanh(torch.exp(refused_op(x + 1)) * 2)), (X,))
    assert [one.op for one in front.fallbacks] == ["add", "cummax"]


def test_three_parts_where_both_ends_are_the_hosts():
    def forward(self, ids):
        x = torch.relu(self.words(ids) @ self.weight) + 0.5
        return torch.cummax(torch.exp(torch.tanh(x)), -1)
    module = Of(forward, words=nn.Embedding(11, 8), weight=nn.Parameter(torch.eye(8)))
    with pytest.warns(UserWarning, match="cummax"):
        imported = check(module, (IDS,))
    assert [one.op for one in imported.fallbacks] == ["embedding", "cummax"]
    assert imported.inputs == ["embedding"] and len(imported.outputs) == 1


def test_one_line_for_each_op_that_cannot_be_converted():
    def forward(self, x):
        return torch.cummax(x, -1)[0] + torch.cummin(x + 1, 0)[0]
    with pytest.raises(ttsim.UnsupportedError) as refusal:
        import_module(Of(forward), (X,), fallback=False)
    text = str(refusal.value)
    assert "2 ops cannot be converted" in text and "cummax at forward" in text and "cummin at forward" in text
    assert text.count("test_host.py:") == 2 and "fallback=True" in text


def test_nothing_left_for_the_device_is_an_error():
    with pytest.raises(ttsim.UnsupportedError, match="no op of Of is left for the device:\n  cummax"), \
            pytest.warns(UserWarning):
        import_module(Of(lambda self, x: torch.cummax(x, -1)[0]), (X,))
    with pytest.raises(ttsim.UnsupportedError, match="it computes nothing"):
        import_module(nn.Identity(), (torch.arange(4),))


def test_arguments_that_are_results_pass_through_the_device():
    imported = import_module(nn.Identity(), (X,))
    assert (imported.inputs, imported.outputs) == (["input"], ["output"])
    check(nn.Identity(), (X,))


def test_moves_at_both_ends_are_the_hosts_where_it_is_asked():
    def forward(self, x):
        y = torch.relu(torch.nn.functional.pad(x, (1, 1))[:, 1:]) * 2
        return torch.cat([torch.exp(y), y], -1).unsqueeze(0)
    imported = import_module(Of(forward), (X,), host_moves=10)
    assert {one.op for one in imported.fallbacks} >= {"cat", "unsqueeze", "slice"} and len(imported.outputs) == 2
    check(Of(forward), (X,), host_moves=10)
    shallow = import_module(Of(forward), (X,), host_moves=1)
    assert "unsqueeze" in {one.op for one in shallow.fallbacks} and "cat" not in {one.op for one in shallow.fallbacks}
    check(Of(forward), (X,), host_moves=1)
    assert not import_module(Of(lambda self, x: x.t().unsqueeze(0)), (X,), host_moves=10).fallbacks


def test_results_that_are_not_computed_move_their_op_to_the_host():
    picture = torch.linspace(-1, 1, 64).reshape(1, 1, 8, 8)
    places = Of(lambda self, x: nn.functional.max_pool2d(torch.relu(x * 2 + 1), 2, return_indices=True))
    with pytest.warns(UserWarning, match="result number 1 is not computed on the device"):
        check(places, (picture,))
    assert not check(Of(lambda self, x: nn.functional.max_pool2d(x * 2, 2)), (picture,)).fallbacks


def test_constants_that_cannot_be_converted_are_computed_while_importing():
    module = Of(lambda self, x: x * torch.sort(self.w)[0], w=nn.Parameter(X[1].clone()))
    imported = check(module, (X,))
    assert not imported.fallbacks


@pytest.mark.parametrize("function", [
    lambda self, x: torch.nn.functional.grid_sample((x + 1)[None, None], torch.zeros(1, 2, 2, 2), align_corners=False),
    lambda self, x: torch.relu(x.masked_scatter(x > 0, torch.ones(X.numel()))), lambda self, x: torch.fft.rfft(x * 2).real,
    lambda self, x: torch.histc(x + 1, 4), lambda self, x: torch.bucketize(x + 1, torch.tensor([0.0, 1.0])),
], ids=["grid_sample", "masked_scatter", "fft", "histc", "bucketize"])
def test_ops_that_no_chip_has_never_fail_a_model(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert check(Of(function), (X,)).fallbacks
