// Checked access to the fields of one JSON map; problems are recorded with their locations.
#pragma once

#include <optional>

#include "base/error.hpp"
#include "sim/noc/located_json.hpp"
#include "sim/noc/topology.hpp"

namespace ttsim::impl::noc {

class JsonFields {
public:
    JsonFields(const Json& map, const std::string& file, const Topology& topology, Diagnostics& problems)
        : map_(map), file_(file), topology_(topology), problems_(problems) {}

    SourceLoc where() const { return place(map_); }
    SourceLoc where(std::string_view name) const;
    bool has(std::string_view name) const { return map_.find(name) != nullptr; }

    /// nullopt when the field is missing or invalid. Invalid fields, and missing required fields, are recorded as
    /// problems.
    std::optional<std::int64_t> whole(std::string_view name, std::int64_t least, std::int64_t most, bool required);
    std::optional<double> number(std::string_view name, double least, bool required);
    std::optional<std::string> text(std::string_view name, bool required);
    /// A grid coordinate from two fields, such as "sx", "sy".
    std::optional<NocCoord> place_on_grid(std::string_view x, std::string_view y, bool required);
    /// "NOC_0" or "NOC_1".
    std::optional<std::uint8_t> noc(std::string_view name);

private:
    SourceLoc place(const Json& value) const {
        return {file_, static_cast<int>(value.line), static_cast<int>(value.column)};
    }
    const Json* get(std::string_view name, bool required, std::string_view wanted);

    const Json& map_;
    const std::string& file_;
    const Topology& topology_;
    Diagnostics& problems_;
};

}  // namespace ttsim::impl::noc
