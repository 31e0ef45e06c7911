"""Transforms of inputs on the host before a push."""
from .enumeration import JsonEnum


class RuntimeTensorTransformType(JsonEnum):
    """Transform of an input on the host before it is pushed."""
    NoTransform = 0
    ReinterpretShape = 1
    Prestride = 2
    EmbeddingIndex = 3
    ConstantInput = 4
    Unpad = 5
    Concatenate = 6
