#include "runtime/image/member_list.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/json_object.hpp"
#include "base/parallel.hpp"
#include "runtime/image/target.hpp"

using nlohmann::json;
using Ordered = nlohmann::ordered_json;

namespace ttsim::impl::image {

namespace {

constexpr const char* list_file = "ttsim/model.json";
constexpr const char* list_checksum_file = "ttsim/model.json.sum";
constexpr const char* host_code = "module_files/host_parts.zip";
constexpr std::array host_data{"module_files/host_parts.json", "module_files/host_parts.safetensors"};
constexpr std::uint64_t max_json = std::uint64_t{256} << 20;
constexpr std::int64_t list_format = 2;  ///< 1: without this number, and host parts as code were not in the list

Ordered checksum_of(std::string_view bytes) { return {{"bytes", bytes.size()}, {"checksum", checksum_text(bytes)}}; }

std::string list_text(const std::string& device, std::int64_t clock_mhz, const Ordered& sums) {
    const Ordered own{{"format", list_format}, {"device", device}, {"clock_mhz", clock_mhz}, {"members", sums}};
    return own.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// Members that are not in the list: the list itself, and files added by unpacking.
bool is_outside(const Members& files, const std::string& name) {
    return name == list_file || name == list_checksum_file || (files.unpacked && name == archive_checksum_file);
}

}  // namespace

// --- writing -------------------------------------------------------------------------------------------------------

struct MemberSink::Sums {
    Ordered all = Ordered::object();
};

MemberSink::MemberSink(ArchiveWriter& archive) : archive_(archive), sums_(std::make_unique<Sums>()) {}
MemberSink::~MemberSink() = default;

void MemberSink::add(const std::string& name, std::string_view bytes) {
    archive_.add(name, bytes);
    sums_->all[name] = checksum_of(bytes);
}

FileSink MemberSink::below(const std::string& folder) {
    return [this, folder](const std::string& name, const std::string& bytes) {
        add(folder.empty() ? name : folder + "/" + name, bytes);
    };
}

void MemberSink::add_list(const std::string& device, std::int64_t clock_mhz) {
    const std::string text = list_text(device, clock_mhz, sums_->all);
    archive_.add(list_file, text);
    archive_.add(list_checksum_file, checksum_text(text) + "\n");
}

/// For an unpacked image without ttsim/: removes the mark that ttsim wrote it.
static void remove_ttsim_marker(Members& members) {
    const auto found = members.bytes.find(std::string(builds_folder) + "/runtime_data.yaml");
    if (found == members.bytes.end()) return;
    std::string text = found->second.text();
    const std::size_t at = text.find(ttsim_marker);
    if (at != std::string::npos) text.insert(at + std::string_view(ttsim_marker).size(), " tti pack");
    found->second = std::move(text);
}

void update_checksums(Members& members) {
    if (!members.has(list_file)) {
        remove_ttsim_marker(members);
        return (void)read_own_part(members);
    }
    const std::string place = members.place(list_file);
    const json old = parse_json(members.bytes.at(list_file), place);
    const JsonObject object(old, "", place);
    Ordered sums = Ordered::object();
    for (const auto& [name, bytes] : members.bytes)
        if (!is_outside(members, name)) sums[name] = checksum_of(bytes);
    const std::int64_t clock = object.integer(object.need("clock_mhz"), "clock_mhz", 1);
    const std::string text = list_text(object.text("device"), clock, sums);
    members.bytes[list_file] = text;
    members.bytes[list_checksum_file] = checksum_text(text) + "\n";
}

// --- reading -------------------------------------------------------------------------------------------------------

namespace {

/// Whether ttsim wrote the image, even if its list is missing.
bool is_own(const Members& files) {
    const std::string folder = std::string(own_folder) + "/";
    const auto first = files.bytes.lower_bound(folder);
    if (first != files.bytes.end() && first->first.starts_with(folder)) return true;
    const auto found = files.bytes.find(std::string(builds_folder) + "/runtime_data.yaml");
    if (found == files.bytes.end()) return false;
    const std::string_view text = found->second.view(), line = ttsim_marker;
    const std::size_t at = text.find(line);
    return at != std::string_view::npos && (at == 0 || text[at - 1] == '\n') &&
           text.substr(at + line.size(), 1) == "\n";
}

/// Throws if a member was changed.
void check_checksums(const Members& files, const json& list, const std::string& place) {
    std::vector<std::pair<std::string, json>> items;
    for (const auto& [name, item] : list.items()) items.emplace_back(name, item);
    parallel_for(0, items.size(), [&](std::size_t n) {
        const auto& [name, item] = items[n];
        const JsonObject one(item, "members." + name, place);
        if (!is_path_inside(name)) one.fail("", "it is not the name of a member");
        if (!files.has(name))
            fail_input({files.place(name), 0, 0}, "the image has no such member, which its list names");
        const auto bytes = static_cast<std::uint64_t>(one.integer(one.need("bytes"), "bytes", 0));
        const SharedBytes data = files.read(name, std::max(bytes, max_json));
        if (data.size() != bytes || checksum_text(data) != one.text("checksum"))
            fail_input({files.place(name), 0, 0},
                       "it is not what was written into the image: its {} bytes have another checksum than the {} "
                       "noted; of an image that was changed on purpose 'ttsim tti pack' makes a new one",
                       data.size(), bytes);
    });
}

/// Throws if members were added. `all`: host parts as code are in the list too.
void check_added(const Members& files, const json& list, bool all) {
    for (const auto& [name, unused] : files.bytes)
        if (!list.contains(name) && !is_outside(files, name) && (all || name != host_code))
            fail_input({files.place(name), 0, 0},
                       "the member was added to the image, whose list lacks it; take it out, or make a new image of an "
                       "unpacked one with 'ttsim tti pack'");
}

}  // namespace

std::optional<OwnPart> read_own_part(const Members& files) {
    if (!is_own(files)) return std::nullopt;
    const std::string place = files.place(list_file);
    for (const char* name : {list_file, list_checksum_file})
        if (!files.has(name))
            fail_input({files.place(name), 0, 0},
                       "the image has no such member, although ttsim wrote it: the image was cut off, or members were "
                       "taken out; copy or compile it again");
    const SharedBytes text = files.read(list_file, max_json);
    if (files.read(list_checksum_file, max_json).view() != checksum_text(text) + "\n")
        fail_input({place, 0, 0}, "it is not what was written into the image: its checksum is another");
    const json own = parse_json(text, place);
    const JsonObject object(own, "", place);
    object.only({"format", "device", "clock_mhz", "members"});
    const std::int64_t format = object.find("format") ? object.integer(object.need("format"), "format", 1) : 1;
    if (format > list_format)
        fail_unsupported({place, 0, 0}, "its format is {}; up to {} is read", format, list_format);
    const json& list = object.need("members");
    const JsonObject names(list, "members", place);
    check_added(files, list, format > 1);
    check_checksums(files, list, place);
    return OwnPart{object.text("device"), object.integer(object.need("clock_mhz"), "clock_mhz", 1)};
}

void remove_run_reports(Members& files) {
    if (!files.unpacked || !files.has(list_file)) return;
    json own;
    try {
        own = parse_json(files.bytes.at(list_file), list_file);
    } catch (const Error&) {
        return;  // read_own_part() reports the error
    }
    if (!own.is_object() || !own.contains("members")) return;
    const std::string builds = std::string(builds_folder) + "/";
    std::erase_if(files.bytes, [&](const auto& member) {
        return member.first.starts_with(builds) && !own["members"].contains(member.first);
    });
}

// --- members that are read
// ---------------------------------------------------------------------------------------------------

bool is_host_file(const std::string& name) {
    const std::string full = "module_files/" + name;
    return full == host_code || std::find(host_data.begin(), host_data.end(), full) != host_data.end();
}

HostFiles host_files(const Members& files) {
    HostFiles found;
    for (const char* name : host_data)
        if (files.has(name)) found.data.push_back({name, files.bytes.at(name).size()});
    if (files.has(host_code)) found.code.push_back({host_code, files.bytes.at(host_code).size()});
    return found;
}

std::vector<MemberSize> unread_members(const Members& files, const DeviceRecord& record) {
    std::set<std::string> read{record_file,           list_file,
                               list_checksum_file,    "compile_and_runtime_config.json",
                               archive_checksum_file, std::filesystem::path(record.netlist).filename().string()};
    for (const auto* values : {&record.constant_values, &record.parameter_values})
        for (const auto& [queue, stored] : *values) read.insert(stored.file);
    const HostFiles host = host_files(files);
    for (const auto* some : {&host.data, &host.code})
        for (const MemberSize& m : *some) read.insert(m.name);
    const bool own = files.has(list_file);
    std::vector<MemberSize> unread;
    for (const auto& [name, bytes] : files.bytes) {
        const bool known = read.contains(name) || name.starts_with(std::string(builds_folder) + "/") ||
                           (own && name.starts_with(std::string(own_folder) + "/"));
        if (!known) unread.push_back({name, bytes.size()});
    }
    return unread;
}

std::string unread_note(const std::vector<MemberSize>& unread) {
    if (unread.empty()) return "";
    constexpr std::size_t max_names = 8;
    std::string text = fmt::format("{} member{} of the image {} not read: ", unread.size(),
                                   unread.size() == 1 ? "" : "s", unread.size() == 1 ? "is" : "are");
    for (std::size_t k = 0; k < std::min(max_names, unread.size()); ++k) text += (k > 0 ? ", " : "") + unread[k].name;
    return text + (unread.size() > max_names ? ", ...; 'ttsim tti info' names all" : "");
}

}  // namespace ttsim::impl::image
