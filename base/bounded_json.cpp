#include "base/bounded_json.hpp"

#include <cmath>

namespace ttsim::impl {

nlohmann::json parse_bounded_json(std::string_view text) {
    using Json = nlohmann::json;
    constexpr double max_magnitude = 0x1p48, max_sum = 0x1p62;
    double sum = 0;
    bool bounded = true;
    const auto check_number = [&](int /*depth*/, Json::parse_event_t event, Json& value) {
        if (event != Json::parse_event_t::value || !value.is_number()) return true;
        const double size = std::abs(value.get<double>());
        sum += size;
        bounded = bounded && size <= max_magnitude && sum <= max_sum;
        return true;
    };
    Json json = Json::parse(text, check_number, false);
    return bounded ? json : Json(Json::value_t::discarded);
}

}  // namespace ttsim::impl
