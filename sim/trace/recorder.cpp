#include "sim/trace/recorder.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "sim/machine/resources.hpp"

namespace ttsim::impl::sim {

using trace::Table;

/// The probes of an epoch.
class Recorder::Launched : public EpochProbe {
public:
    Launched(const Plan& plan_, const PlanRows& rows_, const EpochLaunch& launch, std::int64_t id_, Cycle now,
             bool events)
        : plan(plan_), rows(rows_), id(id_), inputs(launch.inputs), start(now), flows(rows_.flows.size()) {
        std::size_t count = 0;
        for (const PlanOp& op : plan.ops) count += op.cores.size();
        cores.resize(count);
        for (CoreProbe& probe : cores) probe.wants_events = events;
        for (std::size_t n = 0; n < flows.size(); ++n) {
            if (events) flows[n].events = std::make_unique<FlowProbe::EventLog>();
            flows[n].memory = rows.flows[n].memory;
        }
    }
    CoreProbe* core(std::size_t op, std::size_t index) override {
        return &cores[static_cast<std::size_t>(rows.first_core[op] - rows.first_core[0]) + index];
    }
    FlowProbe* next_flow() override { return &flows.at(next_flow_++); }
    void begins(Cycle now) override {
        for (FlowProbe& flow : flows) flow.begin(now);
    }
    /// Closes all probes and makes their times relative to the start of the epoch.
    void close();
    bool same_rows(const Launched& other) const;

    const Plan& plan;
    const PlanRows& rows;
    std::int64_t id, inputs;
    Cycle start;
    std::vector<CoreProbe> cores;
    std::vector<FlowProbe> flows;

private:
    std::size_t next_flow_ = 0;
};

void Recorder::Launched::close() {
    for (CoreProbe& core : cores) {
        core.close();
        for (auto& repeated : core.inputs.rows()) repeated.row.move_by(Cycle{0} - start);
    }
    for (FlowProbe& flow : flows) {
        flow.close();
        if (!flow.events) continue;
        for (auto& repeated : flow.events->inputs.rows()) repeated.row.move_by(Cycle{0} - start);
    }
}

template <class Row>
static bool same(const Series<Row>& a, const Series<Row>& b) {
    return std::equal(a.rows().begin(), a.rows().end(), b.rows().begin(), b.rows().end(),
                      [](const Repeated<Row>& x, const Repeated<Row>& y) {
                          return x.times == y.times && x.every == y.every && x.shift == y.shift &&
                                 x.row.input == y.row.input && x.row.start == y.row.start && x.row.same_as(y.row);
                      });
}

bool Recorder::Launched::same_rows(const Launched& other) const {
    for (std::size_t i = 0; i < cores.size(); ++i)
        if (!same(cores[i].inputs, other.cores[i].inputs)) return false;
    for (std::size_t i = 0; i < flows.size(); ++i) {
        const FlowProbe &a = flows[i], &b = other.flows[i];
        if (a.chunks != b.chunks || a.in_flight != b.in_flight || a.waited != b.waited ||
            (a.events && !same(a.events->inputs, b.events->inputs)) ||
            a.first_sent - start != b.first_sent - other.start ||
            a.last_arrival() - start != b.last_arrival() - other.start)
            return false;
    }
    return true;
}

Recorder::Recorder(const RunState& state)
    : state_(state), writer_(std::make_unique<trace::Writer>(state.settings.trace.file)), plans_(state.netlist) {
    add_setup();
}

Recorder::~Recorder() = default;

template <class Work>
void Recorder::guarded(Work&& work) {
    if (failure_) return;
    try {
        work();
    } catch (const Error& error) {
        failure_ = error;
        writer_.reset();
    }
}

static std::string file_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

static std::string base_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

void Recorder::add_setup() {
    writer_->add(Table::File, "netlist", base_name(state_.netlist.file), file_text(state_.netlist.file));
    writer_->add(Table::File, "chip", state_.report.arch + ".yaml",
                 file_text(state_.machine.chips.front().params.file));
    for (const ChipInstance& chip : state_.machine.chips)
        writer_->add(Table::Chip, chip.id, chip.params.name, chip.params.clock_mhz, chip.params.grid_x,
                     chip.params.grid_y, chip.params.worker_x.size() * chip.params.worker_y.size(),
                     fmt::format("[{}]", fmt::join(chip.harvested_rows, ",")));
    plans_.add_queues(*writer_);
}

Load* Recorder::resource(const ResourceName& name) {
    names_.push_back(name);
    return &loads_.emplace_back();
}

EpochProbe* Recorder::launch(const Plan& plan, const EpochLaunch& launch, Cycle now) {
    const auto [known, fresh] = rows_of_.try_emplace(&plan);
    auto& rows = known->second;
    if (fresh) guarded([&] { rows = plans_.add(*writer_, plan); });
    in_flight_.push_back(
        std::make_unique<Launched>(plan, rows, launch, epochs_++, now, state_.settings.trace.level >= 2));
    return in_flight_.back().get();
}

void Recorder::over(EpochProbe* epoch, Cycle now, double inputs_per_second) {
    const auto at = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const auto& e) { return e.get() == epoch; });
    std::unique_ptr<Launched> done = std::move(*at);
    in_flight_.erase(at);
    close_epoch(std::move(done), now, "complete", inputs_per_second);
}

