"""Models of scripts/frameworks: name -> function that returns a pybuda module and its inputs. Random weights, seed 0."""
import functools
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "build" / "framework_models"
MODELS = {}


def model(function=None, *, name=None):
    """Adds a function to MODELS under its own or another name."""
    if function is None:
        return functools.partial(model, name=name)
    MODELS[name or function.__name__] = function
    return function


def numpy_random():
    import numpy
    return numpy.random.default_rng(0)


def picture(size=224, channels=3, scale=1.0):
    """A picture of numbers between -1 and 1, smooth as photographs are."""
    import numpy
    rng = numpy_random()
    coarse = rng.standard_normal((1, size // 8 + 1, size // 8 + 1, channels)).astype("float32")
    fine = numpy.repeat(numpy.repeat(coarse, 8, 1), 8, 2)[:, :size, :size]
    return (numpy.tanh(fine + 0.3 * rng.standard_normal(fine.shape)) * scale).astype("float32")


def keras_module(name, made, *inputs):
    """A TFModule of a Keras model with values as trained models have them: statistics of batch norms are not 0 and 1."""
    import pybuda
    rng = numpy_random()
    for variable in made.variables:
        path = variable.path
        if path.endswith(("moving_mean", "beta", "bias")):
            variable.assign(0.1 * rng.standard_normal(variable.shape))
        elif path.endswith(("moving_variance", "gamma")) and "layer_scale" not in path:
            variable.assign(0.8 + 0.4 * rng.random(variable.shape))
    return pybuda.TFModule(name, made), inputs


# --- Keras applications

def _application(name, kind, size=224, scale=1.0, **options):
    def make():
        import tensorflow as tf
        tf.keras.utils.set_random_seed(0)
        made = getattr(tf.keras.applications, kind)(weights=None, input_shape=(size, size, 3), **options)
        return keras_module(name, made, picture(size, scale=scale))
    MODELS[name] = make


_application("mobilenet_v1", "MobileNet")
_application("mobilenet_v2", "MobileNetV2")
_application("mobilenet_v3_small", "MobileNetV3Small", scale=127.5)
_application("mobilenet_v3_large", "MobileNetV3Large", scale=127.5)
_application("efficientnet_b0", "EfficientNetB0", scale=127.5)
_application("resnet50", "ResNet50")
_application("densenet121", "DenseNet121")
_application("xception", "Xception", size=160, include_top=False, pooling="avg")
_application("nasnet_mobile", "NASNetMobile")
_application("convnext_tiny", "ConvNeXtTiny", scale=127.5)


# --- other Keras models

def _layers():
    import tensorflow as tf
    tf.keras.utils.set_random_seed(0)
    return tf.keras, tf.keras.layers


@model
def mlp():
    keras, layers = _layers()
    return keras_module("mlp", keras.Sequential([keras.Input((64,)), layers.Dense(128, activation="relu"), layers.Dense(128, activation="gelu"),
                                                 layers.Dense(10, activation="softmax")]), numpy_random().standard_normal((1, 64)).astype("float32"))


def _recurrent(name, make):
    def made():
        keras, layers = _layers()
        whole = keras.Sequential([keras.Input((20, 32)), *make(layers), layers.Dense(8)])
        return keras_module(name, whole, numpy_random().standard_normal((1, 20, 32)).astype("float32"))
    MODELS[name] = made


_recurrent("lstm", lambda layers: [layers.LSTM(64, return_sequences=True), layers.LSTM(64)])
_recurrent("gru", lambda layers: [layers.GRU(64, return_sequences=True), layers.GRU(64)])
_recurrent("bidirectional", lambda layers: [layers.Bidirectional(layers.LSTM(48, return_sequences=True)), layers.Bidirectional(layers.GRU(48))])
_recurrent("simple_rnn", lambda layers: [layers.SimpleRNN(64)])


@model
def recurrent_variants():
    """States, other activations, cells, both directions."""
    keras, layers = _layers()
    x = keras.Input((6, 20))
    rows, h, c = layers.LSTM(24, return_state=True, return_sequences=True, go_backwards=True)(x)
    last = layers.GRU(24, reset_after=False, activation="relu", recurrent_activation="hard_sigmoid")(rows)
    cells = layers.RNN([layers.LSTMCell(16), layers.GRUCell(12)])(x)
    both = layers.Bidirectional(layers.SimpleRNN(8, return_sequences=True), merge_mode="sum")(x)
    return keras_module("recurrent_variants", keras.Model(x, [rows, h, c, last, cells, both]), numpy_random().standard_normal((1, 6, 20)).astype("float32"))


@model
def masked_lstm():
    keras, layers = _layers()
    made = keras.Sequential([keras.Input((20,), dtype="int32"), layers.Embedding(50, 24, mask_zero=True), layers.Bidirectional(layers.LSTM(20)), layers.Dense(3)])
    return keras_module("masked_lstm", made, numpy_random().integers(0, 50, (1, 20)).astype("int32"))


@model
def convolution_kinds():
    """Groups, dilation, strides by axis, transposed with overlap; each is an output."""
    keras, layers = _layers()
    x = keras.Input((32, 32, 8))
    made = [layers.Conv2D(16, 3, groups=4, padding="same"), layers.Conv2D(8, 3, dilation_rate=3, padding="same"),
            layers.SeparableConv2D(12, 5, strides=2, padding="same", depth_multiplier=2), layers.DepthwiseConv2D((3, 5), strides=2, depth_multiplier=2),
            layers.Conv2D(4, (1, 7), padding="same", strides=(2, 1)), layers.Conv2DTranspose(6, 4, strides=3)]
    return keras_module("convolution_kinds", keras.Model(x, [layer(x) for layer in made]), picture(32, 8))


@model
def transformer_encoder():
    keras, layers = _layers()
    tokens = keras.Input((32,), dtype="int32")
    x = layers.Embedding(1000, 64)(tokens) + layers.Embedding(32, 64)(keras.ops.arange(32))
    for _ in range(2):
        a = layers.MultiHeadAttention(4, 16)(x, x)
        x = layers.LayerNormalization()(x + a)
        f = layers.Dense(64)(layers.Dense(256, activation="gelu")(x))
        x = layers.LayerNormalization()(x + f)
    made = keras.Model(tokens, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))
    return keras_module("transformer_encoder", made, numpy_random().integers(0, 1000, (1, 32)).astype("int32"))


@model
def text_convolution():
    keras, layers = _layers()
    tokens = keras.Input((64,), dtype="int32")
    x = layers.Embedding(2000, 50)(tokens)
    parts = [layers.GlobalMaxPooling1D()(layers.Conv1D(32, width, activation="relu")(x)) for width in (3, 4, 5)]
    made = keras.Model(tokens, layers.Dense(4, activation="softmax")(layers.Concatenate()(parts)))
    return keras_module("text_convolution", made, numpy_random().integers(0, 2000, (1, 64)).astype("int32"))


@model
def autoencoder_dense():
    keras, layers = _layers()
    sizes = [256, 64, 16, 64, 256]
    made = keras.Sequential([keras.Input((784,)), *[layers.Dense(size, activation="relu") for size in sizes],
                             layers.Dense(784, activation="sigmoid")])
    return keras_module("autoencoder_dense", made, numpy_random().random((1, 784)).astype("float32"))


@model
def autoencoder_convolution():
    keras, layers = _layers()
    made = keras.Sequential([keras.Input((32, 32, 3)), layers.Conv2D(16, 3, 2, "same", activation="relu"),
                             layers.Conv2D(32, 3, 2, "same", activation="relu"),
                             layers.Conv2DTranspose(16, 3, 2, "same", activation="relu"),
                             layers.Conv2DTranspose(3, 3, 2, "same", activation="sigmoid")])
    return keras_module("autoencoder_convolution", made, picture(32))


@model
def unet():
    keras, layers = _layers()
    inputs = keras.Input((64, 64, 3))
    x, kept = inputs, []
    for width in (16, 32):
        x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
        x = layers.BatchNormalization()(layers.Conv2D(width, 3, padding="same", activation="relu")(x))
        kept.append(x)
        x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(64, 3, padding="same", activation="relu")(x)
    for width in (32, 16):
        x = layers.Concatenate()([layers.UpSampling2D(interpolation="bilinear")(x), kept.pop()])
        x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
    return keras_module("unet", keras.Model(inputs, layers.Conv2D(2, 1, activation="softmax")(x)), picture(64))


@model
def several_inputs_and_outputs():
    keras, layers = _layers()
    left, right = keras.Input((32,), name="right"), keras.Input((16, 8), name="left")
    x = layers.Concatenate()([layers.Dense(16, activation="tanh")(left), layers.Flatten()(right)])
    made = keras.Model([left, right], {"score": layers.Dense(1, activation="sigmoid")(x), "classes": layers.Dense(5)(x), "all": x})
    rng = numpy_random()
    return keras_module("several", made, rng.standard_normal((1, 32)).astype("float32"), rng.standard_normal((1, 16, 8)).astype("float32"))


# --- tf.Module, signatures, graphs

@model
def control_flow():
    """A tf.Module with a loop, a branch and open shapes."""
    import pybuda
    import tensorflow as tf

    class Steps(tf.Module):
        def __init__(self):
            self.w = tf.Variable(numpy_random().standard_normal((16, 16)).astype("float32") / 5, name="w")
            self.steps = 4

        @tf.function(input_signature=[tf.TensorSpec((None, None, 16), tf.float32)])
        def __call__(self, x):
            y = x
            for _ in tf.range(self.steps):
                y = tf.tanh(y @ self.w) + x
            if tf.shape(x)[1] > 4:
                y = y[:, :4]
            return tf.reshape(y, (tf.shape(x)[0], -1)), tf.reduce_max(y, -1)
    return pybuda.TFModule("control_flow", Steps()), (numpy_random().standard_normal((1, 6, 16)).astype("float32"),)


@model
def data_dependent_branch():
    import pybuda
    import tensorflow as tf

    @tf.function
    def branch(x):
        return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.nn.relu(x) * 2.0, lambda: tf.nn.sigmoid(x))
    return pybuda.TFModule("branch", branch), (numpy_random().standard_normal((1, 32, 32)).astype("float32"),)


