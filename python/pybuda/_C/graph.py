"""Kinds of what the host does to inputs before a push."""
from .enumeration import JsonEnum


class RuntimeTensorTransformType(JsonEnum):
    """What the host does to an input before it is pushed."""
    NoTransform = 0
    ReinterpretShape = 1
    Prestride = 2
    EmbeddingIndex = 3
    ConstantInput = 4
    Unpad = 5
    Concatenate = 6