void Recorder::close_epoch(std::unique_ptr<Launched> epoch, Cycle now, const std::string& status,
                           double inputs_per_second) {
    guarded([&] {
        epoch->close();
        LastWritten& last = written_[&epoch->plan];
        EpochRow row{&epoch->plan, epoch->id, epoch->inputs, epoch->start, now - epoch->start, inputs_per_second, {}};
        const bool same = last.launched && epoch->same_rows(*last.launched);
        if (same) row.same_as = last.epoch;
        add_epoch(row, status);
        if (same) return;
        add_rows(*epoch);
        last.epoch = epoch->id;
        last.launched = std::move(epoch);
    });
}

void Recorder::add_epoch(const EpochRow& row, const std::string& status) {
    std::vector<std::string> graphs;
    for (const Graph* graph : row.plan->graphs) graphs.push_back(graph->name);
    const auto type = graphs.empty() ? std::nullopt : state_.epoch_type(graphs.front());
    writer_->add(Table::Epoch, row.id, rows_of_.at(row.plan).id, fmt::format("{}", fmt::join(graphs, ",")),
                 fmt::format("[{}]", fmt::join(row.plan->chips, ",")), row.inputs, row.start, row.cycles,
                 row.inputs_per_second > 0 ? std::optional(row.inputs_per_second) : std::nullopt, status, row.same_as,
                 type ? std::string(to_string(*type)) : "");
    epoch_rows_.push_back(row);
}

/// Adds rows for extrapolated epochs, which repeat the last `count` epochs. As many are launched in a period as end.
void Recorder::repeat_epochs(std::size_t count, std::int64_t rounds, Cycle shift) {
    const std::size_t first = epoch_rows_.size() - count;
    const auto launches = static_cast<std::int64_t>(count);
    for (std::int64_t round = 1; round <= rounds; ++round)
        for (std::size_t n = first; n < first + count; ++n) {
            EpochRow row = epoch_rows_[n];
            if (!row.same_as) row.same_as = row.id;
            row.id += round * launches;
            row.start += static_cast<Cycle>(round) * shift;
            add_epoch(row, "complete");
        }
}

/// The epochs in flight are those of later launches now.
void Recorder::move_in_flight(std::int64_t launches, Cycle cycles) {
    epochs_ += launches;
    for (const auto& epoch : in_flight_) {
        epoch->id += launches;
        epoch->start += cycles;
    }
}

void Recorder::walk(StateWalk& walk) {
    for (Load& load : loads_) load.walk(walk);
    auto over = static_cast<std::int64_t>(epoch_rows_.size());
    const std::int64_t growth = walk.total(over);
    if (!walk.advancing() || growth == 0) return;
    const auto rounds = static_cast<std::int64_t>(walk.periods());
    guarded([&] { repeat_epochs(static_cast<std::size_t>(growth), rounds, walk.cycles() / walk.periods()); });
    move_in_flight(growth * rounds, walk.cycles());
}

static void add_number(std::string& text, std::uint64_t number) {
    const fmt::format_int digits(number);
    text.append(digits.data(), digits.size());
}

std::optional<std::int64_t> Recorder::pattern(const Events& events, int numbers) {
    if (events.empty()) return std::nullopt;
    std::string text = "[";
    for (const auto& event : events) {
        text += text.size() > 1 ? ",[" : "[";
        for (int i = 0; i < numbers; ++i) {
            if (i > 0) text += ',';
            add_number(text, event[static_cast<std::size_t>(i)]);
        }
        text += ']';
    }
    text += ']';
    const auto [at, fresh] = patterns_.try_emplace(std::move(text), static_cast<std::int64_t>(patterns_.size()));
    if (fresh) writer_->add(Table::Pattern, at->second, at->first);
    return at->second;
}

