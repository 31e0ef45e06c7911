"""The original's way from TVM to modules of its ops. Modules of frameworks are imported without TVM here."""
from .refusal import refusal

_WHY = "modules are imported without TVM, and no Python is generated of them"
_REMEDY = "wrap the module by pybuda.PyTorchModule() or pybuda.OnnxModule(), and place it on a TTDevice"

compile_tvm_to_python = refusal("compile_tvm_to_python", _WHY, _REMEDY)
generate_pybuda_module = refusal("generate_pybuda_module", _WHY, _REMEDY)
cleanup_temporary_files = refusal("cleanup_temporary_files", _WHY, "nothing is left to be removed")
