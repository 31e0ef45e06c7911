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
// and one without a device form is refused.
//
// Without `host_fallback` these ops run on the device, and ops that need the host are rejected. Float32 holds the
// integers of most models.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/error_codes.hpp"
#include "compiler/ir/integer_ranges.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/ir/training.hpp"
#include "compiler/passes/signs.hpp"
#include "kernels/formats/overflow.hpp"

namespace ttsim::impl::ir {

namespace {

/// Integer types of more than 8 bits.
bool is_wide_integer(const Type& type) {
    return !is_float(type.dtype) && type.dtype != DType::I8 && type.dtype != DType::U8 && type.dtype != DType::Bool;
}

bool is_integer_type(const Type& type) { return !is_float(type.dtype) && type.dtype != DType::Bool; }

bool computable(const Node& node) {
    const OpInfo* op = find_op(node.op);
    return op && (op->has_value() || node.is_result()) && !node.type.format && !node.inputs.empty();
}

/// Bool tensors that are repeated, sliced or concatenated.
bool moves_mask(const Node& node) { return node.op == op::map_axis && node.type.dtype == DType::Bool; }

/// Ops that cost the host about as much as the transfer of their elements.
bool cheap(const Node& node) {
    return computable(node) && (find_op(node.op)->elementwise || moves_mask(node) ||
                                node.op.is_any_of({op::reshape, op::transpose, op::take, op::arg_max, op::reduce_max}));
}

/// Largest number of multiply-adds of a product on the host: about a second a sample.
constexpr std::int64_t most_products = std::int64_t{1} << 27;

/// Whether all elements are multiples of 2^-16.
bool int8_scale(const Literal& literal) {
    for (std::int64_t i = 0; i < literal.size(); ++i)
        if (const double v = literal.at(i) * 65536; v != std::floor(v) || std::fabs(v) > 1e15) return false;
    return true;
}

/// A splat constant.
bool is_number(const Node& node) { return node.is_constant() && node.literal->is_splat(); }

class Marker {
public:
    Marker(Graph& graph, const PassOptions& options)
        : graph_(graph),
          options_(options),
          fallback_(options.host_fallback),
          device_compares_(options.device_comparisons),
          exact_integers_(max_exact_integer(options.default_df, false)),
          exact_(options.default_df == DataFormat::Float32 && !options.host_fallback),
          host_(graph.nodes.size(), false),
          integer_gemm_(graph.nodes.size(), false) {}

    void run() {
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
        if (options_.training) unmark_gradients(*options_.training, problems);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            Node& node = graph_.nodes[id];
            if (!host_[id]) continue;
            node.set(attr::host, true);
            if (!fallback_ && !node.is_result())
                problems.add(make_problem(
                    Fault::Unsupported,
                    {node.loc, error_code::unsupported_op, {node.origin.empty() ? node.name : node.origin}},
                    fmt::format("'{}' ({}{}) would run on the host, and no host step is allowed", node.name, node.op,
                                node.origin.empty() ? "" : ", of '" + node.origin + "'")));
        }
        problems.throw_if_any();
    }

private:
    const Node& operand(const Edge& edge) const { return graph_.nodes[edge.value]; }

    /// Discontinuous ops: a small change of an operand may change the result by a whole step.
    bool is_discontinuous(const Node& node) const {
        if (!computable(node)) return false;
        if (node.op.is_any_of({op::equal, op::less, op::greater, op::less_equal, op::greater_equal, op::arg_max}))
            return !device_compares_;
        if (node.op.is_any_of({op::round, op::quantize, op::floor, op::ceil, op::truncate, op::modulo})) return true;
        if (node.op == op::take && exceeds_exact_indices(node)) return true;
        return is_integer_type(node.type) && find_op(node.op)->elementwise;
    }

    /// A lookup by computed indices in a table with more rows than the format holds integers exactly.
    bool exceeds_exact_indices(const Node& node) const {
        if (operand(node.inputs[1]).is_constant()) return false;
        const Dims& table = operand(node.inputs[0]).type.dims;
        return table[static_cast<std::size_t>(node.get(attr::axis))] - 1 > exact_integers_;
    }

    void mark_without_device_form() {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            const OpInfo* op = find_op(node.op);
            host_[id] = node.has(attr::host) || (op && op->level == Level::Host) ||
                        (fallback_ && is_power_of_any_sign(graph_, node));
        }
        without_device_form_ = host_;
    }

