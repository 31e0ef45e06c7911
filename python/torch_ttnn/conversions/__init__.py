"""Conversions of aten ops to calls of ttnn. Importing this package fills the table."""
from . import (  # noqa: F401
    compare,
    creation,
    decompositions,
    elementwise,
    indexing,
    matmul,
    network,
    reduce,
    resize,
    shape,
    slices,
)
from .table import Record, Stays, all_records, record_of

__all__ = ["Record", "Stays", "all_records", "record_of"]
