"""The closed set of ops that host parts of a device image may name.

An image may come from an untrusted source, so it may name only these ops: ATen ops that compute new tensors (or views)
from their arguments. Excluded are ops that write to their arguments, access files, raw storage or uninitialized memory,
move data to other devices, convert values to Python numbers, compress tensors (sparse, quantized, nested), or loop as
often as a number in the file requires."""
from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import torch

_LIST = """
abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr alias all amax amin aminmax angle any arange arccos
arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort asin asinh atan atan2 atanh atleast_1d atleast_2d
atleast_3d baddbmm bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bmm
broadcast_tensors broadcast_to bucketize cat ceil celu channel_shuffle chunk clamp clamp_max clamp_min clip clone
column_stack complex concat concatenate conj conj_physical contiguous copysign cos cosh count_nonzero cross cummax
cummin cumprod cumsum deg2rad det diag diag_embed diagonal diagonal_scatter digamma div divide dot einsum elu eq erf
erfc erfinv exp exp2 expand expand_as expm1 eye fill fix flatten flip fliplr flipud float_power floor floor_divide fmax
fmin fmod frac full full_like gather gcd ge gelu ger glu greater greater_equal gt hardshrink hardsigmoid hardswish
hardtanh heaviside histc hstack hypot i0 igamma igammac imag index index_add index_fill index_put index_reduce
index_select inner inverse isclose isfinite isin isinf isnan isneginf isposinf isreal kron kthvalue lcm ldexp le
leaky_relu lerp less less_equal lgamma lift_fresh_copy linear linspace log log10 log1p log2 log_sigmoid
log_sigmoid_forward log_softmax logaddexp logaddexp2 logcumsumexp logical_and logical_not logical_or logical_xor logit
logspace logsumexp lt mH mT masked_fill masked_scatter matmul matrix_H matrix_exp max maximum mean median meshgrid min
minimum mish mm mode moveaxis movedim msort mul multiply mv mvlgamma nan_to_num nanmean nanmedian nansum narrow ne neg
negative new_full new_ones new_zeros nextafter norm not_equal numpy_T one_hot ones ones_like outer permute polar
polygamma positive pow prelu prod rad2deg rand rand_like randint randn randn_like ravel real reciprocal relu relu6
remainder renorm repeat repeat_interleave reshape reshape_as resolve_conj resolve_neg roll rot90 round rsqrt rsub
scalar_tensor scatter scatter_add scatter_reduce searchsorted select select_scatter selu sgn sigmoid sign signbit silu
sin sinc sinh slice slice_scatter softmax softplus softshrink sort split split_with_sizes sqrt square squeeze stack std
std_mean sub subtract sum sum_to_size swapaxes swapdims t take take_along_dim tan tanh tensor_split tensordot threshold
tile to topk trace transpose tril triu true_divide trunc type_as unbind unflatten unfold unsafe_chunk unsafe_split
unsafe_split_with_sizes unsqueeze vdot view view_as view_as_complex view_as_real vstack where xlogy zeros zeros_like
__and__ __lshift__ __or__ __rshift__ __xor__ _conj _safe_softmax _log_softmax _softmax
_to_copy _unsafe_index _unsafe_index_put _unsafe_view
expand_copy permute_copy select_copy slice_copy squeeze_copy transpose_copy unsqueeze_copy view_copy
_adaptive_avg_pool2d _adaptive_avg_pool3d _prelu_kernel _native_batch_norm_legit_no_training _upsample_nearest_exact1d
_upsample_nearest_exact2d _upsample_nearest_exact3d _upsample_bicubic2d_aa _upsample_bilinear2d_aa
adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
affine_grid_generator avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear cdist col2im constant_pad_nd conv1d conv2d
conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution cosine_similarity dropout native_dropout embedding
grid_sampler grid_sampler_2d grid_sampler_3d group_norm im2col instance_norm layer_norm max_pool1d
max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices native_batch_norm
native_group_norm native_layer_norm pad pairwise_distance pixel_shuffle pixel_unshuffle reflection_pad1d
reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d replication_pad3d rms_norm
scaled_dot_product_attention upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_nearest1d
upsample_nearest2d upsample_nearest3d upsample_trilinear3d
_fft_c2c _fft_c2r _fft_r2c fft_fft fft_fft2 fft_fftn fft_fftshift fft_ifft fft_ifft2 fft_ifftn fft_ifftshift fft_irfft
fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn
linalg_cross linalg_det linalg_diagonal linalg_inv linalg_inv_ex linalg_matrix_norm linalg_norm linalg_solve
linalg_vecdot linalg_vector_norm
special_digamma special_entr special_erf special_erfc special_erfcx special_erfinv special_exp2 special_expit
special_expm1 special_gammaln special_i0 special_i0e special_i1 special_i1e special_log1p special_log_ndtr
special_log_softmax special_logit special_logsumexp special_ndtr special_ndtri special_polygamma special_psi
special_round special_sinc special_softmax special_xlog1py special_xlogy special_zeta
"""
_NAMES = frozenset(_LIST.split())

# Types of arguments in torch's schemas, within Optional[] and List[]: plain numbers and words, and tensors.
_TYPES = frozenset({"Tensor", "number", "int", "SymInt", "bool", "float", "str", "ScalarType", "Layout", "Device",
                    "MemoryFormat"})

DTYPES = {str(one).removeprefix("torch."): one for one in (
    torch.bool, torch.uint8, torch.uint16, torch.uint32, torch.uint64, torch.int8, torch.int16, torch.int32,
    torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128)}
MEMORY_FORMATS = {str(one).removeprefix("torch."): one for one in (
    torch.contiguous_format, torch.preserve_format, torch.channels_last, torch.channels_last_3d)}
LAYOUTS = {"strided": torch.strided}
DEVICES = {"cpu": torch.device("cpu")}

GETITEM = "getitem"  # selects one result of an op with several


def _element(kind: str) -> str:
    while kind.startswith(("Optional[", "List[")):
        kind = kind.partition("[")[2].removesuffix("]")
    return kind


def is_plain(op: Any) -> bool:
    """Whether an overload returns tensors, has plain arguments and writes to none of them."""
    schema = op._schema
    if schema.is_mutable or any(one.alias_info is not None and one.alias_info.is_write for one in schema.arguments):
        return False
    results = [str(one.type) for one in schema.returns]
    return bool(results) and all(one in ("Tensor", "List[Tensor]") for one in results) and \
        all(_element(str(one.type)) in _TYPES for one in schema.arguments)


@functools.cache
def _overloads(name: str) -> dict[str, Any]:
    """Overloads of a name of the set, by their full names."""
    packet = getattr(torch.ops.aten, name, None)
    if packet is None:  # a version of torch without it
        return {}
    return {f"aten.{name}.{one}": getattr(packet, one) for one in packet.overloads()
            if is_plain(getattr(packet, one))}


def op_named(text: str) -> Callable[..., Any] | None:
    """The op of `aten.add.Tensor` or `getitem`; None: not in the set. The text is compared, never looked up as an
    attribute."""
    if text == GETITEM:
        return operator.getitem
    library, _, rest = text.partition(".")
    name, _, _ = rest.partition(".")
    if library != "aten" or name not in _NAMES:
        return None
    return _overloads(name).get(text)


def name_of(target: Any) -> str | None:
    """The name for which op_named() returns `target`; None: not in the set."""
    if target is operator.getitem:
        return GETITEM
    if not isinstance(target, torch._ops.OpOverload):
        return None
    text = str(target)
    return text if op_named(text) is target else None
