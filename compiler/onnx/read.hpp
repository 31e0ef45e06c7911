// Reads an ONNX file into a graph.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "compiler/ir/builder.hpp"

namespace ttsim::impl::ir {

struct OnnxOptions {
    /// Shapes of inputs by name, or one size by the name of a symbolic dimension.
    std::map<std::string, Dims> shapes;
    std::map<std::string, Literal> constants;   ///< inputs that become constants
    std::optional<std::string> folder;          ///< folder of external data; nullopt: external data is refused
    std::vector<std::string>* notes = nullptr;  ///< receives a line for each simplification
    unsigned threads = 0;                       ///< to read weights with; 0: one per processor
    /// The dims of an input's values, if there are any. They set the size of open dimensions.
    std::function<std::optional<Dims>(const std::string& input)> value_dims{};
    /// Set during a run, which reads deferred nodes with their operands as constants. Each node is computed when it
    /// is added, because shapes of later nodes may depend on it.
    HostValues in_run = nullptr;
};

inline constexpr std::int64_t oldest_opset = 7, newest_opset = 28;

/// Parses the bytes of an ONNX file; errors call the model `name`.
/// Throws Error: Input for bytes that are not valid model, Unsupported with every node that cannot be compiled.
Graph parse_onnx(const std::string& bytes, const std::string& name, const OnnxOptions& options);
/// Reads a file. External data is read from its folder unless the options name another one.
Graph read_onnx(const std::string& file, OnnxOptions options);

}  // namespace ttsim::impl::ir
