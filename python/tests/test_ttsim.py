"""The package ttsim as a program uses it: models, sessions, errors, threads, Ctrl-C."""
import json
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest
import ttsim
from hypothesis import given, settings
from hypothesis import strategies as st
from ttsim import arrays

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
ADD = ROOT / "tests/runtime/one_add.yaml"


def product(weights=None):
    weights = numpy.linspace(-1, 1, 64 * 32, dtype=numpy.float32).reshape(64, 32) if weights is None else weights
    graph = ttsim.Graph()
    x = graph.input("x", [32, 64])
    graph.output("y", graph.add("relu", [graph.add("matmul", [x, graph.constant("w", weights)])]))
    return graph, weights


@pytest.fixture(scope="module")
def compiled():
    return ttsim.compile(product()[0], device="wh_n150")


def test_effort_and_aim_are_options():
    searched = ttsim.compile(product()[0], effort=2, optimize="latency")
    assert ttsim.Model(searched).run({"x": numpy.ones((32, 64), numpy.float32)})["y"].shape == (32, 32)
    with pytest.raises(ttsim.InputError, match="effort must be 0 to 3"):
        ttsim.compile(product()[0], effort=4)
    with pytest.raises(ttsim.InputError, match="latency is for one input at a time"):
        ttsim.compile(product()[0], optimize="latency", microbatch=2)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), -0.5, 1.0])
def test_options_of_compile_refuse_nan_and_infinity(number):
    with pytest.raises(ttsim.InputError, match="target_pcc must be 0.5 to 0.999999"):
        ttsim.compile(product()[0], target_pcc=number)
    for option in ("trials", "amp", "amp_light", "microbatch", "chips", "seed", "effort", "conv_fracture"):
        with pytest.raises((TypeError, ttsim.InputError)):
            ttsim.compile(product()[0], **{option: number})
    for option in ("trace_level", "threads"):
        with pytest.raises((TypeError, ttsim.InputError)):
            ttsim.Session(ADD, **{option: number})


def test_integers_out_of_range_are_refused():
    for option in ("trials", "amp", "amp_light", "microbatch", "chips", "effort", "conv_fracture"):
        for number in (-1, 2**31 - 1):
            with pytest.raises(ttsim.InputError, match=f"{option} must be . to .*, not {number}"):
                ttsim.compile(product()[0], **{option: number})
    with pytest.raises(ttsim.InputError, match="option trace_level must be 1 to 2, not 7"):
        ttsim.Session(ADD, chip="wormhole_b0", trace_level=7)


def test_a_model_computes_what_numpy_does_and_counts_cycles(compiled):
    model = ttsim.Model(compiled)
    x = numpy.random.default_rng(0).standard_normal((32, 64)).astype(numpy.float32)
    y = model.run({"x": x})["y"]
    assert y.shape == (32, 32) and y.dtype == numpy.float32
    assert numpy.corrcoef(y.ravel(), numpy.maximum(x @ product()[1], 0).ravel())[0, 1] > 0.999
    first = model.cycles
    assert model.report().cycles >= first > 0
    assert (model.run({"x": x})["y"] == y).all()
    assert first < model.cycles < 2 * first  # kernels stay loaded


def test_figures_of_a_report_are_those_of_its_json_and_text(compiled):
    model = ttsim.Model(compiled)
    model.run({"x": numpy.ones((6, 32, 64), numpy.float32)})
    report = model.report()
    document = json.loads(report.json())
    for key in ["cycles", "end_to_end_per_second", "inputs_per_second", "latency_cycles", "load_cycles"]:
        assert getattr(report, key) == (document[key] or 0)
    for graph, written in zip(report.graphs, document["graphs"]):
        assert graph.inputs_per_second == (written["inputs_per_second"] or 0)
        assert [op.busy_share for op in graph.ops] == [op["busy_share"] for op in written["ops"]]
    assert f"end to end: {report.end_to_end_per_second:,.0f} inputs/s, loop: " in report.text()


def test_samples_and_streams_are_the_single_runs(compiled):
    model, stream = ttsim.Model(compiled), ttsim.Model(compiled, engine="functional")
    x = numpy.random.default_rng(1).standard_normal((3, 32, 64)).astype(numpy.float32)
    y = model.run({"x": x})["y"]
    assert y.shape == (3, 32, 32)
    for one in x:
        stream.push({"x": one})
    assert stream.in_flight == 3
    assert all((stream.get()["y"] == want).all() for want in y)


def test_states_stream_from_sample_to_sample():
    graph = ttsim.Graph()
    x, state = graph.input("x", [1, 4]), graph.input("state", [1, 4])
    graph.output("next", graph.add("add", [x, graph.add("multiply", [state, graph.constant("half", [[0.5]])])]))
    model = ttsim.Model(ttsim.compile(graph, device="gs_e150"))
    inputs = {"x": numpy.ones((3, 1, 4), numpy.float32), "state": numpy.full((1, 4), 4, numpy.float32)}
    assert (model.run(inputs, feed_back={"next": "state"})["next"][:, 0, 0] == [3, 2.5, 2.25]).all()
    with pytest.raises(ttsim.InputError, match="the model has no input 'stat' to feed 'next' to"):
        model.run(inputs, feed_back={"next": "stat"})


