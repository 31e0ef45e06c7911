"""Random arguments of ops that move elements, cut them out and put them together."""
import torch
from draws import ALL, NUMBERS
from harness import case

aten = torch.ops.aten


def _other_shape(d, count):
    """Of as many elements."""
    shape, left = [], count
    for _ in range(d.integer(0, 4)):
        side = d.one(*[k for k in (1, 2, 3, 5, 7, 11, 17, 33) if left % k == 0])
        shape.append(side)
        left //= side
    shape.append(left)
    return shape


@case(aten.view.default, aten._unsafe_view.default, aten._reshape_copy.default, aten.reshape.default)
def reshaped(d):
    a = d.tensor(ALL)
    shape = _other_shape(d, a.numel())
    if d.flag() and a.numel():
        shape[d.integer(0, len(shape) - 1)] = -1
    return [a, shape]


@case(aten.view_as.default, aten.reshape_as.default)
def shaped_as(d):
    a = d.tensor(ALL)
    return [a, torch.zeros(_other_shape(d, a.numel()))]


@case(aten.flatten.using_ints)
def flattened(d):
    a = d.tensor(ALL)
    first = d.integer(0, max(a.dim() - 1, 0))
    last = d.integer(first, max(a.dim() - 1, 0))
    return [a, first, last - a.dim() if d.flag() and a.dim() else last]


@case(aten.unflatten.int)
def unflattened(d):
    a = d.tensor(ALL, ranks=(1, 3))
    axis = d.axis(a)
    return [a, axis, [*_other_shape(d, a.shape[axis]), -1] if a.shape[axis] and d.flag() else [1, a.shape[axis]]]


@case(aten.unsqueeze.default)
def axis_added(d):
    a = d.tensor(ALL, ranks=(0, 4))
    return [a, d.integer(-a.dim() - 1, a.dim())]


@case(aten.squeeze.default)
def squeezed(d):
    return [d.tensor(ALL)]


@case(aten.squeeze.dim)
def axis_squeezed(d):
    a = d.tensor(ALL)
    return [a, d.axis(a)]


@case(aten.squeeze.dims)
def axes_squeezed(d):
    a = d.tensor(ALL)
    return [a, d.axes(a)]


@case(aten.permute.default)
def permuted(d):
    from hypothesis import strategies as st
    a = d.tensor(ALL)
    order = d.draw(st.permutations(range(a.dim())))
    return [a, [k - a.dim() if d.flag() else k for k in order]]


@case(aten.numpy_T.default)
def reversed_axes(d):
    return [d.tensor(ALL)]


@case(aten.mT.default)
def matrices_transposed(d):
    return [d.tensor(ALL, ranks=(2, 5))]


@case(aten.movedim.int)
def axis_moved(d):
    a = d.tensor(ALL)
    return [a, d.axis(a), d.axis(a)]


@case(aten.movedim.intlist)
def axes_moved(d):
    from hypothesis import strategies as st
    a = d.tensor(ALL, ranks=(1, 5))
    orders = [d.draw(st.permutations(range(a.dim()))) for _ in range(2)]
    count = d.integer(1, a.dim())
    return [a, *[order[:count] for order in orders]]


@case(aten.transpose.int, aten.swapaxes.default, aten.swapdims.default)
def transposed(d):
    a = d.tensor(ALL)
    return [a, d.axis(a), d.axis(a)]


@case(aten.t.default)
def matrix_transposed(d):
    return [d.tensor(ALL, ranks=(0, 2))]


@case(aten.expand_as.default)
def expanded_as(d):
    a, shape = expanded(d)
    return [a, torch.zeros(a.expand(shape).shape)]


@case(aten.expand.default)
def expanded(d):
    a = d.tensor(ALL, ranks=(0, 3))
    shape = [d.one(2, 3) if side == 1 else d.one(-1, side) for side in a.shape]
    return [a, [d.one(1, 2, 3) for _ in range(d.integer(0, 2))] + shape]


@case(aten.repeat.default)
def repeated(d):
    a = d.values(d.shape(0, 3, most=200), d.one(*NUMBERS))
    return [a, [d.one(1, 2, 3) for _ in range(a.dim() + d.integer(0, 2))]]


