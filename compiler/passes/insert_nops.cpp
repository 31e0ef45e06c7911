// insert-nops: nops that the user wants before operands of an op ("nops" of an override): each holds some of what
// passes.
//
//   third: {nops: {second: 2}}      %a = buda.nop %second; %b = buda.nop %a; %third = buda.matmul %b, %w
//   also fourth: {nops: {second: 1}}                                         %fourth = buda.exp %a
//
// Nops behind an op are one row, of which each reader takes the one at its number: readers that want as many share
// them, one that wants more stands behind them. No chain of elementwise ops takes them in.
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
            for (std::size_t k = 0; k < inputs.size(); ++k) {
                const ValueId from = inputs[k].value;
                inputs[k].value = moved_[from];
                if (user != overrides_.end()) inputs[k].value = behind(from, wanted(user->second, node, k), node.name);
            }
            build_.set_origin("");
            moved_.push_back(build_.copy(node, std::move(inputs)));
        }
        for (const Output& out : graph_.outputs) result_.outputs.push_back({out.name, moved_[out.value], out.type});
        graph_ = std::move(result_);
    }

private:
    std::int64_t wanted(const OpOverride& user, const Node& node, std::size_t k) const {
        const Node& from = graph_.nodes[node.inputs[k].value];
        const auto named = user.nops_behind.find(from.name);
        const bool numbered = k < user.nops.size();
        if (from.is_constant() && (numbered || named != user.nops_behind.end()))
            fail_input(user.loc, "operand {} of '{}' is a constant: no nop holds what does not change", k, node.name);
        return std::max(numbered ? user.nops[k] : 0, named == user.nops_behind.end() ? 0 : named->second);
    }

    /// The value behind so many nops; those that are missing are named for the reader that wants them.
    ValueId behind(ValueId from, std::int64_t count, const std::string& reader) {
        std::vector<ValueId>& row = rows_[from];
        while (std::ssize(row) < count) {
            const ValueId last = row.empty() ? moved_[from] : row.back();
            row.push_back(
                build_.add_edges("buda.nop", {{last, {}}}, {{"apart", std::int64_t{1}}}, build_.type(last).format));
            build_.graph().nodes[row.back()].name =
                fmt::format("buffer_{}_{}_{}", row.size() - 1, graph_.nodes[from].name, reader);
        }
        return count == 0 ? moved_[from] : row[static_cast<std::size_t>(count - 1)];
    }

    Graph& graph_;
    const Overrides& overrides_;
    Graph result_ = graph_.next();
    Builder build_;
    std::vector<ValueId> moved_;                    // by value of the graph that was given
    std::map<ValueId, std::vector<ValueId>> rows_;  // nops behind it
};

void run_insert_nops(Graph& graph, const PassOptions& options) {
    for (const auto& [_, user] : options.overrides)
        if (!user.nops.empty() || !user.nops_behind.empty()) return NopInserter(graph, options.overrides).run();
}

}  // namespace

extern const Pass insert_nops;
const Pass insert_nops{
    .name = "insert-nops", .summary = "nops that overrides want before operands of an op", .run = run_insert_nops};

}  // namespace ttsim::impl::ir
