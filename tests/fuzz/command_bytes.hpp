// Bytes of a fuzzer read as commands with numbers; zeros follow the last one.
#pragma once

#include <cstdint>
#include <string>

namespace ttsim::impl::fuzz {

class CommandBytes {
public:
    explicit CommandBytes(const std::string& bytes) : bytes_(bytes) {}
    bool more() const { return at_ < bytes_.size(); }
    std::uint64_t next(std::size_t count) {
        std::uint64_t value = 0;
        for (; count > 0; --count) value = value << 8U | (more() ? static_cast<unsigned char>(bytes_[at_++]) : 0U);
        return value;
    }

private:
    const std::string& bytes_;
    std::size_t at_ = 0;
};

}  // namespace ttsim::impl::fuzz
