// The tile-arithmetic vectors: index.json and the .npy arrays it names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/folders.hpp"

namespace ttsim::impl::test {

inline std::filesystem::path vector_folder() { return ttsim::impl::test::shared_folder() / "vectors" / "dev"; }

/// The data of a little-endian .npy file of version 1, as they lie in it.
inline std::vector<std::uint8_t> read_npy(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::vector<char> all{std::istreambuf_iterator<char>(in), {}};
    if (all.size() < 10 || all[1] != 'N') throw std::runtime_error("not an .npy file: " + file.string());
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(all[i]); };
    const std::size_t start = 10U + byte(8) + 256U * byte(9);
    return {all.begin() + static_cast<std::ptrdiff_t>(start), all.end()};
}

/// One entry of the index, with its arrays by name.
struct VectorEntry {
    nlohmann::json json;
    std::string text(const char* key) const { return json.value(key, std::string()); }
    std::string id() const { return text("id"); }
    bool from_simulator() const { return text("authority") == "ttsim"; }
    std::vector<std::uint8_t> bytes(const std::string& name) const {
        for (const auto& a : json.at("arrays"))
            if (a.at("name") == name) return read_npy(vector_folder() / a.at("file").get<std::string>());
        throw std::runtime_error(id() + " has no array " + name);
    }
    /// Elements of 2 or 4 bytes, by the dtype of the array.
    std::vector<std::uint32_t> words(const std::string& name) const {
        const std::vector<std::uint8_t> raw = bytes(name);
        const std::size_t size = dtype(name) == "uint16" ? 2 : 4;
        std::vector<std::uint32_t> out(raw.size() / size);
        for (std::size_t i = 0; i < raw.size(); ++i) out[i / size] |= std::uint32_t{raw[i]} << (8 * (i % size));
        return out;
    }
    std::string dtype(const std::string& name) const {
        for (const auto& a : json.at("arrays"))
            if (a.at("name") == name) return a.at("dtype");
        return "";
    }
};

/// All entries of one group ("pack", "unpack", ...); none when the folder is missing.
inline std::vector<VectorEntry> vector_entries(const std::string& group) {
    std::vector<VectorEntry> out;
    std::ifstream in(vector_folder() / "index.json");
    if (!in) return out;
    const nlohmann::json index = nlohmann::json::parse(in);
    for (const auto& e : index.at("entries"))
        if (e.at("id").get<std::string>().rfind(group + "/", 0) == 0) out.push_back(VectorEntry{e});
    return out;
}

}  // namespace ttsim::impl::test
