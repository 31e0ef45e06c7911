// Host ops that sort along an axis.
//
//   top_k {axis, k, largest}   the k largest (largest = 0: smallest) elements, sorted, and their indices (i64); equal
//                              elements keep their order
#include <algorithm>
#include <array>
#include <numeric>

#include "compiler/ir/integers.hpp"
#include "compiler/ops/lines.hpp"
#include "compiler/ops/op_lists.hpp"
#include "generated/op_attributes.hpp"

namespace ttsim::impl::ir {

namespace {

Type infer_top_k(const Node& node, std::span<const Type> in) {
    const Lines lines = lines_of(node, in[0].dims);
    const auto given = attributes<TopKAttributes>(node);
    const std::int64_t k = given.k;
    if (k < 0 || k > lines.size) fail_input(node.loc, "'{}' takes {} of an axis of {}", node.name, k, lines.size);
    Type out{in[0].dtype, in[0].dims, {}};
    out.dims[lines.axis] = k;
    return out;
}

std::vector<Type> infer_top_k_places(const Node& node, std::span<const Type>) {
    return {{DType::I64, node.type.dims, {}}};
}

std::vector<Literal> eval_top_k(const Node& node, std::span<const Literal* const> in) {
    Literal values(in[0]->dtype(), node.type.dims, max_read_elements);
    Literal places(DType::I64, node.type.dims, max_read_elements);
    const Lines lines = lines_of(node, in[0]->dims());
    const auto given = attributes<TopKAttributes>(node);
    const std::int64_t k = given.k;
    const bool largest = given.largest;
    std::vector<std::int64_t> order(static_cast<std::size_t>(lines.size));
    for (std::int64_t line = 0; line < lines.lines; ++line) {
        const auto element = [&](std::int64_t at) { return lines.first(line) + at * lines.step; };
        const auto value = [&](std::int64_t at) { return in[0]->at(element(at)); };
        std::iota(order.begin(), order.end(), 0);
        std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](std::int64_t a, std::int64_t b) {
            if (!is_float(in[0]->dtype())) {
                const std::int64_t p = in[0]->integer(element(a)), q = in[0]->integer(element(b));
                return p == q ? a < b : integers::less(p, q, in[0]->dtype()) != largest;
            }
            const double p = value(a), q = value(b);
            if (p != q && p == p && q == q) return largest ? p > q : p < q;
            if ((p != p) != (q != q)) return largest == (p != p);  // NaN is greater than all numbers
            return a < b;
        });
        const std::int64_t base = line / lines.step * lines.step * k + line % lines.step;
        for (std::int64_t i = 0; i < k; ++i) {
            const std::int64_t place = order[static_cast<std::size_t>(i)];
            places.set_integer(base + i * lines.step, place);
            values.copy(base + i * lines.step, *in[0], element(place));
        }
    }
    return {std::move(values), std::move(places)};
}

constexpr std::array sort_table{OpFunctions{
    .op = op::top_k, .infer = infer_top_k, .eval = nullptr, .infer_more = infer_top_k_places, .eval_all = eval_top_k}};

}  // namespace

std::span<const OpFunctions> sort_ops() { return sort_table; }

}  // namespace ttsim::impl::ir
