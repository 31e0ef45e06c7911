#include "sim/noc/json_fields.hpp"

#include <cmath>

#include "base/text.hpp"

namespace ttsim::impl::noc {

SourceLoc JsonFields::where(std::string_view name) const {
    const Json* const field = map_.find(name);
    return place(field ? *field : map_);
}

const Json* JsonFields::get(std::string_view name, bool required, std::string_view wanted) {
    const Json* const field = map_.find(name);
    if (!field && required) problems_.error(where(), "'{}' is missing; {} is wanted", name, wanted);
    return field;
}

std::optional<std::int64_t> JsonFields::whole(std::string_view name, std::int64_t least, std::int64_t most,
                                              bool required) {
    const Json* const field = get(name, required, "an integer");
    if (!field) return std::nullopt;
    if (field->kind == Json::Kind::Integer && field->integer >= least && field->integer <= most) return field->integer;
    const std::string found = field->kind == Json::Kind::Integer ? std::to_string(field->integer)
                              : field->kind == Json::Kind::Real  ? fmt::format("{}", field->real)
                                                                 : std::string(kind_name(field->kind));
    problems_.error(place(*field), "'{}' is {}; an integer from {} to {} is wanted", name, found, least, most);
    return std::nullopt;
}

std::optional<double> JsonFields::number(std::string_view name, double least, bool required) {
    const Json* const field = get(name, required, "a number");
    if (!field) return std::nullopt;
    const bool is_number = field->kind == Json::Kind::Integer || field->kind == Json::Kind::Real;
    if (is_number && std::isfinite(field->real) && field->real >= least && field->real <= 1e15) return field->real;
    problems_.error(place(*field), "'{}' is {}; a number from {} is wanted", name,
                    is_number ? fmt::format("{}", field->real) : std::string(kind_name(field->kind)), least);
    return std::nullopt;
}

std::optional<std::string> JsonFields::text(std::string_view name, bool required) {
    const Json* const field = get(name, required, "a text");
    if (!field) return std::nullopt;
    if (field->kind == Json::Kind::Text) return field->text;
    problems_.error(place(*field), "'{}' is {}; a text is wanted", name, kind_name(field->kind));
    return std::nullopt;
}

std::optional<NocCoord> JsonFields::place_on_grid(std::string_view x, std::string_view y, bool required) {
    constexpr std::int64_t any = 1'000'000;
    const auto at_x = whole(x, -any, any, required), at_y = whole(y, -any, any, required);
    if (!at_x || !at_y) return std::nullopt;
    const NocCoord at{static_cast<int>(*at_x), static_cast<int>(*at_y)};
    if (topology_.inside(at)) return at;
    problems_.error(where(topology_.inside({at.x, 0}) ? y : x),
                    "'{}', '{}' name {}-{}, which is off the grid; x must lie in 0..{} and y in 0..{}", x, y, at.x,
                    at.y, topology_.grid_x() - 1, topology_.grid_y() - 1);
    return std::nullopt;
}

std::optional<std::uint8_t> JsonFields::noc(std::string_view name) {
    const auto value = text(name, true);
    if (!value) return std::nullopt;
    if (*value == "NOC_0") return std::uint8_t{0};
    if (*value == "NOC_1") return std::uint8_t{1};
    problems_.error(where(name), "'{}' is '{}'; NOC_0 or NOC_1 is wanted{}", name, *value,
                    did_you_mean(*value, {"NOC_0", "NOC_1"}));
    return std::nullopt;
}

}  // namespace ttsim::impl::noc
