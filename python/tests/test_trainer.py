"""ttsim.Trainer beside torch."""
import numpy
import pytest
import torch
import ttsim

GRAPH_INPUTS = 20


def graph_of(network):
    """The graph of a Sequential of Linear and ReLU, with parameters under their state-dict names."""
    graph = ttsim.Graph()
    value = graph.input("x", [1, GRAPH_INPUTS])
    for name, layer in network.named_children():
        if isinstance(layer, torch.nn.ReLU):
            value = graph.add("relu", [value])
            continue
        weight = graph.constant(f"{name}.weight", layer.weight.detach())
        product = graph.add("matmul", [value, graph.add("transpose", [weight], {"perm": [1, 0]})])
        value = graph.add("add", [product, graph.constant(f"{name}.bias", layer.bias.detach())])
    graph.output("y", value)
    return graph


@pytest.fixture
def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(GRAPH_INPUTS, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))


def trainer_of(network, **options):
    given = {"device": "wh_n150", "format": "Float32", "training": True, "microbatch": 2, "microbatch_count": 2,
             "keep_names": True, "input_gradients": ["x"], "optimizer": "sgd", "learning_rate": 0.1} | options
    return ttsim.Trainer(ttsim.compile(graph_of(network), **given), engine="functional", numerics="float32")


def difference(values, tensor):
    return numpy.abs(values - tensor.detach().numpy()).max()


def test_gradients_and_a_step_of_sgd(network):
    trainer = trainer_of(network)
    assert [info.name for info in trainer.parameters] == [name for name, _ in network.named_parameters()]
    x, g = torch.rand(4, 1, GRAPH_INPUTS, requires_grad=True), torch.randn(4, 1, 4)
    y = network(x)
    y.backward(g)
    assert difference(trainer.forward({"x": x})["y"], y) < 1e-5
    assert difference(trainer.backward({"y": g})["x"], x.grad) < 1e-5
    for name, value in network.named_parameters():
        assert difference(trainer.gradient(name), value.grad) < 1e-5
    trainer.forward({"x": x[:2]})
    trainer.backward({"y": g[:2]}, clear=False)  # adds to the sums
    network(x[:2]).backward(g[:2])
    torch.optim.SGD(network.parameters(), lr=0.1).step()
    trainer.step()
    for name, value in network.named_parameters():
        assert difference(trainer.gradient(name), value.grad) < 1e-5
        assert difference(trainer.parameter(name), value) < 1e-5
    assert trainer.cycles == 0 and trainer.chip == "wormhole_b0"


def test_a_learning_rate_is_that_of_the_next_step(network):
    trainer = trainer_of(network)
    before = trainer.parameter("0.bias")
    trainer.forward({"x": torch.rand(2, 1, GRAPH_INPUTS)})
    trainer.backward({"y": torch.randn(2, 1, 4)})
    trainer.set_learning_rate(0.5)
    trainer.step()
    assert numpy.abs(trainer.parameter("0.bias") - (before - 0.5 * trainer.gradient("0.bias"))).max() < 1e-6


@pytest.mark.parametrize("optimizer", ["adam", "adamw"])
def test_a_saved_state_goes_on_like_the_first(network, optimizer):
    x, g = torch.rand(2, 1, GRAPH_INPUTS), torch.randn(2, 1, 4)
    options = {"optimizer": optimizer, "learning_rate": 0.01, "weight_decay": 0.1}

    def step(trainer):
        trainer.forward({"x": x})
        trainer.backward({"y": g})
        trainer.step()

    first, second = trainer_of(network, **options), trainer_of(network, **options)
    for _ in range(3):
        step(first)
    names = [info.name for info in first.parameters]
    assert set(first.state(names[0])) == {"mean", "square"}
    for name in names:
        second.set_parameter(name, first.parameter(name))
        second.set_state(name, first.state(name))
    second.steps = first.steps
    assert second.steps == 3
    step(first)
    step(second)
    for name in names:
        assert numpy.array_equal(first.parameter(name), second.parameter(name))
        assert all(numpy.array_equal(first.state(name)[key], second.state(name)[key]) for key in ("mean", "square"))


def trained(trainer, samples):
    """Bits of all parameters and states after a step for each (x, g)."""
    for x, g in samples:
        trainer.forward({"x": x})
        trainer.backward({"y": g})
        trainer.step()
    return {name: (trainer.parameter(name).tobytes(), trainer.gradient(name).tobytes(),
                   *(value.tobytes() for value in trainer.state(name).values()))
            for name in [info.name for info in trainer.parameters]}


def drawn_samples(count):
    return [(torch.rand(2, 1, GRAPH_INPUTS), torch.randn(2, 1, 4)) for _ in range(count)]


