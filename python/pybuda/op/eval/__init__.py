"""Comparison of tensors, under the name of its first home."""
from ...verify.compare import calculate_pcc, compare_tensor_to_golden

__all__ = ["calculate_pcc", "compare_tensor_to_golden"]
