// The file interface of the compiler, for `ttsim compile`: reads a model file and writes a folder for `ttsim run`.
#pragma once

#include <map>
#include <string>

#include "compiler/model/compile.hpp"

namespace ttsim::impl::ir {

struct ModelFiles {
    std::string model;                             ///< .onnx file, or a graph as text
    std::string onnx;                              ///< bytes that `model` was converted to; "": `model` is read
    std::string out;                               ///< folder, or image
    std::map<std::string, std::string> inputs;     ///< input values: name -> .pb or .npy file
    std::map<std::string, std::string> constants;  ///< the same, or a number for all elements
    std::map<std::string, Dims> shapes;
    std::string command;   ///< for the netlist's first line
    unsigned threads = 0;  ///< for all work; 0: one per processor. Results do not depend on it
};

/// Reads .onnx or text. Values of `files.constants` are files or numbers. `notes` receives a line per simplification.
Graph read_model(const ModelFiles& files, std::vector<std::string>* notes = nullptr);

/// Compiles the model with the values of its files. Throws Error: Input (2), Unsupported (4).
CompiledModel compile_model(const ModelFiles& files, CompileOptions options);

/// Compiles and writes a folder, completely or not at all.
CompileReport compile_files(const ModelFiles& files, CompileOptions options);

}  // namespace ttsim::impl::ir
