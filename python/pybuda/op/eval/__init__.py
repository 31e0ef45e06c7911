"""Comparison of tensors, under its original module name."""
from ...refusal import refusal
from ...verify.compare import calculate_pcc, compare_tensor_to_golden
from . import sparse_utils

__all__ = ["calculate_pcc", "compare_tensor_to_golden", "does_prestriding_improve_perf", "sparse_utils"]

does_prestriding_improve_perf = refusal(
    "does_prestriding_improve_perf", "there is no estimate of the gain of prestriding",
    "run with and without compiler_cfg.enable_conv_prestride and compare the cycles of pybuda.get_report()")
