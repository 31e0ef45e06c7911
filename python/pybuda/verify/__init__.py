"""Verification of modules against torch."""
from .compare import calculate_pcc, compare_tensor_to_golden
from .config import NebulaGalaxy, TestKind, VerifyConfig
from .verify import verify_module, verify_module_pipeline

__all__ = ["NebulaGalaxy", "TestKind", "VerifyConfig", "calculate_pcc", "compare_tensor_to_golden", "verify_module",
           "verify_module_pipeline"]
