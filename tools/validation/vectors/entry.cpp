#include "tools/validation/vectors/entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/read_file.hpp"
#include "kernels/formats/unpack.hpp"

namespace ttsim::impl::vectors {

namespace {

SourceLoc at(const std::filesystem::path& file) { return {file.string(), 0, 0}; }

/// The text after "'key':" in the header's dictionary.
std::string header_field(const std::string& header, const std::string& key) {
    const std::size_t found = header.find("'" + key + "':");
    return found == std::string::npos ? "" : header.substr(header.find_first_not_of(' ', found + key.size() + 3));
}

std::vector<std::int64_t> parse_shape(const std::filesystem::path& file, const std::string& text) {
    const std::size_t end = text.find(')');
    if (text.empty() || text[0] != '(' || end == std::string::npos) fail_input(at(file), "its header has no shape");
    std::vector<std::int64_t> shape;
    for (const char* p = text.data() + 1; p < text.data() + end;) {
        std::int64_t extent = 0;
        const auto [next, error] = std::from_chars(p, text.data() + end, extent);
        if (error != std::errc() || extent < 0 || extent > (1 << 30)) fail_input(at(file), "its shape is not readable");
        shape.push_back(extent);
        p = next;
        while (p < text.data() + end && (*p == ',' || *p == ' ')) ++p;
    }
    return shape;
}

std::size_t element_size(const std::filesystem::path& file, const std::string& type) {
    for (const auto& [name, size] : {std::pair{"'|u1'", 1}, {"'<u2'", 2}, {"'<u4'", 4}})
        if (type.rfind(name, 0) == 0) return static_cast<std::size_t>(size);
    fail_input(at(file), "its elements are {}; uint8, uint16 or uint32 (little-endian) can be read",
               type.substr(0, type.find(',')));
}

}  // namespace

std::string Array::place(std::size_t index) const {
    std::string text;
    for (std::size_t i = shape.size(); i-- > 0;) {
        const auto extent = static_cast<std::size_t>(shape[i]);
        text = fmt::format("[{}]{}", index % extent, text);
        index /= extent;
    }
    return text;
}

Array read_npy(const std::filesystem::path& file) {
    constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30;
    const std::string all = read_file(file.string(), most_bytes);
    if (all.size() < 12 || all.compare(0, 6, "\x93NUMPY") != 0) fail_input(at(file), "is not an .npy file");
    const auto byte = [&](std::size_t i) { return std::size_t{static_cast<std::uint8_t>(all[i])}; };
    const bool first_version = byte(6) == 1;
    const std::size_t length =
        first_version ? byte(8) + 256 * byte(9) : byte(8) + 256 * byte(9) + 65536 * byte(10) + (byte(11) << 24);
    const std::size_t start = first_version ? 10 : 12;
    if (start + length > all.size()) fail_input(at(file), "ends inside its header");
    const std::string header = all.substr(start, length);
    if (header_field(header, "fortran_order").rfind("False", 0) != 0)
        fail_input(at(file), "is not in C order; write it with order='C'");
    Array array;
    array.shape = parse_shape(file, header_field(header, "shape"));
    const std::size_t size = element_size(file, header_field(header, "descr"));
    std::size_t count = 1;
    for (const std::int64_t extent : array.shape) {
        count *= static_cast<std::size_t>(extent);
        if (count > all.size()) fail_input(at(file), "its shape needs more than the {} bytes it has", all.size());
    }
    if (all.size() - start - length != count * size)
        fail_input(at(file), "has {} bytes of data; its shape needs {}", all.size() - start - length, count * size);
    array.data.resize(count);
    for (std::size_t i = 0; i < count * size; ++i)
        array.data[i / size] |= static_cast<std::uint32_t>(byte(start + length + i)) << (8 * (i % size));
    return array;
}

Entry::Entry(std::filesystem::path folder, const nlohmann::json& json) : folder_(std::move(folder)), json_(json) {
    if (!json.is_object() || !json.contains("id") || !json["id"].is_string())
        fail_input(at(folder_ / "index.json"), "an entry has no 'id'");
    id_ = json["id"];
}

void Entry::fail_text(const std::string& text) const {
    fail_input(at(folder_ / "index.json"), "entry '{}': {}", id_, text);
}

std::string Entry::text(const char* key) const {
    if (!json_.contains(key) || !json_[key].is_string()) fail("needs '{}', a text", key);
    return json_[key];
}
std::string Entry::text(const char* key, const char* other) const { return json_.contains(key) ? text(key) : other; }

std::int64_t Entry::integer(const char* key, std::int64_t other) const {
    if (!json_.contains(key)) return other;
    if (!json_[key].is_number_integer()) fail("'{}' must be an integer", key);
    return json_[key];
}

const nlohmann::json& Entry::list(const char* key) const {
    if (!json_.contains(key) || !json_[key].is_array()) fail("needs '{}', a list", key);
    return json_[key];
}

std::vector<std::string> Entry::words(const char* key) const {
    std::vector<std::string> out;
    for (const nlohmann::json& item : list(key)) {
        if (!item.is_string()) fail("'{}' must be a list of texts", key);
        out.push_back(item);
    }
    return out;
}

DataFormat Entry::format(const char* key) const {
    std::string name = text(key);
    name = name.substr(0, name.find(' '));
    const auto found = parse_format(name);
    if (!found) fail("'{}' is {}, which is not a data format", key, name);
    return *found;
}

DataFormat Entry::tile_format(const char* key) const {
    const DataFormat found = format(key);
    if (!exact::can_unpack(found)) fail("'{}' is {}, which cannot be unpacked bit by bit", key, to_string(found));
    return found;
}

Fidelity Entry::fidelity(const std::string& name) const {
    const auto found = parse_fidelity(name);
    if (!found) fail("{} is not a fidelity; LoFi, HiFi2, HiFi2_B, HiFi3 and HiFi4 are", name);
    return *found;
}

const nlohmann::json& Entry::array_record(const std::string& array) const {
    for (const nlohmann::json& a : list("arrays"))
        if (a.is_object() && a.value("name", "") == array) return a;
    fail("needs an array '{}'", array);
}

bool Entry::has(const std::string& array) const {
    const nlohmann::json& all = list("arrays");
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& a) { return a.is_object() && a.value("name", "") == array; });
}

