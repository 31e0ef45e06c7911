// mark-host: marks with {host = 1} what the host computes around the device's run.
//
//   before   a look-up in a constant table by numbers that only depend on inputs (embeddings), and work on whole
//            numbers that the data format does not hold exactly: shapes, places, token ids, up to the first float
//   after    integers made at the end (arg_max, casts), which only outputs read
//   between  ops without a device form, wherever they stand, with the integers and cheap ops between such ops: the
//            device runs in parts around them (host/host_program.hpp)
//
// Besides, what decides: rounding, comparisons, whole quotients, places of maxima, look-ups by numbers that the data
// format does not hold. The device computes them exactly, but of operands that were rounded to the data format, so that
// a decision may be another. Where such an op depends on inputs alone through cheap ops, or only cheap ops follow up to
// the outputs, the host computes it from what is not rounded. A product of integers (MatMulInteger, QLinearConv)
// before such a decision goes with it: its sums are exact on the host and have more bits than the format. So does what
// is a function of each element, and a softmax: in the data format its results would be equal more often.
//
// Inside a model the device computes all this, and compares exactly what its format holds. Exceptions go to the host:
//
//   indices beyond the data format (look-ups in long tables, maxima of long axes), with their integer operands;
//   sine and cosine of cumulative sums, whose phases are large, with the sums;
//   powers of a base of any sign.
//
// compiler/formats/integer_indices.hpp warns of what the device does not hold. With `device_comparisons` comparisons do
// so everywhere, and the host takes no cheap ops for the way alone: places of maxima at the end are found among what
// the device has made.
//
// Nothing is marked silently: without `host_fallback` the device decides, and integers it does not hold are
// refused; Float32 holds those of most models.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "compiler/ir/integer_ranges.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/passes/signs.hpp"
#include "kernels/formats/overflow.hpp"

namespace ttsim::impl::ir {

namespace {

/// Integers of more than 8 bits.
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

/// Booleans that are repeated, cut or put together.
bool moves_mask(const Node& node) { return node.op == "map_axis" && node.type.dtype == DType::Bool; }

/// The host's work for them is about that of handing the elements over.
bool cheap(const Node& node) {
    return computable(node) && (find_op(node.op)->elementwise || moves_mask(node) ||
                                one_of(node, {"reshape", "transpose", "take", "arg_max", "reduce_max"}));
}

/// Multiply-adds of a product that the host takes: about a second a sample.
constexpr std::int64_t most_products = std::int64_t{1} << 27;

/// Multiples of 2^-16 throughout.
bool fixed_point(const Literal& literal) {
    for (std::int64_t i = 0; i < literal.size(); ++i)
        if (const double v = literal.at(i) * 65536; v != std::floor(v) || std::fabs(v) > 1e15) return false;
    return true;
}

/// One number throughout.
bool is_number(const Node& node) { return node.is_constant() && node.literal->is_splat(); }

class Marker {
public:
    Marker(Graph& graph, const PassOptions& options)
        : graph_(graph),
          options_(options),
          fallback_(options.host_fallback),
          compares_(options.device_comparisons),
          run_(largest_whole_run(options.default_df, false)),
          exact_(options.default_df == DataFormat::Float32 && !options.host_fallback),
          host_(graph.nodes.size(), false),
          integer_gemm_(graph.nodes.size(), false) {}

    void run() {
        mark_without_device_form();
        mark_inexact();
        mark_before();
        if (!exact_) mark_after();
        if (fallback_) {
            mark_far_places();
            mark_phases();
            find_integer_gemms();
            decide_before();
            decide_after();
            if (!compares_) join_host_ops();
            if (!compares_) reduce_on_host();
        }
        leave_loops();
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
        if (one_of(node, {"equal", "less", "greater", "less_equal", "greater_equal", "arg_max"})) return !compares_;
        if (one_of(node, {"round", "quantize", "floor", "ceil", "truncate", "modulo"})) return true;
        if (node.op == "take" && looks_far(node)) return true;
        return whole(node.type) && find_op(node.op)->elementwise;
    }

    /// Into a table of more rows than numbers are held exactly, by numbers that are not known now.
    bool looks_far(const Node& node) const {
        if (operand(node.inputs[1]).is_constant()) return false;
        const Dims& table = operand(node.inputs[0]).type.dims;
        return table[static_cast<std::size_t>(node.integer("axis", 0))] - 1 > run_;
    }

    void mark_without_device_form() {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            const OpInfo* op = find_op(node.op);
            host_[id] = node.has("host") || (op && op->level == Level::Host) ||
                        (fallback_ && is_power_of_any_sign(graph_, node));
        }
    }

    /// Integers that the device's floats would not wrap around, or round.
    void mark_inexact() {
        const std::vector<bool> inexact = inexact_integer_ops(graph_, integer_ranges(graph_), held_integers(options_));
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) host_[id] = host_[id] || inexact[id];
    }

