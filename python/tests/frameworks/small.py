"""Small models of the frameworks, and comparisons."""
import contextlib
import functools
import io

import numpy
import pybuda
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers
RNG = numpy.random.default_rng(0)
PICTURE = RNG.random((1, 16, 16, 3)).astype("float32")


def run(module, *inputs, arch=pybuda.BackendDevice.Wormhole_B0, devtype=pybuda.BackendType.Golden):
    """Outputs of a module on a device, which computes values only."""
    device = pybuda.TTDevice("tt0", module=module, arch=arch, devtype=devtype)
    device.push_to_inputs(*inputs)
    return pybuda.run_inference().get()


def close(got, wanted, least=0.99):
    """Whether tensors correlate, and have one shape."""
    value, wanted = got.value().float().numpy(), numpy.asarray(wanted, "float64")
    assert value.shape == wanted.shape
    assert numpy.corrcoef(value.reshape(-1), wanted.reshape(-1))[0, 1] >= least


@functools.cache
def mlp():
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input((64,), name="x"), layers.Dense(32, activation="relu", name="first"), layers.Dense(10, name="last")], name="mlp")


@functools.cache
def net():
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input((16, 16, 3), name="picture"), layers.Conv2D(8, 3, padding="same", name="conv"), layers.BatchNormalization(),
                             layers.ReLU(6.0), layers.DepthwiseConv2D(3, padding="same"), layers.Conv2D(16, 1, activation="relu"),
                             layers.MaxPooling2D(), layers.GlobalAveragePooling2D(), layers.Dense(10, activation="softmax")])


def graph_def(model, shape):
    """A frozen GraphDef with the output Identity."""
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
    concrete = tf.function(lambda x: model(x)).get_concrete_function(tf.TensorSpec(shape, tf.float32))
    return convert_variables_to_constants_v2(concrete).graph.as_graph_def()


def lite(model, kind=None, samples=None):
    """Bytes of TensorFlow's converter. `kind`: int8 or uint8 of inputs and outputs."""
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    if kind:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([sample] for sample in samples)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = getattr(tf, kind)
    with contextlib.redirect_stdout(io.StringIO()):
        return converter.convert()


def write_files(folder):
    (folder / "net.tflite").write_bytes(lite(net()))
    samples = [RNG.random((1, 16, 16, 3)).astype("float32") for _ in range(10)]
    (folder / "int8.tflite").write_bytes(lite(net(), "int8", samples))
    (folder / "uint8.tflite").write_bytes(lite(net(), "uint8", samples))
    net().save(folder / "net.keras")
    net().export(str(folder / "saved_model"), verbose=False)
    tf.io.write_graph(graph_def(net(), (None, 16, 16, 3)), str(folder), "net.pb", as_text=False)
