"""The vendor's conversion from TVM to modules. Here modules of frameworks are imported without TVM."""
from .refusal import refusal

_WHY = "modules are imported without TVM and without generated Python code"
_REMEDY = "wrap the module with pybuda.PyTorchModule() or pybuda.OnnxModule(), and place it on a TTDevice"

compile_tvm_to_python = refusal("compile_tvm_to_python", _WHY, _REMEDY)
generate_pybuda_module = refusal("generate_pybuda_module", _WHY, _REMEDY)
cleanup_temporary_files = refusal("cleanup_temporary_files", _WHY, "there is nothing to remove")
