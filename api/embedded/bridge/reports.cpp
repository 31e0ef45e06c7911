// Reports of a device: an L1 profile for each graph, and the report of the run.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/report/run_report.hpp"
#include "api/embedded/bridge/device_impl.hpp"
#include "api/embedded/bridge/plans.hpp"
#include "base/new_file.hpp"
#include "netlist/plan/l1_space.hpp"

namespace fs = std::filesystem;
using Ordered = nlohmann::ordered_json;

namespace ttsim::impl::bridge {

namespace {

constexpr const char* unknown = "N/A";

Ordered buffer_json(const std::string& name, std::int64_t start, std::int64_t bytes) {
    return {{"buffer-name", name},
            {"start-address", fmt::format("0x{:x}", start)},
            {"reserved-size-bytes", bytes},
            {"consumed-size-bytes", bytes},
            {"percent-consumed", 100.0}};
}

/// Firmware is not modelled, so its sizes are unknown, except the memory that an op reserves for its streams.
Ordered binaries_json(std::int64_t overlay_bytes) {
    Ordered list = Ordered::array();
    for (const char* name : {"NCRISC_FW", "BRISC_FW", "TRISC0", "TRISC1", "TRISC2", "RUNTIME_CONFIG", "OVERLAY_BLOB"})
        list.push_back({{"buffer-name", name},
                        {"start-address", unknown},
                        {"reserved-size-bytes", unknown},
                        {"consumed-size-bytes", unknown},
                        {"percent-consumed", unknown}});
    if (overlay_bytes > 0) list.back()["reserved-size-bytes"] = overlay_bytes;
    return list;
}

/// One core of an op. Buffers are contiguous, after the memory reserved by the chip and the op's streams.
Ordered core_json(const impl::PlanOp& op, const impl::ChipParams& chip, std::int64_t row, std::int64_t column) {
    const std::int64_t reserved = chip.l1_reserved + op.op->overlay_size;
    std::int64_t at = reserved;
    Ordered buffers = Ordered::array();
    for (const impl::L1Buffer& buffer : l1_buffers(op)) {
        if (buffer.bytes == 0) continue;
        buffers.push_back(buffer_json(buffer.name, at, buffer.bytes));
        at += buffer.bytes;
    }
    const Ordered attributes{{"logical-core-x-y", fmt::format("{}-{}", column, row)},
                             {"op-name", op.op->name()},
                             {"op-type", op.op->cfg.type},
                             {"l1-size-bytes", chip.l1_bytes},
                             {"total-reserved-size-bytes", at},
                             {"total-consumed-size-bytes", at - reserved}};
    return {{"core-attributes", attributes},
            {"binary-buffers", binaries_json(op.op->overlay_size)},
            {"data-buffers", buffers}};
}

template <class T>
std::int64_t index_of(const std::vector<T>& all, T wanted) {
    return std::find(all.begin(), all.end(), wanted) - all.begin();
}

Ordered graph_json(const impl::Graph& graph, const impl::Plan& plan, std::int64_t epoch, const impl::Machine& machine) {
    Ordered cores = Ordered::object();
    for (const impl::PlanOp& op : plan.ops) {
        if (op.graph != &graph || op.ethernet) continue;
        const impl::ChipParams& chip = machine.find(op.chip)->params;
        for (const impl::NocCoord core : op.cores)
            cores[fmt::format("{}-{}", core.x, core.y)] =
                core_json(op, chip, index_of(chip.worker_y, core.y), index_of(chip.worker_x, core.x));
    }
    const Ordered metadata{{"graph-name", graph.name},
                           {"target-device", graph.device()},
                           {"arch-name", machine.chips.front().params.name},
                           {"temporal-epoch", epoch}};
    return {{"metadata", metadata}, {"worker-cores", cores}};
}

void write_json(const std::string& file, const std::string& text) {
    impl::write_new_file(file, impl::FileKind::Json, [&](std::ostream& out) { out << text; });
}

}  // namespace

void Device::write_l1_report(const std::string& folder) const {
    guarded([&] {
        const impl::FolderKind kind{"an L1 profile", {}, {"*.json"}};
        impl::NewFolder made(folder, kind);
        each_epoch(impl_->resolved, impl_->machine, [&](std::int64_t epoch, const impl::Plan& plan) {
            for (const impl::Graph* graph : plan.graphs) {
                std::string name = graph->name + ".json";
                std::replace(name.begin(), name.end(), '/', '_');
                write_json((fs::path(made.temporary()) / name).string(),
                           graph_json(*graph, plan, epoch, impl_->machine).dump(1) + "\n");
            }
        });
        made.commit();
    });
}

void Device::write_run_report(const std::string& file) const {
    guarded([&] {
        if (impl_->session) write_json(file, impl::report::json(impl_->session->report()));
    });
}

}  // namespace ttsim::impl::bridge
