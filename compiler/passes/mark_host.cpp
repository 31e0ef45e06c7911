// mark-host: marks with {host = 1} what the host computes around the device's run.
//
//   before   a look-up in a constant table by numbers that only depend on inputs (embeddings), and work on whole
//            numbers that the data format does not hold exactly: shapes, places, token ids, up to the first float
//   after    whole numbers made at the end (arg_max, casts), which only outputs read
//
// Besides, what decides: rounding, comparisons, whole quotients, places of maxima. The device computes them exactly,
// but of operands that were rounded to the data format, so that a decision may be another. Where such an op depends on
// inputs alone through cheap ops, or only cheap ops follow up to the outputs, the host computes it from what is not
// rounded. In the midst of a model it stays on the device.
//
// Nothing is marked silently: without `host_fallback` the device decides, and whole numbers it does not hold are
// refused; Float32 holds those of most models.
#include <algorithm>
#include <initializer_list>

#include "compiler/ir/pass.hpp"

namespace tt::ir {

namespace {

/// Whole numbers of more than 8 bits.
bool wide(const Type& type) {
    return !is_float(type.dtype) && type.dtype != DType::I8 && type.dtype != DType::U8 && type.dtype != DType::Bool;
}

bool whole(const Type& type) { return !is_float(type.dtype) && type.dtype != DType::Bool; }

bool computable(const Node& node) {
    const OpInfo* op = find_op(node.op);
    return op && op->eval && !node.type.format && !node.inputs.empty();
}

bool one_of(const Node& node, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), node.op) != names.end();
}

/// The host's work for them is about that of handing the datums over.
bool cheap(const Node& node) {
    return computable(node) &&
           (find_op(node.op)->elementwise || one_of(node, {"reshape", "transpose", "take", "arg_max", "reduce_max"}));
}

/// One number throughout.
bool is_number(const Node& node) { return node.is_constant() && node.literal->is_splat(); }

class Marker {
public:
    Marker(Graph& graph, const PassOptions& options)
        : graph_(graph),
          fallback_(options.host_fallback),
          exact_(options.default_df == DataFormat::Float32 && !options.host_fallback),
          host_(graph.nodes.size(), false) {}

    void run() {
        mark_before();
        if (!exact_) mark_after();
        if (fallback_) {
            decide_before();
            decide_after();
        }
        Diagnostics problems;
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            Node& node = graph_.nodes[id];
            if (!host_[id]) continue;
            node.attrs["host"] = std::int64_t{1};
            if (!fallback_)
                problems.unsupported(node.loc, "'{}' ({}{}) would run on the host, and no host step is allowed",
                                     node.name, node.op, node.origin.empty() ? "" : ", of '" + node.origin + "'");
        }
        problems.throw_if_any();
    }

private:
    const Node& operand(const Edge& edge) const { return graph_.nodes[edge.value]; }

    /// A little less or more of an operand may change it by a whole step.
    bool decides(const Node& node) const {
        if (!computable(node)) return false;
        if (one_of(node, {"round", "floor", "ceil", "truncate", "modulo", "equal", "less", "greater", "less_equal",
                          "greater_equal", "arg_max"}))
            return true;
        return whole(node.type) && find_op(node.op)->elementwise;
    }

    void mark_before() {
        std::vector<bool> known(graph_.nodes.size(), false);  // to the host, before the device runs
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            known[id] = node.is_input() || node.is_constant();
            if (!computable(node)) continue;
            bool ready = true, numbers = false;
            for (const Edge& edge : node.inputs) {
                ready = ready && known[edge.value];
                numbers = numbers || (wide(operand(edge).type) && !operand(edge).is_constant());
            }
            const bool table = node.op == "take" && operand(node.inputs[0]).is_constant();
            host_[id] = known[id] = ready && (table || (numbers && !exact_));
        }
    }

    void mark_after() {
        std::vector<std::size_t> device_reads(graph_.nodes.size(), 0);
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            const bool end = device_reads[id] == 0 && computable(node) && wide(node.type);
            if (end) host_[id] = true;
            if (!host_[id])
                for (const Edge& edge : node.inputs) ++device_reads[edge.value];
        }
    }

    /// Decisions that depend on inputs alone, with all they depend on.
    void decide_before() {
        std::vector<bool> known(graph_.nodes.size(), false);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            known[id] = node.is_input() || node.is_constant() || host_[id] || cheap(node);
            for (const Edge& edge : node.inputs) known[id] = known[id] && known[edge.value];
        }
        std::vector<bool> wanted(graph_.nodes.size(), false);
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            if (!known[id] || !computable(node) || !(wanted[id] || decides(node))) continue;
            host_[id] = true;
            for (const Edge& edge : node.inputs) wanted[edge.value] = true;
        }
    }

    /// Decisions that only outputs depend on, with all that follows, and the scaling before them.
    void decide_after() {
        std::vector<bool> last(graph_.nodes.size(), true), device_reads(graph_.nodes.size(), false);
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            last[id] = last[id] && (host_[id] || cheap(node));
            for (const Edge& edge : node.inputs) last[edge.value] = last[edge.value] && last[id];
        }
        std::vector<bool> late(graph_.nodes.size(), false);  // depends on the device
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            bool follows = decides(node);
            for (const Edge& edge : node.inputs) follows = follows || (late[edge.value] && host_[edge.value]);
            if (last[id] && follows) host_[id] = true;
            late[id] = !host_[id] && !node.is_input() && !node.is_constant();
            for (const Edge& edge : node.inputs) late[id] = late[id] || late[edge.value];
        }
        std::vector<bool> host_reads(graph_.nodes.size(), false);
        for (const Output& output : graph_.outputs) device_reads[output.value] = true;
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            if (host_reads[id] && !device_reads[id] && scales(node)) host_[id] = true;
            for (const Edge& edge : node.inputs) (host_[id] ? host_reads : device_reads)[edge.value] = true;
        }
    }
    /// What brings a result to the steps of a decision: no more than a datum by a number.
    bool scales(const Node& node) const {
        if (!computable(node)) return false;
        if (one_of(node, {"reshape", "transpose", "cast", "neg", "abs"})) return true;
        return one_of(node, {"divide", "multiply", "add", "subtract", "maximum", "minimum"}) &&
               (is_number(operand(node.inputs[0])) || is_number(operand(node.inputs[1])));
    }

    Graph& graph_;
    bool fallback_, exact_;
    std::vector<bool> host_;
};

void run(Graph& graph, const PassOptions& options) { Marker(graph, options).run(); }

}  // namespace

extern const Pass mark_host;
const Pass mark_host{.name = "mark-host", .summary = "mark what the host computes around the device's run", .run = run};

}  // namespace tt::ir
