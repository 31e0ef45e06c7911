"""Networks for images of 224 x 224, with folded batch norms."""
from .text import Text

CLAMP = 6


def conv(g, x, cin, cout, kernel, stride=1, groups=1, clamp=True):
    pad = kernel // 2
    y = g.add("conv", x, g.constant(0.05, cout, cin // groups, kernel, kernel), g.constant(0.1, cout),
              attrs=f"group = {groups}, strides = [{stride}, {stride}], pads = [{pad}, {pad}, {pad}, {pad}]")
    return g.add("relu_max", y, attrs=f"threshold = {CLAMP}") if clamp else y


def classify(g, x, channels, size, classes):
    x = g.add("average_pool", x, attrs=f"kernel = [{size}, {size}]")
    x = g.add("reshape", x, attrs=f"dims = [1, {channels}]")
    return g.add("add", g.add("matmul", x, g.constant(0.05, channels, classes)), g.constant(0.1, classes))


def mobilenet_v2(classes=1001):
    g = Text()
    x, channels = conv(g, g.input("pixels", 1, 3, 224, 224), 3, 32, 3, 2), 32
    for expand, cout, repeats, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                         (6, 160, 3, 2), (6, 320, 1, 1)):
        for k in range(repeats):
            stride = first if k == 0 else 1
            wide = channels * expand
            y = conv(g, x, channels, wide, 1) if expand > 1 else x
            y = conv(g, y, wide, wide, 3, stride, wide)
            y = conv(g, y, wide, cout, 1, clamp=False)
            x = g.add("add", x, y) if stride == 1 and channels == cout else y
            channels = cout
    return g.finish(classify(g, conv(g, x, channels, 1280, 1), 1280, 7, classes))
