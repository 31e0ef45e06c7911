#include "base/sha256.hpp"

#include <fmt/format.h>
#include <nettle/sha2.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <vector>

#include "base/error.hpp"
#include "base/read_file.hpp"

namespace ttsim::impl {

namespace {

const std::uint8_t* bytes_of(const char* text) { return reinterpret_cast<const std::uint8_t*>(text); }

std::string digest(sha256_ctx& sum) {
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> bytes;
    nettle_sha256_digest(&sum, bytes.size(), bytes.data());
    std::string text;
    for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
}

}  // namespace

std::string sha256(std::string_view bytes) {
    sha256_ctx sum;
    nettle_sha256_init(&sum);
    nettle_sha256_update(&sum, bytes.size(), bytes_of(bytes.data()));
    return digest(sum);
}

std::string sha256_of_file(const std::string& file) {
    require_file(file);
    std::ifstream in(file, std::ios::binary);
    if (!in) fail_input({file, 0, 0}, "cannot be read");
    sha256_ctx sum;
    nettle_sha256_init(&sum);
    std::vector<char> piece(std::size_t{1} << 20);
    while (in) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        nettle_sha256_update(&sum, static_cast<std::size_t>(in.gcount()), bytes_of(piece.data()));
    }
    if (in.bad()) fail_input({file, 0, 0}, "cannot be read");
    return digest(sum);
}

}  // namespace ttsim::impl
