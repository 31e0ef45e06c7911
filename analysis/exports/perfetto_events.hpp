// Writers of events for Perfetto, with output in large pieces: JSON ("Trace Event Format") and protocol buffers.
#pragma once

#include <functional>
#include <memory>
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

/// Writer of events in one of the two formats.
class PerfettoWriter {
public:
    PerfettoWriter(const Reader& trace, const PerfettoOptions& options)
        : options_(options), mhz_(trace.run().clock_mhz > 0 ? trace.run().clock_mhz : 1) {}
    virtual ~PerfettoWriter() = default;

    /// Whether a cycle is in the window.
    bool shows(std::int64_t cycle) const { return cycle >= options_.first && cycle < options_.end; }
    const PerfettoOptions& options() const { return options_; }

    /// `other_data`, `args`: members of a JSON object.
    virtual void begin(const std::string& other_data) = 0;
    virtual void end() = 0;
    virtual void name_process(std::int64_t process, const std::string& name) = 0;
    virtual void name_track(std::int64_t process, std::int64_t track, const std::string& name) = 0;
    virtual void slice(std::string_view name, const char* kind, std::int64_t process, std::int64_t track,
                       std::int64_t start, std::int64_t end, std::string_view args) = 0;
    virtual void counter(const std::string& name, std::int64_t process, std::int64_t cycle, const char* unit,
                         double value) = 0;
    /// An arrow between two slices, which contain these cycles.
    virtual void arrow(std::int64_t from_process, std::int64_t from_track, std::int64_t from_cycle,
                       std::int64_t to_process, std::int64_t to_track, std::int64_t to_cycle) = 0;

protected:
    std::int64_t nanoseconds(std::int64_t cycle) const {
        return cycle / mhz_ * 1000 + cycle % mhz_ * 1000 / mhz_;  // avoids overflow of the product
    }

private:
    const PerfettoOptions& options_;
    std::int64_t mhz_;
};

using PerfettoSink = std::function<void(std::string_view)>;
/// JSON ("Trace Event Format").
std::unique_ptr<PerfettoWriter> perfetto_json(const Reader& trace, const PerfettoOptions& options,
                                              const PerfettoSink& sink);
/// Perfetto's own format, compressed.
std::unique_ptr<PerfettoWriter> perfetto_protobuf(const Reader& trace, const PerfettoOptions& options,
                                                  const PerfettoSink& sink);

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
