#include "base/checksum.hpp"

#include <fmt/format.h>

#include <cstring>

namespace tt {

std::uint64_t checksum(std::string_view bytes) {
    // every step is one to one in the sum and in the word, so words that differ in one place give sums that differ
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
    std::uint64_t sum = bytes.size() * odd;
    const auto add = [&](std::uint64_t word) {
        sum = (sum ^ word) * odd;
        sum ^= sum >> 29;
    };
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        add(word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
    add(rest);
    return sum;
}

std::string checksum_text(std::string_view bytes) { return fmt::format("{:016x}", checksum(bytes)); }

}  // namespace tt
