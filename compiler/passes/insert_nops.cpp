// insert-nops: inserts nops before operands of an op as overrides request ("nops"); each buffers some of the data.
//
//   third: {nops: {second: 2}}      %a = buda.nop %second; %b = buda.nop %a; %third = buda.matmul %b, %w
//   also fourth: {nops: {second: 1}}                                         %fourth = buda.exp %a
//
// The nops after an op form one chain, and each reader takes the nop at its number. Readers with equal numbers share
// nops; a larger number extends the chain. The nops are not fused into chains of elementwise ops.
#include <algorithm>
#include <map>
#include <vector>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

class NopInserter {
public:
    NopInserter(Graph& graph, const Overrides& overrides) : graph_(graph), overrides_(overrides), build_(result_) {}

    void run() {
        for (const Node& node : graph_.nodes) {
            const auto user = overrides_.find(node.name);
            std::vector<Edge> inputs = node.inputs;
            build_.set_origin(node.origin);
            build_.set_phase(node.phase);
            for (std::size_t k = 0; k < inputs.size(); ++k) {
                const ValueId from = inputs[k].value;
                inputs[k].value = moved_[from];
                if (user != overrides_.end())
                    inputs[k].value = value_after_nops(from, requested(user->second, node, k), node.name);
            }
            build_.set_origin("");
            moved_.push_back(build_.copy(node, std::move(inputs)));
        }
        for (const Output& out : graph_.outputs) result_.outputs.push_back({out.name, moved_[out.value], out.type});
        graph_ = std::move(result_);
    }

private:
    std::int64_t requested(const OpOverride& user, const Node& node, std::size_t k) const {
        const Node& from = graph_.nodes[node.inputs[k].value];
        const auto named = user.nops_after.find(from.name);
        const bool numbered = k < user.nops.size();
        if (from.is_constant() && (numbered || named != user.nops_after.end()))
            fail_input(user.loc, "operand {} of '{}' is a constant, which a nop cannot buffer", k, node.name);
        return std::max(numbered ? user.nops[k] : 0, named == user.nops_after.end() ? 0 : named->second);
    }

    /// The value after so many nops. Missing nops are added and named after this reader.
    ValueId value_after_nops(ValueId from, std::int64_t count, const std::string& reader) {
        std::vector<ValueId>& chain = chains_[from];
        while (std::ssize(chain) < count) {
            const ValueId last = chain.empty() ? moved_[from] : chain.back();
            chain.push_back(
                build_.add_edges(op::buda::nop, {{last, {}}}, {attr::apart(true)}, build_.type(last).format));
            build_.graph().nodes[chain.back()].name =
                fmt::format("buffer_{}_{}_{}", chain.size() - 1, graph_.nodes[from].name, reader);
        }
        return count == 0 ? moved_[from] : chain[static_cast<std::size_t>(count - 1)];
    }

    Graph& graph_;
    const Overrides& overrides_;
    Graph result_ = graph_.next();
    Builder build_;
    std::vector<ValueId> moved_;                      // by value of the input graph
    std::map<ValueId, std::vector<ValueId>> chains_;  // nops after the value
};

void run_insert_nops(Graph& graph, const PassOptions& options) {
    for (const auto& [_, user] : options.overrides)
        if (!user.nops.empty() || !user.nops_after.empty()) return NopInserter(graph, options.overrides).run();
}

}  // namespace

extern const Pass insert_nops;
const Pass insert_nops{
    .name = "insert-nops", .summary = "insert nops before operands as overrides request", .run = run_insert_nops};

}  // namespace ttsim::impl::ir
