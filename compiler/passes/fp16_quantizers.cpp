// fp16-quantizers: where Dst holds 16 bits, quantizers work in Float16, which has 11 digits for Float16_b's 8.
//
//   %w = buda.subtract %q, 128 : Float16_b          %w = buda.subtract %q, 128 : Float16
//   %y = buda.matmul %w, %m : Float16_b        ->   %y = buda.matmul %w, %m : Float16
//   %r = buda.add %y, .. : Float16_b                %r = buda.add %y, .. : Float16      (rounds)
//
// The region is what makes the steps and rounds them. Integers are exact in both formats: what hands only these to
// the region is in Float16 too, and where others read or give them a nop, or the packer, converts. What takes other
// values into the region works in the format these have, as values of an unknown range do not fit in 5 bits of
// exponent; and so does what has constants that do not.
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

constexpr double most_whole = 256;  // up to here both formats hold all

/// With exponents of 5 bits, or of 8.
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
          whole_(graph.nodes.size(), false),
          is_fp16a_(graph.nodes.size(), false),
          runs_in_fp16a_(graph.nodes.size(), false) {}

    void run() {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            is_fp16a_[id] = is_step(graph_.nodes[id]);
            for (const Edge& edge : graph_.nodes[id].inputs) readers_[edge.value].push_back(id);
        }
        if (std::none_of(is_fp16a_.begin(), is_fp16a_.end(), [](bool b) { return b; })) return;
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) whole_[id] = is_whole(id);
        for (ValueId id = graph_.nodes.size(); id-- > 0;) is_fp16a_[id] = is_fp16a_[id] || leads_to_steps(id);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) runs_in_fp16a_[id] = computes_in_fp16a(id);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (graph_.nodes[id].is_constant() && graph_.nodes[id].type.format)
                is_fp16a_[id] =
                    std::all_of(readers_[id].begin(), readers_[id].end(), [&](ValueId r) { return runs_in_fp16a_[r]; });
        convert();
    }

private:
    static bool is_step(const Node& node) {
        return node.kind == fp16_quantizers && node.op.starts_with("buda.") &&
               node.type.format == DataFormat::Float16_b;
    }
    bool read_outside(ValueId id) const {
        return std::any_of(readers_[id].begin(), readers_[id].end(), [&](ValueId r) { return !is_fp16a_[r]; });
    }
    /// Results of the region; and what integers become that are moved, chosen or shifted.
    bool is_whole(ValueId id) const {
        const Node& node = graph_.nodes[id];
        if (node.is_constant()) return is_whole(node);
        if (is_fp16a_[id]) return read_outside(id);
        static const std::set<std::string_view> keep{"buda.add",    "buda.subtract", "buda.nop",
                                                     "buda.sparse", "buda.reduce",   "buda.splice"};
        if (!keep.contains(node.op) && !picks(node)) return false;
        if (node.op == "buda.reduce" && node.word("type", "max") != "max") return false;
        if (node.has("threshold") && std::nearbyint(node.number("threshold", 0)) != node.number("threshold", 0))
            return false;
        return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Edge& edge) {
            return whole_[edge.value] || !graph_.type(edge.value).format;  // none: a table
        });
    }
    static bool is_whole(const Node& constant) {
        if (!constant.type.format || !constant.literal || !is_float(constant.literal->dtype())) return false;
        const std::vector<float>& floats = constant.literal->floats();
        return std::all_of(floats.begin(), floats.end(),
                           [](float v) { return v == std::nearbyint(v) && std::fabs(v) <= most_whole; });
    }
    /// A product with zeros and ones, of which one stands in each row (data-formats).
    bool picks(const Node& node) const {
        if (node.op != "buda.matmul" || node.inputs.size() != 2) return false;
        return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Edge& edge) {
            const Node& operand = graph_.nodes[edge.value];
            return operand.is_constant() && operand.type.format == DataFormat::Bfp2_b;
        });
    }
    bool leads_to_steps(ValueId id) const {
        const Node& node = graph_.nodes[id];
        return node.op.starts_with("buda.") && node.type.format == DataFormat::Float16_b && whole_[id] &&
               !readers_[id].empty() && !read_outside(id);
    }
    /// In the region; or behind it, where one value alone, an integer, comes in and one goes out.
    bool computes_in_fp16a(ValueId id) const {
        const Node& node = graph_.nodes[id];
        std::size_t given = 0, from_region = 0;
        for (const Edge& edge : node.inputs) {
            const Node& operand = graph_.nodes[edge.value];
            if (!operand.type.format) continue;
            if (operand.is_constant()) {
                if (!is_representable(operand)) return false;
                continue;
            }
            ++given;
            if (is_fp16a_[edge.value]) ++from_region;
            if (is_fp16a_[id] && !is_fp16a_[edge.value] && !whole_[edge.value]) return false;
        }
        return is_fp16a_[id] || (whole_[id] && given == 1 && from_region == 1);
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
        std::map<std::pair<ValueId, bool>, ValueId> as;  // a value in the family wanted
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            build.set_origin(node.origin);
            build.set_kind(node.kind);
            std::vector<Edge> inputs = node.inputs;
            for (Edge& edge : inputs) edge.value = in_family(build, as, edge.value, runs_in_fp16a_[id]);
            Node copied = node;
            if (is_fp16a_[id]) copied.type.format = with_exponent(*node.type.format, true);
            as[{id, is_fp16a_[id]}] = build.copy(copied, std::move(inputs));
        }
        for (const Output& out : graph_.outputs)
            result.outputs.push_back({out.name, as.at({out.value, is_fp16a_[out.value]}), out.type});
        result.erase_unused();
        graph_ = std::move(result);
    }
    ValueId in_family(Builder& build, std::map<std::pair<ValueId, bool>, ValueId>& as, ValueId id, bool wanted) const {
        const Node& node = graph_.nodes[id];
        if (!node.type.format || is_fp16a_[id] == wanted) return as.at({id, is_fp16a_[id]});
        const auto [made, first] = as.try_emplace({id, wanted}, 0);
        if (!first) return made->second;
        const DataFormat df = with_exponent(*node.type.format, wanted);
        if (node.is_constant()) {
            made->second = build.device_constant(*node.literal, df);
            build.graph().nodes[made->second].derivation = node.derivation;
        } else {
            made->second = build.add_edges("buda.nop", {{as.at({id, is_fp16a_[id]}), {}}}, {}, df);
        }
        return made->second;
    }

    Graph& graph_;
    std::vector<std::vector<ValueId>> readers_;
    std::vector<bool> whole_, is_fp16a_, runs_in_fp16a_;  // is_fp16a_: the value has 5 bits of exponent
};

void run_fp16_quantizers(Graph& graph, const PassOptions& options) {
    if (works_in_fp16_quantizers(options)) Fp16Quantizers(graph).run();
}

}  // namespace

extern const Pass fp16_quantizers_pass;
const Pass fp16_quantizers_pass{.name = "fp16-quantizers",
                                .summary = "quantizers in Float16 where Dst holds 16 bits, for its digits",
                                .run = run_fp16_quantizers};

}  // namespace ttsim::impl::ir
