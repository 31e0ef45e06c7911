#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/table.hpp"
#include "analysis/report/training_report.hpp"
#include "analysis/trace_report/trace_report.hpp"
#include "base/figures.hpp"
#include "isa/arch.hpp"
#include "isa/uncertainty.hpp"

namespace ttsim::impl::report {

using trace::EpochUse;
using trace::OpUse;
using trace::ResourceUse;
using trace::RunInfo;

namespace {

using Width = std::optional<std::size_t>;

std::string bytes_rate(double number) { return fmt::format("{:.1f}", number); }

std::string head(const RunInfo& run) {
    std::string text = fmt::format("{} on {} ({}), {} mode: {} cycles", run.netlist, run.device, run.arch, run.mode,
                                   grouped(run.cycles));
    if (run.clock_mhz > 0)
        text += fmt::format(", {:.4g} ms at {} MHz",
                            milliseconds_of(static_cast<std::uint64_t>(run.cycles), run.clock_mhz), run.clock_mhz);
    text += "\n";
    if (run.end_to_end_per_second > 0)
        text += rates_line(run.end_to_end_per_second, run.inputs_per_second, run.rate_of_loop);
    if (!is_validated(run.arch))
        text +=
            fmt::format("note: chip '{}' is not validated: no result was compared with measurements of it\n", run.arch);
    if (run.status != "complete") text += fmt::format("note: the run ended early ({}): {}\n", run.status, run.message);
    return text;
}

std::string epochs_text(const RunInfo& run, const std::vector<EpochUse>& epochs, Width width) {
    const std::optional<TrainingUse> training = trace::training_use(run, epochs);
    std::vector<Table::Column> columns{{"epoch"}, {"graphs", false}};
    if (training) columns.push_back({"type", false});
    columns.insert(columns.end(), {{"inputs"},
                                   {"cycles"},
                                   {"inputs/s"},
                                   {"cores"},
                                   {"util"},
                                   {"matmul cores"},
                                   {"matmul util"},
                                   {"limiting op", false},
                                   {"by", false}});
    Table table(columns);
    for (const EpochUse& e : epochs) {
        std::vector<std::string> row{grouped(e.id), e.graphs};
        if (training) row.push_back(e.epoch_type);
        row.insert(row.end(), {grouped(e.inputs), grouped(e.cycles), rate_text(e.inputs_per_second), grouped(e.cores),
                               percent(e.utilization), grouped(e.matmul_cores), percent(e.matmul_utilization),
                               e.limiting_op.empty() ? "-" : e.limiting_op, to_string(e.limit)});
        table.add(std::move(row));
    }
    return "\n" + table.text(width) + (training ? training_text(*training, width) : "");
}

/// Marks types of ops whose kernels were never measured, and says so below the table.
constexpr std::string_view unmeasured_mark = " *";

std::string unmeasured_text(const std::optional<Uncertainty>& errors, const std::vector<OpUse>& ops) {
    if (!errors || std::all_of(ops.begin(), ops.end(), [&](const OpUse& op) { return errors->measured(op.type); }))
        return "";
    return fmt::format(
        "* kernels of this type were not measured alone on a card; inside networks 80 % are within {:.0f} %\n",
        100 * errors->unmeasured);
}

std::string ops_text(const RunInfo& run, const EpochUse& epoch, const std::vector<OpUse>& ops, Width width) {
    Table table({{"op", false},
                 {"type", false},
                 {"grid"},
                 {"est"},
                 {"kernel"},
                 {"bw_kernel"},
                 {"cycles"},
                 {"limits", false},
                 {"for input"},
                 {"for room"},
                 {"math"},
                 {"in need"},
                 {"in got"},
                 {"out need"},
                 {"out got"}});
    const std::optional<Uncertainty> errors = uncertainty_of(run.arch);
    for (const OpUse& op : ops) {
        const bool marked = errors && !errors->measured(op.type);
        table.add({op.name, marked ? op.type + std::string(unmeasured_mark) : op.type,
                   fmt::format("{}x{}", op.grid_r, op.grid_c), rounded(op.est_cycles), rounded(op.kernel_cycles),
                   rounded(op.bw_kernel_cycles), rounded(op.cycles), to_string(op.limit),
                   percent(op.wait_source_share()), percent(op.wait_room_share()), percent(op.math_utilization),
                   bytes_rate(op.in_bytes_per_cycle_needed()), bytes_rate(op.in_bytes_per_cycle_got()),
                   bytes_rate(op.out_bytes_per_cycle_needed()), bytes_rate(op.out_bytes_per_cycle_got())});
    }
    return fmt::format("\nepoch {}: {} on chips {}, {} inputs, {} cycles from cycle {}, {} inputs/s\n", epoch.id,
                       epoch.graphs, epoch.chips, grouped(epoch.inputs), grouped(epoch.cycles),
                       grouped(epoch.start_cycle), rate_text(epoch.inputs_per_second)) +
           table.text(width) + "\ncycles are per input, of the op's slowest core; need and got are bytes per cycle\n" +
           unmeasured_text(errors, ops);
}

constexpr std::size_t most_waits = 8;

/// Waits for packed tiles (whole blocks, lockstep of forks), and remedies.
std::string waits_text(const std::vector<trace::OutputStreamingWait>& waits, Width width) {
    if (waits.empty()) return "";
    Table table({{"packed by", false}, {"waits", false}, {"in"}, {"block not packed"}, {"fork lockstep"}});
    for (std::size_t n = 0; n < std::min(most_waits, waits.size()); ++n)
        table.add({waits[n].source, waits[n].reader, grouped(waits[n].operand), rounded(waits[n].block_cycles),
                   rounded(waits[n].lockstep_cycles)});
    std::string text = "\n" + table.text(width) + "\ncycles per input for which tiles lay packed";
    if (waits.size() > most_waits) text += fmt::format("; {} more in --json", waits.size() - most_waits);
    const trace::OutputStreamingWait& first = waits.front();
    text += first.lockstep_cycles > first.block_cycles
                ? fmt::format(
                      "; a nop between '{}' and its slowest reader, or a larger buffer of that reader, lets '{}' "
                      "go on\n",
                      first.source, first.reader)
                : fmt::format(
                      "; smaller mblocks of '{}', or a reader that takes its tiles in order ('ttsim explain' says "
                      "which does not), let '{}' go on\n",
                      first.source, first.reader);
    return text;
}

std::string resources_text(const std::vector<ResourceUse>& resources, Width width) {
    Table table(
        {{"resource", false}, {"B/cycle"}, {"transfers"}, {"bytes"}, {"busy"}, {"util"}, {"peak"}, {"queueing"}});
    for (const ResourceUse& r : resources)
        table.add({r.name, fmt::format("{:g}", r.bytes_per_cycle), grouped(r.transfers), grouped(r.bytes),
                   grouped(r.busy_cycles), percent(r.utilization), percent(r.peak_utilization),
                   grouped(r.queueing_cycles)});
    return "\n" + table.text(width);
}

}  // namespace

std::string text(const TraceReport& report, Width width) {
    std::string out = head(report.run);
    if (report.epochs) out += epochs_text(report.run, *report.epochs, width);
    if (report.epoch) out += ops_text(report.run, *report.epoch, report.ops, width) + waits_text(report.waits, width);
    if (report.resources) out += resources_text(*report.resources, width);
    return out;
}

}  // namespace ttsim::impl::report