    /// What the device does turn by turn is its own.
    void leave_loops() {
        std::vector<bool> inside(graph_.nodes.size(), false);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (node.op == "loop_results") continue;
            for (const Edge& edge : node.inputs) {
                const std::string& from = operand(edge).op;
                inside[id] = inside[id] || inside[edge.value] || from == "loop_feed" || from == "loop_state";
            }
            if (inside[id]) host_[id] = false;
        }
    }

    void mark_before() {
        std::vector<bool> known(graph_.nodes.size(), false);  // to the host, before the device runs
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            known[id] = node.is_input() || node.is_constant() || host_[id];
            if (!computable(node) || host_[id]) continue;
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

    /// Places that the format does not hold, and the integers that host ops read: the device would round them.
    void mark_far_places() {
        std::vector<bool> read_whole(graph_.nodes.size(), false), device_reads(graph_.nodes.size(), false);
        for (const Output& output : graph_.outputs) device_reads[output.value] = true;
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            const bool far = computable(node) && (node.op == "take" ? looks_far(node) : finds_far(node));
            const bool made_of = read_whole[id] && cheap(node) && (wide(node.type) || !device_reads[id]);
            if (far || made_of) host_[id] = true;
            for (std::size_t k = 0; k < node.inputs.size(); ++k) {
                const ValueId from = node.inputs[k].value;
                if (!host_[id]) device_reads[from] = true;
                const bool places = host_[id] && wide(graph_.type(from)) && node.op != "arg_max";
                read_whole[from] = read_whole[from] || places || (made_of && !far);
            }
        }
    }
    bool finds_far(const Node& node) const {
        return node.op == "arg_max" &&
               operand(node.inputs[0]).type.dims[static_cast<std::size_t>(node.integer("axis", 0))] - 1 > run_;
    }

    /// Running sums that end in a sine or cosine, with all that lies between.
    void mark_phases() {
        std::vector<bool> sums(graph_.nodes.size(), false), wanted(graph_.nodes.size(), false);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            const bool passes = cheap(node) || (node.op == "map_axis" && products(node) <= most_products);
            sums[id] = node.op == "cumulative_sum";
            for (const Edge& edge : node.inputs) sums[id] = sums[id] || (passes && sums[edge.value]);
        }
        for (ValueId id = graph_.nodes.size(); id-- > 0;) {
            const Node& node = graph_.nodes[id];
            if (!sums[id] || !(wanted[id] || one_of(node, {"sine", "cosine"}))) continue;
            host_[id] = true;
            for (const Edge& edge : node.inputs) wanted[edge.value] = true;
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
            const bool scaling = host_reads[id] && !device_reads[id] && (scales(node) || integer_gemm_[id]);
            if (scaling) host_[id] = true;
            const bool found_as_made = compares_ && node.op == "arg_max";  // places among what the device has made
            for (const Edge& edge : node.inputs)
                (host_[id] && !found_as_made ? host_reads : device_reads)[edge.value] = true;
        }
    }

    /// Cheap ops of what the host knows that only its own ops read: the device would hand them back and forth.
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

    /// Cheap ops that leave less of what the host has made, where nobody else wants the whole: less has to cross.
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

    /// Products of operands that hold multiples of a power of two, with what shifts and scales their results.
    void find_integer_gemms() {
        std::vector<bool> fixed(graph_.nodes.size(), false);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (node.is_constant()) fixed[id] = fixed_point(*node.literal);
            if (whole(node.type)) fixed[id] = true;
            if (node.inputs.empty() || !computable(node)) continue;
            bool all = true, follows = false, others = true;  // others: besides what follows a product, constants alone
            for (const Edge& edge : node.inputs) {
                all = all && fixed[edge.value];
                if (integer_gemm_[edge.value])
                    follows = true;
                else
                    others = others && operand(edge).is_constant();
            }
            if (one_of(node, {"cast", "add", "subtract", "multiply", "maximum", "minimum", "neg", "abs", "reshape",
                              "transpose"}))
                fixed[id] = fixed[id] || all;
            const bool product = all && one_of(node, {"matmul", "conv"}) && products(node) <= most_products;
            const bool scaled =
                follows && others && one_of(node, {"add", "subtract", "multiply", "divide", "reshape", "transpose"});
            integer_gemm_[id] = product || scaled;
        }
    }
    std::int64_t products(const Node& node) const {
        const Dims& right = operand(node.inputs[1]).type.dims;
        const std::int64_t each = node.op == "conv"       ? count(right) / std::max<std::int64_t>(right[0], 1)
                                  : node.op == "map_axis" ? right.back()
                                                          : right[right.size() - 2];
        return count({count(node.type.dims), each});
    }

    /// What brings a result to the steps of a decision: a function of each element, alone or with a number, or a
    /// softmax.
    bool scales(const Node& node) const {
        if (!computable(node)) return false;
        if (one_of(node, {"reshape", "transpose", "softmax", "log_softmax"})) return true;
        if (node.inputs.size() == 1 && find_op(node.op)->elementwise) return true;
        return one_of(node, {"divide", "multiply", "add", "subtract", "maximum", "minimum"}) &&
               (is_number(operand(node.inputs[0])) || is_number(operand(node.inputs[1])));
    }

    Graph& graph_;
    const PassOptions& options_;
    bool fallback_;
    bool compares_;     // the device does
    std::int64_t run_;  // of integers, from 0 on, that the data format holds
    bool exact_;
    std::vector<bool> host_, integer_gemm_;
};

void run_mark_host(Graph& graph, const PassOptions& options) { Marker(graph, options).run(); }

}  // namespace

extern const Pass mark_host;
const Pass mark_host{
    .name = "mark-host", .summary = "mark what the host computes around the device's run", .run = run_mark_host};

}  // namespace ttsim::impl::ir
