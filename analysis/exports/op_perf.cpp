// op_perf.csv and balancer_score.csv, which the original's compiler writes to the current folder.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "analysis/exports/exports.hpp"
#include "analysis/exports/measures.hpp"
#include "base/csv.hpp"
#include "base/new_file.hpp"

namespace ttsim::impl::report {

namespace {

constexpr std::size_t op_perf_operands = 8;

/// Nominal rates of pipes in bytes per cycle, limited by the slowest kind of resource: an estimate without a run.
class NominalRates {
public:
    explicit NominalRates(trace::Reader& trace) {
        trace::Statement query(trace.database(), "SELECT kind, min(bytes_per_cycle) FROM resource GROUP BY kind");
        while (query.step()) by_kind_[query.text(0)] = query.real(1);
    }
    std::optional<double> of(const PipeMeasure& pipe, const Netlist& netlist) const {
        const Queue* queue = pipe.queue ? netlist.find_queue(pipe.other) : nullptr;
        const auto found = by_kind_.find(!queue ? "noc" : queue->where == QueueLoc::Host ? "pcie" : "dram");
        if (pipe.other.empty() || pipe.resident || found == by_kind_.end()) return std::nullopt;
        return found->second;
    }

private:
    std::map<std::string, double> by_kind_;
};

/// Cycles per input of the busiest stage or of the slowest pipe at its nominal rate.
double limiter_cycles(const OpMeasure& op, const NominalRates& rates, const Netlist& netlist) {
    double most = op.use.est_cycles;
    for (const auto* pipes : {&op.operands, &op.outputs})
        for (const PipeMeasure& pipe : *pipes)
            if (const auto rate = rates.of(pipe, netlist); rate && *rate > 0) most = std::max(most, pipe.bytes / *rate);
    return most;
}

std::string op_perf_row(const OpMeasure& op, std::int64_t epoch, const NominalRates& rates, const ExportSource& source,
                        double mhz) {
    std::string row = fmt::format(
        "{}, {}, {}, {}x{}, {}, {:.0f}, {:.0f}", csv_field(op.use.name), csv_field(op.use.type), epoch, op.use.grid_r,
        op.use.grid_c, op.op->cfg.out.shape().tiles(), op.use.est_cycles, limiter_cycles(op, rates, source.netlist()));
    const auto add = [&](const PipeMeasure* pipe) {
        const auto rate = pipe ? rates.of(*pipe, source.netlist()) : std::nullopt;
        row += rate ? fmt::format(", {:.2f}", *rate * mhz / 1000) : std::string(", 0");
    };
    for (std::size_t k = 0; k < op_perf_operands; ++k) add(k < op.operands.size() ? &op.operands[k] : nullptr);
    add(op.outputs.empty() ? nullptr : &op.outputs.front());
    return row + "\n";
}

}  // namespace

void write_op_perf(ExportSource& source, const std::string& folder) {
    const auto mhz = static_cast<double>(source.trace().run().clock_mhz);
    const NominalRates rates(source.trace());
    std::string ops = "name, type, epoch, grid, tiles, cycles, limiter_cycles";
    for (std::size_t k = 0; k < op_perf_operands; ++k) ops += fmt::format(", estimated_input_bw_{}", k);
    ops += ", estimated_output_bw_0\n";
    std::string scores = "epoch, score\n";
    double total = 0;
    std::map<std::string, std::int64_t> seen;  // launches of the same graphs count as one epoch
    for (const std::int64_t id : own_epochs(source.trace())) {
        const EpochMeasure epoch = measure(source, id);
        const auto number = static_cast<std::int64_t>(seen.size());
        if (!seen.emplace(epoch.use.graphs, number).second) continue;
        double slowest = 0;
        for (const OpMeasure& op : epoch.ops) {
            ops += op_perf_row(op, number, rates, source, mhz);
            slowest = std::max(slowest, limiter_cycles(op, rates, source.netlist()));
        }
        total += slowest;
        scores += fmt::format("{}, {:.2f}\n", number, slowest > 0 ? mhz * 1e6 / slowest : 0);
    }
    scores += fmt::format("total, {:.2f}\n", total > 0 ? mhz * 1e6 / total : 0);
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    const std::filesystem::path place(folder);
    write_new_file((place / "op_perf.csv").string(), FileKind::Csv, [&](std::ostream& out) { out << ops; });
    write_new_file((place / "balancer_score.csv").string(), FileKind::Csv, [&](std::ostream& out) { out << scores; });
}

}  // namespace ttsim::impl::report
