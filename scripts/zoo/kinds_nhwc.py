"""Graphs as TensorFlow's converter writes them: NHWC in and out with transposes around convolutions, padding as an op
of its own with its sizes as an operand, constants without dims, means and joins over the last axes."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """Collects nodes and constants; values are names, pictures are [1, rows, columns, channels]."""

    def __init__(self, name, shape):
        self.name, self.nodes, self.constants, self.random = name, [], [], np.random.default_rng(5)
        self.input = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, shape)

    def constant(self, value, dtype=np.float32):
        name = f"const_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def weights(self, *shape, fan):
        return self.constant(self.random.standard_normal(shape) / np.sqrt(fan))

    def op(self, kind, *operands, **attributes):
        name = f"{kind}_{len(self.nodes)}:0"
        self.nodes.append(helper.make_node(kind, operands, [name], **attributes))
        return name

    def relu6(self, x):
        return self.op("Clip", x, self.constant(0.0), self.constant(6.0))

    def conv(self, x, given, made, kernel=3, stride=1, groups=1):
        """Padded as 'SAME' is: with stride 2 below and to the right only; the bias is added in NHWC."""
        if kernel > 1:
            before, after = (kernel - stride) // 2, (kernel - stride + 1) // 2
            pads = self.constant([0, before, before, 0, 0, after, after, 0], np.int64)
            x = self.op("Pad", x, pads, self.constant(0.0))
        x = self.op("Transpose", x, perm=[0, 3, 1, 2])
        x = self.op("Conv", x, self.weights(made, given // groups, kernel, kernel, fan=kernel ** 2 * given // groups),
                    strides=[stride, stride], group=groups)
        return self.op("Add", self.op("Transpose", x, perm=[0, 2, 3, 1]), self.weights(made, fan=10))

    def separable(self, x, given, made, stride=1):
        x = self.relu6(self.conv(x, given, given, 3, stride, given))
        return self.relu6(self.conv(x, given, made, 1))

    def reshape(self, x, *dims):
        return self.op("Reshape", x, self.constant(dims, np.int64))

    def model(self, **results):
        """The graph whose results are these values with their dims: value=dims."""
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in results.items()]
        graph = helper.make_graph(self.nodes, self.name, [self.input], outputs, self.constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        onnx.checker.check_model(made)
        return made


def tf_classes():
    """MobileNet: the mean over rows and columns, a product, softmax."""
    g = Graph("classes", [1, 96, 96, 3])
    x = g.op("Sub", g.op("Mul", "pixels", g.constant(2.0)), g.constant(1.0))
    x = g.relu6(g.conv(x, 3, 16, 3, 2))
    for given, made, stride in ((16, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2)):
        x = g.separable(x, given, made, stride)
    x = g.op("ReduceMean", x, axes=[1, 2], keepdims=0)
    x = g.op("Add", g.op("MatMul", x, g.weights(128, 20, fan=8)), g.weights(20, fan=10))
    return g.model(**{g.op("Softmax", x, axis=-1): [1, 20]}), {"pixels": g.random.random((1, 96, 96, 3), np.float32)}


def tf_segments():
    """A portrait segmenter: down twice, bilinear up twice by sizes, joined over the last axis."""
    g = Graph("segments", [1, 64, 96, 3])
    fine = g.relu6(g.conv("pixels", 3, 16, 3, 2))
    x = g.separable(g.separable(fine, 16, 32, 2), 32, 32)
    for rows, columns, beside, given in ((32, 48, fine, 32), (64, 96, "pixels", 16)):
        x = g.op("Transpose", x, perm=[0, 3, 1, 2])
        x = g.op("Resize", x, "", "", g.constant([1, given, rows, columns], np.int64), mode="linear",
                 coordinate_transformation_mode="half_pixel")
        x = g.op("Concat", g.op("Transpose", x, perm=[0, 2, 3, 1]), beside, axis=3)
        x = g.relu6(g.conv(x, given + (16 if beside == fine else 3), 16))
    x = g.op("Sigmoid", g.conv(x, 16, 1, 1))
    return g.model(**{x: [1, 64, 96, 1]}), {"pixels": g.random.random((1, 64, 96, 3), np.float32)}


def tf_boxes():
    """SSD's heads on two grids: anchors as rows, boxes by exp of their sizes, scores by sigmoid."""
    g = Graph("boxes", [1, 96, 96, 3])
    x = g.separable(g.relu6(g.conv("pixels", 3, 16, 3, 2)), 16, 32, 2)
    boxes, scores = [], []
    for _ in range(2):
        x = g.separable(x, 32, 32, 2)
        boxes.append(g.reshape(g.conv(x, 32, 12, 1), 1, -1, 4))
        scores.append(g.reshape(g.conv(x, 32, 15, 1), 1, -1, 5))
    box = g.op("Mul", g.op("Concat", *boxes, axis=1), g.constant(0.1))
    parts = [g.op("Slice", box, *(g.constant([at], np.int64) for at in (first, first + 2, -1))) for first in (0, 2)]
    box = g.op("Concat", parts[0], g.op("Exp", parts[1]), axis=-1)
    score = g.op("Sigmoid", g.op("Concat", *scores, axis=1))
    return g.model(**{box: [1, 540, 4], score: [1, 540, 5]}), {"pixels": g.random.random((1, 96, 96, 3), np.float32)}


