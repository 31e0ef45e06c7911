#include "compiler/model/compiled_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "compiler/host/host_rounding.hpp"
#include "compiler/host/index_bounds.hpp"
#include "compiler/model/residue.hpp"
#include "compiler/onnx/value_file.hpp"
#include "kernels/formats/numerics.hpp"
#include "kernels/formats/overflow.hpp"

namespace ttsim::impl::ir {

Values all_inputs(const CompileOptions& options, const HostProgram& program) {
    Values values;
    std::uint32_t seed = options.seed;
    const std::vector<bool> read = read_nodes(program);
    const std::vector<std::int64_t> below = index_bounds(program.graph, 10);
    for (ValueId id = 0; id < read.size(); ++id) {
        const Node& node = program.graph.nodes[id];
        if (!node.is_input() || node.has(attr::device)) continue;
        ++seed;
        if (!read[id]) continue;
        const std::string name = boundary_name(node);
        const auto found = options.inputs.find(name);
        values.emplace(name, found == options.inputs.end() ? random_values(node.type, seed, below[id])
                                                           : fitted(found->second, node.type, "", name));
    }
    return values;
}

std::optional<Values> device_samples(const CompileOptions& options, const HostProgram& program) {
    if (options.inputs.empty()) return std::nullopt;
    try {
        Values samples = HostRun(program, all_inputs(options, program)).device_inputs(1);
        return samples;
    } catch (const Error& error) {
        if (error.fault() != Fault::Input) throw;
        return std::nullopt;  // reported when they are run
    }
}

static std::map<std::string, DataFormat> queue_formats(const Netlist& netlist) {
    std::map<std::string, DataFormat> formats;
    for (const Queue& queue : netlist.queues) formats.emplace(queue.name, queue.df);
    return formats;
}

/// The constant in pieces as the host pushes it.
static void each_piece(const Literal& literal, DataFormat df, const Multipliers& by, bool bits,
                       const std::function<void(std::span<const float>)>& use) {
    constexpr std::size_t most = std::size_t{1} << 16;  // elements; they stay in the processor's cache
    const auto in_pieces = [&](std::span<const float> all) {
        if (bits) return use(all);
        const PushRounding rounding(df, all, by);
        std::vector<float> piece(std::min(most, all.size()));
        for (std::size_t first = 0; first < all.size(); first += most) {
            const std::span<const float> part = all.subspan(first, std::min(most, all.size() - first));
            std::copy(part.begin(), part.end(), piece.begin());
            rounding.apply(std::span(piece).first(part.size()));
            use(std::span(piece).first(part.size()));
        }
    };
    if (is_float(literal.dtype())) return literal.with_floats(in_pieces);
    std::vector<float> all(static_cast<std::size_t>(literal.size()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(literal.at(static_cast<std::int64_t>(i)));
    in_pieces(all);
}

static ConstantEntry entry_of(LiteralPtr literal, DataFormat df, const Multipliers& by, bool bits) {
    const Dims& dims = literal->dims();
    const std::int64_t z = dims[0], rows = dims[1], cols = dims[2];
    return {z, rows, cols,
            [literal = std::move(literal), df, by, bits](const auto& use) { each_piece(*literal, df, by, bits, use); }};
}

/// What rounding takes from a parameter where the host pushes it.
static Tensor residue_entry(const LiteralPtr& values, DataFormat df, const Multipliers& by, DataFormat own) {
    const Literal& parameter = *values;
    Tensor stored = entry_of(values, df, by, false).take();
    host_convert(df, {stored.data.data(), stored.z * stored.rows, stored.cols, stored.cols});
    Tensor entry(stored.z, stored.rows, stored.cols);
    entry.data = parameter.copied_floats();
    subtract_stored(entry.data, stored.data);
    round_for_push(own, entry.data);
    return entry;
}

std::vector<QueueConstant> entries_of(const EmittedModel& emitted, bool round) {
    const std::map<std::string, DataFormat> formats = queue_formats(emitted.netlist);
    const std::map<std::string, Multipliers> multipliers = multipliers_by_queue(emitted.netlist);
    const std::map<std::string, std::string> by_residue = parameters_by_residue(emitted.trained);
    std::map<std::string, LiteralPtr> values_of;
    for (const QueueValues& constant : emitted.constants) values_of.emplace(constant.queue, constant.values);
    const auto format = [&](const std::string& queue) { return round ? formats.at(queue) : DataFormat::Float32; };
    const auto by = [&](const std::string& queue) {
        const auto seen = multipliers.find(queue);
        return !round || seen == multipliers.end() ? Multipliers{} : seen->second;
    };
    std::vector<QueueConstant> constants;
    for (const auto& [queue, literal, bits, unused] : emitted.constants) {
        if (!bits && !by_residue.contains(queue) && literal->is_filled() && literal->at(0) == 0) {
            const Dims& dims = literal->dims();
            constants.push_back({queue, ConstantEntry::zeros(dims[0], dims[1], dims[2]), false});
            continue;
        }
        const auto found = by_residue.find(queue);
        if (found == by_residue.end()) {
            constants.push_back({queue, entry_of(literal, format(queue), by(queue), bits), bits});
            continue;
        }
        const auto make = [values = values_of.at(found->second), df = format(found->second), reads = by(found->second),
                           own = format(queue)] { return residue_entry(values, df, reads, own); };
        constants.push_back({queue, {literal->dims()[2], make}, bits});
    }
    return constants;
}

/// Notes on constants that overflow their format.
static std::vector<std::string> overflow_notes(const EmittedModel& emitted) {
    const std::map<std::string, DataFormat> formats = queue_formats(emitted.netlist);
    std::vector<std::string> notes;
    for (const auto& [queue, literal, bits, unused] : emitted.constants) {
        if (bits || !is_float(literal->dtype())) continue;  // bytes of sparse tiles, which every format holds
        const DataFormat df = formats.at(queue);
        const float most = largest_number(df);
        const auto many = literal->with_floats([most](const std::vector<float>& values) {
            return std::count_if(values.begin(), values.end(),
                                 [most](float v) { return std::fabs(v) > most && std::isfinite(v); });
        });
        if (many > 0)
            notes.push_back(
                fmt::format("constant '{}': {} of {} elements are beyond {} (largest {:g}) and are cut; a "
                            "format of 8 exponent bits holds them (--default-df Float16_b)",
                            queue, many, literal->size(), to_string(df), most));
    }
    return notes;
}

std::vector<ModelParameter> parameters_of(const Graph& model, const EmittedModel& emitted, const HostProgram& host) {
    std::map<std::string, std::vector<ModelParameter::Use>> uses;
    std::set<std::string> mixed;
    const auto see = [&](const DerivationPtr& from, const std::string& queue, const std::string& node) {
        if (!from) return;
        if (from->of.size() > 1 || from->fixed)
            mixed.insert(from->of.begin(), from->of.end());
        else
            uses[from->of.front()].push_back({queue, node, from});
    };
    for (const QueueValues& constant : emitted.constants) see(constant.derivation, constant.queue, "");
    for (const Node& node : host.graph.nodes)
        if (node.is_constant()) see(node.derivation, "", node.name);
    const std::vector<std::size_t> counts = model.use_counts();
    std::vector<ModelParameter> parameters;
    for (ValueId id = 0; id < model.nodes.size(); ++id) {
        const Node& node = model.nodes[id];
        const auto found = uses.find(parameter_name(node));
        if (!node.is_constant() || counts[id] != 1 || found == uses.end() || mixed.count(found->first)) continue;
        parameters.push_back({found->first, node.type, node.literal, std::move(found->second)});
        uses.erase(found);
    }
    return parameters;
}

ModelWork shared_work(const WorkByOrigin& all, const WorkByOrigin& host) {
    ModelWork work;
    for (const auto& [unused, adds] : all) work.all += adds;
    for (const auto& [origin, adds] : host) {
        const auto whole = all.find(origin);
        work.host += whole == all.end() ? adds : std::min(adds, whole->second);
    }
    work.host = std::min(work.host, work.all);
    return work;
}

CompileReport report_of(const std::string& arch, CompileState& state) {
    CompileReport report;
    report.arch = arch;
    report.ops = state.schedule->ops.size();
    report.epochs = state.schedule->epochs;
    report.estimated_cycles = state.schedule->estimated_cycles;
    report.constants = state.emitted->constants.size();
    report.saved_bytes = state.emitted->saved_bytes;
    report.decisions = std::move(state.schedule->decisions);
    report.variant = state.schedule->variant;
    report.core_cycles = std::move(state.core_cycles);
    report.steps = std::move(state.schedule->steps);
    report.notes = std::move(state.notes);
    report.ignored_overrides = std::move(state.ignored_overrides);
    for (std::string& note : overflow_notes(*state.emitted)) report.notes.push_back(std::move(note));
    return report;
}

}  // namespace ttsim::impl::ir
