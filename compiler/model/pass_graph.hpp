// Records graphs between passes as JSON, for `ttsim compile --keep-passes` and the pages of `ttsim report`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// The graph after a pass.
struct PassGraph {
    std::string name;  ///< "07-fold-constants", or the name of a stage such as "00-initial"
    std::string json;
};

/// {"nodes": [{"name", "op", "in": [node, or [node, TMs]], "type", "attrs", "origin", "kind"}], "outputs": [[name,
/// node]]}; constants without their values.
std::string pass_graph_json(const Graph& graph);

/// The stage name of the graph after a pass, such as "optimized" after the last cut-host; "" for most. `time`: number
/// of the run of this pass, from 1.
std::string stage_name(std::string_view pass, int time);

/// Records graphs in order, without those equal to the previous one.
class PassRecord {
public:
    explicit PassRecord(const Graph& initial);
    void add(std::string_view pass, const Graph& left);
    std::vector<PassGraph> take() { return std::move(kept_); }

private:
    std::vector<PassGraph> kept_;
    std::map<std::string, int, std::less<>> times_;
    int number_ = 0;
};

}  // namespace ttsim::impl::ir
