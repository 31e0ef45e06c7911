"""Encoders of BERT and their parts."""
from .text import Text


def linear(g, x, rows, cols):
    return g.add("add", g.add("matmul", x, g.constant(0.01, rows, cols)), g.constant(0.1, cols))


def norm(g, x, width):
    x = g.add("layer_norm", x, attrs="axis = 2, epsilon = 1e-12")
    return g.add("add", g.add("multiply", x, g.constant(1.5, width)), g.constant(0.2, width))


def attention(g, x, mask, length, width, heads):
    """Self-attention with its projections, without the residual."""
    def split(y, perm):
        y = g.add("reshape", y, attrs=f"dims = [1, {length}, {heads}, {width // heads}]")
        return g.add("transpose", y, attrs=f"perm = [{perm}]")

    q, k, v = (split(linear(g, x, width, width), p) for p in ("0, 2, 1, 3", "0, 2, 3, 1", "0, 2, 1, 3"))
    scores = g.add("multiply", g.add("matmul", q, k), g.constant((width // heads) ** -0.5))
    weights = g.add("softmax", g.add("add", scores, mask), attrs="axis = 3")
    y = g.add("transpose", g.add("matmul", weights, v), attrs="perm = [0, 2, 1, 3]")
    return linear(g, g.add("reshape", y, attrs=f"dims = [1, {length}, {width}]"), width, width)


def inputs(g, length, width, mask_rows):
    return g.input("hidden_states", 1, length, width), g.input("attention_mask", 1, 1, mask_rows, length)


def encoder(layers=12, length=128, width=768, heads=12, inner=3072, mask_rows=1):
    """Encoder layers, from hidden states and attention mask."""
    g = Text()
    x, mask = inputs(g, length, width, mask_rows)
    for _ in range(layers):
        x = norm(g, g.add("add", attention(g, x, mask, length, width, heads), x), width)
        y = linear(g, g.add("gelu", linear(g, x, width, inner)), inner, width)
        x = norm(g, g.add("add", y, x), width)
    return g.finish(x)


def self_attention(length=128, width=128, heads=4):
    g = Text()
    x, mask = inputs(g, length, width, 1)
    return g.finish(attention(g, x, mask, length, width, heads))


def feedforward(length, width, inner):
    g = Text()
    x = g.input("x", 1, length, width)
    return g.finish(linear(g, g.add("gelu", linear(g, x, width, inner)), inner, width))


def add_and_norm(length, width):
    g = Text()
    return g.finish(norm(g, g.add("add", g.input("a", 1, length, width), g.input("b", 1, length, width)), width))


def softmax(rows, cols, axis):
    g = Text()
    return g.finish(g.add("softmax", g.input("x", 1, 1, rows, cols), attrs=f"axis = {axis}"))
