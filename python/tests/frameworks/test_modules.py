"""Modules of TensorFlow, TensorFlow Lite and JAX against their frameworks."""
import jax
import jax.numpy as jnp
import numpy
import pybuda
import pytest
import small
import tensorflow as tf
import torch
import ttsim
from flax import linen, nnx
from small import PICTURE, close, keras, layers, mlp, net, run

X = numpy.random.default_rng(1).standard_normal((4, 64)).astype("float32")


# --- the table of frameworks of the user guide, a test for each row

def test_pybuda_module():
    class Both(pybuda.PyBudaModule):
        def forward(self, x, y):
            return pybuda.op.Add("add", x, y)
    close(run(Both("m"), torch.ones(1, 32, 32), torch.arange(1024.).reshape(1, 32, 32))[0], 1 + numpy.arange(1024.).reshape(1, 32, 32))


def test_pytorch_module():
    linear = torch.nn.Linear(64, 8)
    close(run(pybuda.PyTorchModule("m", linear), torch.from_numpy(X))[0], linear(torch.from_numpy(X)).detach())


@pytest.mark.parametrize("arch", [pybuda.BackendDevice.Grayskull, pybuda.BackendDevice.Wormhole_B0])
def test_tf_module(arch):
    got = run(pybuda.TFModule("m", mlp()), tf.constant(X), arch=arch)[0]
    close(got, mlp()(X))
    assert isinstance(got.to_framework("tensorflow"), tf.Tensor) and got.to_framework("tensorflow").shape == (4, 10)


def test_jax_module():
    module = linen.Sequential([linen.Dense(32), linen.relu, linen.LayerNorm(), linen.Dense(10)])
    params = module.init(jax.random.PRNGKey(0), X)
    got = run(pybuda.JaxModule("m", module, params), jnp.asarray(X))[0]
    close(got, module.apply(params, X))
    assert isinstance(got.to_framework("jax"), jax.Array)


@pytest.mark.parametrize("kind", ["net", "int8", "uint8"])
def test_tflite_module(files, kind):
    module = pybuda.TFLiteModule("m", str(files / f"{kind}.tflite"))
    value = PICTURE if kind == "net" else (PICTURE * 255 - (128 if kind == "int8" else 0)).astype(kind)
    close(run(module, value)[0], module.forward(torch.from_numpy(value))[0], 0.99 if kind == "net" else 0.97)


def test_onnx_module(tmp_path):
    from ttsim.convert import tensorflow
    path = tmp_path / "m.onnx"
    path.write_bytes(tensorflow.convert(mlp(), [((1, 64), "float32")]).serialized())
    close(run(pybuda.OnnxModule("m", None, str(path)), X)[0], mlp()(X))


def test_tf_graph_def_module(files):
    close(run(pybuda.TFGraphDefModule("m", None, str(files / "net.pb"), ["Identity"]), PICTURE)[0], net()(PICTURE))
    pybuda.pybuda_reset()
    close(run(pybuda.TFGraphDefModule("m", small.graph_def(mlp(), (1, 64)), "", ["Identity"]), X)[0], mlp()(X))


def test_mxnet_module_is_refused_with_its_reason():
    with pytest.raises(RuntimeError, match="MXNet was archived by its developers in 2023"):
        pybuda.MXNetModule("m", None)


# --- inputs and outputs

def several():
    left, right = keras.Input((8,), name="right"), keras.Input((8,), name="left")
    return keras.Model([left, right], {"sum": layers.Add()([left, right]), "dense": layers.Dense(4)(left)})


def test_inputs_and_outputs_are_in_the_order_of_the_model():
    model, a, b = several(), X[:, :8].copy(), X[:, 8:16].copy()
    wanted = model([a, b])
    assert list(wanted) == ["sum", "dense"]
    for got, key in zip(run(pybuda.TFModule("m", model), tf.Variable(a), tf.constant(b)), wanted):
        close(got, wanted[key])
    pybuda.pybuda_reset()
    for got, key in zip(run(pybuda.TFModule("m", model), {"left": b, "right": a}), wanted):
        close(got, wanted[key])


def test_a_model_that_takes_a_dictionary():
    a, b = keras.Input((8,), name="a"), keras.Input((8,), name="b")
    model = keras.Model({"b": b, "a": a}, layers.Subtract()([a, b]))
    values = {"a": X[:, :8].copy(), "b": X[:, 8:16].copy()}
    close(run(pybuda.TFModule("m", model), values)[0], values["a"] - values["b"])
    pybuda.pybuda_reset()
    in_order = [values[tensor.name] for tensor in model.inputs]
    close(run(pybuda.TFModule("m", model), *in_order)[0], values["a"] - values["b"])


