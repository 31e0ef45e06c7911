#include "tools/common/input_kind.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"

namespace ttsim::impl::cli {

namespace fs = std::filesystem;

namespace {

bool path_exists(const fs::path& path) {
    std::error_code failed;
    return fs::exists(path, failed);
}

/// Quoted for a shell where needed.
std::string shell_word(const std::string& word) {
    static const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:@%+,";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string text = "\"";
    for (const char c : word) {
        if (c == '"' || c == '\\' || c == '$' || c == '`') text += '\\';
        text += c;
    }
    return text + '"';
}

std::string first_bytes(const fs::path& path) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed)) return "";  // reading from a pipe would consume input of the command
    std::string head(16, '\0');
    std::ifstream in(path, std::ios::binary);
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    return head;
}

/// A ModelProto begins with its ir_version, a small number; the fields after it have lengths.
bool looks_like_onnx(const std::string& head) {
    return head.size() > 2 && head[0] == 0x08 && head[1] > 0 && head[1] < 0x20 && (head[2] & 7) == 2;
}

/// The device that a model was compiled for; "" when the folder does not name it.
std::string compiled_device(const fs::path& folder) {
    std::ifstream in(folder / "host_steps.json");
    const auto json = nlohmann::json::parse(in, nullptr, false);
    if (!json.is_object() || !json.contains("device") || !json["device"].is_string()) return "";
    return json["device"].get<std::string>();
}

/// A name for the result of another command on this file: unused, or that of an earlier such result.
std::string suggested_name(const fs::path& path, InputKind kind) {
    fs::path clean = path.lexically_normal();
    if (!clean.has_filename()) clean = clean.parent_path();
    const std::string stem = clean.stem().string();
    if (kind == InputKind::Trace) return stem + ".ttperf";
    return path_exists(stem) && kind_of(stem) != InputKind::CompiledModel ? stem + "_compiled" : stem;
}

/// "ttsim compile m.onnx -o m", and the command that reads what it writes.
std::string suggest_command(InputKind found, InputKind wanted, const std::string& path, const std::string& command) {
    const std::string file = shell_word(path);
    switch (found) {
        case InputKind::Unknown:
            return "";
        case InputKind::Trace:
            return fmt::format("'ttperf {}' reads it", file);
        case InputKind::Array:
            return "'ttsim run FOLDER --input NAME=" + file + "' uses it as an input of a compiled model";
        case InputKind::Model: {
            const std::string folder = shell_word(suggested_name(path, InputKind::CompiledModel));
            const std::string compile = fmt::format("compile it: 'ttsim compile {} -o {}'", file, folder);
            if (wanted == InputKind::Trace)
                return fmt::format("{}; then 'ttsim run {} --mode timing --trace {}' writes a trace", compile, folder,
                                   shell_word(suggested_name(path, InputKind::Trace)));
            return command == "ttsim run" ? fmt::format("{}, then 'ttsim run {}'", compile, folder)
                                          : fmt::format("{}, then '{} {}/netlist.yaml'", compile, command, folder);
        }
        case InputKind::CompiledModel:
        case InputKind::Netlist: {
            if (wanted == InputKind::Model) return fmt::format("it needs no compiling: 'ttsim run {}'", file);
            if (wanted == InputKind::Trace) {
                const std::string trace = shell_word(suggested_name(path, InputKind::Trace));
                return fmt::format("'ttsim run {} --mode timing --trace {}' writes a trace, then '{} {}'", file, trace,
                                   command, trace);
            }
            if (wanted == InputKind::Image) return "'ttsim compile MODEL.onnx -o MODEL.tti' writes one";
            const std::string device = compiled_device(path);
            return fmt::format("its netlist: '{} {}{}'", command,
                               shell_word((fs::path(path) / "netlist.yaml").string()),
                               device.empty() ? "" : " --device " + shell_word(device));
        }
        case InputKind::Image:
            if (wanted == InputKind::Model) return fmt::format("it needs no compiling: 'ttsim run {}'", file);
            if (wanted == InputKind::Trace) {
                const std::string trace = shell_word(suggested_name(path, InputKind::Trace));
                return fmt::format("'ttsim run {} --mode timing --trace {}' writes a trace, then '{} {}'", file, trace,
                                   command, trace);
            }
            return fmt::format("'ttsim tti extract {} -o FOLDER' unpacks its netlist", file);
        case InputKind::Folder: {
            std::vector<std::string> files;
            std::error_code failed;
            for (fs::directory_iterator at(path, failed), end; at != end && files.size() < 1000; at.increment(failed))
                if (kind_of(at->path().string()) == wanted && at->is_regular_file(failed))
                    files.push_back(at->path().string());
            if (files.empty()) return "expected a file, or the folder that 'ttsim compile MODEL.onnx -o FOLDER' wrote";
            return fmt::format("expected a file: '{} {}'", command,
                               shell_word(*std::min_element(files.begin(), files.end())));
        }
    }
    return "";
}

