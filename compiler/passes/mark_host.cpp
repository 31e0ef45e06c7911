// mark-host: marks with {host = 1} what the host computes around the device's run.
//
//   before   a look-up in a constant table by numbers that only depend on inputs (embeddings), and work on whole
//            numbers that the data format does not hold exactly: shapes, places, token ids, up to the first float
//   after    whole numbers made at the end (arg_max, casts), which only outputs read
//
// Float32 holds the numbers of models exactly: then only the look-ups are marked. Nothing is marked silently: without
// `host_fallback` all of it is refused.
#include "compiler/pass.hpp"

namespace tt::ir {

namespace {

/// Whole numbers of more than 8 bits.
bool wide(const Type& type) {
    return !is_float(type.dtype) && type.dtype != DType::I8 && type.dtype != DType::U8 && type.dtype != DType::Bool;
}

class Marker {
public:
    Marker(Graph& graph, const PassOptions& options)
        : graph_(graph), exact_(options.default_df == DataFormat::Float32), host_(graph.nodes.size(), false) {}

    void run(bool allowed) {
        mark_before();
        if (!exact_) mark_after();
        Diagnostics problems;
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            Node& node = graph_.nodes[id];
            if (!host_[id]) continue;
            node.attrs["host"] = std::int64_t{1};
            if (!allowed)
                problems.unsupported(node.loc, "'{}' ({}{}) would run on the host, and no host step is allowed",
                                     node.name, node.op, node.origin.empty() ? "" : ", of '" + node.origin + "'");
        }
        problems.throw_if_any();
    }

private:
    bool computable(const Node& node) const {
        const OpInfo* op = find_op(node.op);
        return op && op->eval && !node.type.format;
    }

    void mark_before() {
        std::vector<bool> known(graph_.nodes.size(), false);  // to the host, before the device runs
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            known[id] = node.is_input() || node.is_constant();
            if (node.inputs.empty() || !computable(node)) continue;
            bool ready = true, numbers = false;
            for (const Edge& edge : node.inputs) {
                ready = ready && known[edge.value];
                const Node& operand = graph_.nodes[edge.value];
                numbers = numbers || (wide(operand.type) && !operand.is_constant());
            }
            const bool table = node.op == "take" && graph_.nodes[node.inputs[0].value].is_constant();
            host_[id] = known[id] = ready && (table || (numbers && !exact_));
        }
    }

    void mark_after() {
        std::vector<std::size_t> device_reads(graph_.nodes.size(), 0);
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            const bool end = device_reads[id] == 0 && !node.inputs.empty() && computable(node) && wide(node.type);
            if (end) host_[id] = true;
            if (!host_[id])
                for (const Edge& edge : node.inputs) ++device_reads[edge.value];
        }
    }

    Graph& graph_;
    bool exact_;
    std::vector<bool> host_;
};

void run(Graph& graph, const PassOptions& options) { Marker(graph, options).run(options.host_fallback); }

}  // namespace

extern const Pass mark_host;
const Pass mark_host{.name = "mark-host", .summary = "mark what the host computes around the device's run", .run = run};

}  // namespace tt::ir
