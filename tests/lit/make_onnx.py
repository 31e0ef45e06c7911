"""make_onnx.py KIND FILE: writes a small ONNX model, y = x + w, that is good or broken in the way KIND names."""
import struct
import sys


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def value_info(name, dims, kind=1):
    shape = b"".join(text(1, number(1, d) if isinstance(d, int) else text(2, d)) for d in dims)
    return text(1, name) + text(2, text(1, number(1, kind) + text(2, shape)))


def node(op, inputs, output, domain=""):
    return (b"".join(text(1, i) for i in inputs) + text(2, output) + text(3, output + "_node") + text(4, op)
            + (text(7, domain) if domain else b""))


def weight(name, dims, raw):
    return b"".join(number(1, d) for d in dims) + number(2, 1) + text(8, name) + text(9, raw)


def external(name, dims, file):
    entry = text(1, "location") + text(2, file)
    return b"".join(number(1, d) for d in dims) + number(2, 1) + text(8, name) + text(13, entry) + number(14, 1)


def model(kind):
    dims = {"dynamic": ["batch", "length"], "batch": ["batch", 3]}.get(kind, [2, 3])
    floats = struct.pack("<3f", 1, 2, 3)
    weights = [weight("w", [3], floats[:8] if kind == "short_weight" else floats)]
    nodes = [node("Add", ["x", "w"], "y")]
    if kind == "cycle":
        nodes = [node("Add", ["x", "b"], "a"), node("Add", ["a", "w"], "b"), node("Add", ["a", "b"], "y")]
    if kind == "unsorted":
        nodes = [node("Relu", ["a"], "y"), node("Add", ["x", "w"], "a")]
    if kind == "missing_weight":
        weights = []
    if kind == "external":
        weights = [external("w", [3], "weights.bin")]
    if kind == "outside":
        weights = [external("w", [3], "../weights.bin")]
    if kind == "unknown_ops":
        nodes = [node("Frobnicate", ["x"], "a"), node("Add", ["a", "w"], "b"), node("Adagrad", ["x"], "c", "ai.ml"),
                 node("Add", ["b", "c"], "y")]
    result = "stage/1:0" if kind == "odd_names" else "y"
    if kind == "odd_names":
        nodes = [node("Add", ["x", "w"], result)]
    if kind == "late_shape":
        nodes = [node("Add", ["x", "w"], "a"), node("Relu", ["a"], "b"), node("NonZero", ["b"], "c"),
                 node("Transpose", ["c"], "d"), node("GatherND", ["b", "d"], "y")]
    if kind == "embedding":
        weights = [weight("table", [300, 2], struct.pack("<600f", *range(600)))]
        nodes = [node("Gather", ["table", "x"], "e"), node("Exp", ["e"], "y")]
        dims = [3]
    graph = (b"".join(text(1, n) for n in nodes) + text(2, "graph") + b"".join(text(5, w) for w in weights)
             + text(11, value_info("x", dims, 7 if kind == "embedding" else 1)) + text(12, value_info(result, dims)))
    opset = {"opset_6": 6, "opset_29": 29, "opset_0": None}.get(kind, 13)
    imports = b"" if opset is None else text(8, text(1, "") + number(2, opset))
    data = number(1, 8) + text(7, graph) + imports
    return {"truncated": data[:len(data) // 2], "empty": b"", "words": b"this is not a model\n"}.get(kind, data)


if __name__ == "__main__":
    with open(sys.argv[2], "wb") as out:
        out.write(model(sys.argv[1]))