std::vector<std::string> Entry::arrays(const std::string& prefix) const {
    std::vector<std::string> names;
    for (const nlohmann::json& a : list("arrays")) {
        const std::string name = a.is_object() ? a.value("name", "") : "";
        if (name.rfind(prefix, 0) == 0) names.push_back(name);
    }
    return names;
}

std::string Entry::meaning(const std::string& array) const { return array_record(array).value("meaning", ""); }

Array Entry::array(const std::string& name, std::size_t multiple) const {
    const nlohmann::json& a = array_record(name);
    if (!a.contains("file") || !a["file"].is_string()) fail("array '{}' names no file", name);
    Array array = read_npy(folder_ / a["file"].get<std::string>());
    if (array.data.empty() || array.data.size() % multiple != 0)
        fail("array '{}' has {} elements; a multiple of {} is needed", name, array.data.size(), multiple);
    return array;
}

const Array& Check::expected(const std::string& name) {
    for (const auto& [known, array] : loaded_)
        if (known == name) return array;
    loaded_.emplace_back(name, entry_.array(name));
    return loaded_.back().second;
}

void Check::expect(const std::string& name, std::size_t at_index, std::span<const std::uint32_t> got,
                   bool (*meaningful)(std::size_t, const std::string&), const std::string& what) {
    const Array& want = expected(name);
    if (at_index + got.size() > want.data.size())
        entry_.fail("array '{}' has {} elements; its inputs give at least {}", name, want.data.size(),
                    at_index + got.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (meaningful != nullptr && !meaningful(i, what)) continue;
        ++result_.values;
        if (got[i] == want.data[at_index + i]) continue;
        if (result_.differing++ == 0)
            result_.first = fmt::format("{}{}: got 0x{:x}, want 0x{:x}", name, want.place(at_index + i), got[i],
                                        want.data[at_index + i]);
    }
}

void Check::expect_bytes(const std::string& name, std::size_t at_index, std::span<const std::uint8_t> got) {
    const std::vector<std::uint32_t> words(got.begin(), got.end());
    expect(name, at_index, words);
}

}  // namespace ttsim::impl::vectors
