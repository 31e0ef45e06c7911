#include "tools/ttsim-opt/values.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.hpp"

namespace ttsim::impl::cli {

namespace {

constexpr unsigned samples = 3;

bool is_device_level(const ir::Graph& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) { return node.type.format; });
}

/// Floats from -1 to 1; integers 0 and 1, which are valid indices of most tables.
ir::Literal sample(const ir::Type& type, std::mt19937& random) {
    ir::Literal value(type.dtype, type.dims);
    std::uniform_real_distribution<double> real(-1, 1);
    for (std::int64_t i = 0; i < value.size(); ++i)
        value.set(i, ir::is_float(type.dtype) ? real(random) : static_cast<double>(random() % 2));
    return value;
}

/// nullopt if the host lacks an op, or an input is outside of what an op takes.
std::optional<ir::Values> evaluated(const ir::Graph& graph, const ir::Values& inputs) {
    try {
        ir::HostProgram program{graph, {}};
        ir::name_inputs(program.graph);
        return ir::HostRun(program, inputs).outputs();
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// Shares of the largest magnitude: passes may reorder sums, and half floats round.
double usual_tolerance(ir::DType type) {
    if (type == ir::DType::F16) return 4e-3;
    if (type == ir::DType::BF16) return 3e-2;
    return ir::is_float(type) ? 1e-4 : 0;
}

std::optional<WrongValue> difference(const std::string& name, const ir::Literal& want, const ir::Literal& got,
                                     double tolerance) {
    const double allowed = tolerance > 0 ? tolerance : usual_tolerance(want.dtype());
    if (want.dims() != got.dims()) return WrongValue{name, INFINITY, allowed};
    double largest = 0, most = 0;
    for (std::int64_t i = 0; i < want.size(); ++i) {
        const double a = want.at(i), b = got.at(i);
        if (std::isfinite(a)) largest = std::max(largest, std::abs(a));
        if (a == b || (std::isnan(a) && std::isnan(b))) continue;
        most = std::isfinite(a - b) ? std::max(most, std::abs(a - b)) : INFINITY;
    }
    const double share = most / std::max(largest, 1e-6);
    return share > allowed ? std::optional(WrongValue{name, share, allowed}) : std::nullopt;
}

}  // namespace

ValueCheck::ValueCheck(const ir::Graph& graph, double tolerance) : tolerance_(tolerance) {
    if (is_device_level(graph)) return;
    ir::Graph named = graph;
    ir::name_inputs(named);
    std::mt19937 random(1);
    for (unsigned n = 0; n < samples; ++n) {
        ir::Values inputs;
        for (const ir::Node& node : named.nodes)
            if (node.is_input()) inputs.insert_or_assign(ir::boundary_name(node), sample(node.type, random));
        std::optional<ir::Values> outputs = evaluated(named, inputs);
        if (!outputs) continue;
        inputs_.push_back(std::move(inputs));
        outputs_.push_back(std::move(*outputs));
    }
}

std::optional<WrongValue> ValueCheck::compare(const ir::Graph& graph) const {
    if (is_device_level(graph)) return std::nullopt;
    for (std::size_t n = 0; n < inputs_.size(); ++n) {
        const std::optional<ir::Values> outputs = evaluated(graph, inputs_[n]);
        if (!outputs) return std::nullopt;
        for (const auto& [name, want] : outputs_[n]) {
            const auto got = outputs->find(name);
            if (got == outputs->end()) return WrongValue{name, INFINITY, tolerance_};
            if (auto wrong = difference(name, want, got->second, tolerance_)) return wrong;
        }
    }
    return std::nullopt;
}

}  // namespace ttsim::impl::cli
