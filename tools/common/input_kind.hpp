// What a file given on the command line is, and which command wants it when this one does not.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace ttsim::impl::cli {

enum class InputKind : std::uint8_t {
    Netlist,        ///< .yaml
    Model,          ///< ONNX
    CompiledModel,  ///< a folder that `ttsim compile` wrote
    Image,          ///< a device image, or the folder into which one was unpacked
    Folder,         ///< any other
    Trace,          ///< of `ttsim run --trace`
    Array,          ///< .npy
    Unknown         ///< the command itself will see
};
/// By its first bytes, and its name where those do not tell.
InputKind kind_of(const std::string& path);

/// Unless it is that or unknown, throws Error(Input) that names the kind found and the commands to use instead, with
/// arguments that work. `command`: as typed before the file, such as "ttsim check".
void want(InputKind wanted, const std::string& path, const std::string& command);

/// For CLI::Option::check(): what is given must be there and readable. Throw Error(Input) otherwise, so that a path has
/// the same message whether an option or a reader refuses it.
CLI::Validator existing_path();
CLI::Validator existing_file();
CLI::Validator existing_folder();

}  // namespace ttsim::impl::cli
