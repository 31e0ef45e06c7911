// Opens and validates a trace for reading.
#pragma once

#include <optional>
#include <string>

#include "trace/database.hpp"

namespace ttsim::impl::trace {

/// The recorded run.
struct RunInfo {
    std::string ttsim, command, netlist, arch, device, mode, numerics, status, message;
    std::int64_t seed = 0, clock_mhz = 0, level = 0, cycles = 0, bucket_cycles = 0;
    std::optional<std::int64_t> inputs_count;
    std::int64_t saved_bytes = 0;                             ///< of saved activations (docs/figures.md)
    double inputs_per_second = 0, end_to_end_per_second = 0;  ///< docs/figures.md; 0: unknown
    bool rate_of_loop = false;                                ///< inputs_per_second counts pauses between executes
};

class Reader {
public:
    /// Throws Error(Input) if the file is missing, truncated, not a database, not a trace or of another version, if its
    /// tables or views differ from the schema, or if values are invalid (trace/check_values.hpp).
    explicit Reader(const std::string& path);
    const RunInfo& run() const { return run_; }
    const std::string& path() const { return database_.shown(); }
    Database& database() { return database_; }
    /// Maximum number of repeats of a row that the views support.
    std::int64_t most_repeats();

private:
    void check_kind();
    void check_schema();
    void read_run();
    void read_rates();
    Database database_;
    RunInfo run_;
};

}  // namespace ttsim::impl::trace