OPTIMIZERS = {"sgd": {"learning_rate": 3e-3, "momentum": 0.9}, "adam": {"learning_rate": 1e-3},
              "adamw": {"learning_rate": 1e-3, "weight_decay": 0.1}}


@pytest.mark.parametrize("state_first", [False, True])
@pytest.mark.parametrize("optimizer", list(OPTIMIZERS))
@pytest.mark.parametrize("data_format", ["Float16_b", "Float16", "Float32"])
@pytest.mark.parametrize("device", ["gs_e150", "wh_n150"])
def test_a_restored_run_has_the_bits_of_an_uninterrupted_one(network, device, data_format, optimizer, state_first):
    samples = drawn_samples(10)
    compiled = ttsim.compile(graph_of(network), device=device, format=data_format, training=True, microbatch=2,
                             optimizer=optimizer, compensated_updates=True, **OPTIMIZERS[optimizer])
    first, second = (ttsim.Trainer(compiled, engine="functional") for _ in range(2))
    trained(first, samples[:5])
    for name in [info.name for info in first.parameters]:
        value, state = first.parameter(name), first.state(name)
        if state_first:
            second.set_state(name, state)
        second.set_parameter(name, value)
        if not state_first:
            second.set_state(name, state)
        assert numpy.array_equal(second.parameter(name), value)
    second.steps = first.steps
    for trainer in (first, second):
        trainer.set_learning_rate(2e-3)
    assert trained(first, samples[5:]) == trained(second, samples[5:])


def test_the_bits_do_not_depend_on_the_number_of_threads(network):
    samples = drawn_samples(3)
    compiled = ttsim.compile(graph_of(network), device="wh_n150", format="Float16_b", training=True, microbatch=2,
                             optimizer="adam", compensated_updates=True)
    made = [trained(ttsim.Trainer(compiled, engine=engine, threads=threads), samples)
            for engine, threads in (("functional", 1), ("functional", 2), ("functional", 5), ("full", 1), ("full", 4))]
    assert all(one == made[0] for one in made)


def test_a_parameter_is_read_with_the_residue_of_its_updates(network):
    compiled = ttsim.compile(graph_of(network), device="gs_e150", format="Float16_b", training=True, microbatch=2,
                             optimizer="sgd", learning_rate=2.0**-14, compensated_updates=True)
    trainer = ttsim.Trainer(compiled, engine="functional")
    weights = network.get_parameter("2.weight").detach().numpy()
    assert numpy.abs(trainer.parameter("2.weight") - weights).max() < 2.0**-16  # twice the digits of the format
    wanted = weights.copy()
    for x, g in drawn_samples(8):
        trained(trainer, [(x, g)])
        wanted -= 2.0**-14 * trainer.gradient("2.weight")
    moved = trainer.parameter("2.weight") - weights
    assert numpy.corrcoef(moved.ravel(), (wanted - weights).ravel())[0, 1] > 0.999
    values = numpy.random.default_rng(0).normal(size=weights.shape).astype(numpy.float32)
    trainer.set_parameter("2.weight", values)
    assert numpy.abs(trainer.parameter("2.weight") - values).max() < 2.0**-15


def test_values_that_are_set_are_rounded_to_the_nearest_of_the_format(network):
    trainer = ttsim.Trainer(ttsim.compile(graph_of(network), device="gs_e150", format="Float16_b", training=True),
                            engine="functional")
    values = torch.randn(32)
    trainer.set_parameter("0.bias", values)
    assert torch.equal(torch.from_numpy(trainer.parameter("0.bias").copy()), values.bfloat16().float())


def test_only_inputs_are_differentiated_when_everything_is_frozen(network):
    trainer = trainer_of(network, freeze=["*"], optimizer="none")
    assert trainer.parameters == []
    x, g = torch.rand(2, 1, GRAPH_INPUTS, requires_grad=True), torch.randn(2, 1, 4)
    network(x).backward(g)
    trainer.forward({"x": x})
    assert difference(trainer.backward({"y": g})["x"], x.grad) < 1e-5
    assert [info.name for info in trainer_of(network, freeze=["*"], train=["2.bias"]).parameters] == ["2.bias"]


