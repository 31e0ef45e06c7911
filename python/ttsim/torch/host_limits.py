"""Limits of the host parts of an image, checked with shapes before anything is computed."""
from __future__ import annotations

MOST_TEXT = 16 << 20  # bytes of the step list
MOST_STEPS = 1 << 16
MOST_NESTING = 4  # lists in lists in an argument
MOST_LIST = 256  # numbers in one list: torch traverses some lists recursively
MOST_WORDS = 1 << 16  # numbers and references in one step's arguments
MOST_RESULTS = 1 << 12  # tensors returned by one op
MOST_RANK = 64
MOST_RESULT_BYTES = 2 << 30  # of one result
MOST_LIVE_BYTES = 4 << 30  # of results that exist at the same time
MOST_ALL_BYTES = 256 << 30  # sum of all results of a call, which bounds the time
MOST_FLOPS = 10 ** 13  # of products and convolutions in a call
