// A device image as text that lists its members: a tar's headers have sums that hide what lies behind them from a
// fuzzer. A line "== NAME" begins each member.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "runtime/image/archive.hpp"

namespace ttsim::impl::fuzz {

inline image::Members members_of(const std::string& bytes) {
    image::Members members;
    members.file = "fuzz.tti";
    const std::string mark = "== ";
    std::map<std::string, std::string> all;
    std::string* now = nullptr;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', at), bytes.size() - 1);
        const std::string line = bytes.substr(at, end + 1 - at);
        at = end + 1;
        if (line.starts_with(mark))
            now = &all[line.substr(mark.size(), line.find('\n') - mark.size())];
        else if (now)
            *now += line;
    }
    for (auto& [name, text] : all) members.bytes.emplace(name, std::move(text));
    return members;
}

}  // namespace ttsim::impl::fuzz