def test_a_pushed_mapping_is_the_only_argument():
    class Net(keras.Model):
        def call(self, inputs, training=False):
            return inputs["x"] - inputs["y"]
    close(run(pybuda.TFModule("m", Net()), {"y": X, "x": 3 * X})[0], 2 * X)


def test_an_input_of_a_wrong_shape_is_refused_with_the_message_of_the_framework():
    with pytest.raises(ttsim.InputError, match="cannot trace the model .*expected axis -1 of input shape to have value 64"):
        run(pybuda.TFModule("m", mlp()), X[:, :5])


def test_a_layer_with_several_arguments():
    class Both(layers.Layer):
        def call(self, first, second, training=None):
            return first - (second if not training else 0)
    close(run(pybuda.TFModule("m", Both()), X, 2 * X)[0], -X)


def test_argmax_of_keras_reads_the_sign_of_zeros():
    class Index(layers.Layer):
        def call(self, x):
            return keras.ops.argmax(x, -1)
    got = run(pybuda.TFModule("m", Index()), X)[0]
    assert numpy.array_equal(got.value().numpy(), X.argmax(-1))


def test_random_numbers_of_fixed_keys_are_constants_of_jax():
    def function(x):
        key, _ = jax.random.split(jax.random.key(0))
        return x * jax.random.normal(key, (64,)) + jnp.ones(64) * 2
    close(run(pybuda.JaxModule("m", function), X)[0], function(X))


def test_functions_of_jax_are_as_before_a_conversion():
    before = dict(vars(jnp))
    run(pybuda.JaxModule("m", lambda x: jnp.cumsum(x, 1)), X)
    assert [name for name, value in before.items() if vars(jnp)[name] is not value] == []
    assert jnp.cumsum(jnp.ones((2, 3)), 1)[0, 2] == 3


def test_modules_of_nnx_with_random_states():
    class Net(nnx.Module):
        def __init__(self, rngs):
            self.drop, self.last = nnx.Dropout(0.1, deterministic=True, rngs=rngs), nnx.RNN(nnx.GRUCell(16, 8, rngs=rngs))

        def __call__(self, x):
            return self.last(self.drop(x.reshape(-1, 4, 16)))
    module = Net(nnx.Rngs(0))
    close(run(pybuda.JaxModule("m", module), X[:1])[0], module(X[:1]))


def test_outputs_of_jax_keep_their_order():
    got = run(pybuda.JaxModule("m", lambda x, y: {"z": x - y, "a": (x * y, jnp.tanh(x))}), X, 2 * X)
    for one, wanted in zip(got, (-X, 2 * X * X, numpy.tanh(X)), strict=True):
        close(one, wanted)


def test_a_fixed_batch_is_one_micro_batch(tmp_path):
    model = keras.Sequential([keras.Input((64,), batch_size=4), layers.Dense(8), layers.Reshape((2, 4))])
    close(run(pybuda.TFModule("m", model), X)[0], model(X))
    pybuda.pybuda_reset()
    with pytest.raises(RuntimeError, match="have 4 samples, as a constant of the model; 2 were pushed: push 4"):
        run(pybuda.TFModule("m", model), X[:2])
    (tmp_path / "m.tflite").write_bytes(small.lite(model))
    pybuda.pybuda_reset()
    close(run(pybuda.TFLiteModule("m", str(tmp_path / "m.tflite")), X)[0], model(X))


def test_control_flow_and_open_shapes():
    class Steps(tf.Module):
        def __init__(self):
            self.w = tf.Variable(numpy.eye(16, dtype="float32") * 0.5 + 0.01, name="w")

        @tf.function(input_signature=[tf.TensorSpec((None, None, 16), tf.float32)])
        def __call__(self, x):
            y = x
            for _ in tf.range(3):
                y = tf.tanh(y @ self.w) + x
            return tf.reshape(y[:, :4] if tf.shape(x)[1] > 4 else y, (tf.shape(x)[0], -1))
    module, x = Steps(), X[:1, :48].reshape(1, 3, 16)
    close(run(pybuda.TFModule("m", module), x)[0], module(x))


def test_a_choice_between_functions():
    @tf.function
    def choose(x, k):
        def within():
            return tf.switch_case(k - 1, [lambda: x * 3.0, lambda: tf.tanh(x), lambda: x - 7.0])
        return tf.switch_case(k, [lambda: x + 1.0, within, within, lambda: 0.5 * x])
    for k in (0, 1, 2, 3, 9):
        pybuda.pybuda_reset()
        close(run(pybuda.TFModule("m", choose), X[:1], numpy.array(k, "int32"))[0], choose(X[:1], tf.constant(k)), 0.9999)


