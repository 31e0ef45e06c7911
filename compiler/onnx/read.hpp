// ONNX file -> graph.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "compiler/ir/builder.hpp"

namespace ttsim::impl::ir {

struct OnnxOptions {
    /// Of inputs, for those with symbolic dimensions; or of such a dimension, by its name, the one size.
    std::map<std::string, Dims> shapes;
    std::map<std::string, Literal> constants;   ///< inputs that are no inputs at run time
    std::optional<std::string> folder;          ///< where data outside the model lies; none: it is refused
    std::vector<std::string>* notes = nullptr;  ///< gets a line for what was left out
    unsigned threads = 0;                       ///< that read weights; 0: one per processor
    /// The dims of the values of an input, if there are any: open dimensions are as large as there.
    std::function<std::optional<Dims>(const std::string& input)> value_dims{};
    /// Given in a run, to nodes left to it with what they read as constants: each is computed as it is added, since
    /// what is still to be read may follow from it.
    HostValue in_run = nullptr;
};

inline constexpr std::int64_t oldest_opset = 7, newest_opset = 28;

/// The bytes of such a file; `name` is what errors call the model.
/// Throws Error: Input for bytes that are no valid model, Unsupported with every node that cannot be compiled.
Graph parse_onnx(const std::string& bytes, const std::string& name, const OnnxOptions& options);
/// The same of a file; unless the options say otherwise, data outside it lies in its folder.
Graph read_onnx(const std::string& file, OnnxOptions options);

}  // namespace ttsim::impl::ir
