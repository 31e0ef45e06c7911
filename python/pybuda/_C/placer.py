"""Algorithms that distribute queues over DRAM channels."""
from .enumeration import JsonEnum


class DRAMPlacementAlgorithm(JsonEnum):
    """Algorithm that distributes queues over DRAM channels."""
    ROUND_ROBIN = 0
    ROUND_ROBIN_FLIP_FLOP = 1
    GREATEST_CAPACITY = 2
    CLOSEST = 3
