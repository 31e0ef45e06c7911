// sum-gradients: marks the ops that sum gradients of parameters over the inputs of a step.
//
//   %g = buda.matmul %a, %b                    ->  %g = buda.matmul %a, %b {gradient = 1}
//   output "grad_acc_w" = %g
//
// Such an op adds its result to what its queue holds. Products, and copies after other ops, can do so on every chip.
#include <algorithm>
#include <set>

#include "compiler/ir/format_rules.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/ir/training.hpp"

namespace ttsim::impl::ir {

static bool can_sum(const Node& node, std::size_t uses) {
    const bool product = node.op == op::buda::matmul && node.inputs.size() == 2 && !node.has(attr::z);
    const bool plain = product || node.op == op::buda::multiply || node.op == op::buda::nop;
    return plain && uses == 1 && !node.has(attr::relu) && !node.has(attr::sfpu_op);
}

/// That of its partial sums, unless the optimizer, which has the result's family, cannot read it.
static DataFormat format_of_sum(const Node& sum) {
    const DataFormat result = wide_format(*sum.type.format);
    for (const Attribute<std::string> key : {attr::intermed_df, attr::acc_df})
        if (const auto format = sum.has(key) ? parse_format(sum.get(key)) : std::nullopt) {
            const std::set families{info(*format).family, info(result).family};
            return families == std::set{FormatFamily::A, FormatFamily::B} ? result : *format;
        }
    return result;
}

static void run_sum_gradients(Graph& graph, const PassOptions& options) {
    if (!options.training) return;
    const std::vector<std::size_t> uses = graph.use_counts();
    Builder build(graph);
    for (Output& output : graph.outputs) {
        if (!output.name.starts_with(gradient_prefix)) continue;
        const Node& from = graph.nodes[output.value];
        if (!can_sum(from, uses[output.value])) {
            build.set_origin(from.name);
            build.set_phase(from.phase);
            output.value = build.add_edges(op::buda::nop, {{output.value, {}}}, {}, from.type.format);
        }
        Node& sum = graph.nodes[output.value];
        sum.set(attr::gradient, true);
        // what it adds to is read and written in one format
        sum.type.format = format_of_sum(sum);
        if (sum.has(attr::intermed_df) || sum.has(attr::acc_df))
            sum.set(attr::intermed_df, std::string(to_string(*sum.type.format)));
    }
}

extern const Pass sum_gradients;
const Pass sum_gradients{.name = "sum-gradients",
                         .summary = "mark the ops that sum gradients over the inputs of a step",
                         .run = run_sum_gradients};

}  // namespace ttsim::impl::ir