void Recorder::add_core(std::int64_t epoch, std::int64_t core, const CoreProbe& probe) {
    using P = CoreProbe;
    if (probe.inputs.empty()) return;
    P::Input sum;
    std::int64_t inputs = 0;
    Cycle end = 0;
    std::string series = "[";
    for (const auto& [row, times, every, shift] : probe.inputs.rows()) {
        most_times_ = std::max(most_times_, times);
        inputs += times;
        const auto n = static_cast<Cycle>(times);
        end = std::max(end, row.end + (n - 1) * shift);
        for (std::size_t part = 0; part < P::parts; ++part) sum.spent[part] += n * row.spent[part];
        sum.tiles += times * row.tiles;
        sum.steps += times * row.steps;
        sum.math += n * row.math;
        series += series.size() > 1 ? ",[" : "[";
        add_number(series, static_cast<Cycle>(row.input));
        add_number(series += ',', n);
        for (const Cycle number :
             {static_cast<Cycle>(every), shift, row.start, row.end - row.start, row.first_unpack - row.start,
              row.last_pack - row.start, static_cast<Cycle>(row.tiles), static_cast<Cycle>(row.steps), row.math})
            add_number(series += ',', number);
        for (const Cycle part : row.spent) add_number(series += ',', part);
        if (const auto id = pattern(row.events, 4)) add_number(series += ',', static_cast<Cycle>(*id));
        series += ']';
    }
    series += ']';
    writer_->add(Table::CoreLoad, epoch, core, inputs, probe.inputs.rows().front().row.start, end, sum.tiles, sum.steps,
                 sum.math, sum.spent[P::MathBound], sum.spent[P::UnpackBound], sum.spent[P::Source], sum.spent[P::Noc],
                 sum.spent[P::Dram], sum.spent[P::Room], sum.spent[P::Output], sum.spent[P::Dst], sum.spent[P::Pack],
                 sum.spent[P::Drain], series);
}

static const char* port_direction(const noc::Topology& topology, noc::Port port) {
    if (!topology.is_link(port)) return topology.is_inject(port) ? "in" : "out";
    if (topology.is_along_y(port)) return topology.noc_of(port) == 0 ? "down" : "up";
    return topology.noc_of(port) == 0 ? "right" : "left";
}

std::int64_t Recorder::route(const NocLeg& leg) {
    const auto [known, fresh] =
        routes_.try_emplace({leg.chip, leg.noc, leg.from.x, leg.from.y, leg.low.x, leg.low.y, leg.high.x, leg.high.y},
                            static_cast<std::int64_t>(routes_.size()));
    if (!fresh) return known->second;
    const noc::Topology& topology =
        topologies_.try_emplace(leg.chip, state_.machine.find(leg.chip)->params).first->second;
    std::vector<std::string> links, ends;
    for (const noc::Port port : ports_passed(topology, leg.noc, leg.from, {leg.low, leg.high})) {
        const NocCoord at = topology.coord(topology.node_of(port));
        links.push_back(fmt::format("[{},{},\"{}\"]", at.x, at.y, port_direction(topology, port)));
        if (!topology.is_link(port) && !topology.is_inject(port)) ends.push_back(fmt::format("[{},{}]", at.x, at.y));
    }
    writer_->add(Table::Route, known->second, leg.chip, leg.noc, leg.from.x, leg.from.y,
                 fmt::format("[{}]", fmt::join(ends, ",")), fmt::format("[{}]", fmt::join(links, ",")));
    return known->second;
}

/// Writes the routes of a flow once, since all epochs of a plan use the same routes.
void Recorder::add_routes(std::int64_t flow, const std::vector<RoutePart>& parts) {
    if (parts.empty() || !routed_.insert(flow).second) return;
    for (std::size_t n = 0; n < parts.size();) {
        const std::int64_t id = route(parts[n].route);
        std::int64_t times = 1;
        const auto follows = [&](const RoutePart& next) {
            return next.chunk == parts[n].chunk + times && next.bytes == parts[n].bytes && route(next.route) == id;
        };
        while (n + static_cast<std::size_t>(times) < parts.size() &&
               follows(parts[n + static_cast<std::size_t>(times)]))
            ++times;
        writer_->add(Table::FlowRoute, flow, parts[n].chunk, times, parts[n].leg, id, parts[n].bytes);
        n += static_cast<std::size_t>(times);
    }
}

