#include "tests/compiler/random_graph.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

class Generator {
public:
    Generator(std::uint32_t seed, bool large, bool loops = false)
        : random_(seed), build_(graph_), large_(large), loops_(loops) {}

    Graph make() {
        values_.push_back(build_.input("x", {DType::F32, dims(), {}}));
        values_.push_back(build_.input("y", {DType::F32, dims(), {}}));
        const int steps = pick(3, 9);
        for (int k = 0; k < steps; ++k) values_.push_back(step());
        graph_.outputs.push_back({"last", values_.back(), {}});
        if (pick(0, 1)) graph_.outputs.push_back({"other", any(), {}});
        graph_.erase_unused();
        return std::move(graph_);
    }

private:
    int pick(int low, int high) {
        return low + static_cast<int>(random_() % static_cast<std::uint32_t>(high - low + 1));
    }
    ValueId any() { return values_[static_cast<std::size_t>(pick(0, static_cast<int>(values_.size()) - 1))]; }
    Dims dims() {
        if (large_) return {32 * pick(2, 6), 32 * pick(9, 18)};
        Dims d(static_cast<std::size_t>(pick(1, 4)));
        for (std::int64_t& n : d) n = pick(1, 4);
        if (pick(0, 2) == 0) d.back() = pick(30, 40);
        return d;
    }
    Literal values(Dims d) {
        Literal literal(DType::F32, std::move(d));
        for (std::int64_t i = 0; i < literal.size(); ++i) literal.set(i, pick(-8, 8) / 4.0);
        return literal;
    }
    std::int64_t axis(ValueId x) { return pick(0, static_cast<int>(build_.dims(x).size()) - 1); }

