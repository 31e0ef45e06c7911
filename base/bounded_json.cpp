#include "base/bounded_json.hpp"

#include <cmath>

namespace ttsim::impl {

nlohmann::json parse_bounded_json(std::string_view text) {
    using Json = nlohmann::json;
    constexpr double most = 0x1p48, most_in_all = 0x1p62;
    double all = 0;
    bool bounded = true;
    const auto look = [&](int /*depth*/, Json::parse_event_t event, Json& value) {
        if (event != Json::parse_event_t::value || !value.is_number()) return true;
        const double size = std::abs(value.get<double>());
        all += size;
        bounded = bounded && size <= most && all <= most_in_all;
        return true;
    };
    Json json = Json::parse(text, look, false);
    return bounded ? json : Json(Json::value_t::discarded);
}

}  // namespace ttsim::impl
