// Models of other frameworks, converted to ONNX by the Python package ttsim.convert.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::cli {

struct Conversion {
    std::string model;                           ///< file, or SavedModel folder
    std::map<std::string, ir::Dims> shapes;      ///< of inputs, by name
    std::string signature;                       ///< of a SavedModel; "": the default one
    std::vector<std::string> output_names = {};  ///< of a GraphDef or .tflite file; empty: the default
};

/// The bytes of the ModelProto. Runs `python3 -m ttsim.convert` (TTSIM_PYTHON names another interpreter), which
/// executes nothing of the file. Throws Error: Input for an invalid file or a missing package, Unsupported for ops
/// without a form in ONNX.
std::string convert_to_onnx(const Conversion& conversion);

}  // namespace ttsim::impl::cli
