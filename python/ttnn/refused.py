"""Names of the vendor's library that the simulator does not have, with what to do instead."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ttsim.eager import all_ops
from ttsim.eager.surface import near

_DEVICES = "a mesh has one device here; open a device for each part with ttnn.open_device(device_id=)"
_KERNEL = "own kernels are not run op by op; use an op of docs/ttnn.md, or a netlist with 'ttsim run'"
_TRAIN = "compute the step with ops such as ttnn.multiply and ttnn.subtract"
REFUSED = {
    "generic_op": _KERNEL, "ProgramDescriptor": _KERNEL, "KernelDescriptor": _KERNEL, "CBDescriptor": _KERNEL,
    "create_submeshes": _DEVICES, "open_mesh": _DEVICES, "point_to_point": _DEVICES, "all_to_all_dispatch": _DEVICES,
    "all_to_all_combine": _DEVICES, "all_broadcast": _DEVICES, "mesh_partition": _DEVICES, "barrier": _DEVICES,
    "visualize_mesh_device": _DEVICES, "create_global_semaphore": _DEVICES, "create_global_circular_buffer": _DEVICES,
    "create_sub_device_manager": "all cores form one sub-device",
    "moreh_adam": _TRAIN, "moreh_adamw": _TRAIN, "moreh_sgd": _TRAIN,
    "complex_tensor": "keep real and imaginary parts in two tensors", "ComplexTensor": "keep real and imaginary parts in two tensors",
    "bernoulli": "draw with torch.bernoulli and convert with ttnn.from_torch", "randn": "draw with torch.randn and convert with ttnn.from_torch",
    "uniform": "use ttnn.rand(shape, device, low=, high=)", "sampling": "use ttnn.topk, or read the logits and sample with torch",
    "conv3d": "use ttnn.experimental ops on slices, or torch on the host", "register_cpp_operation": "use ttnn.register_python_operation",
    "fold": "use ttnn.reshape and ttnn.permute", "halo": "ttnn.conv2d and pools gather their windows themselves",
    "scaled_dot_product_attention_decode": "use ttnn.transformer.scaled_dot_product_attention with is_causal=False",
    "paged_scaled_dot_product_attention_decode": "keep the cache in one tensor and use scaled_dot_product_attention",
    "rotary_embedding_llama": "use ttnn.experimental.rotary_embedding", "paged_update_cache": "use ttnn.update_cache",
    "paged_fill_cache": "use ttnn.fill_cache", "nlp_create_qkv_heads_decode": "use ttnn.experimental.nlp_create_qkv_heads",
    "nlp_concat_heads_decode": "use ttnn.experimental.nlp_concat_heads", "rotary_embedding_hf": "use ttnn.experimental.rotary_embedding",
    "grid_sample": "compute it with torch on the host", "rotate": "compute it with torch on the host",
}
REFUSED |= {
    "bcast": "use ttnn.add, ttnn.subtract or ttnn.multiply, which broadcast", "slice_write": "use ttnn.slice_scatter",
    "nonzero": "read the tensor and use torch.nonzero: the size of the result depends on values",
    "tosa_gather": "use ttnn.gather", "tosa_scatter": "use ttnn.scatter", "padded_slice": "use ttnn.slice",
    "CreateTensor": "use ttnn.from_torch",
}
_SUFFIX = "_bw"


def refused(name: str, module: str, known: Any) -> Callable[..., Any]:
    """A function that raises NotImplementedError with what to do instead. AttributeError with near names for a name that
    the vendor's library does not have either."""
    remedy = REFUSED.get(name)
    if remedy is None and name.endswith(_SUFFIX):
        remedy = "gradients op by op are not available; train with pybuda, or compute the gradient with torch"
    if remedy is None and module != "ttnn" and name in all_ops():
        raise AttributeError(f"module '{module}' has no attribute '{name}'; it is ttnn.{name}")
    if remedy is None:
        raise AttributeError(f"module '{module}' has no attribute '{name}'{near(name, known)}")

    def missing(*args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"{module}.{name} is not available in the simulator: {remedy}")
    missing.__name__ = missing.__qualname__ = name
    missing.__doc__ = f"Not available: {remedy}."
    return missing
