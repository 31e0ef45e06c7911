// Ops that the device refuses, given to the host.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/legalization_error.hpp"

namespace ttsim::impl::ir {

/// Multiply-adds of an op that the host takes from a device that has no room for it: half a minute a sample.
inline constexpr double most_host_work = 4e9;
/// Those that are worth a look for other options with which the device takes them: some seconds a sample.
inline constexpr double much_host_work = 1e9;

/// Ops that are refused for one reason; printed in one line.
struct GivenToHost {
    std::string why;
    std::vector<std::string> ops;  ///< 'ORIGIN' (OP)
};

/// Marks them {host = 1}, and adds them to `given`. Whether there was any of at most `most_work` multiply-adds.
bool give_to_host(Graph& model, const LegalizationError& refusal, double most_work, std::vector<GivenToHost>& given);
/// Whether give_to_host() would give any.
bool can_give_to_host(const Graph& model, const LegalizationError& refusal, double most_work);
/// A line for each reason.
std::vector<std::string> lines_of(const std::vector<GivenToHost>& given);

}  // namespace ttsim::impl::ir
