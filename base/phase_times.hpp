// Seconds and memory of the phases of a command, nested, for --time-passes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ttsim::impl {

/// All calls of a phase inside the same phase. Memory is resident memory of the process, in bytes.
struct PhaseTime {
    std::string name;
    std::int64_t calls = 0;
    double seconds = 0;               ///< wall time, with the phases inside
    double processor_seconds = 0;     ///< of all threads
    std::int64_t peak = 0;            ///< the most during a call
    std::int64_t growth = 0;          ///< from begin to end of the calls, summed
    std::vector<PhaseTime> phases{};  ///< inside, in the order of their first calls
};

/// Measures the phases that this thread begins, as long as it exists.
class PhaseTimes {
public:
    explicit PhaseTimes(std::string_view name);
    PhaseTimes(const PhaseTimes&) = delete;
    PhaseTimes& operator=(const PhaseTimes&) = delete;
    ~PhaseTimes();
    /// Ends the whole and returns it.
    PhaseTime end();

private:
    friend class TimedPhase;
    friend class UntimedPhases;
    struct Open {
        PhaseTime* phase;
        double seconds, processor_seconds;
        std::int64_t resident, peak;
    };
    void begin(PhaseTime& phase);
    void leave();
    static PhaseTimes*& current();

    PhaseTime whole_;
    std::vector<Open> open_;
    PhaseTimes* outer_;
};

/// A phase until the end of the block; nothing where the thread is not measured.
class TimedPhase {
public:
    explicit TimedPhase(std::string_view name);
    TimedPhase(const TimedPhase&) = delete;
    TimedPhase& operator=(const TimedPhase&) = delete;
    ~TimedPhase();

private:
    PhaseTimes* times_;
};

/// Until the end of the block the thread begins no phases. For work that threads share: only one of them is measured.
class UntimedPhases {
public:
    UntimedPhases();
    UntimedPhases(const UntimedPhases&) = delete;
    UntimedPhases& operator=(const UntimedPhases&) = delete;
    ~UntimedPhases();

private:
    PhaseTimes* times_;
};

/// A table with a line for each phase of at least this share of the whole. Phases inside are indented, and what they
/// leave of a phase is "other".
std::string phase_table(const PhaseTime& whole, double least_share = 0);

}  // namespace ttsim::impl
