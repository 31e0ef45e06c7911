// Recorded traces: a flat list of events.
#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "sim/noc/read_traffic.hpp"

namespace ttsim::impl::noc {

namespace {

/// Meaning of the dataflow API calls in the model. `state`: which of a processor's stored targets a call sets or uses.
enum class State : std::uint8_t { None, Read, ReadSharded, Write, WriteTrid };
enum class StateUse : std::uint8_t { None, Set, Use };
struct TypeRow {
    const char* name;
    Action action;
    State state = State::None;
    StateUse use = StateUse::None;
    bool sized = true;
};

constexpr TypeRow types[] = {
    {"READ", Action::Read},
    {"READ_SET_STATE", Action::Mark, State::Read, StateUse::Set},
    {"READ_SET_TRID", Action::Mark},
    {"READ_WITH_STATE", Action::Read, State::Read, StateUse::Use},
    {"READ_WITH_STATE_AND_TRID", Action::Read, State::Read, StateUse::Use},
    {"READ_DRAM_SHARDED_SET_STATE", Action::Mark, State::ReadSharded, StateUse::Set},
    {"READ_DRAM_SHARDED_WITH_STATE", Action::Read, State::ReadSharded, StateUse::Use},
    {"READ_BARRIER_START", Action::ReadBarrierStart},
    {"READ_BARRIER_END", Action::ReadBarrierEnd},
    {"READ_BARRIER_WITH_TRID", Action::ReadBarrier},
    {"WRITE", Action::Write},
    {"WRITE_", Action::Write},
    {"WRITE_WITH_TRID", Action::Write},
    {"WRITE_INLINE", Action::Write, State::None, StateUse::None, false},
    {"WRITE_MULTICAST", Action::Multicast},
    {"WRITE_SET_STATE", Action::Mark, State::Write, StateUse::Set},
    {"WRITE_WITH_STATE", Action::Write, State::Write, StateUse::Use},
    {"WRITE_WITH_TRID_SET_STATE", Action::Mark, State::WriteTrid, StateUse::Set},
    {"WRITE_WITH_TRID_WITH_STATE", Action::Write, State::WriteTrid, StateUse::Use},
    {"WRITE_BARRIER_START", Action::WriteBarrierStart},
    {"WRITE_BARRIER_END", Action::WriteBarrierEnd},
    {"WRITE_BARRIER_WITH_TRID", Action::WriteBarrier},
    {"WRITE_FLUSH", Action::Flush},
    {"FULL_BARRIER", Action::FullBarrier},
    {"ATOMIC_BARRIER", Action::AtomicBarrier},
    {"SEMAPHORE_INC", Action::Atomic, State::None, StateUse::None, false},
    {"SEMAPHORE_WAIT", Action::Mark},
    {"SEMAPHORE_SET", Action::Mark},
};
constexpr std::uint64_t inline_bytes = 4;

const TypeRow* find_type(std::string_view name) {
    for (const TypeRow& row : types)
        if (name == row.name) return &row;
    return nullptr;
}

std::vector<std::string> type_names() {
    std::vector<std::string> names;
    for (const TypeRow& row : types) names.emplace_back(row.name);
    return names;
}

class TraceReader {
public:
    TraceReader(const std::string& file, const Topology& topology, Diagnostics& problems)
        : file_(file), topology_(topology), problems_(problems) {}

    void read(const Json& item) {
        if (item.kind != Json::Kind::Map)
            return problems_.error({file_, static_cast<int>(item.line), static_cast<int>(item.column)},
                                   "an event is {}; a map is wanted", kind_name(item.kind));
        JsonFields fields(item, file_, topology_, problems_);
        const auto name = fields.text("proc", true);
        const auto core = fields.place_on_grid("sx", "sy", true);
        const auto time = fields.whole("timestamp", 0, INT64_MAX, true);
        const auto chip = chip_of(fields);
        if (!chip || !name || !core || !time) return;
        Process& process = process_of(*chip, topology_.node(*core), *name);
        TraceEvent event;
        event.time = *time;
        if (fields.has("zone") ? read_zone(fields, event) : read_call(fields, process, event))
            process.trace.events.push_back(event);
    }

