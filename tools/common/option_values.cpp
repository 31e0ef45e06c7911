#include "tools/common/option_values.hpp"

#include <fmt/format.h>

#include <charconv>

namespace ttsim::impl::cli {

static CLI::ValidationError given_twice(const std::string& flag, const std::string& name) {
    return CLI::ValidationError(flag, fmt::format("'{}' is given twice", name));
}

std::pair<std::string, std::string> name_and_value(const std::string& flag, const std::string& text) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        throw CLI::ValidationError(flag, fmt::format("'{}' must be NAME=VALUE", text));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

void set_numbers(const std::string& flag, const std::vector<std::string>& given, const NumberForm& form,
                 std::map<std::string, std::int64_t>& numbers) {
    for (const std::string& text : given) {
        const std::size_t equals = text.rfind('=');
        std::int64_t n = 0;
        const char* const first = text.data() + (equals == std::string::npos ? text.size() : equals + 1);
        const char* const last = text.data() + text.size();
        const auto [end, error] = std::from_chars(first, last, n);
        if (equals == 0 || first == last || error != std::errc() || end != last || n < form.low || n > form.high)
            throw CLI::ValidationError(flag, fmt::format("'{}' must be {}", text, form.shown));
        const std::string name = text.substr(0, equals);
        if (!numbers.emplace(name, n).second) throw given_twice(flag, name);
    }
}

void set_names(const std::string& flag, const std::vector<std::string>& given,
               std::map<std::string, std::string>& values) {
    for (const std::string& text : given) {
        const auto [name, value] = name_and_value(flag, text);
        if (!values.emplace(name, value).second) throw given_twice(flag, name);
    }
}

}  // namespace ttsim::impl::cli
