// Detects the kind of a file given on the command line, and suggests the command that accepts it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace ttsim::impl::cli {

enum class InputKind : std::uint8_t {
    Netlist,        ///< .yaml
    Model,          ///< ONNX, or of a framework
    CompiledModel,  ///< a folder that `ttsim compile` wrote
    Image,          ///< a device image, or the folder of an unpacked one
    Folder,         ///< any other folder
    Trace,          ///< written by `ttsim run --trace`
    Array,          ///< .npy
    Unknown         ///< left to the command's own reader
};
/// Decided by the first bytes, or else by the name.
InputKind kind_of(const std::string& path);

/// The framework of a model that is converted to ONNX: TensorFlow, Keras, TensorFlow Lite, torch.export. "" for others.
std::string framework_of(const std::string& path);
/// The extra of the Python package ttsim that converts such a model.
std::string extra_of(const std::string& path);

/// Accepts the kind `wanted` and Unknown. For others throws Error(Input) that names the kind found and commands to use
/// instead, with valid arguments. `command`: as typed before the file, such as "ttsim check". `accepted`: in messages,
/// all kinds that the command takes; null: only `wanted`.
void require_kind(InputKind wanted, const std::string& path, const std::string& command,
                  const char* accepted = nullptr);

/// For CLI::Option::check(): the path must exist and be readable. They throw Error(Input) otherwise, so that a path has
/// the same message whether an option or a reader refuses it.
CLI::Validator existing_path();
CLI::Validator existing_file();
CLI::Validator existing_folder();

}  // namespace ttsim::impl::cli