    Trace finish() {
        Trace trace;
        trace.chips = chips_;
        std::vector<std::int64_t> first(chips_.size(), INT64_MAX), last(chips_.size(), 0);
        for (const Process& process : processes_) {
            const std::size_t chip = process.trace.chip;
            for (const TraceEvent& event : process.trace.events) {
                first[chip] = std::min(first[chip], event.time);
                last[chip] = std::max(last[chip], event.time);
            }
            trace.events += process.trace.events.size();
        }
        for (std::size_t chip = 0; chip < chips_.size(); ++chip) {
            if (first[chip] == INT64_MAX) continue;
            trace.chips[chip].recorded = last[chip] - first[chip];
            trace.recorded = std::max(trace.recorded, trace.chips[chip].recorded);
        }
        for (Process& process : processes_) {
            for (TraceEvent& event : process.trace.events) event.time -= first[process.trace.chip];
            std::stable_sort(process.trace.events.begin(), process.trace.events.end(),
                             [](const TraceEvent& a, const TraceEvent& b) { return a.time < b.time; });
            trace.processes.push_back(std::move(process.trace));
        }
        return trace;
    }

private:
    struct Target {
        bool known = false;
        NocCoord at;
        std::optional<std::uint64_t> bytes;
    };
    struct Process {
        TraceProcess trace;
        std::map<State, Target> states;
    };

    Process& process_of(std::size_t chip, Node core, const std::string& name) {
        const auto [found, added] = index_.try_emplace({chip, core, name}, processes_.size());
        if (added) processes_.push_back({{chip, core, name, {}}, {}});
        return processes_[found->second];
    }

    /// The event's chip; without one, the chip of the previous event. No value for traffic between chips.
    std::optional<std::size_t> chip_of(JsonFields& fields) {
        for (const char* name : {"fabric_send", "fabric_scatter_write", "fabric_mcast", "fabric_send_metadata"})
            if (fields.has(name)) {
                problems_.unsupported(fields.where(name), "'{}' is traffic between chips, which replay does not model",
                                      name);
                return {};
            }
        const std::int64_t source = fields.whole("src_device_id", -1, INT32_MAX, false).value_or(-1);
        const std::int64_t target = fields.whole("dst_device_id", -1, INT32_MAX, false).value_or(-1);
        if (source >= 0 && target >= 0 && source != target) {
            problems_.unsupported(
                fields.where("dst_device_id"),
                "'dst_device_id' is {}, 'src_device_id' {}: traffic between chips, whose route the event "
                "does not contain; replay supports traffic within a chip only",
                target, source);
            return {};
        }
        const std::int64_t device = source >= 0 ? source : target;
        if (chips_.empty()) chips_.push_back({device, 0});
        if (device < 0 || chips_[chip_].device == device) return chip_;
        if (chips_[chip_].device < 0) {
            chips_[chip_].device = device;
            return chip_;
        }
        const auto known =
            std::find_if(chips_.begin(), chips_.end(), [&](const TraceChip& c) { return c.device == device; });
        chip_ = static_cast<std::size_t>(known - chips_.begin());
        if (known == chips_.end()) chips_.push_back({device, 0});
        return chip_;
    }

    bool read_zone(JsonFields& fields, TraceEvent& event) {
        if (!fields.text("zone", true)) return false;
        const auto phase = fields.text("zone_phase", true);
        if (!phase) return false;
        const std::string name = to_lower(*phase);
        if (name == "end" || name == "zone_end")
            event.action = Action::ZoneEnd;
        else if (name != "begin" && name != "zone_start")
            problems_.error(fields.where("zone_phase"),
                            "'zone_phase' is '{}'; begin, end, ZONE_START or ZONE_END is wanted", *phase);
        return true;
    }

