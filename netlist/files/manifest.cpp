#include "netlist/files/manifest.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "base/error.hpp"
#include "base/file_set.hpp"
#include "base/json_object.hpp"
#include "base/new_file.hpp"
#include "base/read_file.hpp"

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace ttsim::impl {

namespace {

std::vector<ManifestEntry> read_entries(const JsonObject& root, const std::string& key, const std::string& file) {
    std::vector<ManifestEntry> entries;
    std::set<std::string> queues;
    std::size_t index = 0;
    for (const json& item : root.list(key)) {
        const JsonObject object(item, fmt::format("{}[{}]", key, index++), file);
        object.only({"queue", "file", "first_entry"});
        ManifestEntry entry{object.text("queue"), object.text("file"), 0};
        if (const json* first = object.find("first_entry"))
            entry.first_entry = object.integer(*first, "first_entry", 0);
        if (entry.queue.empty()) object.fail("queue", "it is empty");
        if (!queues.insert(entry.queue).second) object.fail("queue", fmt::format("'{}' comes twice", entry.queue));
        if (!is_path_inside(entry.file))
            object.fail("file", fmt::format("'{}' leaves the folder of the manifest; files lie in it", entry.file));
        entries.push_back(std::move(entry));
    }
    return entries;
}

ordered_json entries_json(const std::vector<ManifestEntry>& entries) {
    ordered_json list = ordered_json::array();
    for (const ManifestEntry& entry : entries)
        list.push_back({{"queue", entry.queue}, {"file", entry.file}, {"first_entry", entry.first_entry}});
    return list;
}

}  // namespace

Manifest read_manifest(const std::string& folder) {
    const std::string file = resolve_inside(folder, "manifest.json");
    if (std::error_code ignored; !fs::exists(file, ignored))
        fail_input({file, 0, 0}, "there is no such file; --inputs needs a folder with a manifest.json");
    constexpr std::uint64_t max_bytes = std::uint64_t{64} << 20;
    const json document = parse_json(read_file(file, max_bytes), file);
    const JsonObject root(document, "", file);
    root.only({"netlist", "arch", "programs", "params", "inputs_count", "inputs", "outputs"});

    Manifest manifest;
    manifest.netlist = root.text("netlist");
    manifest.arch = root.text("arch");
    for (const json& name : root.list("programs")) {
        if (!name.is_string()) root.fail("programs", "a list of program names is wanted");
        manifest.programs.push_back(name.get<std::string>());
    }
    const JsonObject params(root.need("params"), "params", file);
    for (const auto& [name, value] : document["params"].items())
        manifest.params[name] = params.integer(value, name, -(std::int64_t{1} << 62));
    if (const json* count = root.find("inputs_count"); count && !count->is_null())
        manifest.inputs_count = root.integer(*count, "inputs_count", 1);
    manifest.inputs = read_entries(root, "inputs", file);
    manifest.outputs = read_entries(root, "outputs", file);
    for (const ManifestEntry& entry : manifest.inputs)
        if (std::error_code ignored; !fs::exists(resolve_inside(folder, entry.file), ignored))
            fail_input({file, 0, 0}, "'inputs' names the file '{}' for queue '{}', but the folder has no such file",
                       entry.file, entry.queue);
    return manifest;
}

bool is_of_training(const Manifest& manifest) { return manifest.params.contains("$p_zero_grad"); }

void write_manifest(const std::string& folder, const Manifest& manifest) {
    ordered_json document;
    document["netlist"] = manifest.netlist;
    document["arch"] = manifest.arch;
    document["programs"] = manifest.programs;
    document["params"] = ordered_json::object();
    for (const auto& [name, value] : manifest.params) document["params"][name] = value;
    document["inputs_count"] = manifest.inputs_count ? ordered_json(*manifest.inputs_count) : ordered_json(nullptr);
    document["inputs"] = entries_json(manifest.inputs);
    document["outputs"] = entries_json(manifest.outputs);

    write_new_file((fs::path(folder) / "manifest.json").string(), FileKind::Json, [&](std::ostream& out) {
        // names come from the netlist; invalid UTF-8 must not stop the run
        out << document.dump(1, ' ', false, json::error_handler_t::replace) << "\n";
    });
}

std::string npy_name(const std::string& queue) {
    std::string name = queue;
    for (char& c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '.' && c != '_' && c != '-') c = '_';
    }
    constexpr std::size_t max_length = 200;
    if (name != queue || name.empty() || name.front() == '.' || name.size() > max_length) {
        std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a: distinguishes names that became equal
        for (const char c : queue) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
        if (!name.empty() && name.front() == '.') name.front() = '_';
        name = fmt::format("{}-{:016x}", name.substr(0, max_length), hash);
    }
    return name + ".npy";
}

}  // namespace ttsim::impl