@case(aten.repeat_interleave.self_int)
def each_repeated(d):
    a = d.values(d.shape(1, 4, most=500), d.one(*NUMBERS))
    return [a, d.one(1, 2, 3), d.one(None, d.axis(a))]


@case(aten.clone.default, aten.alias.default, aten.detach.default, aten.lift_fresh_copy.default,
      aten.contiguous.default)
def copied(d):
    return [d.tensor(ALL)]


@case(aten.dropout.default)
def not_dropped(d):
    return [d.tensor(), 0.5, False]


@case(aten.feature_dropout.default)
def no_channel_dropped(d):
    return [d.tensor(), 0.5, False]


@case(aten.native_dropout.default, results=(0,))
def not_dropped_with_mask(d):
    return [d.tensor(), 0.5, False]


@case(aten._to_copy.default)
def cast(d):
    return [d.tensor(ALL)], {"dtype": d.one(*ALL)}


@case(aten.to.dtype)
def cast_layer(d):
    return [d.tensor(ALL), d.one(*ALL)]


@case(aten.to.device)
def moved_to_device(d):
    return [d.tensor(ALL), "cpu", d.one(*ALL)]


@case(aten.to.dtype_layout)
def cast_with_layout(d):
    return [d.tensor(ALL)], {"dtype": d.one(*ALL), "layout": torch.strided, "device": "cpu"}


@case(aten.to.other, aten.type_as.default)
def cast_as_another(d):
    return [d.tensor(ALL), d.tensor(ALL)]


@case(aten.copy.default)
def written_over(d):
    a = d.tensor(NUMBERS)
    return [a, d.values(a.shape[d.integer(0, a.dim()):], d.one(*NUMBERS))]


@case(aten.flip.default)
def flipped(d):
    a = d.tensor(NUMBERS)
    return [a, d.axes(a)]


@case(aten.roll.default)
def rolled(d):
    a = d.tensor(NUMBERS, ranks=(1, 5))
    axes = d.axes(a)
    return [a, [d.integer(-3, 3) for _ in axes] or [2], axes]


@case(aten.pixel_shuffle.default)
def shuffled(d):
    k, lead = d.one(1, 2, 3), d.shape(0, 2, most=4, sides=(1, 2))
    return [d.values([*lead, d.one(1, 3) * k * k, d.one(1, 3, 5), d.one(2, 7)]), k]


@case(aten.pixel_unshuffle.default)
def unshuffled(d):
    k, lead = d.one(1, 2, 3), d.shape(0, 2, most=4, sides=(1, 2))
    return [d.values([*lead, d.one(1, 3), d.one(1, 3, 5) * k, d.one(2, 7) * k]), k]


@case(aten.channel_shuffle.default, aten.native_channel_shuffle.default)
def channels_shuffled(d):
    groups = d.one(1, 2, 3)
    return [d.values([d.one(1, 2), groups * d.one(1, 3, 5), d.one(1, 3), d.one(2, 7)]), groups]


@case(aten.slice.Tensor)
def sliced(d):
    a = d.tensor(ALL, ranks=(1, 5))
    axis = d.axis(a)
    size = a.shape[axis]
    start = d.integer(-size, size - 1)
    first = start + size if start < 0 else start
    return [a, axis, start, d.one(d.integer(first + 1, size + 2), (1 << 63) - 1), d.one(1, 2, 3)]


@case(aten.narrow.default)
def narrowed(d):
    a = d.tensor(ALL, ranks=(1, 5))
    axis = d.axis(a)
    start = d.integer(0, a.shape[axis] - 1)
    return [a, axis, start, d.integer(1, a.shape[axis] - start)]


@case(aten.select.int)
def selected(d):
    a = d.tensor(ALL, ranks=(1, 5))
    axis = d.axis(a)
    return [a, axis, d.integer(-a.shape[axis], a.shape[axis] - 1)]


@case(aten.split.Tensor)
def split(d):
    a = d.values(d.shape(1, 5, sides=(1, 2, 3, 5, 7, 9)), d.one(*NUMBERS))
    axis = d.axis(a)
    return [a, d.integer(1, a.shape[axis]), axis]


