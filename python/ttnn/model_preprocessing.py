"""Parameters of models of torch as tensors of ttnn."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from ttsim.eager import DataType, Device, Layout

from .tensor import Tensor, from_torch, to_device

__all__ = ["ParameterDict", "ParameterList", "fold_batch_norm2d_into_conv2d", "make_parameter_dict", "move_to_device",
           "preprocess_embedding_weight", "preprocess_layernorm_parameter", "preprocess_linear_bias",
           "preprocess_linear_weight", "preprocess_model", "preprocess_model_parameters"]
Preprocessor = Callable[..., dict[str, Any]]


class ParameterDict(dict[str, Any]):
    """Parameters by name, also as attributes."""

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"there is no parameter '{name}'; there are {', '.join(self) or 'none'}")

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        del self[name]


class ParameterList(list[Any]):
    """Parameters by number, also as attributes of these names."""

    def __getattr__(self, name: str) -> Any:
        if name.isdigit() and int(name) < len(self):
            return self[int(name)]
        raise AttributeError(f"a list of {len(self)} parameters has no '{name}'")


def preprocess_linear_weight(weight: torch.Tensor, *, dtype: DataType = DataType.BFLOAT16, layout: Layout = Layout.TILE) -> Tensor:
    """The weight [N, K] of a linear layer as the operand [K, N] of a product."""
    return from_torch(weight.detach().T.contiguous(), dtype, layout=layout)


def preprocess_linear_bias(bias: torch.Tensor, *, dtype: DataType = DataType.BFLOAT16, layout: Layout = Layout.TILE) -> Tensor:
    """The bias [N] as [1, N]."""
    return from_torch(bias.detach().reshape(1, -1), dtype, layout=layout)


def preprocess_layernorm_parameter(parameter: torch.Tensor, *, dtype: DataType = DataType.BFLOAT16,
                                   layout: Layout = Layout.TILE) -> Tensor:
    """A weight or bias [N] as [1, N]."""
    return from_torch(parameter.detach().reshape(1, -1), dtype, layout=layout)


def preprocess_embedding_weight(weight: torch.Tensor, *, dtype: DataType = DataType.BFLOAT16,
                                layout: Layout = Layout.ROW_MAJOR) -> Tensor:
    """The table of an embedding."""
    return from_torch(weight.detach(), dtype, layout=layout)


def fold_batch_norm2d_into_conv2d(conv: torch.nn.Conv2d, bn: torch.nn.BatchNorm2d) -> tuple[torch.Tensor, torch.Tensor]:
    """Weight and bias [1, 1, 1, Co] of a convolution with the following batch normalization in it. ValueError without
    running statistics."""
    if not bn.track_running_stats or bn.running_mean is None or bn.running_var is None:
        raise ValueError("fold_batch_norm2d_into_conv2d: the batch normalization has no running statistics")
    scale = bn.weight.detach() * torch.rsqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.running_mean) if conv.bias is None else conv.bias.detach()
    return conv.weight.detach() * scale[:, None, None, None], ((bias - bn.running_mean) * scale + bn.bias.detach()).reshape(1, 1, 1, -1)


def make_parameter_dict(dictionary: dict[str, Any]) -> ParameterDict:
    """Nested dictionaries as ParameterDict."""
    return ParameterDict({key: make_parameter_dict(value) if isinstance(value, dict) else value for key, value in dictionary.items()})


def _own(module: torch.nn.Module) -> dict[str, Any]:
    """Parameters of a layer, in the form that ops take."""
    if isinstance(module, torch.nn.Linear):
        made = {"weight": preprocess_linear_weight(module.weight)}
        return made if module.bias is None else made | {"bias": preprocess_linear_bias(module.bias)}
    if isinstance(module, torch.nn.Embedding):
        return {"weight": preprocess_embedding_weight(module.weight)}
    if isinstance(module, torch.nn.LayerNorm):
        return {name: preprocess_layernorm_parameter(one) for name, one in module.named_parameters(recurse=False)}
    if isinstance(module, (torch.nn.Conv1d, torch.nn.Conv2d)):
        made = {"weight": from_torch(module.weight.detach(), DataType.BFLOAT16)}
        return made if module.bias is None else made | {"bias": from_torch(module.bias.detach().reshape(1, 1, 1, -1), DataType.BFLOAT16)}
    return {name: from_torch(one.detach(), DataType.BFLOAT16) for name, one in module.named_parameters(recurse=False)}


def _converted(module: torch.nn.Module, name: str, convert: Callable[..., bool], custom: Preprocessor | None) -> Any:
    if custom is not None:
        made = custom(module, name, None, convert) if _takes_four(custom) else custom(module, name)
        if made:
            return make_parameter_dict(made)
    if not convert(module, name):
        return make_parameter_dict(dict(module.state_dict()))
    if isinstance(module, (torch.nn.ModuleList, torch.nn.Sequential)):
        return ParameterList([_converted(child, f"{name}.{key}" if name else key, convert, custom) for key, child in module.named_children()])
    made = ParameterDict(_own(module))
    for key, child in module.named_children():
        inner = _converted(child, f"{name}.{key}" if name else key, convert, custom)
        if inner:
            made[key] = inner
    return made


def _takes_four(custom: Preprocessor) -> bool:
    import inspect
    return len(inspect.signature(custom).parameters) >= 4


def move_to_device(parameters: Any, device: Device) -> Any:
    """All tensors of nested parameters on a device."""
    if isinstance(parameters, Tensor):
        return to_device(parameters, device)
    if isinstance(parameters, dict):
        return ParameterDict({key: move_to_device(value, device) for key, value in parameters.items()})
    if isinstance(parameters, list):
        return ParameterList([move_to_device(value, device) for value in parameters])
    return parameters


def preprocess_model_parameters(model_name: str | None = None, *, initialize_model: Callable[[], torch.nn.Module],
                                convert_to_ttnn: Callable[..., bool] = lambda *given: True,
                                custom_preprocessor: Preprocessor | None = None, device: Device | None = None,
                                **accepted: Any) -> Any:
    """The parameters of a model in bfloat16, nested as its modules: weights of linear layers transposed, biases and
    parameters of normalizations as [1, N], all in TILE layout; tables of embeddings, kernels and other parameters in
    ROW_MAJOR. `custom_preprocessor(module, name, ...)` returns a dictionary for modules that it converts. Modules for
    which convert_to_ttnn(module, name) is false keep tensors of torch. `device`: where they go; None: the host.
    `model_name`: accepted, nothing is stored under it."""
    with torch.no_grad():
        made = _converted(initialize_model().eval(), "", convert_to_ttnn, custom_preprocessor)
    return made if device is None else move_to_device(made, device)


def preprocess_model(*args: Any, **kwargs: Any) -> None:
    """Not available."""
    raise NotImplementedError("ttnn.model_preprocessing.preprocess_model is not available in the simulator: use "
                              "preprocess_model_parameters(), and pass sizes of convolutions to ttnn.conv2d")


def named_tensors(parameters: Any, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
    """All tensors of nested parameters with their names."""
    if isinstance(parameters, Tensor):
        yield prefix, parameters
    elif isinstance(parameters, (dict, list)):
        for key, value in parameters.items() if isinstance(parameters, dict) else enumerate(parameters):
            yield from named_tensors(value, f"{prefix}.{key}" if prefix else str(key))