    /// One more op on values that are there; all results stay small.
    ValueId step() {
        const ValueId x = any();
        if (loops_ && pick(0, 2) == 0) return pick(0, 1) ? loop(x) : quantized(x);
        static constexpr int of_matrices[] = {0, 1, 2, 3, 4, 4, 5};
        switch (large_ ? of_matrices[pick(0, 6)] : pick(0, 12)) {
            case 0:
                return build_.add(op::tanh, {x});
            case 1:
                return build_.add(op::sigmoid, {x});
            case 2:
                return build_.add(op::relu, {x});
            case 3:
                return binary(x);
            case 4:
                return matmul(x);
            case 5:
                return transpose(x);
            case 6:
                return build_.reshape(x, reshaped(build_.dims(x)));
            case 7:
                return build_.add(op::softmax, {x}, {attr::axis(axis(x))});
            case 8:
                return build_.add(op::reduce_max, {x}, {attr::axis(axis(x))});
            case 9:
                return heads(x);
            case 10:
            case 11:
                return picture(x);
            default:
                return map(x);
        }
    }
    /// To a grid of integers and back, per tensor or by the last axis. Scales are powers of two, so that the
    /// quotients have no error of their own.
    ValueId quantized(ValueId x) {
        const bool by_axis = pick(0, 1) != 0;
        Literal scale(DType::F32, by_axis ? Dims{build_.dims(x).back()} : Dims{});
        for (std::int64_t k = 0; k < scale.size(); ++k) scale.set(k, 1.0 / (1 << pick(2, 6)));
        const bool is_signed = pick(0, 1) != 0;
        const double low = is_signed ? -128 : 0, high = is_signed ? 127 : 255, zero = is_signed ? 0 : pick(64, 160);
        const ValueId steps = build_.constant(scale), shift = build_.scalar(zero);
        // off the ties, which values of quarters often are
        const ValueId moved = build_.add(op::add, {x, build_.scalar(1.0 / 1024)});
        ValueId q = build_.add(op::add, {build_.add(op::round, {build_.add(op::divide, {moved, steps})}), shift});
        q = build_.add(op::maximum, {build_.add(op::minimum, {q, build_.scalar(high)}), build_.scalar(low)});
        q = build_.cast(q, is_signed ? DType::I8 : DType::U8);
        return build_.add(op::multiply, {build_.add(op::subtract, {build_.cast(q, DType::F32), shift}), steps});
    }
    /// Iterations along the first axis, with a state that goes on: gathered, or the last state alone.
    ValueId loop(ValueId x) {
        const std::int64_t iterations = pick(5, 8), width = pick(0, 1) ? pick(1, 4) : pick(30, 40),
                           size = count(build_.dims(x));
        const ValueId all =
            build_.reshape(build_.map_axis(build_.reshape(x, {1, size}), 1, values({iterations * width, size})),
                           {iterations, 1, width});
        const ValueId weights = build_.constant(values({width, width})), slices = build_.add(op::tanh, {all});
        const std::string name = "loop" + std::to_string(graph_.nodes.size());
        ValueId state = build_.constant(values({1, width}));
        std::vector<ValueId> made;
        const bool gated = pick(0, 1) != 0;
        for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
            const std::size_t from = graph_.nodes.size();
            Literal one(DType::F32, {1, iterations});
            one.set(iteration, 1);
            const ValueId slice = build_.reshape(build_.map_axis(slices, 0, one), {1, width});
            const ValueId next =
                build_.add(op::tanh, {build_.add(op::add, {build_.add(op::matmul, {state, weights}), slice})});
            state = gated ? build_.add(op::multiply, {next, build_.add(op::sigmoid, {slice})}) : next;
            made.push_back(build_.reshape(state, {1, 1, width}));
            for (std::size_t k = from; k < graph_.nodes.size(); ++k) {
                if (graph_.nodes[k].is_constant()) continue;
                graph_.nodes[k].set(attr::loop, name);
                graph_.nodes[k].set(attr::iteration, iteration);
            }
        }
        return pick(0, 2) == 0 ? state : build_.add(op::join, made, {attr::axis(0)});
    }
    ValueId binary(ValueId x) {
        static constexpr OpId ops[] = {op::add, op::subtract, op::maximum, op::multiply};
        const OpId op = ops[pick(0, 3)];
        const Dims d = build_.dims(x);
        Dims other(d.end() - pick(0, static_cast<int>(d.size())), d.end());
        for (std::int64_t& n : other)
            if (pick(0, 2) == 0) n = 1;
        if (pick(0, 1)) return build_.add(op::tanh, {build_.add(op, {x, build_.constant(values(other))})});
        ValueId part = x;  // a run-time operand with the smaller shape
        const std::size_t skip = d.size() - other.size();
        for (std::size_t k = 0; k < d.size(); ++k) {
            const bool gone = k < skip || other[k - skip] == 1;
            if (gone && d[k] != 1)
                part = build_.add(op::reduce_max, {part}, {attr::axis(static_cast<std::int64_t>(k))});
        }
        return build_.add(op::tanh, {build_.add(op, {x, build_.reshape(part, other)})});
    }
    ValueId matmul(ValueId x) {
        const Dims d = build_.dims(x);
        if (d.size() < 2) return build_.add(op::abs, {x});
        ValueId other = 0;
        if (pick(0, 1)) {
            other = build_.constant(values({d.back(), large_ ? 32 * pick(9, 18) : pick(1, 35)}));
        } else {
            std::vector<std::int64_t> perm(d.size());
            std::iota(perm.begin(), perm.end(), 0);
            std::swap(perm[d.size() - 1], perm[d.size() - 2]);
            other = build_.transpose(x, perm);
        }
        ValueId product = build_.add(op::matmul, {x, other});
        if (d.back() % 2 == 0) product = build_.add(op::gelu, {product});
        return build_.add(op::tanh, {product});
    }
    ValueId transpose(ValueId x) {
        std::vector<std::int64_t> perm(build_.dims(x).size());
        std::iota(perm.begin(), perm.end(), 0);
        for (std::size_t k = perm.size(); k > 1; --k)
            std::swap(perm[k - 1], perm[static_cast<std::size_t>(pick(0, static_cast<int>(k) - 1))]);
        return build_.transpose(x, perm);
    }
    Dims reshaped(const Dims& d) {
        Dims out;
        std::int64_t rest = count(d);
        for (int k = 0; k < 2; ++k)
            for (const std::int64_t f : {2, 3, 5})
                if (rest % f == 0 && pick(0, 1)) {
                    out.push_back(f);
                    rest /= f;
                }
        out.push_back(rest);
        return out;
    }
    /// Cut into heads of 32 columns, or joined again, when the shape allows it.
    ValueId heads(ValueId x) {
        const Dims d = build_.dims(x);
        const std::size_t n = d.size();
        if (n < 2) return build_.map_axis(x, 0, values({64, d[0]}));
        if (d.back() % 32 != 0)
            return build_.map_axis(x, static_cast<std::int64_t>(n) - 1, values({pick(1, 2) * 32, d.back()}));
        std::vector<std::int64_t> perm(n + 1);
        std::iota(perm.begin(), perm.end(), 0);
        if (n > 2 && pick(0, 1)) {
            perm.pop_back();
            std::swap(perm[n - 2], perm[n - 3]);
            Dims joined(d.begin(), d.end() - 3);
            joined.insert(joined.end(), {d[n - 2], d[n - 3] * d.back()});
            return build_.reshape(build_.transpose(x, perm), joined);
        }
        Dims split(d.begin(), d.end() - 1);
        split.insert(split.end(), {d.back() / 32, 32});
        std::swap(perm[n - 1], perm[n - 2]);
        return build_.transpose(build_.reshape(x, split), perm);
    }
    /// A convolution or pool over x as [1, channels, positions...].
    ValueId picture(ValueId x) {
        Dims d = build_.dims(x);
        while (d.size() < 3) d.insert(d.begin(), 1);
        Dims kernel;
        std::vector<std::int64_t> strides;
        for (std::size_t a = 2; a < d.size(); ++a) {
            kernel.push_back(pick(1, static_cast<int>(std::min<std::int64_t>(d[a], 3))));
            strides.push_back(pick(1, 2));
        }
        x = build_.reshape(x, d);
        std::vector<std::int64_t> pads(2 * kernel.size(), 0);
        for (std::size_t a = 0; a < kernel.size(); ++a) pads[a] = pick(0, static_cast<int>(kernel[a]) - 1);
        const Attrs window{attr::strides(strides), attr::pads(pads)};
        Attrs pool = window;
        pool["kernel"] = kernel;
        if (const int kind = pick(0, 3); kind < 2) return build_.add(kind ? op::max_pool : op::average_pool, {x}, pool);
        const bool grouped = pick(0, 1) != 0;
        Dims weights{grouped ? d[1] * pick(1, 2) : pick(1, 35), grouped ? 1 : d[1]};
        weights.insert(weights.end(), kernel.begin(), kernel.end());
        Attrs attrs = window;
        if (grouped) set(attrs, attr::group, d[1]);
        return build_.add(op::tanh, {build_.add(op::conv, {x, build_.constant(values(weights))}, attrs)});
    }
    ValueId map(ValueId x) {
        const std::int64_t a = axis(x), n = build_.dims(x)[static_cast<std::size_t>(a)];
        return build_.map_axis(x, a, values({pick(1, 5), n}));
    }

    std::mt19937 random_;
    Graph graph_;
    Builder build_;
    bool large_, loops_;
    std::vector<ValueId> values_;
};

}  // namespace

