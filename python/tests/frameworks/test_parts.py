"""Ops without a form in ONNX run in their framework on the host, between parts for the device."""
import jax
import jax.numpy as jnp
import numpy
import pybuda
import pytest
import small
import tensorflow as tf
import torch
import ttsim
from small import close, keras, layers, run

X = numpy.random.default_rng(1).standard_normal((2, 8, 8)).astype("float32")


class Svd(layers.Layer):
    def call(self, x):
        return tf.linalg.svd(x, compute_uv=False)[..., None] * x


def between():
    """The op is in the middle; an output does not depend on it."""
    keras.utils.set_random_seed(0)
    x = keras.Input((8, 8))
    return keras.Model(x, [layers.Dense(4)(Svd()(layers.Dense(8, activation="tanh")(x))), layers.Dense(3)(x)])


def host_parts():
    return [[op.split("(")[-1] for op in stage.host_ops] for stage in pybuda.get_tenstorrent_device()._stages]


@pytest.mark.parametrize("samples", [1, 2])
def test_tensorflow(samples):
    model = between()
    with pytest.warns(UserWarning, match=r"module 'm': 1 op runs in TensorFlow on the host, .*Svd \(Svd\)"):
        got = run(pybuda.TFModule("m", model), X[:samples])
    for one, wanted in zip(got, model(X[:samples]), strict=True):
        close(one, wanted)
    assert host_parts() == [[], ["Svd)"]]


def test_a_loop_with_such_an_op_runs_there():
    function = tf.function(lambda x: tf.while_loop(lambda n, y: n < 2, lambda n, y: (n + 1, tf.linalg.inv(y + 4 * tf.eye(8))), [0, x @ x])[1] @ x)
    close(run(pybuda.TFModule("m", function), X[:1])[0], function(X[:1]))
    assert host_parts() == [[], ["StatelessWhile)"]]


def test_jax():
    def function(x):
        return jnp.tanh(x @ x) @ jnp.linalg.svd(jnp.tanh(x))[0], x * 2
    for one, wanted in zip(run(pybuda.JaxModule("m", function), X[:1]), function(X[:1]), strict=True):
        close(one, wanted)
    assert [op for part in host_parts() for op in part] == ["svd)"]


def test_complex_numbers_of_tensorflow_lite_stay_on_the_host(tmp_path):
    x = keras.Input((8, 8), batch_size=1)
    spectrum = layers.Lambda(lambda x: tf.abs(tf.signal.rfft(x)) + tf.math.real(tf.signal.rfft(x)))
    model = keras.Model(x, layers.Dense(8)(spectrum(layers.Dense(8, activation="tanh")(x))))
    (tmp_path / "m.tflite").write_bytes(small.lite(model))
    close(run(pybuda.TFLiteModule("m", tmp_path / "m.tflite"), X[:1])[0], model(X[:1]))
    assert "RFFT2D)" in host_parts()[-1] and "REAL)" in host_parts()[-1]


def test_parameters_of_a_model_in_parts():
    model = between()
    run(pybuda.TFModule("m", model), X[:1])
    device = pybuda.get_tenstorrent_device()
    assert len(device.get_parameters()) == len(model.variables)
    name = next(variable.path for variable in model.variables if variable.shape == (8, 4))
    device.update_device_parameters({name: torch.from_numpy(X[0, :, :4].copy())})
    device.push_to_inputs(X[:1])
    close(pybuda.run_inference().get()[0], model(X[:1])[0])


def test_it_is_off_without_cpu_fallback():
    pybuda.config._get_global_compiler_config().enable_tvm_cpu_fallback = False
    with pytest.raises(ttsim.UnsupportedError, match=r"no form of these ops of TensorFlow: Svd \('.*Svd'\); a module of pybuda runs"):
        run(pybuda.TFModule("m", between()), X[:1])


def test_a_model_of_such_ops_alone_is_refused():
    with pytest.raises(ttsim.UnsupportedError, match="a model that has no others runs on a pybuda.CPUDevice"):
        run(pybuda.JaxModule("m", lambda x: jax.numpy.linalg.svd(x)[1]), X[:1])
    pybuda.pybuda_reset()
    device = pybuda.CPUDevice("cpu0", module=pybuda.JaxModule("m", lambda x: jax.numpy.linalg.svd(x)[1]))
    device.push_to_inputs(X[:1])
    close(pybuda.run_inference().get()[0], numpy.linalg.svd(X[:1])[1], 0.9999)


def test_an_image_cannot_hold_them(tmp_path):
    device = pybuda.TTDevice("tt0", module=pybuda.TFModule("m", keras.Sequential([keras.Input((8, 8)), Svd(), layers.Dense(4)])),
                             arch=pybuda.BackendDevice.Wormhole_B0, devtype=pybuda.BackendType.Golden)
    with pytest.raises(RuntimeError, match=r"runs .*\(Svd\) in the framework of the module, which an image cannot hold"):
        device.compile_to_image(img_path=str(tmp_path / "m.tti"), sample_inputs=(torch.from_numpy(X[:1]),))
