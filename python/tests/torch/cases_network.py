"""Random arguments of products, convolutions, normalisations, pools and resizing."""
import torch
from draws import known
from harness import case

aten = torch.ops.aten
SIDES = (1, 2, 3, 5, 7, 17, 33)


@case(aten.mm.default)
def matrices(d):
    m, k, n = (d.one(*SIDES) for _ in range(3))
    return [d.values([m, k]), d.values([k, n])]


@case(aten.bmm.default)
def batches(d):
    z, m, k, n = (d.one(1, 2, 3, 7, 17) for _ in range(4))
    return [d.values([z, m, k]), d.values([z, k, n])]


@case(aten.mv.default)
def matrix_and_vector(d):
    m, k = d.one(*SIDES), d.one(*SIDES)
    return [d.values([m, k]), d.values([k])]


@case(aten.dot.default, aten.vdot.default)
def vectors(d):
    k = d.one(*SIDES)
    return [d.values([k]), d.values([k])]


@case(aten.inner.default)
def inner(d):
    k = d.one(1, 3, 17)
    return [d.values([*d.shape(0, 2, most=30), k]), d.values([*d.shape(0, 2, most=30), k])]


@case(aten.matmul.default)
def any_ranks(d):
    m, k, n = (d.one(1, 2, 3, 7, 17) for _ in range(3))
    batch = d.shape(0, 3, most=8, sides=(1, 2, 3))
    thin = [1 if d.flag() else side for side in batch[d.integer(0, len(batch)):]]
    a, b = [*batch, m, k], [*thin, k, n]
    if d.flag():
        a, b = [*thin, m, k], [*batch, k, n]
    return [d.values(d.one(a, [k])), d.values(d.one(b, [k]))]


@case(aten.linear.default)
def linear(d):
    k, n = d.one(*SIDES), d.one(*SIDES)
    x, w = d.values([*d.shape(0, 3, most=60), k]), d.values([n, k])
    return [x, d.one(w, known(w)), d.values([n])] if d.flag() else [x, w]


@case(aten.bilinear.default)
def bilinear(d):
    m, n, out, batch = d.one(1, 3, 17), d.one(1, 5, 33), d.one(1, 4), d.shape(0, 2, most=12)
    w = d.values([out, m, n])
    return [d.values([*batch, m]), d.values([*batch, n]), d.one(w, known(w)), d.one(None, d.values([out]))]


@case(aten.addmm.default)
def product_added(d):
    m, k, n = (d.one(1, 3, 17, 33) for _ in range(3))
    return [d.values(d.one([n], [m, n], [1, n])), d.values([m, k]), d.values([k, n])], {
        "beta": d.one(1, 0, 0.5), "alpha": d.one(1, 2)}


@case(aten.addmv.default)
def vector_product_added(d):
    m, k = d.one(1, 3, 17), d.one(1, 3, 17)
    return [d.values([m]), d.values([m, k]), d.values([k])], {"beta": d.one(1, 2), "alpha": d.one(1, 2)}


@case(aten.baddbmm.default, aten.addbmm.default)
def batch_product_added(d):
    z, m, k, n = (d.one(1, 2, 7) for _ in range(4))
    return [d.values([m, n]), d.values([z, m, k]), d.values([z, k, n])], {"beta": d.one(1, 0), "alpha": d.one(1, 0.5)}


def _attention(d):
    heads, rows, s, width = d.one(1, 2, 4), d.one(1, 5, 17), d.one(1, 7, 33), d.one(3, 8, 16)
    batch = d.one(1, 2)
    query = d.values([batch, heads, rows, width], low=-2, high=2)
    key, value = (d.values([batch, heads, s, width], low=-2, high=2) for _ in range(2))
    return query, key, value