def test_signatures(tmp_path):
    class Two(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec((None, 64), tf.float32, name="x")])
        def double(self, x):
            return {"twice": 2 * x, "again": x + 1}

        @tf.function(input_signature=[tf.TensorSpec((None, 64), tf.float32, name="x")])
        def negate(self, x):
            return -x
    module = Two()
    tf.saved_model.save(module, str(tmp_path), signatures={"double": module.double, "negate": module.negate})
    close(run(pybuda.TFModule("m", str(tmp_path), signature="negate"), X)[0], -X)
    pybuda.pybuda_reset()
    loaded = tf.saved_model.load(str(tmp_path))
    close(run(pybuda.TFModule("m", loaded.signatures["double"]), {"x": X})[-1], 2 * X)
    pybuda.pybuda_reset()
    with pytest.raises(RuntimeError, match="has no default among its signatures .*choose one by its name|has no signature 'serving_default'; choose one of double, negate"):
        pybuda.TFModule("m", str(tmp_path))
    with pytest.raises(RuntimeError, match="has no signature 'triple'"):
        pybuda.TFModule("m", str(tmp_path), signature="triple")


# --- parameters, verification, devices

def test_parameters_keep_their_names():
    module = pybuda.TFModule("m", mlp())
    run(module, X)
    device = pybuda.get_tenstorrent_device()
    assert [p.get_name() for p in device.get_parameters()] == [f"mlp/{layer}/{kind}" for layer in ("first", "last") for kind in ("kernel", "bias")]
    queues = {queue.name for queue in device._stages[0].compiled.layout.queues}
    assert any("first" in name and "kernel" in name for name in queues), queues


def test_updates_of_parameters_reach_the_device():
    function, params = (lambda p, x: x @ p["w"] + p["b"]), {"w": jnp.ones((64, 8)), "b": jnp.zeros(8)}
    close(run(pybuda.JaxModule("m", function, params), X)[0], function(params, X))
    device = pybuda.get_tenstorrent_device()
    device.update_device_parameters({"w": torch.from_numpy(X[:, :32].reshape(64, 2)).repeat(1, 4)})
    device.push_to_inputs(X)
    close(pybuda.run_inference().get()[0], function({"w": numpy.tile(X[:, :32].reshape(64, 2), (1, 4)), "b": jnp.zeros(8)}, X))


@pytest.mark.parametrize("make", [
    lambda files: (pybuda.TFModule("m", net()), (2, 16, 16, 3)),
    lambda files: (pybuda.TFGraphDefModule("m", None, str(files / "net.pb")), (1, 16, 16, 3)),
    lambda files: (pybuda.TFLiteModule("m", str(files / "net.tflite")), (2, 16, 16, 3)),
    lambda files: (pybuda.JaxModule("m", lambda x: jax.nn.softmax(x @ jnp.ones((64, 8)) / 8)), (2, 64)),
], ids=["TFModule", "TFGraphDefModule", "TFLiteModule", "JaxModule"])
def test_verify_module(files, make):
    module, shape = make(files)
    pybuda.verify.verify_module(module, [shape], pybuda.VerifyConfig(devtype=pybuda.BackendType.Golden))


def test_on_the_host():
    device = pybuda.CPUDevice("cpu0", module=pybuda.TFModule("m", mlp()))
    device.push_to_inputs(X)
    close(pybuda.run_inference().get()[0], mlp()(X), 0.99999)


def test_training_is_refused_with_its_reason():
    device = pybuda.TTDevice("tt0", module=pybuda.TFModule("m", mlp()), optimizer=pybuda.SGD(0.1, device_params=True), devtype=pybuda.BackendType.Golden)
    device.place_loss_module(pybuda.PyTorchModule("loss", torch.nn.L1Loss()))
    device.push_to_inputs(X)
    device.push_to_target_inputs(torch.zeros(4, 10))
    with pytest.raises(RuntimeError, match="cannot train: modules of TensorFlow.* run inference only"):
        pybuda.run_training()


def test_pictures_are_not_transposed_between_layers():
    run(pybuda.TFModule("m", net()), PICTURE)
    ops = [op.type for op in pybuda.get_tenstorrent_device()._stages[0].compiled.layout.ops]
    assert len(ops) <= 20 and "transpose" not in ops


def test_bfloat16_and_numpy_inputs():
    close(run(pybuda.TFModule("m", mlp()), tf.cast(X, tf.bfloat16))[0], mlp()(X))
    pybuda.pybuda_reset()
    close(run(pybuda.JaxModule("m", jnp.tanh), jnp.asarray(X, jnp.bfloat16))[0], numpy.tanh(X))


def test_a_file_is_converted_once(files, monkeypatch):
    from ttsim.convert import tflite
    path, calls = str(files / "net.tflite"), []
    monkeypatch.setattr(tflite, "_convert", lambda *args, own=tflite._convert: calls.append(args) or own(*args))
    for _ in range(2):
        run(pybuda.TFLiteModule("m", path), numpy.repeat(PICTURE, 3, 0))
        pybuda.pybuda_reset()
    assert len(calls) <= 1
