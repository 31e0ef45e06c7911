"""import_module(): arguments and results of all kinds, names, formats, and what torch cannot hand over."""
import collections
import dataclasses

import pytest
import torch
import ttsim
from small_modules import X, Of, check
from torch import nn
from ttsim.torch import import_module


# --- arguments and results ----------------------------------------------------------------------------------------


def test_arguments_are_flattened_in_forwards_order_and_keywords_may_come_in_any():
    class Several(nn.Module):
        def forward(self, x, pair, *, scale, mask=None, **more):
            y = x * pair[0] + pair[1]["b"] * scale
            return y if mask is None else torch.where(mask, y, more["other"])

    args = (X, (X + 1, {"b": X * 2}))
    kwargs = {"scale": 0.5, "mask": X > 0, "other": X - 1}
    imported = check(Several(), args, kwargs)
    assert imported.input_names == ["x", "pair_0", "pair_1_b", "mask", "other"]
    assert imported.inputs == imported.input_names
    turned = {"other": X - 1, "mask": X > 0, "scale": 0.5}
    assert [one.tolist() for one in imported.device_inputs(*args, **turned)] == \
        [one.tolist() for one in imported.device_inputs(*args, **kwargs)]
    by_name = imported.device_inputs(pair=args[1], x=X, **kwargs)
    assert (by_name[1] == X + 1).all()


def test_none_is_not_an_argument_and_numbers_are_compiled_in():
    class Optional(nn.Module):
        def forward(self, x, y=None, power=2, name="n"):
            return x ** power + (0 if y is None else y)

    imported = check(Optional(), (X, None, 3))
    assert imported.input_names == ["x"]
    imported.device_inputs(X, None, power=3)
    with pytest.raises(ValueError, match="'power' was 3 when the module was imported and is 2"):
        imported.device_inputs(X, None, power=2)
    with pytest.raises(ValueError, match="imported with the arguments x, power; this call has x, y, power"):
        imported.device_inputs(X, X, power=3)


def test_a_call_must_have_the_shapes_it_was_imported_with():
    imported = import_module(nn.ReLU(), (X,))
    with pytest.raises(ValueError, match=r"'input' is float32\[4\]; the module was imported with float32\[3, 4\]"):
        imported.device_inputs(X[0])
    with pytest.raises(ValueError, match="int64"):
        imported.device_inputs(X.long())
    with pytest.raises(TypeError):
        imported.device_inputs()
    with pytest.raises(ValueError, match="2 outputs of the device; the graph has 1"):
        imported.finish([X, X], X)
    with pytest.raises(ValueError, match=r"output 'output' has the shape \[4\]; it is \[3, 4\]"):
        imported.finish([X[0]], X)


def test_results_are_flattened_named_and_without_none():
    @dataclasses.dataclass
    class Result:
        first: torch.Tensor
        nothing: object
        rest: dict

    Pair = collections.namedtuple("Pair", ["left", "right"])
    module = Of(lambda self, x: Result(x + 1, None, {"a": [x * 2, None], "b": Pair(x - 1, (x.neg(),))}))
    imported = check(module, (X,))
    assert imported.outputs == ["first", "rest_a_0", "rest_b_0", "rest_b_1_0"]
    assert check(Of(lambda self, x: x + 1), (X,)).outputs == ["output"]


def test_results_that_are_inputs_constants_or_twice_the_same():
    module = Of(lambda self, x, y: (y, x + 1, self.c, torch.ones(2), x + 1, y), c=nn.Parameter(X[0].clone()))
    imported = check(module, (X, X[1]))
    assert imported.inputs == ["args_0"] and len(imported.outputs) <= 2
    y = imported.finish([X + 1] * len(imported.outputs), X, X[1] * 3)
    assert (y[0] == X[1] * 3).all() and (y[5] == X[1] * 3).all() and (y[2] == X[0]).all()


def test_results_that_are_not_tensors_are_refused():
    with pytest.raises(NotImplementedError, match="result output_1 is a str; .* let forward return those"):
        import_module(Of(lambda self, x: (x + 1, "text")), (X,))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.bool])
def test_results_have_torchs_dtypes(dtype):
    x = (X * 4).to(dtype)
    check(Of(lambda self, x: (x + x, x.float() * 0.5, x > 1, torch.ones_like(x) + x)), (x,))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_modules_of_other_floats(dtype):
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 3)).to(dtype)
    imported = check(module, (X.to(dtype),))
    assert not imported.fallbacks and imported.parameters["0.weight"].dtype == dtype


@pytest.mark.parametrize("shape", [[], [1], [7], [3, 5], [2, 3, 4], [2, 1, 3, 5], [2, 3, 1, 5, 2]])
def test_ranks(shape):
    x = torch.arange(1, 1 + torch.Size(shape).numel()).reshape(shape) / 8
    check(Of(lambda self, x: (x * 2 + 1, x.sum(), x.sqrt())), (x,))


# --- names and parameters -----------------------------------------------------------------------------------------


def layers():
    torch.manual_seed(0)
    return nn.ModuleDict({"first": nn.Linear(4, 8), "second": nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8))})


