"""TensorFlow Lite: recurrent ops, and files with several functions."""
import re

import numpy
import pybuda
import pytest
import recurrent
import small
import tensorflow as tf
import torch
import ttsim
from pybuda import host_work
from small import keras, layers
from test_files import command
from ttsim.convert import convert_file, tflite


def result(path, x):
    made = convert_file(str(path))
    compiled = ttsim.compile(ttsim.Graph.from_onnx(made.serialized()), device="wh_n150", format="Float16_b")
    return made, ttsim.Model(compiled, engine="functional").run({made.inputs[0]: x})[made.outputs[0]]


@pytest.mark.parametrize("kind", ["LSTM", "RNN"])
@pytest.mark.parametrize("time_major", [False, True])
def test_recurrent_ops(tmp_path, kind, time_major):
    x = recurrent.write(tmp_path / "net.tflite", kind, time_major)
    wanted = tflite.run(str(tmp_path / "net.tflite"), [x])[0]
    made, got = result(tmp_path / "net.tflite", x)
    assert kind in [node.op_type for node in made.model.graph.node]
    assert got.shape == wanted.shape and numpy.corrcoef(got.reshape(-1), wanted.reshape(-1))[0, 1] > 0.999


def test_svdf(tmp_path):
    x = recurrent.write(tmp_path / "net.tflite", "SVDF")
    wanted = tflite.run(str(tmp_path / "net.tflite"), [x])[0]
    _, got = result(tmp_path / "net.tflite", x)
    assert got.shape == wanted.shape and numpy.corrcoef(got.reshape(-1), wanted.reshape(-1))[0, 1] > 0.999


def test_recurrent_ops_without_a_form_in_onnx(tmp_path):
    recurrent.write(tmp_path / "net.tflite", "LSTM", peepholes=True)
    with pytest.raises(ttsim.UnsupportedError, match=r"UNIDIRECTIONAL_SEQUENCE_LSTM with peepholes \('y'\); a module of pybuda runs such ops"):
        convert_file(str(tmp_path / "net.tflite"))


def test_spectra_run_on_the_device(tmp_path):
    model = keras.Sequential([keras.Input((4, 32), batch_size=1), layers.Lambda(lambda x: tf.abs(tf.signal.rfft(x))), layers.Dense(8)])
    (tmp_path / "net.tflite").write_bytes(small.lite(model))
    x = small.RNG.random((1, 4, 32)).astype("float32")
    small.close(small.run(pybuda.TFLiteModule("net", tmp_path / "net.tflite"), x)[0], model(x))
    assert not host_work.host_ops(pybuda.get_tenstorrent_device()._stages[0])


class Streaming(tf.Module):
    """Keeps the last two rows, and an average."""

    def __init__(self):
        super().__init__()
        self.rows = tf.Variable(tf.zeros((1, 2, 8)), name="rows")
        self.mean = tf.Variable(tf.ones((1, 8)), name="mean")
        self.w = tf.Variable(small.RNG.random((24, 4)).astype("float32"))

    @tf.function(input_signature=[tf.TensorSpec((1, 1, 8), tf.float32)])
    def step(self, x):
        rows = tf.concat([self.rows, x], 1)
        self.rows.assign(rows[:, 1:])
        self.mean.assign(self.mean * 0.5 + x[:, 0] * 0.5)
        return tf.reshape(rows, (1, 24)) @ self.w + self.mean[:, :4]


def test_variables_keep_their_values_from_run_to_run(tmp_path):
    model = Streaming()
    tf.saved_model.save(model, str(tmp_path / "saved"), signatures=model.step)
    converter = tf.lite.TFLiteConverter.from_saved_model(str(tmp_path / "saved"))
    converter.experimental_enable_resource_variables = True
    path = tmp_path / "net.tflite"
    path.write_bytes(converter.convert())
    module, values = pybuda.TFLiteModule("net", path), small.RNG.random((3, 1, 1, 8)).astype("float32")
    assert len(module.declared()) == 1 and len(module.states()) == 2
    wanted = [model.step(value) for value in values]
    small.close(small.run(module, values[0])[0], wanted[0])
    for value, want in zip(values[1:], wanted[1:]):
        pybuda.get_tenstorrent_device().push_to_inputs(value)
        small.close(pybuda.run_inference().get()[0], want)
    for value, want in zip(values, wanted):
        assert numpy.allclose(module.forward(torch.from_numpy(value))[0].numpy(), want, atol=1e-5)
    made = convert_file(str(path))
    assert len(made.inputs) == len(made.outputs) == 3 and all(f"{name}_next" in made.outputs for name in made.inputs[1:])
    pybuda.pybuda_reset()
    with pytest.raises(RuntimeError, match="keeps values from run to run, .* push one at a time"):
        small.run(module, numpy.concatenate(values[:2]))


