// mark-host: marks host steps with the attribute {host = 1}.
//
//   before   lookups in constant tables by indices that depend only on inputs (embeddings), and ops on integers that
//            the data format does not hold exactly: shapes, indices, token ids, up to the first float
//   after    integers computed at the end (arg_max, casts) that only outputs read
//   between  ops without a device form, anywhere, with the integers and cheap ops between them. The device runs in
//            parts around them (host/host_program.hpp)
//
// The pass also marks discontinuous ops: rounding, comparisons, integer quotients, indices of maxima, and lookups by
// indices that the data format does not hold. The device computes these exactly, but from operands rounded to the data
// format, which may change the result by a whole step. If such an op depends on inputs only through cheap ops, or only
// cheap ops follow it up to the outputs, the host computes it from operands that are not rounded. A product of integers
// (MatMulInteger, QLinearConv) before such an op is marked too, since its sums are exact on the host and have more bits
// than the format. Elementwise functions and softmax before it are marked too, since rounding to the data format would
// make more of their results equal.
//
// Inside a model the device computes these ops, exactly for the operands in its format. Exceptions for the host are:
//
//   indices beyond the data format (lookups in long tables, maxima of long axes), with their integer operands;
//   sine and cosine of cumulative sums, whose phases are large, with the sums;
//   powers of a base of any sign.
//
// compiler/formats/integer_indices.hpp warns of integers that the device does not hold. With `device_comparisons` all
// comparisons stay on the device, and the host does not take cheap ops just to avoid transfers. Indices of maxima at
// the end are then computed from the device's results.
//
// In training, gradients pass through ops of the device only. Ops between a trained tensor and an output stay there,
// and one without a device form is refused. The forward program has one part, since the next one is the backward
// program: what the host reads between ops of the device, the host computes.
//
// Without `host_fallback` these ops run on the device, and ops that need the host are rejected. Float32 holds the
// integers of most models.
#include "base/error_codes.hpp"
#include "compiler/ir/integer_ranges.hpp"
#include "compiler/ir/training.hpp"
#include "compiler/passes/host_marker.hpp"
#include "compiler/passes/signs.hpp"
#include "kernels/formats/overflow.hpp"

namespace ttsim::impl::ir {

namespace {

/// Bool tensors that are repeated, sliced or concatenated.
bool moves_mask(const Node& node) { return node.op == op::map_axis && node.type.dtype == DType::Bool; }

}  // namespace

bool HostMarker::is_wide_integer(const Type& type) {
    return !is_float(type.dtype) && type.dtype != DType::I8 && type.dtype != DType::U8 && type.dtype != DType::Bool;
}

bool HostMarker::computable(const Node& node) {
    const OpInfo* op = find_op(node.op);
    return op && (op->has_value() || node.is_result()) && !node.type.format && !node.inputs.empty();
}

bool HostMarker::cheap(const Node& node) {
    return computable(node) && (find_op(node.op)->elementwise || moves_mask(node) ||
                                node.op.is_any_of({op::reshape, op::transpose, op::take, op::arg_max, op::reduce_max}));
}

HostMarker::HostMarker(Graph& graph, const PassOptions& options)
    : graph_(graph),
      options_(options),
      fallback_(options.host_fallback),
      device_compares_(options.device_comparisons),
      exact_integers_(max_exact_integer(options.default_df, false)),
      exact_(options.default_df == DataFormat::Float32 && !options.host_fallback),
      host_(graph.nodes.size(), false),
      integer_gemm_(graph.nodes.size(), false) {}

void HostMarker::run() {
    mark_without_device_form();
    mark_inexact();
    mark_before();
    if (!exact_) mark_after();
    if (fallback_) {
        mark_inexact_indices();
        mark_phases();
        find_integer_gemms();
        mark_discontinuous_before();
        mark_discontinuous_after();
        if (!device_compares_) join_host_ops();
        if (!device_compares_) reduce_on_host();
    }
    unmark_loops();
    Diagnostics problems;
    if (options_.training) {
        const std::vector<bool> passes = unmark_gradients(*options_.training, problems);
        if (problems.empty()) mark_before_host(passes, problems);
    }
    write_marks(problems);
    problems.throw_if_any();
}

void HostMarker::write_marks(Diagnostics& problems) {
    for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
        Node& node = graph_.nodes[id];
        if (!host_[id]) continue;
        node.set(attr::host, true);
        if (!fallback_ && !node.is_result())
            problems.add(
                make_problem(Fault::Unsupported,
                             {node.loc, error_code::unsupported_op, {node.origin.empty() ? node.name : node.origin}},
                             fmt::format("'{}' ({}{}) would run on the host, and no host step is allowed", node.name,
                                         node.op, node.origin.empty() ? "" : ", of '" + node.origin + "'")));
    }
}

