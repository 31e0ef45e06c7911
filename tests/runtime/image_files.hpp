// Archives for tests of device images, good and hostile.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace ttsim::impl {

inline std::string bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

/// One member of a tar: header and data. `type`: '0' file, '1' hard link, '2' link, '3' device, '5' folder.
inline std::string tar_member(const std::string& name, const std::string& data, char type = '0',
                              const std::string& link = "", std::uint64_t claimed = ~std::uint64_t{0}) {
    constexpr std::size_t block = 512;
    std::string header(block, '\0');
    const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
    put(0, name.substr(0, 99));
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, fmt::format("{:011o}", claimed == ~std::uint64_t{0} ? data.size() : claimed));
    put(136, "00000000000");
    put(148, "        ");
    header[156] = type;
    put(157, link);
    put(257, "ustar");
    put(263, "00");
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    put(148, fmt::format("{:06o}", sum));
    header[154] = '\0';
    std::string padded = data;
    padded.resize((data.size() + block - 1) / block * block, '\0');
    return header + padded;
}

/// Takes all from an unpacked image by which it is known as one of ours.
inline void make_foreign(const std::string& folder) {
    std::filesystem::remove_all(folder + "/unzipped_tti/ttsim");
    std::filesystem::remove(folder + "/unzipped_tti/backend_build_binaries/runtime_data.yaml");
}

inline std::string tar_end() { return std::string(1024, '\0'); }

}  // namespace ttsim::impl
