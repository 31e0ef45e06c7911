"""Errors of ops, with the op's name."""
from __future__ import annotations


class OpError(RuntimeError):
    """`op`: the name of the op that the message names."""

    def __init__(self, op: str, message: str) -> None:
        super().__init__(message)
        self.op = op


class OpAssertionError(AssertionError):
    """`op`: the name of the op that the message names."""

    def __init__(self, op: str, message: str) -> None:
        super().__init__(message)
        self.op = op
