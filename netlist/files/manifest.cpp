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

std::vector<ManifestEntry> read_entries(const JsonObject& top, const std::string& key, const std::string& file) {
    std::vector<ManifestEntry> entries;
    std::set<std::string> queues;
    std::size_t index = 0;
    for (const json& item : top.list(key)) {
        const JsonObject object(item, fmt::format("{}[{}]", key, index++), file);
        object.only({"queue", "file", "first_entry"});
        ManifestEntry entry{object.text("queue"), object.text("file"), 0};
        if (const json* first = object.find("first_entry")) entry.first_entry = object.whole(*first, "first_entry", 0);
        if (entry.queue.empty()) object.fail("queue", "it is empty");
        if (!queues.insert(entry.queue).second) object.fail("queue", fmt::format("'{}' comes twice", entry.queue));
        if (!stays_inside(entry.file))
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
    const std::string file = place_inside(folder, "manifest.json");
    if (std::error_code ignored; !fs::exists(file, ignored))
        fail_input({file, 0, 0}, "there is no such file; --inputs needs a folder with a manifest.json");
    constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;
    const json document = parse_json(read_file(file, most_bytes), file);
    const JsonObject top(document, "", file);
    top.only({"netlist", "arch", "programs", "params", "inputs_count", "inputs", "outputs"});

    Manifest manifest;
    manifest.netlist = top.text("netlist");
    manifest.arch = top.text("arch");
    for (const json& name : top.list("programs")) {
        if (!name.is_string()) top.fail("programs", "a list of program names is wanted");
        manifest.programs.push_back(name.get<std::string>());
    }
    const JsonObject params(top.need("params"), "params", file);
    for (const auto& [name, value] : document["params"].items())
        manifest.params[name] = params.whole(value, name, -(std::int64_t{1} << 62));
    if (const json* count = top.find("inputs_count"); count && !count->is_null())
        manifest.inputs_count = top.whole(*count, "inputs_count", 1);
    manifest.inputs = read_entries(top, "inputs", file);
    manifest.outputs = read_entries(top, "outputs", file);
    for (const ManifestEntry& entry : manifest.inputs)
        if (std::error_code ignored; !fs::exists(place_inside(folder, entry.file), ignored))
            fail_input({file, 0, 0}, "'inputs' names the file '{}' for queue '{}', but the folder has no such file",
                       entry.file, entry.queue);
    return manifest;
}

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
        // names come from the netlist; bytes that are no UTF-8 must not stop the run
        out << document.dump(1, ' ', false, json::error_handler_t::replace) << "\n";
    });
}

std::string npy_name(const std::string& queue) {
    std::string name = queue;
    for (char& c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '.' && c != '_' && c != '-') c = '_';
    }
    constexpr std::size_t longest = 200;
    if (name != queue || name.empty() || name.front() == '.' || name.size() > longest) {
        std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a: keeps names apart that look alike now
        for (const char c : queue) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
        if (!name.empty() && name.front() == '.') name.front() = '_';
        name = fmt::format("{}-{:016x}", name.substr(0, longest), hash);
    }
    return name + ".npy";
}

}  // namespace ttsim::impl
