// fp16-quantizers: if Dst holds 16 bits, quantizers and small results of sigmoid compute in Float16, which has 11
// significant bits to Float16_b's 8.
//
//   %w = buda.subtract %q, 128 : Float16_b          %w = buda.subtract %q, 128 : Float16
//   %y = buda.matmul %w, %m : Float16_b        ->   %y = buda.matmul %w, %m : Float16
//   %r = buda.add %y, .. : Float16_b                %r = buda.add %y, .. : Float16      (rounds)
//
// The region consists of the ops that scale values for a quantizer and round them. Integers are exact in both formats.
// Therefore ops that feed only integers to the region are in Float16, too. Where other ops exchange values with them, a
// nop or the packer converts. An op that reads other values for the region keeps the format of these, since values of
// unknown range do not fit in 5 exponent bits. The same holds for ops with constants that do not fit. The operand of a
// sigmoid may saturate or become 0: from +-12 on and below 2^-11 the result is 0, 1 or 1/2.
#include "compiler/passes/fp16_quantizers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr double max_exact_integer = 256;  // both formats hold all integers up to here

/// The corresponding format with 5 or 8 exponent bits.
DataFormat with_exponent(DataFormat df, bool of_5_bits) {
    static constexpr std::array pairs{
        std::pair{DataFormat::Float16, DataFormat::Float16_b}, std::pair{DataFormat::Bfp8, DataFormat::Bfp8_b},
        std::pair{DataFormat::Bfp4, DataFormat::Bfp4_b}, std::pair{DataFormat::Bfp2, DataFormat::Bfp2_b}};
    for (const auto& [a, b] : pairs)
        if (df == a || df == b) return of_5_bits ? a : b;
    return df;
}

class Fp16Quantizers {
public:
    explicit Fp16Quantizers(Graph& graph)
        : graph_(graph),
          readers_(graph.nodes.size()),
          is_integral_(graph.nodes.size(), false),
          is_fp16a_(graph.nodes.size(), false),
          runs_in_fp16a_(graph.nodes.size(), false) {}

    void run() {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            is_fp16a_[id] = is_marked(graph_.nodes[id]);
            for (const Edge& edge : graph_.nodes[id].inputs) readers_[edge.value].push_back(id);
        }
        if (std::none_of(is_fp16a_.begin(), is_fp16a_.end(), [](bool b) { return b; })) return;
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) is_integral_[id] = is_integral(id);
        for (ValueId id = graph_.nodes.size(); id-- > 0;) is_fp16a_[id] = is_fp16a_[id] || feeds_region(id);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) runs_in_fp16a_[id] = computes_in_fp16a(id);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (graph_.nodes[id].is_constant() && graph_.nodes[id].type.format)
                is_fp16a_[id] =
                    std::all_of(readers_[id].begin(), readers_[id].end(), [&](ValueId r) { return runs_in_fp16a_[r]; });
        convert();
    }