    /// Ops that a gradient passes through stay on the device, with the tests that they read. Integers end it.
    void unmark_gradients(const TrainingRequest& request, Diagnostics& problems) {
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
    }

    /// Integer ops that the device's floats would round, or not wrap around.
    void mark_inexact() {
        const std::vector<bool> inexact =
            inexact_integer_ops(graph_, integer_ranges(graph_), exact_integer_limit(options_));
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) host_[id] = host_[id] || inexact[id];
    }

    /// Ops in a loop stay on the device.
    void unmark_loops() {
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

    void mark_before() {
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

    void mark_after() {
        std::vector<std::size_t> device_reads(graph_.nodes.size(), 0);
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            const bool end = device_reads[id] == 0 && computable(node) && is_wide_integer(node.type);
            if (end) host_[id] = true;
            if (!host_[id])
                for (const Edge& edge : node.inputs) ++device_reads[edge.value];
        }
    }

    /// Marks indices that the format does not hold, and the integers that host ops read, which the device would round.
    void mark_inexact_indices() {
        std::vector<bool> read_whole(graph_.nodes.size(), false), device_reads(graph_.nodes.size(), false);
        for (const Output& output : graph_.outputs) device_reads[output.value] = true;
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            const bool far =
                computable(node) && (node.op == op::take ? exceeds_exact_indices(node) : finds_inexact_index(node));
            const bool made_of = read_whole[id] && cheap(node) && (is_wide_integer(node.type) || !device_reads[id]);
            if (far || made_of) host_[id] = true;
            for (std::size_t k = 0; k < node.inputs.size(); ++k) {
                const ValueId from = node.inputs[k].value;
                if (!host_[id]) device_reads[from] = true;
                const bool places = host_[id] && is_wide_integer(graph_.type(from)) && node.op != op::arg_max;
                read_whole[from] = read_whole[from] || places || (made_of && !far);
            }
        }
    }
    bool finds_inexact_index(const Node& node) const {
        return node.op == op::arg_max &&
               operand(node.inputs[0]).type.dims[static_cast<std::size_t>(node.get(attr::axis))] - 1 > exact_integers_;
    }

    /// Marks cumulative sums that a sine or cosine depends on, with the ops between.
    void mark_phases() {
        std::vector<bool> sums(graph_.nodes.size(), false), needed(graph_.nodes.size(), false);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            const bool passes = cheap(node) || (node.op == op::map_axis && products(node) <= most_products);
            sums[id] = node.op == op::cumulative_sum;
            for (const Edge& edge : node.inputs) sums[id] = sums[id] || (passes && sums[edge.value]);
        }
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            if (!sums[id] || !(needed[id] || node.op.is_any_of({op::sine, op::cosine}))) continue;
            host_[id] = true;
            for (const Edge& edge : node.inputs) needed[edge.value] = true;
        }
    }

    /// Marks discontinuous ops that depend only on inputs, with the ops they depend on.
    void mark_discontinuous_before() {
        std::vector<bool> known(graph_.nodes.size(), false);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            known[id] = node.is_input() || node.is_constant() || host_[id] || cheap(node);
            for (const Edge& edge : node.inputs) known[id] = known[id] && known[edge.value];
        }
        std::vector<bool> needed(graph_.nodes.size(), false);
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            if (!known[id] || !computable(node) || !(needed[id] || is_discontinuous(node))) continue;
            host_[id] = true;
            for (const Edge& edge : node.inputs) needed[edge.value] = true;
        }
    }

    /// Marks discontinuous ops that only outputs depend on, with the ops after them and the scaling ops before them.
    void mark_discontinuous_after() {
        std::vector<bool> last(graph_.nodes.size(), true), device_reads(graph_.nodes.size(), false);
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            last[id] = last[id] && (host_[id] || cheap(node));
            for (const Edge& edge : node.inputs) last[edge.value] = last[edge.value] && last[id];
        }
        std::vector<bool> late(graph_.nodes.size(), false);  // depends on device results
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            bool follows = is_discontinuous(node);
            for (const Edge& edge : node.inputs) follows = follows || (late[edge.value] && host_[edge.value]);
            if (last[id] && follows) host_[id] = true;
            late[id] = !host_[id] && !node.is_input() && !node.is_constant();
            for (const Edge& edge : node.inputs) late[id] = late[id] || late[edge.value];
        }
        std::vector<bool> host_reads(graph_.nodes.size(), false);
        for (const Output& output : graph_.outputs) device_reads[output.value] = true;
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            const bool scaling = host_reads[id] && !device_reads[id] && (scales(node) || integer_gemm_[id]);
            if (scaling) host_[id] = true;
            const bool stays_on_device =
                device_compares_ && node.op == op::arg_max;  // index of a maximum of device results
            for (const Edge& edge : node.inputs)
                (host_[id] && !stays_on_device ? host_reads : device_reads)[edge.value] = true;
        }
    }

    /// Marks cheap ops on host values that only host ops read, which avoids two transfers.
    void join_host_ops() {
        std::vector<bool> known(graph_.nodes.size(), false), device_reads(graph_.nodes.size(), false),
            host_reads(graph_.nodes.size(), false);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            known[id] = node.is_input() || node.is_constant() || host_[id] || cheap(node);
            if (!host_[id])
                for (const Edge& edge : node.inputs) known[id] = known[id] && known[edge.value];
        }
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            if (known[id] && computable(node) && host_reads[id] && !device_reads[id]) host_[id] = true;
            for (const Edge& edge : node.inputs) (host_[id] ? host_reads : device_reads)[edge.value] = true;
        }
    }

    /// Marks cheap ops on host values whose results are smaller than operands with no other readers: less data is
    /// transferred.
    void reduce_on_host() {
        const std::vector<std::size_t> uses = graph_.use_counts();
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (host_[id] || !cheap(node)) continue;
            std::int64_t saved = -count(node.type.dims);
            bool known = true;
            for (const Edge& edge : node.inputs) {
                known = known && (operand(edge).is_constant() || host_[edge.value]);
                if (host_[edge.value] && uses[edge.value] == 1) saved += count(operand(edge).type.dims);
            }
            host_[id] = known && saved > 0;
        }
    }

    /// Finds products of fixed-point operands, with the ops that shift and scale their results.
    void find_integer_gemms() {
        std::vector<bool> fixed(graph_.nodes.size(), false);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (node.is_constant()) fixed[id] = int8_scale(*node.literal);
            if (is_integer_type(node.type)) fixed[id] = true;
            if (node.inputs.empty() || !computable(node)) continue;
            bool all = true, follows = false, others = true;  // others: all other operands are constants
            for (const Edge& edge : node.inputs) {
                all = all && fixed[edge.value];
                if (integer_gemm_[edge.value])
                    follows = true;
                else
                    others = others && operand(edge).is_constant();
            }
            if (node.op.is_any_of({op::cast, op::add, op::subtract, op::multiply, op::maximum, op::minimum, op::neg,
                                   op::abs, op::reshape, op::transpose}))
                fixed[id] = fixed[id] || all;
            const bool product = all && node.op.is_any_of({op::matmul, op::conv}) && products(node) <= most_products;
            const bool scaled =
                follows && others &&
                node.op.is_any_of({op::add, op::subtract, op::multiply, op::divide, op::reshape, op::transpose});
            integer_gemm_[id] = product || scaled;
        }
    }
    std::int64_t products(const Node& node) const {
        const Dims& right = operand(node.inputs[1]).type.dims;
        const std::int64_t each = node.op == op::conv       ? count(right) / std::max<std::int64_t>(right[0], 1)
                                  : node.op == op::map_axis ? right.back()
                                                            : right[right.size() - 2];
        return count({count(node.type.dims), each});
    }

    /// Ops that scale the operand of a discontinuous op: functions of each element, alone or with a splat constant, or
    /// a softmax.
    bool scales(const Node& node) const {
        if (!computable(node)) return false;
        if (node.op.is_any_of({op::reshape, op::transpose, op::softmax, op::log_softmax})) return true;
        if (node.inputs.size() == 1 && find_op(node.op)->elementwise) return true;
        return node.op.is_any_of({op::divide, op::multiply, op::add, op::subtract, op::maximum, op::minimum}) &&
               (is_number(operand(node.inputs[0])) || is_number(operand(node.inputs[1])));
    }

    Graph& graph_;
    const PassOptions& options_;
    bool fallback_;
    bool device_compares_;         // comparisons stay on the device
    std::int64_t exact_integers_;  // the data format holds the integers 0 to this exactly
    bool exact_;
    std::vector<bool> host_, integer_gemm_, without_device_form_;
};

void run_mark_host(Graph& graph, const PassOptions& options) { Marker(graph, options).run(); }

}  // namespace

extern const Pass mark_host;
const Pass mark_host{.name = "mark-host", .summary = "mark the ops that run on the host", .run = run_mark_host};

}  // namespace ttsim::impl::ir
