"""As pybuda.op.eval."""
from ...verify.compare import calculate_pcc, compare_tensor_to_golden

__all__ = ["calculate_pcc", "compare_tensor_to_golden"]