def test_parameters_have_state_dict_names_and_ops_their_modules():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = layers()

        def forward(self, x):
            return self.parts["second"](torch.relu(self.parts["first"](x)))

    net = Net()
    imported = check(net, (X,))
    assert set(imported.parameters) == set(net.state_dict())
    for name, values in net.state_dict().items():
        assert (imported.parameters[name] == values).all()
    text = imported.graph.text()
    assert all(name in text for name in ("parts.first.linear", "parts.second.0.linear", "parts.second.1.layer_norm"))
    model = ttsim.Model(ttsim.compile(imported.graph), engine="functional")
    assert "parts.first.weight" in [one.name for one in model.parameters]
    assert import_module(net, (X,), parameter_names=False).parameters == {}


def test_tied_parameters_are_one_constant_and_buffers_are_kept():
    weight = nn.Parameter(torch.eye(4) * 0.5)
    module = Of(lambda self, x: (x @ self.a.t()) @ self.b.t() + self.shift, a=weight, b=weight, shift=X[0])
    imported = check(module, (X,))
    assert [name for name in imported.parameters if name in "ab"] == ["a"]
    module = Of(lambda self, x: (x @ self.b.t()) @ self.a.t() + self.shift, a=weight, b=weight, shift=X[0])
    assert [name for name in check(module, (X,)).parameters if name in "ab"] == ["a"]  # as in named_parameters()
    assert "shift" in imported.parameters


def test_training_mode_comes_back_and_dropout_and_batch_norm_are_those_of_evaluation():
    module = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Dropout(0.5))
    module[1].eval()
    imported = check(module, (torch.linspace(-1, 1, 75).reshape(1, 3, 5, 5),))
    assert module.training and module[2].training and not module[1].training
    assert not imported.fallbacks


def test_what_inputs_do_not_reach_is_computed_while_importing():
    def forward(self, x):
        places = torch.arange(x.shape[1])
        mask = torch.where(places[:, None] >= places[None], 0.0, -torch.inf)
        return torch.softmax(mask[:3] + x, -1)
    imported = check(Of(forward), (X,))
    assert "arange" not in imported.graph.text() and not imported.fallbacks


# --- what torch cannot hand over ----------------------------------------------------------------------------------


def test_changed_buffers_and_arguments_are_refused():
    def counts(self, x):
        self.seen += 1
        return x + self.seen
    with pytest.raises(ttsim.UnsupportedError, match="forward changes buffer 'seen' in place"):
        import_module(Of(counts, seen=torch.zeros(1)), (X,))

    def overwrites(self, x):
        x.add_(1)
        return x * 2
    with pytest.raises(ttsim.UnsupportedError, match="forward changes argument .* in place"):
        import_module(Of(overwrites), (X.clone(),))


def test_control_flow_by_values_is_refused():
    with pytest.raises(ttsim.UnsupportedError, match=r"Of branches on values of tensors.*select with torch\.where\(\)"):
        import_module(Of(lambda self, x: x + 1 if x.sum() > 0 else x - 1), (X,))


def test_complex_numbers_run_on_the_host():
    module = Of(lambda self, x: torch.view_as_real(torch.fft.fft(torch.tanh(x.exp() + 1))))
    with pytest.warns(UserWarning, match="fft"):
        check(module, (X,))


def test_in_place_ops_and_views_of_results_are_followed():
    def forward(self, x):
        y = x.clone()
        y[:, 1] = 0
        y[0].mul_(2)
        y.relu_()
        return y.view(-1)[2:5], y.t()
    assert not check(Of(forward), (X,)).fallbacks


@pytest.mark.parametrize("device, format", [("wh_n150", "Float16_b"), ("gs_e150", "Bfp8_b"), ("wh_n150", "Float16")])
def test_formats_of_the_chips(device, format):
    torch.manual_seed(0)
    module = nn.TransformerEncoderLayer(32, 2, 64, batch_first=True)
    check(module, (torch.randn(1, 32, 32),), options={"device": device, "format": format})


@pytest.mark.parametrize("device, format", [("wh_n150", "Float16_b"), ("gs_e150", "Bfp8_b")])
def test_masks_of_infinities_and_their_sums_are_masks(device, format):
    def forward(self, q, kept):
        scores = q @ q.transpose(-1, -2) + torch.full((40, 40), -torch.inf).triu(1)
        scores = scores + torch.where(kept, 0.0, torch.finfo(torch.float32).min)
        return torch.softmax(scores.masked_fill(~kept, -torch.inf), -1), torch.nn.functional.pad(q, [1, 1], value=3.5)
    torch.manual_seed(0)
    kept = torch.rand(1, 1, 1, 40) > 0.3
    kept[..., 0] = True
    check(Of(forward), (torch.randn(1, 2, 40, 16) / 4, kept), options={"device": device, "format": format})


def test_a_batch_norm_is_not_taken_apart_for_its_shape():
    rules, norm = torch._decomp.decomposition_table, torch.ops.aten._native_batch_norm_legit_no_training.default
    real, calls = rules[norm], []

    def counted(*args):
        calls.append(args)
        return real(*args)

    rules[norm] = counted
    try:
        # sizes that no other test has: torch remembers shapes
        imported = import_module(torch.nn.Sequential(torch.nn.BatchNorm2d(37), torch.nn.ReLU()), (torch.rand(1, 37, 5, 9),))
        assert rules[norm] is counted and not calls
    finally:
        rules[norm] = real
    assert imported.graph.outputs and list(imported.evaluate(torch.rand(1, 37, 5, 9))[0].shape) == [1, 37, 5, 9]
