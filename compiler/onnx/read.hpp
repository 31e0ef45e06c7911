// ONNX file -> graph.
#pragma once

#include <map>
#include <string>

#include "compiler/graph.hpp"

namespace tt::ir {

struct OnnxOptions {
    std::map<std::string, Dims> shapes;        ///< of inputs, for those with symbolic dimensions
    std::map<std::string, Literal> constants;  ///< inputs that are no inputs at run time
};

inline constexpr std::int64_t oldest_opset = 7, newest_opset = 17;

/// Throws Error: Input for a file that is no valid model, Unsupported with every node that cannot be compiled.
Graph read_onnx(const std::string& file, const OnnxOptions& options);
/// The same of the bytes of such a file; `file` is what errors name, and external data lies beside it.
Graph parse_onnx(const std::string& bytes, const std::string& file, const OnnxOptions& options);

}  // namespace tt::ir