void HostMarker::mark_without_device_form() {
    for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
        const Node& node = graph_.nodes[id];
        const OpInfo* op = find_op(node.op);
        host_[id] = node.has(attr::host) || (op && op->level == Level::Host) ||
                    (fallback_ && is_power_of_any_sign(graph_, node));
    }
    without_device_form_ = host_;
}

void HostMarker::mark_inexact() {
    const std::vector<bool> inexact =
        inexact_integer_ops(graph_, integer_ranges(graph_), exact_integer_limit(options_));
    for (ValueId id = 0; id < graph_.nodes.size(); ++id) host_[id] = host_[id] || inexact[id];
}

void HostMarker::mark_before() {
    std::vector<bool> known(graph_.nodes.size(), false);  // available on the host before the device runs
    for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
        const Node& node = graph_.nodes[id];
        known[id] = node.is_input() || node.is_constant() || host_[id];
        if (!computable(node) || host_[id]) continue;
        bool ready = true, numbers = false;
        for (const Edge& edge : node.inputs) {
            ready = ready && known[edge.value];
            numbers = numbers || (is_wide_integer(operand(edge).type) && !operand(edge).is_constant());
        }
        const bool table = node.op == op::take && operand(node.inputs[0]).is_constant();
        host_[id] = known[id] = ready && (table || (numbers && !exact_));
    }
}

void HostMarker::mark_after() {
    std::vector<std::size_t> device_reads(graph_.nodes.size(), 0);
    for (ValueId id = graph_.nodes.size(); id-- > 0;) {
        const Node& node = graph_.nodes[id];
        const bool end = device_reads[id] == 0 && computable(node) && is_wide_integer(node.type);
        if (end) host_[id] = true;
        if (!host_[id])
            for (const Edge& edge : node.inputs) ++device_reads[edge.value];
    }
}

void HostMarker::unmark_loops() {
    std::vector<bool> inside(graph_.nodes.size(), false);
    for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
        const Node& node = graph_.nodes[id];
        if (node.op == op::loop_results) continue;
        for (const Edge& edge : node.inputs) {
            const OpId from = operand(edge).op;
            inside[id] = inside[id] || inside[edge.value] || from == op::loop_feed || from == op::loop_state;
        }
        if (inside[id]) host_[id] = false;
    }
}

std::vector<bool> HostMarker::unmark_gradients(const TrainingRequest& request, Diagnostics& problems) {
    std::vector<bool> passes(graph_.nodes.size(), false);
    for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
        const Node& node = graph_.nodes[id];
        passes[id] = node.is_parameter() || (node.is_input() && request.input_gradients.contains(node.origin));
        for (const Edge& edge : node.inputs) passes[id] = passes[id] || passes[edge.value];
        passes[id] = passes[id] && !is_wide_integer(node.type);
        if (!passes[id] || !host_[id]) continue;
        // the device computes powers of any sign, but less exactly
        host_[id] = without_device_form_[id] && node.op != op::power;
        if (host_[id] && is_float(node.type.dtype))
            problems.unsupported(node.loc,
                                 "'{}' ({}) would run on the host, and gradients pass through the device only; "
                                 "freeze the tensors that it depends on, or compute it after the model",
                                 node.origin.empty() ? node.name : node.origin, node.op);
    }
    return passes;
}

void HostMarker::mark_before_host(const std::vector<bool>& passes, Diagnostics& problems) {
    std::vector<bool> device_waits(graph_.nodes.size(), false),  // an op of the device waits for the value
        host_waits(graph_.nodes.size(), false);                  // so does the host before such an op
    for (ValueId id = graph_.nodes.size(); id-- > 0;) {
        Node& node = graph_.nodes[id];
        if (node.inputs.empty()) continue;
        if (host_waits[id] && !host_[id]) {
            if (passes[id] || !computable(node))
                problems.unsupported(
                    node.loc,
                    "the host reads '{}' ({}) before the device goes on, and in training the forward "
                    "program runs without a stop; compute it before the model{}",
                    node.origin.empty() ? node.name : node.origin, node.op,
                    passes[id] ? ", or freeze the tensors that it depends on (--freeze)" : ", since the host cannot");
            host_[id] = true;
        }
        for (const Edge& edge : node.inputs) {
            device_waits[edge.value] = device_waits[edge.value] || device_waits[id] || !host_[id];
            host_waits[edge.value] = host_waits[edge.value] || (host_[id] && device_waits[id]);
        }
    }
}

namespace {

void run_mark_host(Graph& graph, const PassOptions& options) { HostMarker(graph, options).run(); }

}  // namespace

extern const Pass mark_host;
const Pass mark_host{.name = "mark-host", .summary = "mark the ops that run on the host", .run = run_mark_host};

}  // namespace ttsim::impl::ir
