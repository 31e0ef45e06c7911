"""verify_module() under the name of its first home."""
from .verify import verify_module, verify_module_pipeline

__all__ = ["verify_module", "verify_module_pipeline"]