class Two(tf.Module):
    """`one` has a loop, which is a graph of its own in the file."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable(small.RNG.random((16, 8)).astype("float32"))

    @tf.function(input_signature=[tf.TensorSpec((4, 16), tf.float32)])
    def one(self, x):
        return {"p": tf.while_loop(lambda n, y: n < 3, lambda n, y: (n + 1, tf.tanh(y * 0.5)), [0, x @ self.w])[1]}

    @tf.function(input_signature=[tf.TensorSpec((4, 16), tf.float32), tf.TensorSpec((4, 8), tf.float32)])
    def two(self, x, y):
        return {"q": x @ self.w - y}


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("functions")
    model = Two()
    tf.saved_model.save(model, str(folder / "saved"), signatures={"one": model.one, "two": model.two})
    converter = tf.lite.TFLiteConverter.from_saved_model(str(folder / "saved"), signature_keys=["one", "two"])
    (folder / "net.tflite").write_bytes(converter.convert())
    return model, folder / "net.tflite"


@pytest.mark.parametrize("name", ["one", "two"])
def test_signatures(functions, name):
    model, path = functions
    values = [small.RNG.random((4, 16)).astype("float32"), small.RNG.random((4, 8)).astype("float32")][:1 if name == "one" else 2]
    wanted = next(iter(getattr(model, name)(*values).values()))
    module = pybuda.TFLiteModule("net", path, signature=name)
    assert [declared for declared, _, _ in module.declared()] == ["x", "y"][:len(values)]
    small.close(small.run(module, *values)[0], wanted)


def test_an_unknown_signature_is_refused_with_those_of_the_file(functions, tmp_path):
    with pytest.raises(ttsim.InputError, match="it has no signature 'three'; its signatures are: one, two"):
        convert_file(str(functions[1]), signature="three")
    done = command("compile", functions[1], "--signature", "two", "-o", tmp_path / "out")
    assert done.returncode == 0 and "input 'y' f32[4, 8]" in done.stderr + done.stdout, done.stderr


def custom_op_file(path):
    """Writes a file with a tanh, and a sine that is a custom op. Returns the names of their results, which are outputs."""
    from tensorflow.lite.tools import flatbuffer_utils

    class Two(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec((1, 8), tf.float32)])
        def call(self, x):
            return {"plain": tf.tanh(x), "other": tf.sin(x)}

    module = Two()
    converter = tf.lite.TFLiteConverter.from_concrete_functions([module.call.get_concrete_function()], module)
    model = flatbuffer_utils.read_model_from_bytearray(bytearray(converter.convert()))
    codes = [flatbuffer_utils.opcode_to_name(model, index) for index in range(len(model.operatorCodes))]
    results = {codes[one.opcodeIndex]: model.subgraphs[0].tensors[int(one.outputs[0])].name.decode() for one in model.subgraphs[0].operators}
    sine = model.operatorCodes[codes.index("SIN")]
    sine.builtinCode = sine.deprecatedBuiltinCode = 32
    sine.customCode = b"MySine"
    path.write_bytes(flatbuffer_utils.convert_object_to_bytearray(model))
    return results["SIN"], results["TANH"]


def test_custom_ops_are_refused_with_the_outputs_that_need_none(tmp_path):
    path = tmp_path / "net.tflite"
    place, plain = custom_op_file(path)
    message = rf"interpreter has no such custom ops: MySine \('{re.escape(place)}'\); .*--output-names {re.escape(plain)}, or output_names="
    with pytest.raises(ttsim.InputError, match=message) as refused:
        pybuda.TFLiteModule("net", path).declared()
    x = small.RNG.random((1, 8)).astype("float32")
    small.close(small.run(pybuda.TFLiteModule("net", path, output_names=refused.value.outputs), x)[0], numpy.tanh(x))
    assert command("compile", path, "--output-names", plain, "-o", tmp_path / "net").returncode == 0


def test_outputs_that_a_file_does_not_have(tmp_path):
    (tmp_path / "net.tflite").write_bytes(small.lite(small.mlp()))
    with pytest.raises(ttsim.InputError, match="it has no tensor 'nothing'; its outputs are: "):
        pybuda.TFLiteModule("net", tmp_path / "net.tflite", output_names="nothing").declared()
