"""Softmax and normalizations."""
from __future__ import annotations

import torch
import torch.nn.functional as F

from ..table import alias, op

Optional = torch.Tensor | None


@op(group="normalization")
def softmax(input_tensor: torch.Tensor, dim: int = -1, numeric_stable: bool = True) -> torch.Tensor:
    """Softmax along an axis. The maximum is subtracted for both values of `numeric_stable`."""
    return torch.softmax(input_tensor, dim)


alias("softmax_in_place", "softmax")


@op(group="normalization")
def log_softmax(input_tensor: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Logarithm of softmax along an axis."""
    return torch.log_softmax(input_tensor, dim)


@op(group="normalization", layouts="tile")
def scale_mask_softmax(input_tensor: torch.Tensor, scale: float | None = None, mask: Optional = None,
                       is_causal_mask: bool = False) -> torch.Tensor:
    """softmax(scale * x + mask) over the last axis."""
    x = input_tensor if scale is None else input_tensor * scale
    return torch.softmax(x if mask is None else x + mask, -1)


alias("scale_mask_softmax_in_place", "scale_mask_softmax")


def _per_column(x: Optional, width: int) -> Optional:
    return None if x is None else x.reshape(width)


@op(group="normalization", layouts="tile operand")
def layer_norm(input_tensor: torch.Tensor, epsilon: float = 1e-12, weight: Optional = None, bias: Optional = None,
               residual_input_tensor: Optional = None) -> torch.Tensor:
    """Normalization over the last axis, of x + residual, then times weight plus bias (of as many elements)."""
    x = input_tensor if residual_input_tensor is None else input_tensor + residual_input_tensor
    width = int(x.shape[-1])
    return F.layer_norm(x, (width,), _per_column(weight, width), _per_column(bias, width), epsilon)


@op(group="normalization", layouts="tile operand")
def rms_norm(input_tensor: torch.Tensor, epsilon: float = 1e-12, weight: Optional = None, bias: Optional = None,
             residual_input_tensor: Optional = None) -> torch.Tensor:
    """x / sqrt(mean(x^2) + epsilon) over the last axis, times weight plus bias."""
    x = input_tensor if residual_input_tensor is None else input_tensor + residual_input_tensor
    width = int(x.shape[-1])
    made = x * torch.rsqrt(torch.mean(x * x, -1, keepdim=True) + epsilon)
    made = made if weight is None else made * weight.reshape(width)
    return made if bias is None else made + bias.reshape(width)


@op(group="normalization", layouts="tile operand")
def group_norm(input_tensor: torch.Tensor, num_groups: int, epsilon: float = 1e-12, input_mask: Optional = None,
               weight: Optional = None, bias: Optional = None) -> torch.Tensor:
    """Normalization of groups of channels of [N, 1, H*W, C] over the group and H*W, then per channel."""
    n, one, area, channels = input_tensor.shape
    x = input_tensor.reshape(n, area, num_groups, channels // num_groups)
    mean = torch.mean(x, [1, 3], keepdim=True)
    centred = x - mean
    scale = torch.rsqrt(torch.mean(centred * centred, [1, 3], keepdim=True) + epsilon)
    made = (centred * scale).reshape(n, one, area, channels)
    made = made if weight is None else made * weight.reshape(channels)
    return made if bias is None else made + bias.reshape(channels)


@op(group="normalization", layouts="tile operand")
def batch_norm(input_tensor: torch.Tensor, running_mean: Optional = None, running_var: Optional = None,
               training: bool = False, eps: float = 1e-5, momentum: float = 0.1, weight: Optional = None,
               bias: Optional = None) -> torch.Tensor:
    """Normalization of the channels (axis 1) by the running statistics, or by the batch with `training`."""
    shape = [1, -1] + [1] * (input_tensor.dim() - 2)
    if training or running_mean is None or running_var is None:
        axes = [k for k in range(input_tensor.dim()) if k != 1]
        mean = torch.mean(input_tensor, axes, keepdim=True)
        centred = input_tensor - mean
        var = torch.mean(centred * centred, axes, keepdim=True)
    else:
        centred, var = input_tensor - running_mean.reshape(shape), running_var.reshape(shape)
    made = centred * torch.rsqrt(var + eps)
    made = made if weight is None else made * weight.reshape(shape)
    return made if bias is None else made + bias.reshape(shape)


@op("operations.moreh.layer_norm", group="normalization", layouts="tile operand")
def moreh_layer_norm(input_tensor: torch.Tensor, normalized_dims: int = 1, eps: float = 1e-5, gamma: Optional = None,
                     beta: Optional = None) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Normalization over the last `normalized_dims` axes; returns it with the mean and the reciprocal deviation."""
    axes = list(range(input_tensor.dim() - normalized_dims, input_tensor.dim()))
    mean = torch.mean(input_tensor, axes, keepdim=True)
    centred = input_tensor - mean
    scale = torch.rsqrt(torch.mean(centred * centred, axes, keepdim=True) + eps)
    made = centred * scale
    made = made if gamma is None else made * gamma
    made = made if beta is None else made + beta
    rest = input_tensor.shape[:input_tensor.dim() - normalized_dims]
    return made, mean.reshape(rest), scale.reshape(rest)
