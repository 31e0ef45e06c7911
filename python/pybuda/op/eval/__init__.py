"""Comparison of tensors, under the name of its first home."""
from ...refusal import refusal
from ...verify.compare import calculate_pcc, compare_tensor_to_golden
from . import sparse_utils

__all__ = ["calculate_pcc", "compare_tensor_to_golden", "does_prestriding_improve_perf", "sparse_utils"]

does_prestriding_improve_perf = refusal(
    "does_prestriding_improve_perf", "nothing guesses here what prestriding saves",
    "run with and without compiler_cfg.enable_conv_prestride and compare the cycles of pybuda.get_report()")
