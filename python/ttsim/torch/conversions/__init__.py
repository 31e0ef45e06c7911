"""Conversions of ATen ops, one file per kind; importing them fills the table."""
from . import (activation, arithmetic, attention, compare, convolution, creation, elementwise, indexing, matmul,  # noqa: F401
               normalization, pooling, reduce, resize, rounding, shape, slices)