def test_parameters_are_replaced(compiled):
    model = ttsim.Model(compiled)
    assert [p.name for p in model.parameters] == ["w"]
    weights = numpy.random.default_rng(2).standard_normal((64, 32)).astype(numpy.float32)
    model.set_parameter("w", weights)
    assert (model.parameter("w") == weights).all()
    x = {"x": numpy.ones((32, 64), numpy.float32)}
    assert (model.run(x)["y"] == ttsim.Model(ttsim.compile(product(weights)[0])).run(x)["y"]).all()


def test_biases_compensate_the_rounding_of_weights():
    random = numpy.random.default_rng(5)
    first, second = (random.standard_normal((64, 64)).astype(numpy.float32) / 8 for _ in range(2))
    bias = random.standard_normal((2, 64)).astype(numpy.float32) / 32  # small enough to keep the correction
    x = random.standard_normal((256, 64)).astype(numpy.float32)
    graph = ttsim.Graph()
    hidden = graph.add("relu", [graph.add("matmul", [graph.input("x", [256, 64]), graph.constant("first", first)])])
    product = graph.add("matmul", [hidden, graph.constant("second", second)])
    graph.output("y", graph.add("add", [product, graph.constant("bias", bias[0])]))

    def error(model, with_bias):
        """In the mean over the rows, by column. Golden: constants are rounded, nothing else."""
        wanted = numpy.maximum(x.astype(float) @ first, 0) @ second + with_bias
        return (model.run({"x": x})["y"] - wanted).mean(0)

    plain, balanced = (ttsim.Model(ttsim.compile(graph, bias_correction=asked), engine="golden")
                       for asked in (False, True))
    before, after = error(plain, bias[0]), error(balanced, bias[0])
    assert numpy.linalg.norm(after) < numpy.linalg.norm(before) / 2
    assert (balanced.parameter("bias") == bias[0]).all()
    balanced.set_parameter("bias", bias[1])  # takes what its products lack with it
    assert numpy.linalg.norm(error(balanced, bias[1])) < numpy.linalg.norm(before) / 2


@pytest.mark.parametrize("name", ["m.tti", "folder"])
def test_what_was_written_reads_back(compiled, tmp_path, name):
    compiled.write(tmp_path / name)
    x = {"x": numpy.full((32, 64), 0.5, numpy.float32)}
    want, got = ttsim.Model(compiled), ttsim.Model(tmp_path / name)
    assert (want.run(x)["y"] == got.run(x)["y"]).all() and want.cycles == got.cycles


def test_netlists_run_and_sessions_keep_their_state():
    report = ttsim.run(EXAMPLES / "matmul_gelu.yaml")
    assert report.verdict == ttsim.Verdict.Pass and report.outputs[0].pcc > 0.99
    session = ttsim.Session(ADD, chip="wormhole_b0", threads=1)
    for k in range(3):
        session.push("a", numpy.full((32, 32), k))
        session.push("b", numpy.ones((1, 32, 32), numpy.float16))
        session.run("p")
        assert session.ready("y") == 1
        assert session.get("y")[0, 5, 7] == k + 1
        session.pop("y")
    assert session.cycles > 0 and session.chip == "wormhole_b0"
    with pytest.raises(ttsim.HangError, match="queue 'y' has no entry"):
        session.get("y")


def test_errors_keep_kind_and_place(compiled):
    with pytest.raises(ttsim.InputError) as caught:
        ttsim.Netlist.from_text("devices:\n  arch: [\n", "bad.yaml")
    assert caught.value.file == "bad.yaml" and caught.value.line > 0
    assert isinstance(caught.value, ttsim.Error)
    with pytest.raises(ttsim.InputError, match="did you mean 'x'"):
        ttsim.Model(compiled).run({"X": numpy.zeros((32, 64))})
    with pytest.raises(TypeError, match="no option 'devise'"):
        ttsim.compile(product()[0], devise="wh_n150")
    with pytest.raises(ValueError, match="'fast' is not one of full, timing"):
        ttsim.Model(compiled, engine="fast")
    with pytest.raises(TypeError, match="complex64"):
        ttsim.Graph().constant("w", numpy.zeros(3, numpy.complex64))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["float32", "float16", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]),
       st.lists(st.integers(0, 5), min_size=0, max_size=4))
def test_arrays_cross_unchanged(dtype, shape):
    values = (numpy.arange(numpy.prod(shape, dtype=int)) % 7).reshape(shape).astype(dtype)
    kind, numbers = arrays.pair(values)
    back = arrays.array(kind, numbers)
    assert back.dtype == values.dtype and back.shape == values.shape and (back == values).all()


def test_other_threads_go_on_while_a_simulation_runs():
    counted, over = [0], threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    ttsim.run(EXAMPLES / "bert_encoder.yaml", check=False)
    over.set()
    thread.join()
    assert counted[0] > 20  # a lock kept through the run would let it count once or twice


def test_ctrl_c_ends_a_simulation():
    # a shell's background jobs are born without Ctrl-C
    text = ("import signal, ttsim\nsignal.signal(signal.SIGINT, signal.default_int_handler)\nprint('go', flush=True)\n"
            f"try:\n    ttsim.run({str(EXAMPLES / 'bert_encoder.yaml')!r}, "
            "parameters={'p_loop_count': 300}, engine='full', check=False)\n"
            "except KeyboardInterrupt:\n    print('stopped')\n")
    process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out == "stopped\n" and process.returncode == 0