void Recorder::add_rows(const Launched& epoch) {
    const std::int64_t first_core = epoch.rows.first_core.empty() ? 0 : epoch.rows.first_core[0];
    for (std::size_t n = 0; n < epoch.cores.size(); ++n)
        add_core(epoch.id, first_core + static_cast<std::int64_t>(n), epoch.cores[n]);
    for (std::size_t n = 0; n < epoch.flows.size(); ++n) {
        const FlowProbe& flow = epoch.flows[n];
        const std::int64_t id = epoch.rows.first_flow + static_cast<std::int64_t>(n);
        if (flow.chunks == 0) continue;
        writer_->add(Table::FlowLoad, epoch.id, id, flow.chunks, epoch.rows.flows[n].bytes(flow.chunks),
                     flow.first_sent - epoch.start, flow.last_arrival() - std::min(flow.last_arrival(), epoch.start),
                     flow.in_flight, flow.waited[1], flow.waited[2], flow.waited[3], flow.waited[4]);
        if (!flow.events) continue;
        add_routes(id, flow.events->parts);
        for (const auto& [row, times, every, shift] : flow.events->inputs.rows()) {
            most_times_ = std::max(most_times_, times);
            writer_->add(Table::FlowRun, epoch.id, id, row.input, times, every, shift, row.start,
                         pattern(row.events, 2));
        }
    }
}

void Recorder::add_resources(unsigned bucket_shift, Cycle now) {
    std::int64_t id = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const ResourceName& name = names_[i];
        const Load& load = loads_[i];
        const bool link = name.kind == ResourceName::Kind::NocLink;
        if (link && load.transfers == 0) continue;  // unused links are left out
        const bool ethernet = name.kind == ResourceName::Kind::Ethernet;
        const bool channel = ethernet || name.kind == ResourceName::Kind::Dram;
        const auto only = [](bool wanted, std::int64_t value) {
            return wanted ? std::optional(value) : std::optional<std::int64_t>();
        };
        const std::vector<Cycle> in_bucket = load.busy_in(bucket_shift, now);
        const Cycle busy = std::accumulate(in_bucket.begin(), in_bucket.end(), Cycle{0});
        const std::string buckets = fmt::format("[{}]", fmt::join(in_bucket, ","));
        writer_->add(Table::Resource, id++, kind_name(name.kind), resource_text(name), name.chip, only(link, name.noc),
                     only(link, name.x), only(link, name.y), link ? direction(name) : "", only(channel, name.channel),
                     only(ethernet, name.to_chip), name.bytes_per_cycle, load.transfers, load.bytes_passed, busy,
                     load.queueing, buckets);
    }
}

static const char* numerics_name(Numerics numerics) {
    if (numerics == Numerics::Exact) return "exact";
    return numerics == Numerics::Float32 ? "float32" : "real";
}

void Recorder::add_run(const std::string& status, const std::string& message, Cycle now, unsigned bucket_shift) {
    const RunReport& report = state_.report;
    const TraceOptions& trace = state_.settings.trace;
    for (const ChosenParameter& p : report.params) writer_->add(Table::Parameter, p.name, p.value, p.why);
    for (std::size_t i = 0; i < report.programs.size(); ++i) writer_->add(Table::Program, i, report.programs[i]);
    writer_->add(Table::Run, trace.version, trace.command, base_name(report.netlist), report.arch,
                 base_name(report.device), state_.values() ? "full" : "timing", numerics_name(report.numerics),
                 report.seed, report.inputs_count, report.clock_mhz, trace.level, status, message, now,
                 report.inputs_skipped, std::int64_t{1} << bucket_shift, state_.training.saved_bytes);
}

void Recorder::finish(const std::string& status, const std::string& message, Cycle now) {
    while (!in_flight_.empty()) {
        std::unique_ptr<Launched> open = std::move(in_flight_.front());
        in_flight_.pop_front();
        close_epoch(std::move(open), now, status, 0);
    }
    unsigned shift = 0;
    for (const Load& load : loads_) shift = std::max(shift, load.shift());
    while ((now >> shift) >= Load::max_buckets) ++shift;
    guarded([&] {
        add_resources(shift, now);
        for (std::int64_t n = 0; n < most_times_; ++n) writer_->add(Table::Number, n);
        add_run(status, message, now, shift);
        writer_->finish();
    });
    writer_.reset();
    if (failure_) throw *failure_;
}

}  // namespace ttsim::impl::sim
