"""How much host parts of an image may ask for: checked with shapes alone, before anything is computed."""
from __future__ import annotations

MOST_TEXT = 16 << 20  # bytes of the step list
MOST_STEPS = 1 << 16
MOST_NESTING = 4  # lists in lists in an argument
MOST_LIST = 256  # numbers in one list: torch goes through some by recursion
MOST_WORDS = 1 << 16  # numbers and references in one step's arguments
MOST_RESULTS = 1 << 12  # tensors that one op gives
MOST_RANK = 64
MOST_RESULT_BYTES = 2 << 30  # of one result
MOST_LIVE_BYTES = 4 << 30  # of results that are alive together
MOST_ALL_BYTES = 256 << 30  # of all results of a call, whose sum bounds the time
MOST_FLOPS = 10 ** 13  # of products and convolutions in a call
