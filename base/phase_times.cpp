#include "base/phase_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <utility>

namespace ttsim::impl {

namespace {

double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double process_seconds() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

/// Bytes of resident memory: now, and at most since reset_peak().
struct Memory {
    std::int64_t now = 0, peak = 0;
};

Memory memory() {
    Memory found;
    std::ifstream status("/proc/self/status");
    constexpr std::int64_t kilobyte = 1024;
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) found.peak = kilobyte * std::atoll(line.c_str() + 6);
        if (!line.starts_with("VmRSS:")) continue;
        found.now = kilobyte * std::atoll(line.c_str() + 6);
        break;
    }
    return found;
}

/// Linux forgets the peak so far. Where it does not allow that, a phase has the peak of all phases before.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

}  // namespace

PhaseTimes*& PhaseTimes::current() {
    static thread_local PhaseTimes* times = nullptr;
    return times;
}

PhaseTimes::PhaseTimes(std::string_view name) : outer_(std::exchange(current(), this)) {
    whole_.name = name;
    begin(whole_);
}
PhaseTimes::~PhaseTimes() {
    if (current() == this) current() = outer_;
}

void PhaseTimes::begin(PhaseTime& phase) {
    const Memory used = memory();
    if (!open_.empty()) open_.back().peak = std::max(open_.back().peak, used.peak);
    reset_peak();
    ++phase.calls;
    open_.push_back({&phase, wall_seconds(), process_seconds(), used.now, used.now});
}

void PhaseTimes::leave() {
    const Memory used = memory();
    const Open& ended = open_.back();
    PhaseTime& phase = *ended.phase;
    phase.seconds += wall_seconds() - ended.seconds;
    phase.processor_seconds += process_seconds() - ended.processor_seconds;
    phase.growth += used.now - ended.resident;
    const std::int64_t peak = std::max(ended.peak, used.peak);
    phase.peak = std::max(phase.peak, peak);
    open_.pop_back();
    if (!open_.empty()) open_.back().peak = std::max(open_.back().peak, peak);
    reset_peak();
}

PhaseTime PhaseTimes::end() {
    while (!open_.empty()) leave();
    current() = outer_;
    return std::move(whole_);
}

TimedPhase::TimedPhase(std::string_view name) : times_(PhaseTimes::current()) {
    if (!times_) return;
    std::vector<PhaseTime>& known = times_->open_.back().phase->phases;
    auto phase = std::find_if(known.begin(), known.end(), [&](const PhaseTime& one) { return one.name == name; });
    if (phase == known.end()) {
        known.push_back({.name = std::string(name)});
        phase = known.end() - 1;
    }
    times_->begin(*phase);
}
TimedPhase::~TimedPhase() {
    if (times_) times_->leave();
}

UntimedPhases::UntimedPhases() : times_(std::exchange(PhaseTimes::current(), nullptr)) {}
UntimedPhases::~UntimedPhases() { PhaseTimes::current() = times_; }

namespace {

void add_line(std::string& out, const PhaseTime& phase, const PhaseTime& whole, double least, int depth) {
    constexpr double megabyte = 1 << 20;
    const auto share = [&](double seconds) { return whole.seconds > 0 ? seconds / whole.seconds : 0; };
    out += fmt::format("{:11.6f} {:11.6f} {:5.1f}% {:6} {:8.1f} {:+9.1f}  {:{}}{}\n", phase.seconds,
                       phase.processor_seconds, 100 * share(phase.seconds), phase.calls,
                       static_cast<double>(phase.peak) / megabyte, static_cast<double>(phase.growth) / megabyte, "",
                       2 * depth, phase.name);
    double others = phase.seconds, processor_seconds = phase.processor_seconds;
    for (const PhaseTime& one : phase.phases) {
        if (share(one.seconds) < least) continue;
        add_line(out, one, whole, least, depth + 1);
        others -= one.seconds;
        processor_seconds -= one.processor_seconds;
    }
    if (phase.phases.empty() || share(others) < least) return;
    out += fmt::format("{:11.6f} {:11.6f} {:5.1f}% {:25}  {:{}}other\n", others, processor_seconds, 100 * share(others),
                       "", "", 2 * (depth + 1));
}

}  // namespace

std::string phase_table(const PhaseTime& whole, double least_share) {
    std::string out = "    seconds   processor  share  calls  peak MB growth MB  phase\n";
    add_line(out, whole, whole, least_share, 0);
    return out;
}

}  // namespace ttsim::impl