Graph random_graph(std::uint32_t seed) { return Generator(seed, false).make(); }
Graph random_large_graph(std::uint32_t seed) { return Generator(seed, true).make(); }
Graph random_loop_graph(std::uint32_t seed) { return Generator(seed, false, true).make(); }

std::map<std::string, Literal> evaluate(const Graph& graph, const std::map<std::string, Literal>& inputs) {
    Graph known = graph;
    for (Node& node : known.nodes)
        if (node.is_input()) {
            node.op = op::constant;
            node.literal = std::make_shared<Literal>(inputs.at(node.name));
        }
    for (const char* name :
         {"decompose-normalization", "decompose-softmax", "decompose-convolution", "decompose-pools"})
        find_pass(name)->run(known, {});
    find_pass("fold-constants")->run(known, {});
    std::map<std::string, Literal> values;
    for (const Output& out : known.outputs) {
        TT_CHECK(known.nodes[out.value].literal != nullptr, "output {} is not a constant", out.name);
        values.emplace(out.name, *known.nodes[out.value].literal);
    }
    return values;
}

void require_close(const std::map<std::string, Literal>& have, const std::map<std::string, Literal>& want) {
    REQUIRE(have.size() == want.size());
    for (const auto& [name, literal] : want) {
        CAPTURE(name);
        REQUIRE(have.at(name).dims() == literal.dims());
        for (std::int64_t i = 0; i < literal.size(); ++i) {
            CAPTURE(i);
            REQUIRE(std::fabs(have.at(name).at(i) - literal.at(i)) <= 1e-4 + 1e-4 * std::fabs(literal.at(i)));
        }
    }
}

}  // namespace ttsim::impl::ir