@case(aten.scaled_dot_product_attention.default)
def attention(d):
    query, key, value = _attention(d)
    rows, s = query.shape[-2], key.shape[-2]
    mask = d.one(None, d.values([rows, s]), d.values([1, 1, rows, s], torch.bool))
    if mask is not None and d.flag():
        mask[..., 0, :] = False if mask.dtype == torch.bool else -torch.inf  # a query that sees nothing
    if mask is not None and mask.dtype == torch.bool:
        mask = d.one(mask, known(mask))
    causal = mask is None and d.flag()
    return [query, key, value, mask, 0.0, causal], {"scale": d.one(None, 0.5)}


@case(aten.scaled_dot_product_attention.default)
def grouped_attention(d):
    query, key, value = _attention(d)
    return [query.repeat_interleave(2, 1), key, value], {"enable_gqa": True}


@case(aten._scaled_dot_product_flash_attention_for_cpu.default, results=(0,))
def flash_attention(d):
    return [*_attention(d)]


def _convolution(d, axes, transposed):
    groups = d.one(1, 1, 2, 3)
    inner, outer = groups * d.one(1, 2, 5), groups * d.one(1, 3, 4)
    kernel = [d.one(1, 2, 3) for _ in range(axes)]
    dilation = [d.one(1, 1, 2) for _ in range(axes)]
    reach = [(k - 1) * a + 1 for k, a in zip(kernel, dilation, strict=True)]
    sizes = [r + d.integer(0, 7 if axes < 3 else 2) for r in reach]
    stride = [d.one(1, 1, 2, 3) for _ in range(axes)]
    padding = [d.integer(0, min(r - 1, 2)) for r in reach]
    x = d.values([d.one(1, 2), inner, *sizes])
    weight = d.values([inner, outer // groups, *kernel] if transposed else [outer, inner // groups, *kernel])
    weight = d.one(weight, known(weight), known(weight))
    bias = d.one(None, d.values([outer]))
    extra = [d.integer(0, max(s, a) - 1) if transposed else 0 for s, a in zip(stride, dilation, strict=True)]
    return [x, weight, bias, stride, padding, dilation, transposed, extra, groups]


@case(aten.convolution.default)
def convolution_1d(d):
    return _convolution(d, 1, False)


@case(aten.convolution.default)
def convolution_2d(d):
    return _convolution(d, 2, False)


@case(aten.convolution.default)
def convolution_3d(d):
    return _convolution(d, 3, False)


@case(aten.convolution.default)
def transposed_convolution(d):
    return _convolution(d, d.one(1, 2, 3), True)


def _without_batch(d, x):
    """Now and then."""
    return x[0] if d.integer(0, 2) == 0 else x


def _padded_by_name(axes):
    def layer_padded_by_name(d):
        x, weight, bias, stride, _, dilation, _, _, groups = _convolution(d, axes, False)
        how = d.one("same", "valid")
        return [_without_batch(d, x), weight, bias, [1] * axes if how == "same" else stride, how, dilation, groups]
    return layer_padded_by_name


def _of_layers(axes, transposed):
    def make(d):
        x, weight, bias, stride, padding, dilation, _, extra, groups = _convolution(d, axes, transposed)
        x = _without_batch(d, x)
        if transposed:
            return [x, weight, bias, stride, padding, extra, groups, dilation]
        return [x, weight, bias, stride, padding, dilation, groups]
    make.__name__ = f"layer_{axes}d"
    return make


for _axes, _conv, _transposed in ((1, aten.conv1d, aten.conv_transpose1d.default),
                                  (2, aten.conv2d, aten.conv_transpose2d.input),
                                  (3, aten.conv3d, aten.conv_transpose3d.input)):
    case(_conv.default)(_of_layers(_axes, False))
    case(_conv.padding)(_padded_by_name(_axes))
    case(_transposed)(_of_layers(_axes, True))


@case(aten._convolution.default)
def convolution_with_flags(d):
    return [*_convolution(d, 2, d.flag()), False, False, True, True]


@case(aten.layer_norm.default)
def layer_norm(d):
    x = d.tensor(ranks=(1, 5))
    shape = list(x.shape[d.integer(0, x.dim() - 1):])
    return [x, shape, d.one(None, d.values(shape)), d.one(None, d.values(shape)), d.one(1e-5, 1e-2)]


@case(aten.native_layer_norm.default, results=(0,))
def native_layer_norm(d):
    return layer_norm(d)


@case(aten.rms_norm.default)
def rms_norm(d):
    x = d.tensor(ranks=(1, 5))
    shape = list(x.shape[d.integer(0, x.dim() - 1):])
    return [x, shape, d.one(None, d.values(shape)), d.one(None, 1e-5)]


@case(aten._fused_rms_norm.default, results=(0,))
def fused_rms_norm(d):
    x = d.tensor(ranks=(1, 5))
    shape = list(x.shape[d.integer(0, x.dim() - 1):])
    return [x, shape, d.values(shape), 1e-5]


def _channels(d, axes=(0, 3), groups=1):
    x = d.values([d.one(1, 2), groups * d.one(1, 3, 5), *[d.one(1, 3, 7) for _ in range(d.integer(*axes))]])
    return x, x.shape[1]


@case(aten.group_norm.default)
def group_norm(d):
    groups = d.one(1, 2, 3)
    x, c = _channels(d, (1, 3), groups)
    return [x, groups, d.one(None, d.values([c])), d.one(None, d.values([c])), 1e-2]


@case(aten.native_group_norm.default, results=(0,))
def native_group_norm(d):
    groups = d.one(1, 2)
    x, c = _channels(d, (1, 3), groups)
    return [x, d.values([c]), d.values([c]), x.shape[0], c, x[0, 0].numel(), groups, 1e-2]


@case(aten._native_batch_norm_legit_no_training.default, results=(0,))
def batch_norm(d):
    x, c = _channels(d)
    mean, variance = d.values([c]), d.values([c], low=0.5, high=4)
    return [x, d.one(None, d.values([c])), d.one(None, d.values([c])), mean, variance, 0.1, 1e-5]


@case(aten.batch_norm.default)
def batch_norm_layer(d):
    if d.flag():
        x, c = _channels(d, (1, 3))
        return [x, d.values([c]), d.values([c]), None, None, True, 0.1, 1e-2, True]
    x, weight, bias, mean, variance, momentum, epsilon = batch_norm(d)
    return [x, weight, bias, mean, variance, False, momentum, epsilon, True]


@case(aten._native_batch_norm_legit.no_stats, results=(0,))
def batch_norm_of_batch(d):
    x, c = _channels(d, (1, 3))
    return [x, d.values([c]), d.values([c]), True, 0.1, 1e-2]


@case(aten.instance_norm.default)
def instance_norm(d):
    x = d.values([d.one(1, 2), d.one(1, 3), *[d.one(3, 7) for _ in range(d.integer(1, 3))]])
    c, own = x.shape[1], d.flag()
    mean, variance = d.values([c]), d.values([c], low=0.5, high=4)
    return [x, d.one(None, d.values([c])), d.one(None, d.values([c])), mean, variance, own, 0.1, 1e-2, False]


def _pool(d, axes, average):
    """Pads of at most half the kernel, as torch wants them."""
    kernel = [d.one(1, 2, 3) for _ in range(axes)]
    apart = 1 if average else d.one(1, 2)
    x = d.values([*d.one([], [2], [1]), d.one(1, 3), *[(k - 1) * apart + 1 + d.integer(0, 6 if axes < 3 else 3)
                                                      for k in kernel]])
    stride = d.one([], [d.one(1, 2, 3) for _ in range(axes)])
    padding = [d.integer(0, k // 2) for k in kernel]
    return [x, kernel, stride, padding] + ([] if average else [[apart] * axes]) + [d.flag()]


def _pools(axes, average):
    def windows(d):
        return _pool(d, axes, average) + ([d.flag()] if average else [])
    return windows


for _axes, _ops in ((1, (aten.max_pool1d.default,)), (2, (aten.max_pool2d.default,)), (3, (aten.max_pool3d.default,))):
    case(*_ops)(_pools(_axes, False))
case(aten.max_pool2d_with_indices.default, results=(0,))(_pools(2, False))
case(aten.max_pool3d_with_indices.default, results=(0,))(_pools(3, False))
for _axes, _op in ((1, aten.avg_pool1d.default), (2, aten.avg_pool2d.default), (3, aten.avg_pool3d.default)):
    case(_op, refuses=("a last window would be",))(_pools(_axes, True))


@case(aten.avg_pool2d.default, refuses=("divisor_override with", "a last window would be"))
def divided_by(d):
    return [*_pool(d, 2, True), d.flag(), d.one(1, 3, 5)]


@case(aten.adaptive_avg_pool1d.default)
def parts_of_lines(d):
    return [d.values([*d.one([], [2]), 3, d.one(1, 5, 7, 12)]), [d.one(1, 2, 3, 5)]]


@case(aten.adaptive_avg_pool2d.default, aten._adaptive_avg_pool2d.default)
def parts_of_pictures(d):
    return [d.values([2, 3, d.one(1, 5, 7, 12), d.one(4, 9)]), [d.one(1, 2, 3), d.one(1, 2, 5)]]


@case(aten.adaptive_avg_pool3d.default, aten._adaptive_avg_pool3d.default)
def parts_of_rooms(d):
    return [d.values([1, 3, d.one(2, 5), d.one(4, 3), d.one(2, 7)]), [d.one(1, 2), d.one(1, 2), d.one(1, 3)]]


@case(aten.adaptive_max_pool2d.default, results=(0,), refuses=("parts of different sizes",))
def maxima_of_parts(d):
    return [d.values([2, 3, d.one(4, 6, 8), d.one(2, 9)]), [d.one(1, 2, 4), d.one(1, 2)]]


@case(aten.adaptive_max_pool3d.default, results=(0,), refuses=("parts of different sizes",))
def maxima_of_parts_of_rooms(d):
    return [d.values([2, 3, d.one(2, 4), d.one(4, 6), 2]), [d.one(1, 2), d.one(1, 2), 1]]


def _sizes(d, axes):
    x = d.values([d.one(1, 2), d.one(1, 3), *[d.one(1, 2, 3, 5, 8) for _ in range(axes)]])
    return x, [d.one(1, 3, 4, 7, 16) for _ in range(axes)]


def _resized(axes, corners):
    def resized(d):
        x, sizes = _sizes(d, axes)
        return [x, sizes, d.flag()] if corners else [x, sizes]
    return resized


def _resized_by_factors(axes, corners):
    def resized_by_factors(d):
        x, sizes = _sizes(d, axes)
        given = [sizes, None] if d.flag() else [None, [d.one(1.5, 2.0, 3.0) for _ in range(axes)]]
        return [x, given[0], d.flag(), given[1]] if corners else [x, *given]
    return resized_by_factors


for _axes in (1, 2, 3):
    for _kind in ("upsample_nearest", "_upsample_nearest_exact"):
        _op = getattr(aten, f"{_kind}{_axes}d")
        case(_op.default)(_resized(_axes, False))
        case(_op.vec)(_resized_by_factors(_axes, False))
    _op = getattr(aten, {1: "upsample_linear1d", 2: "upsample_bilinear2d", 3: "upsample_trilinear3d"}[_axes])
    case(_op.default)(_resized(_axes, True))
    case(_op.vec)(_resized_by_factors(_axes, True))
case(aten.upsample_bicubic2d.default)(_resized(2, True))
case(aten.upsample_bicubic2d.vec)(_resized_by_factors(2, True))
