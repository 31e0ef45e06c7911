// Sources of readings: a product, the telemetry file of a run, a trace.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "analysis/smi/sample.hpp"
#include "base/bounded_json.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "netlist/device/device.hpp"
#include "trace/reader.hpp"

namespace ttsim::impl::smi {

namespace {

constexpr double bytes_a_gigabyte = 1e9;

/// "n300 L", "n300 R": chips of a board with two chips.
std::string board_type(const std::optional<Board>& board, const std::string& arch, std::int64_t chip,
                       std::size_t chips) {
    if (!board) return arch;
    return board->type == "n300" && chips == 2 ? board->type + (chip == 0 ? " L" : " R") : board->type;
}

class Idle : public Source {
public:
    explicit Idle(const std::string& device) {
        std::vector<std::string> known;
        const ProductInfo* found = nullptr;
        const std::vector<ProductInfo> list = products();
        for (const ProductInfo& product : list) {
            known.push_back(product.name);
            if (product.name == to_lower(device)) found = &product;
        }
        if (!found)
            throw Error(Fault::Input, {},
                        fmt::format("--device: there is no product '{}'; products: {}{}", device,
                                    fmt::join(known, ", "), did_you_mean(device, known)));
        const ttsim::impl::Machine machine = make_machine(found->arch, {.device = found->name, .chips = found->chips});
        sample_.status = "idle";
        sample_.last = true;
        const std::optional<Board> board = board_of(found->name);
        for (const ChipInstance& chip : machine.chips)
            sample_.chips.push_back(
                {.chip = chip.id,
                 .board_type = board_type(board, found->arch, chip.id, machine.chips.size()),
                 .board = board,
                 .harvested_rows = fmt::format("[{}]", fmt::join(chip.harvested_rows, ",")),
                 .workers = static_cast<std::int64_t>(chip.params.worker_x.size() * chip.params.worker_y.size()),
                 .clock_mhz = chip.params.clock_mhz});
    }
    Sample next(double) override { return sample_; }

private:
    Sample sample_;
};

/// Sums of a chip from which rates are computed.
struct Sums {
    double math = 0, dram = 0, noc = 0;
};

void set_rates(ChipSample& chip, const Sums& now, const Sums& before, double cycles) {
    if (cycles <= 0) return;
    const double seconds = cycles / (static_cast<double>(chip.clock_mhz) * 1e6);
    chip.math = (now.math - before.math) / (cycles * static_cast<double>(std::max<std::int64_t>(1, chip.workers)));
    chip.dram_gbps = (now.dram - before.dram) / seconds / bytes_a_gigabyte;
    chip.noc_gbps = (now.noc - before.noc) / seconds / bytes_a_gigabyte;
}

class Running : public Source {
public:
    explicit Running(std::string file) : file_(std::move(file)) { (void)read(); }
    Sample next(double) override;

private:
    Json read() const;
    std::string file_;
    std::map<std::int64_t, Sums> before_;
    std::int64_t cycle_ = 0;
    std::map<std::int64_t, ChipSample> shown_;
};

Json Running::read() const {
    const Json json = parse_bounded_json(read_file(file_, 1 << 20));
    if (!json.is_object() || !json.contains("ttsim_telemetry"))
        throw Error(Fault::Input, {file_, 0, 0},
                    "is not a telemetry file of a run; 'ttsim run NETLIST --telemetry FILE' writes it");
    if (json["ttsim_telemetry"] != 1)
        throw Error(Fault::Input, {file_, 0, 0}, "is telemetry of another version of ttsim");
    return json;
}

Sample Running::next(double) {
    const Json json = read();
    try {
        Sample sample;
        sample.status = json.at("status");
        sample.last = sample.status != "running";
        sample.netlist = json.at("netlist");
        sample.command = json.at("command");
        sample.pid = json.at("pid");
        sample.cycle = json.at("cycle");
        if (!json.at("epoch").is_null()) {
            sample.epoch = json.at("epoch").get<std::int64_t>();
            sample.inputs_over = json.at("inputs_over").get<std::int64_t>();
            sample.inputs = json.at("inputs").get<std::int64_t>();
        }
        sample.graphs = json.at("graphs");
        sample.queue_fill = json.at("queue_fill").get<double>();
        if (const double host = json.at("host_seconds"); host > 0)
            sample.cycles_per_second = static_cast<double>(sample.cycle) / host;
        const std::string device = json.at("device");
        const std::optional<Board> board = board_of(device);
        if (sample.cycle < cycle_) before_.clear(), cycle_ = 0;  // another run writes the file now
        const auto cycles = static_cast<double>(sample.cycle - cycle_);
        for (const Json& from : json.at("chips")) {
            ChipSample chip{.chip = from.at("chip"),
                            .board_type = board_type(board, from.at("arch"), from.at("chip"), json.at("chips").size()),
                            .board = board,
                            .harvested_rows = from.at("harvested_rows"),
                            .workers = from.at("workers"),
                            .clock_mhz = from.at("clock_mhz"),
                            .cores_used = from.at("cores_used"),
                            .dram_bytes = from.at("dram_bytes"),
                            .pcie_bytes = from.at("pcie_bytes"),
                            .ethernet_bytes = from.at("ethernet_bytes")};
            if (chip.clock_mhz <= 0) throw Error(Fault::Input, {file_, 0, 0}, "has a clock of 0 MHz");
            sample.seconds = static_cast<double>(sample.cycle) / (static_cast<double>(chip.clock_mhz) * 1e6);
            const Sums now{from.at("math"), from.at("dram_bytes"), from.at("noc_bytes")};
            ChipSample& shown = shown_[chip.chip];
            if (cycles > 0) {
                set_rates(chip, now, before_[chip.chip], cycles);
                before_[chip.chip] = now;
            } else {  // no new data: keep the rates
                chip.math = shown.math;
                chip.dram_gbps = shown.dram_gbps;
                chip.noc_gbps = shown.noc_gbps;
            }
            shown = chip;
            sample.chips.push_back(std::move(chip));
        }
        cycle_ = sample.cycle;
        return sample;
    } catch (const Json::exception&) {
        throw Error(Fault::Input, {file_, 0, 0}, "is telemetry with fields that are missing or of another type");
    }
}

/// Source that replays a trace, with the needed data in memory.
class Replay : public Source {
public:
    explicit Replay(const std::string& file);
    Sample next(double simulated) override;
    bool replays() const override { return true; }
    double length() const override { return static_cast<double>(trace_.run().cycles) / clock(); }
    void seek(double seconds) override {
        cycle_ = std::clamp(seconds * clock(), 0.0, static_cast<double>(trace_.run().cycles));
    }

private:
    struct Core {
        std::int64_t chip, start, end, x, y;
        double math;
    };
    struct Resource {
        std::int64_t chip;
        std::string kind;
        bool counts;  ///< counts for noc_gbps: the port where bytes enter a NoC
        double bytes, busy;
        std::vector<double> busy_in;  ///< busy cycles by bucket
        double bytes_until(double cycle, double bucket) const;
    };
    struct Epoch {
        std::int64_t id, start, end;
        std::string graphs;
    };
    std::map<std::int64_t, Sums> sums_until(double cycle) const;
    double clock() const { return static_cast<double>(chips_.empty() ? 1 : chips_.front().clock_mhz) * 1e6; }