def tf_priors():
    """SSD's boxes as [n, 1, 4], decoded by coordinate: each is cut off as a vector and scaled by those of priors."""
    g = Graph("priors", [1, 96, 96, 3])
    x = g.separable(g.relu6(g.conv("pixels", 3, 16, 3, 2)), 16, 32, 2)
    boxes = []
    for _ in range(2):
        x = g.separable(x, 32, 32, 2)
        boxes.append(g.reshape(g.conv(x, 32, 12, 1), 1, -1, 1, 4))
    count = 3 * (144 + 36)
    rows = g.op("Transpose", g.reshape(g.op("Concat", *boxes, axis=1), -1, 4), perm=[1, 0])
    places, priors = g.constant([0], np.int64), g.random.random((4, count))
    parts = []
    for k in range(4):
        ends = (g.constant([at], np.int64) for at in (k, k + 1, 0))
        parts.append(g.op("Squeeze", g.op("Slice", rows, *ends), places))
    centers = [g.op("Add", g.op("Mul", g.op("Div", parts[k], g.constant(10.0)), g.constant(priors[k + 2])),
                    g.constant(priors[k])) for k in range(2)]
    sizes = [g.op("Mul", g.op("Exp", g.op("Div", parts[k + 2], g.constant(5.0))), g.constant(priors[k + 2] / 2))
             for k in range(2)]
    edges = [g.op("Unsqueeze", g.op(kind, center, size), places)
             for kind in ("Sub", "Add") for center, size in zip(centers, sizes)]
    box = g.op("Transpose", g.op("Concat", *edges, axis=0), perm=[1, 0])
    return g.model(**{box: [count, 4]}), {"pixels": g.random.random((1, 96, 96, 3), np.float32)}


def tf_mesh():
    """MediaPipe's face mesh: depthwise blocks with PReLU by channel, the way past padded with channels of zeros."""
    g = Graph("mesh", [1, 96, 96, 3])

    def prelu(x, channels):
        return g.op("PRelu", x, g.constant(g.random.random((1, 1, channels)) / 2))
    x, given = prelu(g.conv("pixels", 3, 16, 3, 2), 16), 16
    for made, stride in ((16, 1), (32, 2), (32, 1), (64, 2), (64, 2)):
        y = g.conv(g.conv(x, given, given, 3, stride, given), given, made, 1)
        if stride == 2:
            x = g.op("Transpose", x, perm=[0, 3, 1, 2])
            x = g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
            x = g.op("Transpose", x, perm=[0, 2, 3, 1])
        if made > given:
            x = g.op("Pad", x, g.constant([0] * 7 + [made - given], np.int64), g.constant(0.0))
        x, given = prelu(g.op("Add", x, y), made), made
    x = g.op("Transpose", x, perm=[0, 3, 1, 2])
    x = g.op("Conv", x, g.weights(96, 64, 6, 6, fan=64 * 36), g.weights(96, fan=10))
    x = g.reshape(x, 1, 1, 1, 96)
    return g.model(**{x: [1, 1, 1, 96]}), {"pixels": g.random.random((1, 96, 96, 3), np.float32)}


MAKERS = {f.__name__: f for f in (tf_classes, tf_segments, tf_boxes, tf_priors, tf_mesh)}