@case(aten.chunk.default)
def chunked(d):
    a = d.tensor(ranks=(1, 5))
    return [a, d.integer(1, 4), d.axis(a)]


@case(aten.tensor_split.sections)
def split_in_sections(d):
    a = d.values(d.shape(1, 4, sides=(4, 5, 7, 9)), d.one(*NUMBERS))
    return [a, d.integer(1, 4), d.axis(a)]


@case(aten.tensor_split.indices)
def split_at_places(d):
    a = d.values(d.shape(1, 4, sides=(4, 5, 7, 9)), d.one(*NUMBERS))
    first = d.integer(1, 2)
    return [a, [first, first + 1], d.axis(a)]


@case(aten.split_with_sizes.default, aten.split.sizes)
def split_in_sizes(d):
    a = d.tensor(NUMBERS, ranks=(1, 5))
    axis = d.axis(a)
    first = d.integer(1, a.shape[axis])
    return [a, [first, a.shape[axis] - first] if first < a.shape[axis] else [first], axis]


@case(aten.unbind.int)
def unbound(d):
    a = d.values(d.shape(1, 4, sides=(1, 2, 3, 5)), d.one(*NUMBERS))
    return [a, d.axis(a)]


@case(aten.cat.default)
def concatenated(d):
    a = d.tensor(NUMBERS, ranks=(1, 5))
    axis, parts = d.axis(a), [a]
    for _ in range(d.integer(0, 3)):
        shape = list(a.shape)
        shape[axis] = d.one(1, 2, 5)
        parts.append(d.values(shape, d.one(a.dtype, torch.float32)))
    return [parts, axis]


@case(aten.stack.default)
def stacked(d):
    a = d.tensor(NUMBERS, ranks=(0, 4))
    parts = [a] + [d.values(a.shape, a.dtype) for _ in range(d.integer(0, 2))]
    return [parts, d.integer(-a.dim() - 1, a.dim())]


@case(aten.slice_scatter.default)
def slice_replaced(d):
    a = d.tensor(NUMBERS, ranks=(1, 4))
    axis = d.axis(a)
    start, step = d.integer(0, a.shape[axis] - 1), d.one(1, 2)
    end = d.integer(start + 1, a.shape[axis])
    part = aten.slice(a, axis, start, end, step)
    return [a, d.values(part.shape, a.dtype), axis, start, end, step]


@case(aten.select_scatter.default)
def one_replaced(d):
    a = d.tensor(NUMBERS, ranks=(1, 4))
    axis = d.axis(a)
    at = d.integer(-a.shape[axis], a.shape[axis] - 1)
    return [a, d.values(a.select(axis, at).shape, a.dtype), axis, at]


@case(aten.constant_pad_nd.default)
def padded(d):
    a = d.values(d.shape(1, 4, most=400), d.one(*NUMBERS))
    pads = [d.integer(0, 3) for _ in range(2 * d.integer(1, a.dim()))]
    if d.flag() and a.shape[-1] > 2:
        pads[0] = -1
    return [a, pads, d.one(0, 2, -3)]


def _pads(d, axes, most):
    return [min(d.integer(0, 3), most) for _ in range(2 * axes)]


def _mirrored(axes):
    def mirrored(d):
        shape = [d.one(1, 2), d.one(1, 3)] + [d.one(4, 5, 7) for _ in range(axes)]
        return [d.values(shape), _pads(d, axes, 3)]
    return mirrored


for _axes, _ops in ((1, (aten.reflection_pad1d.default, aten.replication_pad1d.default)),
                    (2, (aten.reflection_pad2d.default, aten.replication_pad2d.default)),
                    (3, (aten.reflection_pad3d.default, aten.replication_pad3d.default))):
    case(*_ops)(_mirrored(_axes))


@case(aten.pad.default, refuses=("padding mode",))
def padded_by_name(d):
    how = d.one("constant", "reflect", "replicate", "circular")
    if how == "constant":
        a, pads, value = padded(d)
        return [a, pads, how, d.one(None, float(value))]
    return [*_mirrored(d.integer(1, 3))(d), how]


@case(aten.tril.default, aten.triu.default)
def triangles(d):
    return [d.tensor(ALL, ranks=(2, 4)), d.integer(-2, 2)]