std::string kind_name(InputKind kind, const std::string& path) {
    switch (kind) {
        case InputKind::Netlist:
            return "a netlist";
        case InputKind::Model:
            return path.empty() || framework_of(path).empty() ? "an ONNX model" : "a model of " + framework_of(path);
        case InputKind::CompiledModel:
            return "the folder of a compiled model";
        case InputKind::Image:
            return "a device image";
        case InputKind::Folder:
            return "a folder";
        case InputKind::Trace:
            return "a trace";
        case InputKind::Array:
            return "an array";
        case InputKind::Unknown:
            break;
    }
    return "";
}

}  // namespace

std::string framework_of(const std::string& path) {
    std::error_code failed;
    const fs::path file(path);
    if (fs::is_directory(file, failed)) return path_exists(file / "saved_model.pb") ? "TensorFlow" : "";
    const std::string extension = to_lower(file.extension().string());
    const std::string head = first_bytes(file);
    if (extension == ".tflite" || (head.size() >= 8 && head.compare(4, 4, "TFL3") == 0)) return "TensorFlow Lite";
    if (extension == ".keras") return "Keras";
    if (extension == ".pt2") return "torch.export";
    // a GraphDef or a SavedModel begins with a field that has a length; a ModelProto with a number
    if (file.filename() == "saved_model.pb") return "TensorFlow";
    if (extension == ".pb" && head.starts_with('\x0a')) return "TensorFlow";
    return "";
}

std::string extra_of(const std::string& path) {
    const std::string framework = framework_of(path);
    return framework == "TensorFlow Lite" ? "tflite" : framework == "torch.export" ? "torch" : "tensorflow";
}

InputKind kind_of(const std::string& path) {
    std::error_code failed;
    if (!framework_of(path).empty()) return InputKind::Model;
    if (fs::is_directory(path, failed))
        return path_exists(fs::path(path) / "host_steps.json")            ? InputKind::CompiledModel
               : path_exists(fs::path(path) / "unzipped_tti/device.json") ? InputKind::Image
                                                                          : InputKind::Folder;
    const std::string extension = to_lower(fs::path(path).extension().string());
    const std::string head = first_bytes(path);
    if (head.starts_with("SQLite format 3")) return InputKind::Trace;
    if (head.starts_with("\x93NUMPY")) return InputKind::Array;
    if (extension == ".tti" || head.starts_with("unzipped_tti/")) return InputKind::Image;
    if (extension == ".yaml" || extension == ".yml") return InputKind::Netlist;
    if (extension == ".onnx" || looks_like_onnx(head)) return InputKind::Model;
    return InputKind::Unknown;
}

void require_kind(InputKind wanted, const std::string& path, const std::string& command, const char* accepted) {
    const InputKind found = kind_of(path);
    if (found == wanted || found == InputKind::Unknown) return;
    fail_input({path, 0, 0}, "is {}, not {}; {}", kind_name(found, path), accepted ? accepted : kind_name(wanted, ""),
               suggest_command(found, wanted, path, command));
}

static CLI::Validator path_check(void (*require)(const std::string&)) {
    return {[require](const std::string& path) {
                require(path);
                return std::string();
            },
            ""};
}

CLI::Validator existing_path() { return path_check(require_path); }
CLI::Validator existing_file() { return path_check(require_file); }
CLI::Validator existing_folder() { return path_check(require_folder); }

}  // namespace ttsim::impl::cli
