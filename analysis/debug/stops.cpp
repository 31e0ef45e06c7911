#include "analysis/debug/stops.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/state/engine.hpp"

namespace ttsim::impl::debug {

std::string Stop::text() const {
    const std::string op = name == "*" ? "any op" : "op '" + name + "'";
    switch (kind) {
        case Kind::Cycle:
            return fmt::format("cycle {}", number);
        case Kind::Input:
            return fmt::format("input {} of op '{}' begins", number, name);
        case Kind::Full:
            return fmt::format("queue '{}' is full", name);
        case Kind::Nan:
            return fmt::format("a NaN or infinity from {}", op);
        case Kind::Golden:
            return fmt::format("{} differs from golden", op);
    }
    return "";
}

std::int64_t Stops::add(Stop stop) {
    stop.id = next_id_++;
    stops_.push_back(std::move(stop));
    return stops_.back().id;
}

bool Stops::remove(std::int64_t id) {
    return std::erase_if(stops_, [id](const Stop& stop) { return stop.id == id; }) > 0;
}

/// Conditions on the state of the machine; values are checked when they are computed.
static bool holds(const Stop& stop, const sim::WatchedRun& run) {
    const Netlist& netlist = run.netlist();
    if (stop.kind == Stop::Kind::Input) return run.view().inputs_begun(*netlist.find_op(stop.name)) > stop.number;
    return stop.kind == Stop::Kind::Full && run.view().queue(*netlist.find_queue(stop.name)).full;
}

void Stops::arm(sim::WatchedRun& run) {
    for (Stop& stop : stops_) stop.held = holds(stop, run);
    (void)run.check_findings();
}

std::string Stops::reached(sim::WatchedRun& run) {
    std::string text;
    for (Stop& stop : stops_) {
        const bool now = holds(stop, run);
        if (now && !stop.held) text += fmt::format("{}stop {}: {}", text.empty() ? "" : "; ", stop.id, stop.text());
        stop.held = now;
    }
    for (const sim::CheckFinding& found : run.check_findings())
        text += fmt::format("{}input {}: {}", text.empty() ? "" : "; ", found.input, found.what);
    return text;
}

std::uint64_t Stops::next_cycle(std::uint64_t now) const {
    std::uint64_t next = sim::no_deadline;
    for (const Stop& stop : stops_)
        if (stop.kind == Stop::Kind::Cycle && static_cast<std::uint64_t>(stop.number) > now)
            next = std::min(next, static_cast<std::uint64_t>(stop.number));
    return next;
}

sim::WatchedRun::Checks Stops::checks() const {
    sim::WatchedRun::Checks checks;
    for (const Stop& stop : stops_) {
        if (stop.kind == Stop::Kind::Nan) checks.nan.push_back(stop.name);
        if (stop.kind == Stop::Kind::Golden) checks.golden.push_back(stop.name);
    }
    return checks;
}

}  // namespace ttsim::impl::debug