def test_wrong_use(network):
    with pytest.raises(ttsim.InputError, match="no backward program; compile it for training"):
        ttsim.Trainer(ttsim.compile(graph_of(network), device="wh_n150"), engine="functional")
    trainer = trainer_of(network, optimizer="none")
    with pytest.raises(ttsim.InputError, match=r"backward\(\) needs a forward\(\)"):
        trainer.backward({})
    with pytest.raises(ttsim.InputError, match="no optimizer on the device"):
        trainer.step()
    with pytest.raises(ttsim.InputError, match="no parameter '0.bios' is trained.*0.bias"):
        trainer.gradient("0.bios")
    with pytest.raises(ttsim.InputError, match=r"parameter '0.bias' is f32\[32\], not f32\[31\]"):
        trainer.set_parameter("0.bias", torch.zeros(31))
    with pytest.raises(ttsim.InputError, match="the optimizer of '0.bias' has no state 'momentum'"):
        trainer.set_state("0.bias", {"momentum": torch.zeros(32)})
    trainer.forward({"x": torch.rand(2, 1, GRAPH_INPUTS)})
    with pytest.raises(ttsim.InputError, match=r"2 samples wait for backward\(\)"):
        trainer.forward({"x": torch.rand(2, 1, GRAPH_INPUTS)})
    with pytest.raises(ttsim.InputError, match="output 'y' has no gradient"):
        trainer.backward({})


def test_backward_of_the_first_samples(network):
    x, g = torch.rand(4, 1, GRAPH_INPUTS), torch.randn(4, 1, 4)
    whole, parts = trainer_of(network), trainer_of(network)
    for trainer in (whole, parts):
        trainer.forward({"x": x})
    with pytest.raises(ttsim.InputError, match="backward.. of 3 samples; it needs whole microbatches of 2"):
        parts.backward({"y": g}, samples=3)
    with pytest.raises(ttsim.InputError, match="backward.. of 6 samples; 4 wait for it"):
        parts.backward({"y": g}, samples=6)
    wanted = whole.backward({"y": g})["x"]
    found = [parts.backward({"y": g[:2]}, samples=2)["x"]]
    with pytest.raises(ttsim.InputError, match="2 samples wait for backward"):
        parts.forward({"x": x})
    with pytest.raises(ttsim.InputError, match="2 samples wait for backward"):
        parts.samples = 0
    found.append(parts.backward({"y": g[2:]}, clear=False)["x"])
    assert numpy.array_equal(numpy.concatenate(found), wanted)
    for name, _ in network.named_parameters():
        assert numpy.abs(parts.gradient(name) - whole.gradient(name)).max() < 1e-5


def test_masks_of_dropout_go_on_from_a_restored_sample():
    graph = ttsim.Graph()
    x = graph.input("x", [1, 64])
    product = graph.add("multiply", [x, graph.constant("w", numpy.ones(64, numpy.float32))])
    graph.output("y", graph.add("dropout", [product], {"p": 0.5}))
    compiled = ttsim.compile(graph, device="gs_e150", training=True, dropout_seed=3)
    trainers = [ttsim.Trainer(compiled, engine=engine) for engine in ("functional", "full", "golden")]
    ones = {"x": numpy.ones((1, 64), numpy.float32)}

    def step(trainer):
        y = trainer.forward(ones)["y"]
        trainer.backward({"y": ones["x"]})
        assert numpy.array_equal(trainer.gradient("w") != 0, y[0] != 0)
        return y

    first = [step(trainers[0]) for _ in range(3)]
    assert len({y.tobytes() for y in first}) == 3
    wanted = ttsim._ttsim.dropout_factors(3, 0.5, 0, 0, 2, [1, 64])
    assert trainers[0].samples == 3 and numpy.array_equal(first[2], wanted)
    for trainer in trainers[1:]:
        trainer.samples = 2
        assert numpy.array_equal(step(trainer), wanted)
    with pytest.raises(ttsim.UnsupportedError, match="random results, and the model is compiled for inference"):
        ttsim.compile(graph, device="gs_e150")


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_two_chips_train_as_one(optimizer):
    torch.manual_seed(0)
    layers = [torch.nn.Linear(GRAPH_INPUTS, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU(),
              torch.nn.Linear(64, 4)]
    network = torch.nn.Sequential(*layers)
    trainers = [trainer_of(network, optimizer=optimizer, device="wh_n300", chips=chips) for chips in (1, 2)]
    for program in trainers[1].compiled.layout.program_infos:  # forward, backward and optimizer
        chips = {info.chip for info in trainers[1].compiled.layout.graph_infos if info.name in program.graphs}
        assert chips == {0, 1}, program.name
    for _ in range(2):
        x, g = torch.rand(4, 1, GRAPH_INPUTS), torch.randn(4, 1, 4)
        results = [(trainer.forward({"x": x})["y"], trainer.backward({"y": g})["x"]) for trainer in trainers]
        for one, two in zip(*results):
            assert numpy.abs(one - two).max() < 1e-6
        for trainer in trainers:
            trainer.step()
    for name, _ in network.named_parameters():
        assert numpy.abs(trainers[0].parameter(name) - trainers[1].parameter(name)).max() < 1e-6