def _small_net():
    keras, layers = _layers()
    made = keras.Sequential([keras.Input((32, 32, 3)), layers.Conv2D(16, 3, 2, "same"), layers.BatchNormalization(), layers.ReLU(6.0),
                             layers.DepthwiseConv2D(3, padding="same"), layers.BatchNormalization(), layers.ReLU(6.0), layers.Conv2D(32, 1),
                             layers.ReLU(), layers.AveragePooling2D(2), layers.Conv2D(32, 3, padding="same", activation="hard_swish"),
                             layers.GlobalAveragePooling2D(), layers.Dense(10, activation="softmax")])
    keras_module("weights", made)
    return made


@model
def saved_model():
    import pybuda
    FOLDER.mkdir(parents=True, exist_ok=True)
    _small_net().export(str(FOLDER / "saved_model"), verbose=False)
    return pybuda.TFModule("saved_model", str(FOLDER / "saved_model")), (picture(32),)


@model
def frozen_graph():
    import pybuda
    import tensorflow as tf
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = _small_net()
    concrete = tf.function(lambda x: made(x)).get_concrete_function(tf.TensorSpec((None, 32, 32, 3), tf.float32))
    tf.io.write_graph(convert_variables_to_constants_v2(concrete).graph.as_graph_def(), str(FOLDER), "frozen.pb", as_text=False)
    return pybuda.TFGraphDefModule("frozen_graph", None, str(FOLDER / "frozen.pb"), ["Identity"]), (picture(32),)


