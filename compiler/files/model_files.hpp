// The compiler on files, as `ttsim compile` uses it: a model's file in, a folder out that `ttsim run` takes.
#pragma once

#include <map>
#include <string>

#include "compiler/model/compile.hpp"

namespace ttsim::impl::ir {

struct ModelFiles {
    std::string model;                             ///< .onnx, or a graph as text
    std::string out;                               ///< folder, or image
    std::map<std::string, std::string> inputs;     ///< values of inputs: name -> .pb or .npy file
    std::map<std::string, std::string> constants;  ///< the same; or a number, of which all elements are
    std::map<std::string, Dims> shapes;
    std::string command;   ///< for the netlist's first line
    unsigned threads = 0;  ///< that compile, read and write; 0: one per processor. No result depends on it
};

/// Reads .onnx or text. Values of `files.constants` are read from their files, or are a number. `notes`: gets a line
/// for what was left out.
Graph read_model(const ModelFiles& files, std::vector<std::string>* notes = nullptr);

/// The model compiled, with the values of its files. Throws Error: Input (2), Unsupported (4).
CompiledModel compile_model(const ModelFiles& files, CompileOptions options);

/// The same, written as a folder. Nothing is written unless all is.
CompileReport compile_files(const ModelFiles& files, CompileOptions options);

}  // namespace ttsim::impl::ir
