// Replays several files of recorded NoC traffic.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "sim/noc/replay.hpp"

namespace ttsim::impl::noc {

/// Result of one file; exactly one of `result` and `error` is set.
struct FileReplay {
    std::string file;
    std::optional<ReplayResult> result;
    std::exception_ptr error;  ///< an Error with the place in the file
    double seconds = 0;        ///< wall time of the replay without reading

    /// Predicted cycles beside recorded ones, in percent; none if nothing or 0 was recorded.
    std::optional<double> deviation() const;
};

/// Files stand for themselves, folders for the files in them whose names end in .json, in alphabetical order. Throws
/// Error(Input) for a folder without any.
std::vector<std::string> traffic_files(const std::vector<std::string>& paths);

/// Replays the traffic of one file. `loop` applies to traces.
FileReplay replay_file(const std::string& file, const Topology& topology, const Constants& constants, Loop loop);
/// The same for several files on all processors, in their order. Errors are kept in the results.
std::vector<FileReplay> replay_files(const std::vector<std::string>& files, const Topology& topology,
                                     const Constants& constants, Loop loop);

/// Throws the errors of all files as one, with the kind of the first; nothing if there are none.
void throw_errors(const std::vector<FileReplay>& replays);

/// Deviations over the files that have one.
struct ReplaySummary {
    std::size_t replayed = 0, failed = 0, compared = 0;
    double mean_error = 0, worst_error = 0;  ///< of the absolute deviations, percent
    std::string worst_file;
};
ReplaySummary summary(const std::vector<FileReplay>& replays);

}  // namespace ttsim::impl::noc