# --- TFLite files of TensorFlow's converter

def _lite(name, kind, make, value):
    def made():
        import pybuda
        import tensorflow as tf
        FOLDER.mkdir(parents=True, exist_ok=True)
        keras_model, inputs = make(), value()
        converter = tf.lite.TFLiteConverter.from_keras_model(keras_model)
        if kind != "float":
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
        if kind == "float16":
            converter.target_spec.supported_types = [tf.float16]
        if kind in ("int8", "uint8"):
            rng = numpy_random()
            converter.representative_dataset = lambda: ([inputs * (0.5 + rng.random())] for _ in range(20))
            converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
            converter.inference_input_type = converter.inference_output_type = getattr(tf, kind)
        path = FOLDER / f"{name}.tflite"
        path.write_bytes(converter.convert())
        return pybuda.TFLiteModule(name, str(path)), (quantized(str(path), inputs),)
    MODELS[name] = made


def quantized(path, value):
    """A value on the grid of the first input of a file."""
    import numpy
    import tensorflow as tf
    info = tf.lite.Interpreter(path).get_input_details()[0]
    if info["dtype"] in (numpy.float32, numpy.float16):
        return value
    scale, zero = info["quantization"]
    limits = numpy.iinfo(info["dtype"])
    return numpy.clip(numpy.round(value / (scale or 1) + zero), limits.min, limits.max).astype(info["dtype"])


def _mobile():
    import tensorflow as tf
    tf.keras.utils.set_random_seed(0)
    made = tf.keras.applications.MobileNetV2(weights=None, input_shape=(96, 96, 3), alpha=0.35, classes=10)
    keras_module("weights", made)
    return made


def _dense_net():
    return mlp()[0].module


def _encoder():
    keras, layers = _layers()
    x = tokens = keras.Input((16, 32))
    for _ in range(2):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 16)(x, x))
        x = layers.LayerNormalization()(x + layers.Dense(32)(layers.Dense(64, activation="relu")(x)))
    return keras.Model(tokens, layers.Dense(6)(layers.GlobalAveragePooling1D()(x)))


for _kind in ("float", "float16", "dynamic", "int8", "uint8"):
    _lite(f"lite_{_kind}", _kind, _small_net, lambda: picture(32))
