// Runs a netlist given as text, and looks at what it left.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "netlist/files/npy.hpp"
#include "sim/run.hpp"

namespace ttsim::impl::test {

struct Outcome {
    sim::RunReport report;
    std::map<std::string, QueueArray> outputs;  ///< by queue; empty in timing mode
    std::map<std::string, QueueArray> inputs;
    std::string error;  ///< text of the Error that ended it; "" when none
    int exit_code = 0;
};

/// `numerics` off (float32) unless the options say otherwise; outputs are dumped and read back.
Outcome run_text(const std::string& text, sim::Mode mode, sim::RunOptions options = {});
Outcome run_real(const std::string& text, sim::Mode mode, sim::RunOptions options = {});
Outcome run_exact(const std::string& text, sim::Mode mode, sim::RunOptions options = {});

/// Every output queue of the run by its verdict: "y passes", "y fails (max error 3)".
std::string verdicts(const Outcome& outcome);
/// Names of queues whose dumped values differ, bit by bit.
std::vector<std::string> differing(const Outcome& a, const Outcome& b);

}  // namespace ttsim::impl::test