    trace::Reader trace_;
    std::vector<ChipSample> chips_;
    std::vector<Core> cores_;
    std::vector<Resource> resources_;
    std::vector<Epoch> epochs_;
    double cycle_ = 0;
};

Replay::Replay(const std::string& file) : trace_(file) {
    trace::Database& database = trace_.database();
    const std::optional<Board> board = board_of(trace_.run().device);
    trace::Statement chips(database, "SELECT id, arch, clock_mhz, workers, harvested_rows FROM chip ORDER BY id");
    while (chips.step())
        chips_.push_back({.chip = chips.integer(0),
                          .board_type = chips.text(1),
                          .board = board,
                          .harvested_rows = chips.text(4),
                          .workers = chips.integer(3),
                          .clock_mhz = std::max<std::int64_t>(1, chips.integer(2, 1'000'000))});
    for (ChipSample& chip : chips_) chip.board_type = board_type(board, chip.board_type, chip.chip, chips_.size());
    trace::Statement cores(
        database,
        "SELECT o.chip, oc.start, oc.end, oc.math, c.x, c.y FROM op_core oc JOIN op o ON o.id = oc.op "
        "JOIN core c ON c.id = oc.core");
    while (cores.step())
        cores_.push_back({cores.integer(0), cores.integer(1), cores.integer(2), cores.integer(4), cores.integer(5),
                          static_cast<double>(cores.integer(3))});
    trace::Statement resources(database,
                               "SELECT chip, kind, coalesce(direction, ''), bytes, busy, buckets FROM resource");
    while (resources.step()) {
        const std::string kind = resources.text(1);
        resources_.push_back({resources.integer(0),
                              kind,
                              kind != "noc" || resources.text(2) == "in",
                              static_cast<double>(resources.integer(3)),
                              static_cast<double>(resources.integer(4)),
                              {}});
        const Json buckets = Json::parse(resources.text(5), nullptr, false);
        if (!buckets.is_array()) throw Error(Fault::Input, {file, 0, 0}, "has a resource without buckets");
        for (const Json& busy : buckets) resources_.back().busy_in.push_back(busy.is_number() ? busy.get<double>() : 0);
    }
    trace::Statement epochs(database, "SELECT id, start, start + cycles, graphs FROM epoch ORDER BY id");
    while (epochs.step()) epochs_.push_back({epochs.integer(0), epochs.integer(1), epochs.integer(2), epochs.text(3)});
}

/// Bytes up to a cycle, distributed in proportion to busy cycles.
double Replay::Resource::bytes_until(double cycle, double bucket) const {
    if (busy <= 0) return 0;
    double passed = 0;
    for (std::size_t n = 0; n < busy_in.size(); ++n) {
        const double start = static_cast<double>(n) * bucket;
        if (cycle <= start) break;
        passed += busy_in[n] * std::min(1.0, (cycle - start) / bucket);
    }
    return bytes * std::min(1.0, passed / busy);
}

std::map<std::int64_t, Sums> Replay::sums_until(double cycle) const {
    std::map<std::int64_t, Sums> sums;
    for (const Core& core : cores_) {
        const auto start = static_cast<double>(core.start), end = static_cast<double>(core.end);
        if (cycle > start && end > start)
            sums[core.chip].math += core.math * std::min(1.0, (cycle - start) / (end - start));
    }
    const auto bucket = static_cast<double>(std::max<std::int64_t>(1, trace_.run().bucket_cycles));
    for (const Resource& resource : resources_) {
        if (!resource.counts) continue;
        if (resource.kind == "dram") sums[resource.chip].dram += resource.bytes_until(cycle, bucket);
        if (resource.kind == "noc") sums[resource.chip].noc += resource.bytes_until(cycle, bucket);
    }
    return sums;
}

Sample Replay::next(double simulated) {
    const trace::RunInfo& run = trace_.run();
    const auto end = static_cast<double>(run.cycles);
    const double before = cycle_;
    cycle_ = std::min(end, cycle_ + std::max(1.0, simulated * clock()));
    Sample sample;
    sample.last = cycle_ >= end;
    sample.status = sample.last ? run.status : "running";
    sample.netlist = run.netlist;
    sample.command = run.command;
    sample.cycle = static_cast<std::int64_t>(cycle_);
    sample.seconds = cycle_ / clock();
    for (const Epoch& epoch : epochs_)
        if (sample.cycle > epoch.start && sample.cycle <= epoch.end)
            sample.epoch = epoch.id, sample.graphs = epoch.graphs;
    auto now = sums_until(cycle_), then = sums_until(before);
    const auto bucket = static_cast<double>(std::max<std::int64_t>(1, run.bucket_cycles));
    for (const ChipSample& from : chips_) {
        ChipSample& chip = sample.chips.emplace_back(from);
        set_rates(chip, now[chip.chip], then[chip.chip], cycle_ - before);
        std::map<std::pair<std::int64_t, std::int64_t>, bool> used;
        for (const Core& core : cores_)
            if (core.chip == chip.chip && core.start < sample.cycle && core.end >= static_cast<std::int64_t>(before))
                used[{core.x, core.y}] = true;
        chip.cores_used = static_cast<std::int64_t>(used.size());
        for (const Resource& resource : resources_) {
            if (resource.chip != chip.chip) continue;
            const auto bytes = static_cast<std::int64_t>(resource.bytes_until(cycle_, bucket));
            if (resource.kind == "dram") chip.dram_bytes += bytes;
            if (resource.kind == "pcie") chip.pcie_bytes += bytes;
            if (resource.kind == "ethernet") chip.ethernet_bytes += bytes;
        }
    }
    return sample;
}

}  // namespace

std::unique_ptr<Source> idle_source(const std::string& device) { return std::make_unique<Idle>(device); }
std::unique_ptr<Source> run_source(const std::string& file) { return std::make_unique<Running>(file); }
std::unique_ptr<Source> trace_source(const std::string& file) { return std::make_unique<Replay>(file); }

}  // namespace ttsim::impl::smi
