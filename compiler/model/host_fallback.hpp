// Host fallback: moves refused ops to the host.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/legalization_error.hpp"

namespace ttsim::impl::ir {

/// Limit of multiply-adds of an op that is moved to the host: half a minute per sample.
inline constexpr double most_host_work = 4e9;
/// Above this many multiply-adds other options are tried first: some seconds per sample.
inline constexpr double much_host_work = 1e9;

/// Ops refused for the same reason, reported in one line.
struct HostFallbackOps {
    std::string why;
    std::vector<std::string> ops;  ///< 'ORIGIN' (OP)
};

/// Marks refused ops of at most `most_work` multiply-adds with {host = 1}, and adds them to `given`. Returns whether
/// there was any.
bool move_to_host(Graph& model, const LegalizationError& refusal, double most_work,
                  std::vector<HostFallbackOps>& given);
/// Whether move_to_host() would move any op.
bool can_move_to_host(const Graph& model, const LegalizationError& refusal, double most_work);
/// One line per reason.
std::vector<std::string> lines_of(const std::vector<HostFallbackOps>& given);

}  // namespace ttsim::impl::ir