    bool read_call(JsonFields& fields, Process& process, TraceEvent& event) {
        const auto name = fields.text("type", true);
        if (!name) return false;
        if (name->starts_with("FABRIC_")) {
            problems_.unsupported(fields.where("type"), "'{}' is traffic between chips, which replay does not model",
                                  *name);
            return false;
        }
        const TypeRow* const type = find_type(*name);
        if (!type) {
            problems_.error(fields.where("type"), "'{}' is not an event type{}", *name,
                            did_you_mean(*name, type_names()));
            return false;
        }
        event.action = type->action;
        const bool traffic = type->action <= Action::Atomic;
        const auto channel = fields.whole("vc", -1, 15, false);
        if (channel && *channel >= 0) event.lane = static_cast<std::int8_t>(*channel & 1);
        if (!traffic && type->use == StateUse::None) return true;
        const auto noc = fields.noc("noc");
        const auto bytes = fields.whole("num_bytes", 0, INT32_MAX, type->sized && type->use == StateUse::None);
        if (!noc) return false;
        event.noc = *noc;
        event.bytes = bytes ? static_cast<std::uint64_t>(*bytes) : inline_bytes;
        if (type->sized && !bytes && type->use == StateUse::None) return false;
        if (type->action == Action::Multicast) return read_multicast(fields, process.trace.core, event);
        return read_target(fields, *type, process, bytes.value_or(0) > 0, event);
    }

    /// The target: given, or stored by the last call that set the state.
    bool read_target(JsonFields& fields, const TypeRow& type, Process& process, bool has_size, TraceEvent& event) {
        const bool stated = type.use == StateUse::Use;
        const auto negative = [&](std::string_view name) {
            const auto value = fields.whole(name, INT32_MIN, INT32_MAX, false);
            return value && *value < 0;
        };
        const bool given = fields.has("dx") && !(type.use != StateUse::None && negative("dx"));
        Target target;
        if (given || type.use == StateUse::None) {
            const auto at = fields.place_on_grid("dx", "dy", true);
            if (!at) return false;
            target = {true, *at, std::nullopt};
        }
        if (has_size) target.bytes = event.bytes;
        if (type.use == StateUse::Set) {
            process.states[type.state] = target;
            return true;
        }
        if (stated) {
            const Target& state = process.states[type.state];
            if (!target.known) target = {state.known, state.at, target.bytes};
            if (!target.bytes) target.bytes = state.bytes;
            if (!target.known || !target.bytes) {
                problems_.error(fields.where(), "{} has no {}, and no call before it set the state", type.name,
                                target.known ? "size" : "target");
                return false;
            }
            event.bytes = *target.bytes;
        }
        event.target = topology_.node(target.at);
        return true;
    }

    bool read_multicast(JsonFields& fields, Node core, TraceEvent& event) {
        const auto first = fields.place_on_grid("mcast_start_x", "mcast_start_y", true);
        const auto last = fields.place_on_grid("mcast_end_x", "mcast_end_y", true);
        return first && last &&
               set_rectangle(fields, topology_, event.noc, core, *first, *last, event.first, event.last, problems_);
    }

    const std::string& file_;
    const Topology& topology_;
    Diagnostics& problems_;
    std::map<std::tuple<std::size_t, Node, std::string>, std::size_t> index_;
    std::vector<Process> processes_;
    std::vector<TraceChip> chips_;
    std::size_t chip_ = 0;  ///< chip of the last event
};

}  // namespace

Trace read_trace(const Json& list, const std::string& file, const Topology& topology) {
    Diagnostics problems;
    TraceReader reader(file, topology, problems);
    for (const Json& item : list.items) {
        reader.read(item);
        if (problems.size() >= max_problems) break;
    }
    problems.throw_if_any();
    return reader.finish();
}

}  // namespace ttsim::impl::noc
