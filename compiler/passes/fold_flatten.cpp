// fold-flatten: turns a product after a flattening into a gather_sum over the rows before the flattening.
//
//   %t = transpose %x {perm = [0, 3, 1, 2]}     %x: f32[1, 7, 7, 512]
//   %r = reshape %t {dims = [1, 25088]}                          %p = reshape %x {dims = [49, 512]}
//   %y = matmul %r, %w : f32[1, 4096]                     ->     %y = gather_sum %p, [49, 1], %w as [49, 512, 4096]
//
// The constant's rows are reordered instead; no element moves within its row.
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

/// The source of a flattening: `dims` before the transpose, its order `perm`, and the first flattened axis after it.
struct Flatten {
    ValueId source = 0;
    Dims dims;
    std::vector<std::int64_t> perm;
    std::size_t first = 0;
    std::int64_t rows = 1, places = 1;  ///< rows of the result; rows of the source that one of them flattens

    std::int64_t columns() const { return dims.back(); }
};

std::optional<Flatten> flatten_of(const Builder& build, ValueId x) {
    const auto& nodes = build.graph().nodes;
    const Node& reshape = nodes[x];
    if (reshape.op != op::reshape || reshape.has(attr::host)) return std::nullopt;
    Flatten f;
    f.source = reshape.inputs[0].value;
    const Dims flat = build.dims(f.source);
    if (const Node& inner = nodes[f.source]; inner.op == op::transpose && !inner.has(attr::host)) {
        f.perm = inner.get(attr::perm);
        f.source = inner.inputs[0].value;
    } else {
        f.perm.resize(flat.size());
        std::iota(f.perm.begin(), f.perm.end(), 0);
    }
    f.dims = build.dims(f.source);
    const std::int64_t flattened_size = reshape.type.dims.back();
    std::int64_t size = 1;
    for (f.first = flat.size(); f.first > 0 && size < flattened_size;) size *= flat[--f.first];
    if (size != flattened_size || f.dims.empty()) return std::nullopt;
    for (std::size_t i = 0; i < f.first; ++i) f.rows *= flat[i];
    // the last axis of the source stays a row; it must be among the flattened ones
    const auto last = static_cast<std::int64_t>(f.dims.size()) - 1;
    if (std::find(f.perm.begin() + static_cast<std::ptrdiff_t>(f.first), f.perm.end(), last) == f.perm.end())
        return std::nullopt;
    f.places = flattened_size / f.columns();
    constexpr std::int64_t most = 4;  // limit for the ratio of padded to used columns
    if (f.places == 1 || (f.columns() + tile_edge - 1) / tile_edge * tile_edge > most * f.columns())
        return std::nullopt;
    return f;
}

/// Iterates over the axes `axes` of the source in order. Calls `at` with a running index and the offset in the source.
template <class At>
void walk(const Dims& dims, const std::vector<std::int64_t>& axes, At at) {
    const Dims steps = strides(dims);
    std::int64_t size = 1;
    for (const std::int64_t a : axes) size *= dims[static_cast<std::size_t>(a)];
    for (std::int64_t i = 0; i < size; ++i) {
        std::int64_t offset = 0, rest = i;
        for (std::size_t k = axes.size(); k-- > 0;) {
            const auto a = static_cast<std::size_t>(axes[k]);
            offset += rest % dims[a] * steps[a];
            rest /= dims[a];
        }
        at(i, offset);
    }
}

ValueId gathered(Builder& build, const Flatten& f, const Literal& weights) {
    const auto first = f.perm.begin() + static_cast<std::ptrdiff_t>(f.first);
    const std::vector<std::int64_t> lead(f.perm.begin(), first), group(first, f.perm.end());
    const std::int64_t columns = f.columns(), outs = weights.dims()[1];
    // row positions in the order of the source: the flattened axes without the last
    std::vector<std::int64_t> others = group;
    std::erase(others, static_cast<std::int64_t>(f.dims.size()) - 1);
    std::sort(others.begin(), others.end());
    std::map<std::int64_t, std::int64_t> place_at;  // position by offset
    walk(f.dims, others, [&](std::int64_t i, std::int64_t offset) { place_at[offset] = i; });
    Literal map(DType::I32, {f.places, f.rows});
    walk(f.dims, lead, [&](std::int64_t row, std::int64_t from) {
        for (const auto& [offset, place] : place_at)
            map.set(place * f.rows + row, static_cast<double>((from + offset) / columns));
    });
    const auto in_order = [&] {
        Literal terms(DType::F32, {f.places, columns, outs},
                      max_read_elements);  // as many elements as the weights have
        walk(f.dims, group, [&](std::int64_t k, std::int64_t offset) {
            const std::int64_t column = offset % columns, place = place_at.at(offset - column);
            const auto to = terms.floats().begin() + (place * columns + column) * outs;
            std::copy_n(weights.floats().begin() + k * outs, outs, to);
        });
        return terms;
    };
    const std::string how = fmt::format("fold-flatten {} by {}", fmt::join(f.dims, ","), fmt::join(group, ","));
    const Literal* const of[] = {&weights};
    Literal terms = build.cached(how, of, in_order);
    const ValueId x = build.reshape(f.source, {count(f.dims) / columns, columns});
    return build.add(op::gather_sum, {x, build.constant(std::move(map)), build.constant(std::move(terms))});
}

void run_fold_flatten(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != op::matmul) return std::nullopt;
        const Literal* weights = build.literal(in[1]);
        if (!weights || weights->dims().size() != 2 || weights->dtype() != DType::F32) return std::nullopt;
        const auto f = flatten_of(build, in[0]);
        if (!f) return std::nullopt;
        return build.reshape(gathered(build, *f, *weights), node.type.dims);
    });
}

}  // namespace

extern const Pass fold_flatten;
const Pass fold_flatten{.name = "fold-flatten",
                        .summary = "fold the order of flattened elements into the weights of the next product",
                        .run = run_fold_flatten,
                        .optional = true};

}  // namespace ttsim::impl::ir
