#include "runtime/image/host_shapes.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "compiler/lower/lowering.hpp"
#include "compiler/model/compile.hpp"

namespace ttsim::impl::image {

namespace {

std::int64_t round_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

Shape entry_of(const Queue& queue) {
    return {queue.shape().z, queue.shape().rt * queue.tile.h, queue.shape().ct * queue.tile.w};
}

/// Whether a tensor of that shape, padded to tiles, fills the entry.
bool fills(const Shape& dims, const Shape& entry, const Queue& queue) {
    const std::int64_t elements = ir::extent(dims), room = ir::extent(entry);
    if (elements < 0 || room < 0 || elements > room) return false;
    const ir::Form form = ir::form_of(dims);
    return form.z == entry[0] && form.full_rows() == queue.shape().rt * queue.tile.h &&
           form.full_cols() == queue.shape().ct * queue.tile.w;
}

[[noreturn]] void fail_shapes(const Queue& queue, const TensorTransform& transform, const HostShapes& shapes,
                              const std::string& place) {
    fail_input({place, 0, 0}, "'{}': {} makes [{}] of [{}]; an entry of the queue has [{}]", queue.name, transform.type,
               fmt::join(shapes.inside, ", "), fmt::join(shapes.outside, ", "), fmt::join(entry_of(queue), ", "));
}

/// Number of elements of a tensor; 0 if it is too large for memory.
std::int64_t elements_of(const Shape& shape) {
    constexpr std::int64_t limit = std::int64_t{1} << 31;
    const std::int64_t elements = ir::extent(shape);
    return elements > 0 && elements <= limit ? elements : 0;
}

/// Transforms strides of a convolution to rows. The image is divided into s x s squares. The w x w upper left elements
/// of each square become rows, channel by channel; the squares become columns.
HostShapes prestride(const Queue& queue, const TensorTransform& t, const std::string& place) {
    HostShapes shapes{t.original, {}, {}};
    if (t.original.size() != 4 || t.original[0] != 1 || elements_of(t.original) == 0)
        fail_input({place, 0, 0}, "'{}': Prestride has the original shape [{}]; [1, channels, rows, columns] is wanted",
                   queue.name, fmt::join(t.original, ", "));
    const std::int64_t z = t.original[1], y = t.original[2], x = t.original[3], s = t.stride, w = std::min(t.kernel, s);
    if (s > y || s > x || w < 1) fail_shapes(queue, t, shapes, place);
    const std::int64_t down = (y + s - 1) / s, across = (x + s - 1) / s;
    shapes.inside = {w * w * z, down * across};
    if (!fills(shapes.inside, entry_of(queue), queue)) fail_shapes(queue, t, shapes, place);
    for (std::int64_t place_in_square = 0; place_in_square < w * w; ++place_in_square)
        for (std::int64_t channel = 0; channel < z; ++channel)
            for (std::int64_t square = 0; square < down * across; ++square) {
                const std::int64_t row = square / across * s + place_in_square / w,
                                   column = square % across * s + place_in_square % w;
                shapes.from.push_back(row < y && column < x ? (channel * y + row) * x + column : HostShapes::zero);
            }
    return shapes;
}

/// Indices fill tiles in order, an equal part per row of tiles.
HostShapes embedding(const Queue& queue, const TensorTransform& t, const std::string& place) {
    const Shape entry = entry_of(queue);
    HostShapes shapes{t.original, {entry[1], entry[2]}, {}};
    const std::int64_t given = elements_of(t.original), filled = round_up(given, tile_edge), rows = queue.shape().rt;
    const std::int64_t tile = queue.tile.elements();
    if (given == 0 || entry[0] != 1 || filled % rows != 0 || round_up(filled / rows, tile) != queue.shape().ct * tile)
        fail_shapes(queue, t, shapes, place);
    for (std::int64_t r = 0; r < entry[1]; ++r)
        for (std::int64_t c = 0; c < entry[2]; ++c) {
            const std::int64_t at = c / queue.tile.w * tile + r % queue.tile.h * queue.tile.w + c % queue.tile.w;
            const std::int64_t index = r / queue.tile.h * (filled / rows) + at;
            shapes.from.push_back(at >= filled / rows ? HostShapes::zero : index < given ? index : HostShapes::ones);
        }
    return shapes;
}

/// The shape of the entry after the host restacked its slices.
Shape restacked(const Queue& queue, const HostStack& stack, const std::string& place) {
    const Shape entry = entry_of(queue);
    if (stack.h > entry[0] || stack.v > entry[0] || entry[0] % (stack.h * stack.v) != 0)
        fail_input({place, 0, 0}, "'{}': {} x {} slices are to be stacked, of {}", queue.name, stack.h, stack.v,
                   entry[0]);
    return {entry[0] / (stack.h * stack.v), entry[1] * stack.v, entry[2] * stack.h};
}

/// Fills the gather map from entry elements to `shapes.outside`.
void fill_gather_map(const Shape& entry, const HostStack& stack, HostShapes& shapes) {
    const ir::Form form = ir::form_of(shapes.outside);
    for (std::int64_t z = 0; z < form.z; ++z)
        for (std::int64_t r = 0; r < form.rows; ++r)
            for (std::int64_t c = 0; c < form.cols; ++c) {
                const std::int64_t down = r / entry[1], across = c / entry[2];
                const std::int64_t slice = stack.row_major ? down * stack.h + across : across * stack.v + down;
                shapes.from.push_back(((z * stack.h * stack.v + slice) * entry[1] + r % entry[1]) * entry[2] +
                                      c % entry[2]);
            }
}

HostShapes stacked_output(const Queue& queue, const TensorTransform& t, const HostStack& stack, const Shape* recorded,
                          const std::string& place) {
    const Shape full_shape = restacked(queue, stack, place);
    HostShapes shapes{full_shape, entry_of(queue), {}};
    const bool is_unpad = t.type == "Unpad";
    if (is_unpad || recorded) {
        const Shape& wanted = is_unpad ? t.unpadded : *recorded;
        const ir::Form form = elements_of(wanted) == 0 ? ir::Form{} : ir::form_of(wanted);
        const bool inside = elements_of(wanted) > 0 && form.z == full_shape[0] && form.rows <= full_shape[1] &&
                            form.cols <= full_shape[2];
        if (is_unpad && !inside) fail_shapes(queue, t, shapes, place);
        if (inside) shapes.outside = wanted;
    }
    fill_gather_map(shapes.inside, stack, shapes);
    return shapes;
}

[[noreturn]] void fail_transform(const Queue& queue, const TensorTransform& transform, const char* done,
                                 const std::string& place) {
    fail_unsupported({place, 0, 0}, "'{}': the tensor transform {} is not supported; {}", queue.name, transform.type,
                     done);
}

/// Shapes for NoTransform, Concatenate and ReinterpretShape; nullopt for others.
std::optional<HostShapes> common_shapes(const Queue& queue, const TensorTransform& transform, const Shape& given,
                                        const Shape* recorded) {
    if (transform.type == "NoTransform" || transform.type == "Concatenate") {
        const Shape entry = entry_of(queue), dims = recorded && fills(*recorded, entry, queue) ? *recorded : entry;
        return HostShapes{dims, dims, {}};
    }
    if (transform.type == "ReinterpretShape") return HostShapes{given, transform.reinterpreted, {}};
    return std::nullopt;
}

void check(const Queue& queue, const TensorTransform& transform, const HostShapes& shapes, const std::string& place) {
    if (!fills(shapes.inside, entry_of(queue), queue) || ir::extent(shapes.outside) != ir::extent(shapes.inside))
        fail_shapes(queue, transform, shapes, place);
}

}  // namespace

HostShapes input_shapes(const Queue& queue, const TensorTransform& transform, const Shape* recorded,
                        const std::string& place) {
    if (transform.type == "Prestride") return prestride(queue, transform, place);
    if (transform.type == "EmbeddingIndex") return embedding(queue, transform, place);
    if (transform.type == "ConstantInput")
        fail_transform(queue, transform,
                       "its value is in a Python pickle, which is not read: compile the model with "
                       "that input as a constant",
                       place);
    const auto shapes = common_shapes(queue, transform, transform.original, recorded);
    if (!shapes || transform.type == "Concatenate")
        fail_transform(queue, transform, "NoTransform, ReinterpretShape, Prestride and EmbeddingIndex of inputs are",
                       place);
    check(queue, transform, *shapes, place);
    return *shapes;
}

HostShapes output_shapes(const Queue& queue, const TensorTransform& transform, const HostStack* stack,
                         const Shape* recorded, const std::string& place) {
    if (stack && (stack->h > 1 || stack->v > 1)) {
        if (transform.type != "NoTransform" && transform.type != "Unpad")
            fail_transform(queue, transform, "of outputs whose slices are restacked NoTransform and Unpad are", place);
        return stacked_output(queue, transform, *stack, recorded, place);
    }
    auto shapes = common_shapes(queue, transform, recorded ? *recorded : transform.original, recorded);
    if (transform.type == "Unpad") shapes = HostShapes{transform.unpadded, transform.unpadded, {}};
    if (!shapes)
        fail_transform(queue, transform, "NoTransform, ReinterpretShape, Unpad and Concatenate of outputs are", place);
    check(queue, transform, *shapes, place);
    return *shapes;
}

}  // namespace ttsim::impl::image
