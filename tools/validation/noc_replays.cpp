#include "tools/validation/noc_replays.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace ttsim::impl::noc {

namespace fs = std::filesystem;

std::optional<double> FileReplay::deviation() const {
    if (!result || !result->golden_cycles || *result->golden_cycles <= 0) return std::nullopt;
    return 100 * (result->total_cycles / *result->golden_cycles - 1);
}

std::vector<std::string> traffic_files(const std::vector<std::string>& paths) {
    std::vector<std::string> files;
    for (const std::string& path : paths) {
        std::error_code failed;
        if (!fs::is_directory(path, failed)) {
            files.push_back(path);
            continue;
        }
        std::vector<std::string> found;
        for (fs::directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed))
            if (entry->path().extension() == ".json") found.push_back(entry->path().string());
        if (failed) fail_input({path, 0, 0}, "the folder cannot be read: {}", failed.message());
        if (found.empty()) fail_input({path, 0, 0}, "the folder has no file whose name ends in .json");
        std::sort(found.begin(), found.end());
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

FileReplay replay_file(const std::string& file, const Topology& topology, const Constants& constants, Loop loop) {
    FileReplay replayed{.file = file, .result = {}, .error = {}, .seconds = 0};
    const std::variant<Trace, Workload> traffic = read_traffic(file, topology);
    const auto start = std::chrono::steady_clock::now();
    if (const auto* trace = std::get_if<Trace>(&traffic))
        replayed.result = replay(*trace, topology, constants, loop);
    else
        replayed.result = replay(std::get<Workload>(traffic), topology, constants);
    replayed.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return replayed;
}

std::vector<FileReplay> replay_files(const std::vector<std::string>& files, const Topology& topology,
                                     const Constants& constants, Loop loop) {
    std::vector<FileReplay> replays(files.size());
    parallel_for(0, files.size(), [&](std::size_t n) {
        try {
            const Topology own = topology;
            replays[n] = replay_file(files[n], own, constants, loop);
        } catch (const Error&) {
            replays[n].file = files[n];
            replays[n].error = std::current_exception();
        }
    });
    return replays;
}

void throw_errors(const std::vector<FileReplay>& replays) {
    std::optional<Fault> fault;
    std::string lines;
    std::vector<Problem> problems;
    for (const FileReplay& one : replays) {
        if (!one.error) continue;
        try {
            std::rethrow_exception(one.error);
        } catch (const Error& error) {
            if (!fault) fault = error.fault();
            lines += (lines.empty() ? "" : "\n") + std::string(error.what());
            problems.insert(problems.end(), error.problems().begin(), error.problems().end());
        }
    }
    if (fault) throw Error(*fault, std::move(lines), std::move(problems));
}

ReplaySummary summary(const std::vector<FileReplay>& replays) {
    ReplaySummary sum;
    for (const FileReplay& one : replays) {
        ++(one.result ? sum.replayed : sum.failed);
        const std::optional<double> deviation = one.deviation();
        if (!deviation) continue;
        ++sum.compared;
        sum.mean_error += std::abs(*deviation);
        if (std::abs(*deviation) >= sum.worst_error) {
            sum.worst_error = std::abs(*deviation);
            sum.worst_file = one.file;
        }
    }
    if (sum.compared > 0) sum.mean_error /= static_cast<double>(sum.compared);
    return sum;
}

}  // namespace ttsim::impl::noc
