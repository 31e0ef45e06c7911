"""verify_module() under its original module name."""
from .verify import verify_module, verify_module_pipeline

__all__ = ["verify_module", "verify_module_pipeline"]
