#include "analysis/trace/json_list.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "trace/database.hpp"

namespace ttsim::impl::trace {

using Json = nlohmann::json;

static Json list(const Reader& trace, const std::string& text) {
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_array()) fail_input({trace.path(), 0, 0}, "a column should contain a list but contains: {:.40}", text);
    return json;
}

static double number(const Reader& trace, const Json& json) {
    const double value = json.is_number() ? json.get<double>() : -1;
    if (!(value >= 0 && value <= static_cast<double>(Statement::largest)))
        fail_input({trace.path(), 0, 0}, "a list contains an invalid number of cycles, cores or channels");
    return value;
}

std::vector<double> real_list(const Reader& trace, const std::string& text) {
    std::vector<double> values;
    for (const Json& one : list(trace, text)) values.push_back(number(trace, one));
    return values;
}

std::vector<std::int64_t> whole_list(const Reader& trace, const std::string& text) {
    std::vector<std::int64_t> values;
    for (const double value : real_list(trace, text)) values.push_back(static_cast<std::int64_t>(value));
    return values;
}

std::vector<std::int64_t> first_of_each(const Reader& trace, const std::string& text) {
    std::vector<std::int64_t> values;
    for (const Json& pair : list(trace, text))
        values.push_back(
            static_cast<std::int64_t>(number(trace, pair.is_array() && !pair.empty() ? pair.front() : Json())));
    return values;
}

}  // namespace ttsim::impl::trace
