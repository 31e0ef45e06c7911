"""Conversions of ATen ops, one file per kind; importing them fills the table."""
from . import (  # noqa: F401
    activation, arithmetic, attention, compare, convolution, creation, elementwise, indexing, matmul, normalization,
    order, places, pooling, reduce, resize, rounding, shape, slices)
