// Selects the comparison rule and the compared elements of an output queue.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/name_pattern.hpp"
#include "kernels/copy_ops.hpp"
#include "netlist/checks/name_index.hpp"
#include "netlist/compare/compare.hpp"

namespace ttsim::impl {

namespace {

struct Tolerance {
    double rtol, pct, pcc;
    std::string what;
};

bool keeps_values(const std::string& type) { return is_copy(type) || type == "tilizer"; }
bool is_product(const std::string& type) { return type == "matmul" || type == "depthwise"; }
bool is_quantization(const std::string& type) { return type.ends_with("quantization"); }
bool is_binary(const std::string& type) {
    return type == "add" || type == "subtract" || type == "multiply" || type == "maximum";
}

/// Classes of mantissa width, which select the row of the tolerance table.
enum class Width { Wide, Bfp8, Four, Two };
Width width_of(DataFormat f) {
    if (f == DataFormat::Bfp8 || f == DataFormat::Bfp8_b) return Width::Bfp8;
    if (f == DataFormat::Bfp2 || f == DataFormat::Bfp2_b) return Width::Two;
    const bool four =
        f == DataFormat::Bfp4 || f == DataFormat::Bfp4_b || f == DataFormat::Lf8 || f == DataFormat::Fp8_e4m3;
    return four ? Width::Four : Width::Wide;
}

Tolerance product_row(DataFormat out, DataFormat acc, Fidelity fidelity) {
    if (is_integer(acc) || is_integer(out)) return {0.15, 0.40, 0.99, ""};
    switch (width_of(out)) {
        case Width::Bfp8:
            return {0.30, 0.40, 0.90, ""};
        case Width::Four:
            return {0.30, 0.0, 0.90, ""};
        case Width::Two:
            return {0.30, 0.0, 0.65, ""};
        case Width::Wide:
            break;
    }
    return fidelity == Fidelity::LoFi ? Tolerance{0.15, 0.0, 0.90, ""} : Tolerance{0.15, 0.40, 0.99, ""};
}

/// The table of default tolerances by op type and output format (docs/netlist.md "Comparison").
Tolerance default_tolerance(const std::string& type, DataFormat out, DataFormat acc, Fidelity fidelity) {
    if (is_product(type)) return product_row(out, acc, fidelity);
    if (type == "topk") return {0.01, 1.0, 0.99999, ""};
    if (width_of(out) == Width::Four) return {0.30, 0.0, 0.90, ""};
    if (width_of(out) == Width::Two) return {0.30, 0.0, 0.65, ""};
    const bool bfp8 = width_of(out) == Width::Bfp8;
    if (is_binary(type)) return bfp8 ? Tolerance{0.30, 0.85, 0.99, ""} : Tolerance{0.15, 0.90, 0.99, ""};
    const bool plain = keeps_values(type) || type == "splice" || type == "reduce" || type == "embedding" ||
                       type == "fused_op" || is_quantization(type);
    return plain && !bfp8 ? Tolerance{0.15, 0.90, 0.99, ""} : Tolerance{0.30, 0.65, 0.99, ""};
}

void loosen(Tolerance& so_far, const Tolerance& other) {
    if (other.rtol > so_far.rtol || other.pct < so_far.pct || other.pcc < so_far.pcc) so_far.what = other.what;
    so_far.rtol = std::max(so_far.rtol, other.rtol);
    so_far.pct = std::min(so_far.pct, other.pct);
    so_far.pcc = std::min(so_far.pcc, other.pcc);
}

Tolerance row_of(const OpConfig& op) {
    Tolerance row = default_tolerance(op.type, op.out_df, op.acc_df, op.fidelity);
    if (op.fused)
        for (const auto& schedule : op.fused->schedules)
            for (const FusedSubOp& sub : schedule)
                loosen(row, default_tolerance(sub.type, op.out_df, op.acc_df, op.fidelity));
    row.what = fmt::format("{} {}", op.type, to_string(op.out_df));
    return row;
}

/// The ops that contribute to a queue, nearest first.
std::vector<const Op*> ancestors(const NameIndex& index, const Queue& output) {
    std::vector<const Op*> found;
    std::set<std::string> seen{output.name};
    std::vector<std::string> open{output.input};
    for (std::size_t i = 0; i < open.size(); ++i) {
        const std::string name = open[i];
        if (!seen.insert(name).second) continue;
        if (const Op* op = index.op(name).op) {
            found.push_back(op);
            open.insert(open.end(), op->inputs.begin(), op->inputs.end());
        } else if (const Queue* queue = index.queue(name); queue && !queue->from_host()) {
            open.push_back(queue->input);
        }
    }
    return found;
}

bool full_match(const std::string& name, const std::string& text) {
    const std::optional<NamePattern> pattern = NamePattern::parse(text);
    return pattern && pattern->matches(name);
}

/// The netlist's rule for a queue and its source; nullptr if there is none.
const Comparison* own_rule(const TestConfig& test, const std::string& queue, std::string& source) {
    for (const bool exact : {true, false})
        for (const auto& [name, rule] : test.comparison_overrides)
            if (exact ? name == queue : full_match(queue, name)) {
                source = "comparison-config override '" + name + "'";
                return &rule;
            }
    source = "comparison-config";
    return test.comparison ? &*test.comparison : nullptr;
}

Comparison default_rule(const std::vector<const Op*>& ops, std::string& source) {
    Tolerance row{0, 1, 1, ""};
    for (const Op* op : ops) loosen(row, row_of(op->cfg));
    if (ops.empty()) row = {0.15, 0.90, 0.99, "copy"};
    source = "usual tolerance of " + row.what;
    constexpr std::size_t max_ops = 10;
    if (ops.size() > max_ops) {
        loosen(row, {0.15, 0.50, 0.92, ""});
        source += ", and of more than 10 ops";
    }
    Comparison rule;
    rule.atol = 0.01;
    rule.rtol = row.rtol;
    rule.check_pct = row.pct;
    rule.check_pcc = row.pcc;
    return rule;
}

/// PCC of --strict, as the formats on the path allow; 0 if one of them is too coarse.
double strict_pcc(const std::vector<const Op*>& ops) {
    bool all_float32 = !ops.empty();
    for (const Op* op : ops) {
        const DataFormat f = op->cfg.out_df;
        const bool precise_format = f == DataFormat::Float32 || f == DataFormat::Float16 ||
                                    f == DataFormat::Float16_b || width_of(f) == Width::Bfp8;
        const bool multiplies = is_product(op->cfg.type) || op->cfg.type == "multiply" || op->cfg.fused;
        const bool precise = op->cfg.fidelity == Fidelity::HiFi3 || op->cfg.fidelity == Fidelity::HiFi4;
        if (!precise_format || (multiplies && !precise)) return 0;
        all_float32 = all_float32 && f == DataFormat::Float32;
    }
    return ops.empty() ? 0 : all_float32 ? 0.999 : 0.99;
}

/// The op whose result a queue holds, skipping copies without TMs.
const Op* producer_of(const NameIndex& index, const Queue& output) {
    if (!output.input_tms.empty()) return nullptr;
    std::set<std::string> seen;
    std::string name = output.input;
    while (seen.insert(name).second) {
        if (const Queue* queue = index.queue(name)) {
            if (queue->from_host() || !queue->input_tms.empty()) return nullptr;
            name = queue->input;
            continue;
        }
        const Op* op = index.op(name).op;
        const bool is_plain_copy = op && keeps_values(op->cfg.type) && op->inputs.size() == 1 &&
                                   std::all_of(op->tms.begin(), op->tms.end(), [](const auto& t) { return t.empty(); });
        if (!is_plain_copy) return op;
        name = op->inputs.front();
    }
    return nullptr;
}

void limit_to_reduced(ComparedPart& part, ReduceDim dim) {
    if (dim == ReduceDim::R || dim == ReduceDim::RC) part.row_end = 1;
    if (dim == ReduceDim::C || dim == ReduceDim::RC) part.col_end = 1;
    if (part.row_end == 1)
        part.why = part.col_end == 1 ? "reduce rc keeps one value" : "reduce r keeps row 0";
    else if (part.col_end == 1)
        part.why = "reduce c keeps column 0";
}

/// A vector mode computes the first rows or columns of a tile; small tiles are computed completely.
void limit_to_vector(ComparedPart& part, const OpAttributes& attr, TileDim tile) {
    if (!attr.vector || tile != TileDim{}) return;
    if (*attr.vector == VectorMode::R) {
        part.row_end = 4;
        part.why = "vector mode r computes rows 0 to 3";
    } else if (*attr.vector == VectorMode::C) {
        part.col_end = 16;
        part.why = "vector mode c computes columns 0 to 15";
    }
}

void limit_to_result(ComparedPart& part, const std::string& type, const OpAttributes& attr, TileDim tile) {
    if (type == "reduce") limit_to_reduced(part, attr.reduce_dim);
    limit_to_vector(part, attr, tile);
}

/// The sub-op that writes the output of a fused op.
const FusedSubOp* last_sub_op(const FusedDefinition& fused) {
    for (const auto& schedule : fused.schedules)
        for (const FusedSubOp& sub : schedule)
            if (sub.output.kind == FusedOperand::Kind::Output) return &sub;
    return nullptr;
}

/// Whether a name in io-config refers to the queue, or to one of its instances.
bool refers_to(const std::string& listed, const Queue& queue) {
    return !queue.from_host() && (listed == queue.name || fmt::format("{}.{}", listed, queue.device()) == queue.name);
}

/// Op-fed outputs of io-config; empty if it lists none, and then all outputs are compared.
std::set<std::string> listed_outputs(const Netlist& resolved) {
    std::set<std::string> listed;
    for (const Queue& queue : resolved.queues)
        for (const std::string& name : resolved.test.io_outputs)
            if (refers_to(name, queue)) listed.insert(queue.name);
    return listed;
}

}  // namespace

ComparisonRule comparison_for(const Netlist& resolved, const Queue& output, bool strict) {
    const NameIndex index(resolved);
    const std::vector<const Op*> ops = ancestors(index, output);
    ComparisonRule result;
    const Comparison* own = own_rule(resolved.test, output.name, result.source);
    result.from_netlist = own != nullptr;
    result.comparison = own ? *own : default_rule(ops, result.source);
    // FlatTensor applies only to row-major data
    const bool plain = output.layout == QueueLayout::Flat || (!ops.empty() && ops.front()->cfg.untilize);
    result.comparison.flat = result.comparison.flat && plain;
    if (is_raw(output.df)) result.comparison.type = Comparison::Type::Exact;
    if (strict) result.strict_pcc = strict_pcc(ops);
    return result;
}

Comparison float32_comparison() {
    Comparison rule;
    rule.type = Comparison::Type::AllClose;
    rule.atol = -1e-4;
    rule.rtol = 1e-4;
    rule.check_pct = 1;
    rule.check_pcc = 0.99999;
    rule.flat = false;
    return rule;
}

ComparedPart compared_part_of(const OpConfig& op) {
    ComparedPart part;
    part.bits = is_raw(op.out_df);
    limit_to_result(part, op.type, op.attr, op.tile);
    if (op.fused)
        if (const FusedSubOp* sub = last_sub_op(*op.fused)) limit_to_result(part, sub->type, sub->attributes, op.tile);
    return part;
}

ComparisonRule comparison_for_op(const OpConfig& op) {
    ComparisonRule result;
    Op alone;
    alone.cfg = op;
    result.comparison = default_rule({&alone}, result.source);
    result.comparison.flat = false;
    if (is_raw(op.out_df)) result.comparison.type = Comparison::Type::Exact;
    return result;
}

ComparedPart compared_part(const Netlist& resolved, const Queue& output) {
    const NameIndex index(resolved);
    ComparedPart part;
    part.bits = is_raw(output.df);
    if (const Op* op = producer_of(index, output)) {
        part = compared_part_of(op->cfg);
        part.bits = is_raw(output.df);
    }
    const std::set<std::string> listed = listed_outputs(resolved);
    if (!listed.empty() && !listed.contains(output.name)) {
        part.judged = false;
        part.why = "io-config lists other outputs";
    }
    return part;
}

std::vector<const Queue*> reported_outputs(const Netlist& resolved) {
    std::set<std::string_view> read;
    for (const Graph& graph : resolved.graphs)
        for (const Op& op : graph.ops) read.insert(op.inputs.begin(), op.inputs.end());
    for (const Queue& queue : resolved.queues)  // reading an alias reads its memory
        if (!queue.alias.empty() && read.contains(queue.name)) read.insert(queue.alias);
    const std::set<std::string> listed = listed_outputs(resolved);
    std::vector<const Queue*> outputs;
    for (const Queue& queue : resolved.queues)
        if (!queue.from_host() && (!read.contains(queue.name) || listed.contains(queue.name)))
            outputs.push_back(&queue);
    return outputs;
}

std::vector<std::string> unknown_outputs(const Netlist& resolved) {
    std::vector<std::string> unknown;
    for (const std::string& name : resolved.test.io_outputs)
        if (std::none_of(resolved.queues.begin(), resolved.queues.end(),
                         [&](const Queue& q) { return refers_to(name, q); }))
            unknown.push_back(name);
    return unknown;
}

}  // namespace ttsim::impl
