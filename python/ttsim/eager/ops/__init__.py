"""The ops. Importing this package fills the table."""
from . import binary, creation, heads, losses, matmul, moves, network, normalize, pooling, reduce, ternary, unary  # noqa: F401
