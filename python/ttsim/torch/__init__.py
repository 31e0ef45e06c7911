"""Modules of PyTorch as models: torch.export, then a table of conversions from ATen ops to those of ttsim.Graph.

    import torch, ttsim
    from ttsim.torch import import_module
    module, x = torch.nn.Linear(64, 32), torch.randn(1, 64)
    imported = import_module(module, (x,))
    model = ttsim.Model(ttsim.compile(imported.graph))
    results = model.run(dict(zip(imported.inputs, imported.device_inputs(x))))
    y, = imported.finish([torch.as_tensor(results[name]) for name in imported.outputs], x)"""
from .imported import Fallback, Imported, import_module
from .table import Op, Refused, Tensor, converted_ops, converts

__all__ = ["Fallback", "Imported", "Op", "Refused", "Tensor", "converted_ops", "converts", "import_module"]