_lite("lite_mobilenet_v2_float", "float", _mobile, lambda: picture(96))
_lite("lite_mlp_dynamic", "dynamic", _dense_net, lambda: numpy_random().standard_normal((1, 64)).astype("float32"))
_lite("lite_mlp_int8", "int8", _dense_net, lambda: numpy_random().standard_normal((1, 64)).astype("float32"))
for _kind in ("float16", "int8"):
    _lite(f"lite_transformer_{_kind}", _kind, _encoder, lambda: numpy_random().standard_normal((1, 16, 32)).astype("float32"))


# --- Flax

def _flax(name, make, *inputs):
    def made():
        import jax
        import pybuda
        from flax import linen
        module = make(linen)
        values = inputs[0]()
        variables = module.init(jax.random.PRNGKey(0), values)
        return pybuda.JaxModule(name, module, variables), (values,)
    MODELS[name] = made


def _sequence(linen):
    return linen.Sequential([linen.Dense(128), linen.relu, linen.Dense(128), linen.gelu, linen.Dense(10)])


def _flax_cnn(linen):
    class Net(linen.Module):
        @linen.compact
        def __call__(self, x):
            for width in (16, 32):
                x = linen.relu(linen.Conv(width, (3, 3))(x))
                x = linen.max_pool(x, (2, 2), strides=(2, 2))
            x = linen.avg_pool(x, (2, 2), (2, 2)).reshape((x.shape[0], -1))
            return linen.log_softmax(linen.Dense(10)(x))
    return Net()


def _flax_resnet(linen):
    class Block(linen.Module):
        width: int
        stride: int

        @linen.compact
        def __call__(self, x):
            y = linen.Conv(self.width, (3, 3), self.stride, use_bias=False)(x)
            y = linen.relu(linen.BatchNorm(use_running_average=True)(y))
            y = linen.BatchNorm(use_running_average=True)(linen.Conv(self.width, (3, 3), use_bias=False)(y))
            if y.shape != x.shape:
                x = linen.BatchNorm(use_running_average=True)(linen.Conv(self.width, (1, 1), self.stride, use_bias=False)(x))
            return linen.relu(x + y)

    class Net(linen.Module):
        @linen.compact
        def __call__(self, x):
            x = Block(32, 2)(Block(16, 1)(x))
            return linen.Dense(10)(x.mean((1, 2)))
    return Net()


def _flax_transformer(linen):
    class Net(linen.Module):
        @linen.compact
        def __call__(self, x):
            for _ in range(2):
                x = x + linen.MultiHeadDotProductAttention(4)(linen.LayerNorm()(x))
                y = linen.Dense(256)(linen.LayerNorm()(x))
                x = x + linen.Dense(64)(linen.gelu(y))
            return linen.LayerNorm()(x)
    return Net()


def _flax_lstm(linen):
    class Net(linen.Module):
        @linen.compact
        def __call__(self, x):
            import jax
            scan = linen.scan(linen.LSTMCell, variable_broadcast="params", split_rngs={"params": False}, in_axes=1, out_axes=1)
            cell = scan(32)
            return linen.GroupNorm(4)(cell(cell.initialize_carry(jax.random.key(0), x[:, 0].shape), x)[1])
    return Net()


_flax("flax_lstm", _flax_lstm, lambda: numpy_random().standard_normal((1, 10, 16)).astype("float32"))
_flax("flax_mlp", _sequence, lambda: numpy_random().standard_normal((1, 64)).astype("float32"))
_flax("flax_cnn", _flax_cnn, lambda: picture(32))
_flax("flax_resnet", _flax_resnet, lambda: picture(32))
_flax("flax_transformer", _flax_transformer, lambda: numpy_random().standard_normal((1, 32, 64)).astype("float32"))


@model
def nnx_mlp():
    import pybuda
    from flax import nnx

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.first, self.norm, self.last = nnx.Linear(64, 128, rngs=rngs), nnx.LayerNorm(128, rngs=rngs), nnx.Linear(128, 10, rngs=rngs)

        def __call__(self, x):
            return self.last(nnx.silu(self.norm(self.first(x))))
    return pybuda.JaxModule("nnx_mlp", Net(nnx.Rngs(0))), (numpy_random().standard_normal((1, 64)).astype("float32"),)


@model
def jax_scan():
    """A recurrent function with lax.scan."""
    import jax
    import pybuda
    w = numpy_random().standard_normal((32, 32)).astype("float32") / 6

    def step(state, x):
        state = jax.numpy.tanh(state @ w + x)
        return state, state

    def function(x):
        state, rows = jax.lax.scan(step, jax.numpy.zeros((x.shape[0], 32)), jax.numpy.swapaxes(x, 0, 1))
        return state, jax.numpy.swapaxes(rows, 0, 1)
    return pybuda.JaxModule("jax_scan", function), (numpy_random().standard_normal((1, 12, 32)).astype("float32"),)
