// Writer for events of the "Trace Event Format", with output in large pieces.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/exports/perfetto.hpp"

namespace ttsim::impl::trace {

/// Processes of the file: epochs first, then for each chip one per kind of component.
enum class PerfettoPart : std::uint8_t { Cores, Noc0, Noc1, Dram, Queues, Host, Ethernet };
constexpr std::int64_t epochs_process = 0;
inline std::int64_t process_of(std::int64_t chip, PerfettoPart part) {
    return 1 + chip * 7 + static_cast<std::int64_t>(part);
}

/// A JSON string.
std::string quoted(const std::string& text);

class PerfettoWriter {
public:
    PerfettoWriter(Reader& trace, const PerfettoOptions& options, const std::function<void(std::string_view)>& sink)
        : options_(options), sink_(sink), mhz_(trace.run().clock_mhz > 0 ? trace.run().clock_mhz : 1) {}

    /// Whether a cycle is in the window.
    bool shows(std::int64_t cycle) const { return cycle >= options_.first && cycle < options_.end; }
    const PerfettoOptions& options() const { return options_; }

    void begin(const std::string& other_data);
    void end();
    void name_process(std::int64_t process, const std::string& name);
    void name_track(std::int64_t process, std::int64_t track, const std::string& name);
    /// `args`: members of a JSON object.
    void slice(std::string_view name, const char* kind, std::int64_t process, std::int64_t track, std::int64_t start,
               std::int64_t end, std::string_view args);
    void counter(const std::string& name, std::int64_t process, std::int64_t cycle, const char* unit, double value);
    /// An arrow between two slices, which contain these cycles.
    void arrow(std::int64_t from_process, std::int64_t from_track, std::int64_t from_cycle, std::int64_t to_process,
               std::int64_t to_track, std::int64_t to_cycle);

private:
    /// Time in microseconds for the format, rounded down to nanoseconds.
    std::string moment(std::int64_t cycle) const { return microseconds(nanoseconds(cycle)); }
    static std::string microseconds(std::int64_t ns) {
        return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns / 1000), std::abs(ns % 1000));
    }
    std::int64_t nanoseconds(std::int64_t cycle) const {
        return cycle / mhz_ * 1000 + cycle % mhz_ * 1000 / mhz_;  // avoids overflow of the product
    }
    template <class... Args>
    void event(fmt::format_string<Args...> format, Args&&... args) {
        if (!first_) text_ += ",\n";
        first_ = false;
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
        if (text_.size() < 1 << 20) return;
        sink_(text_);
        text_.clear();
    }

    const PerfettoOptions& options_;
    const std::function<void(std::string_view)>& sink_;
    std::int64_t mhz_;
    std::string text_;
    bool first_ = true;
    std::int64_t arrows_ = 0;
};

/// Parses a JSON list of lists of integers. Throws Error(Input) for anything else.
std::vector<std::vector<std::int64_t>> number_rows(const Database& database, const std::string& text);

// --- the parts of the file, each in its own source file ---
/// Inputs, waits and steps of each core.
void add_cores(Reader& trace, PerfettoWriter& out);
/// Arrows from the packing core to the receiving core.
void add_arrows(Reader& trace, PerfettoWriter& out);
/// Numbers of entries in the queues of the device.
void add_queues(Reader& trace, PerfettoWriter& out);

/// Track of the core at (x, y), shared by ops of several epochs.
inline std::int64_t track_of(std::int64_t x, std::int64_t y) { return y * 1000 + x + 1; }

}  // namespace ttsim::impl::trace
