#include "base/sha256.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <fstream>
#include <vector>

#include "base/error.hpp"

namespace tt {

namespace {

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t block_bytes = 64, length_bytes = 8;

class Sha256 {
public:
    void add(std::string_view bytes) {
        length_ += bytes.size();
        rest_.append(bytes);
        std::size_t at = 0;
        for (; rest_.size() - at >= block_bytes; at += block_bytes) take(rest_.data() + at);
        rest_.erase(0, at);
    }
    std::string finish() {
        const std::uint64_t bits = length_ * 8;
        std::string end(1, '\x80');
        while ((rest_.size() + end.size() + length_bytes) % block_bytes != 0) end += '\0';
        for (int shift = 56; shift >= 0; shift -= 8) end += static_cast<char>(bits >> shift & 0xFFU);
        add(end);
        std::string text;
        for (const std::uint32_t word : state_) text += fmt::format("{:08x}", word);
        return text;
    }

private:
    void take(const char* block) {
        std::array<std::uint32_t, 64> w{};
        for (std::size_t i = 0; i < block_bytes; ++i) w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(block[i]);
        for (std::size_t i = 16; i < w.size(); ++i) {
            const std::uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
                   (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
        }
        auto [a, b, c, d, e, f, g, h] = state_;
        for (std::size_t i = 0; i < w.size(); ++i) {
            const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                      ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
            const std::uint32_t two =
                (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
        }
        const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
        for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += added[i];
    }

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::uint64_t length_ = 0;
    std::string rest_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
    Sha256 sum;
    sum.add(bytes);
    return sum.finish();
}

std::string sha256_of_file(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) fail_input({file, 0, 0}, "the file cannot be read");
    Sha256 sum;
    std::vector<char> piece(std::size_t{1} << 20);
    while (in) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        sum.add({piece.data(), static_cast<std::size_t>(in.gcount())});
    }
    if (in.bad()) fail_input({file, 0, 0}, "the file cannot be read");
    return sum.finish();
}

}  // namespace tt