private:
    static bool is_marked(const Node& node) {
        return node.kind == fp16_quantizers && node.op.on_device() && node.type.format == DataFormat::Float16_b;
    }
    bool has_readers_outside(ValueId id) const {
        return std::any_of(readers_[id].begin(), readers_[id].end(), [&](ValueId r) { return !is_fp16a_[r]; });
    }
    /// Whether elements are integers: results of the region, and moved, selected or shifted integers.
    bool is_integral(ValueId id) const {
        const Node& node = graph_.nodes[id];
        if (node.is_constant()) return is_integral(node);
        if (is_fp16a_[id]) return has_readers_outside(id);
        static const std::set<OpId> integral_ops{op::buda::add,    op::buda::subtract, op::buda::nop,
                                                 op::buda::sparse, op::buda::reduce,   op::buda::splice};
        if (!integral_ops.contains(node.op) && !is_gather(node)) return false;
        if (node.op == op::buda::reduce && node.get(attr::type) != "max") return false;
        if (node.has(attr::threshold) && std::nearbyint(node.get(attr::threshold)) != node.get(attr::threshold))
            return false;
        return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Edge& edge) {
            return is_integral_[edge.value] || !graph_.type(edge.value).format;  // no format: a table
        });
    }
    static bool is_integral(const Node& constant) {
        if (!constant.type.format || !constant.literal || !is_float(constant.literal->dtype())) return false;
        const std::vector<float>& floats = constant.literal->floats();
        return std::all_of(floats.begin(), floats.end(),
                           [](float v) { return v == std::nearbyint(v) && std::fabs(v) <= max_exact_integer; });
    }
    /// A product with a 0/1 matrix with one 1 in each row (data-formats makes such matrices Bfp2_b).
    bool is_gather(const Node& node) const {
        if (node.op != op::buda::matmul || node.inputs.size() != 2) return false;
        return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Edge& edge) {
            const Node& operand = graph_.nodes[edge.value];
            return operand.is_constant() && operand.type.format == DataFormat::Bfp2_b;
        });
    }
    bool feeds_region(ValueId id) const {
        const Node& node = graph_.nodes[id];
        return node.op.on_device() && node.type.format == DataFormat::Float16_b && is_integral_[id] &&
               !readers_[id].empty() && !has_readers_outside(id);
    }
    /// In the region; or after it, with one integer operand that is computed in the region.
    bool computes_in_fp16a(ValueId id) const {
        const Node& node = graph_.nodes[id];
        std::size_t computed_operands = 0, from_region = 0;
        for (const Edge& edge : node.inputs) {
            const Node& operand = graph_.nodes[edge.value];
            if (!operand.type.format) continue;
            if (operand.is_constant()) {
                if (!is_representable(operand)) return false;
                continue;
            }
            ++computed_operands;
            if (is_fp16a_[edge.value]) ++from_region;
            if (is_fp16a_[id] && !is_fp16a_[edge.value] && !is_integral_[edge.value] && node.op != op::buda::sigmoid)
                return false;
        }
        return is_fp16a_[id] || (is_integral_[id] && computed_operands == 1 && from_region == 1);
    }
    static bool is_representable(const Node& constant) {
        if (!constant.literal || !is_float(constant.literal->dtype())) return false;
        const std::vector<float>& floats = constant.literal->floats();
        return std::all_of(floats.begin(), floats.end(),
                           [](float v) { return v == 0 || (std::fabs(v) >= 0x1p-14F && std::fabs(v) <= 65504.0F); });
    }

    void convert() {
        Graph result = graph_.next();
        Builder build(result);
        std::map<std::pair<ValueId, bool>, ValueId> converted;  // a value in the exponent family of a reader
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            build.set_origin(node.origin);
            build.set_phase(node.phase);
            build.set_kind(node.kind);
            std::vector<Edge> inputs = node.inputs;
            for (Edge& edge : inputs) edge.value = in_family(build, converted, edge.value, runs_in_fp16a_[id]);
            Node copied = node;
            if (is_fp16a_[id]) copied.type.format = with_exponent(*node.type.format, true);
            converted[{id, is_fp16a_[id]}] = build.copy(copied, std::move(inputs));
        }
        for (const Output& out : graph_.outputs)
            result.outputs.push_back({out.name, converted.at({out.value, is_fp16a_[out.value]}), out.type});
        result.erase_unused();
        graph_ = std::move(result);
    }
    ValueId in_family(Builder& build, std::map<std::pair<ValueId, bool>, ValueId>& converted, ValueId id,
                      bool fp16a) const {
        const Node& node = graph_.nodes[id];
        if (!node.type.format || is_fp16a_[id] == fp16a) return converted.at({id, is_fp16a_[id]});
        const auto [made, first] = converted.try_emplace({id, fp16a}, 0);
        if (!first) return made->second;
        const DataFormat df = with_exponent(*node.type.format, fp16a);
        if (node.is_constant()) {
            made->second = build.device_constant(*node.literal, df);
            build.graph().nodes[made->second].derivation = node.derivation;
        } else {
            made->second = build.add_edges(op::buda::nop, {{converted.at({id, is_fp16a_[id]}), {}}}, {}, df);
        }
        return made->second;
    }

    Graph& graph_;
    std::vector<std::vector<ValueId>> readers_;
    std::vector<bool> is_integral_, is_fp16a_, runs_in_fp16a_;  // is_fp16a_: the value has 5 exponent bits
};

void run_fp16_quantizers(Graph& graph, const PassOptions& options) {
    if (uses_fp16_quantizers(options)) Fp16Quantizers(graph).run();
}

}  // namespace

extern const Pass fp16_quantizers_pass;
const Pass fp16_quantizers_pass{.name = "fp16-quantizers",
                                .summary = "quantizers in Float16 where Dst holds 16 bits, for its precision",
                                .run = run_fp16_quantizers,
                                .optional = true};

}  // namespace ttsim::impl::ir
