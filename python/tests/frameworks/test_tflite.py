"""TensorFlow Lite: recurrent ops, and files with several functions."""
import numpy
import pybuda
import pytest
import recurrent
import small
import tensorflow as tf
import ttsim
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


def test_recurrent_ops_without_a_form_in_onnx(tmp_path):
    recurrent.write(tmp_path / "net.tflite", "LSTM", peepholes=True)
    with pytest.raises(ttsim.UnsupportedError, match=r"UNIDIRECTIONAL_SEQUENCE_LSTM with peepholes \('y'\); run the model on the host"):
        convert_file(str(tmp_path / "net.tflite"))


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
