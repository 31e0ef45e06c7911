// Compares the outputs of a graph before and after passes, on samples, in float32 on the host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/host/host_program.hpp"

namespace ttsim::impl::cli {

struct WrongValue {
    std::string output;
    double difference = 0, allowed = 0;  ///< as shares of the output's largest magnitude
};

class ValueCheck {
public:
    /// Evaluates the graph on samples. `tolerance` 0: by the types of the outputs.
    ValueCheck(const ir::Graph& graph, double tolerance);
    /// The first output that differs; nullopt if none does, or the graph cannot be compared: a pass has lowered it to
    /// tiles, or the host lacks one of its ops.
    std::optional<WrongValue> compare(const ir::Graph& graph) const;

private:
    std::vector<ir::Values> inputs_, outputs_;
    double tolerance_;
};

}  // namespace ttsim::impl::cli
