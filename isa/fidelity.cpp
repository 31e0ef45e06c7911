#include "isa/fidelity.hpp"

#include <array>
#include <cstddef>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

namespace ttsim::impl {

namespace {

struct FidelityInfo {
    std::string_view name;
    std::span<const int> phases;
    int bits_a;
    int bits_b;
};

constexpr std::array in_order{0, 1, 2, 3};
constexpr std::array high_then_low_b{0, 2};

constexpr std::array fidelity_table{
    FidelityInfo{"LoFi", {in_order.data(), 1}, 4, 6}, FidelityInfo{"HiFi2", {in_order.data(), 2}, 9, 6},
    FidelityInfo{"HiFi2_B", high_then_low_b, 4, 10},  FidelityInfo{"HiFi3", {in_order.data(), 3}, 9, 10},
    FidelityInfo{"HiFi4", in_order, 9, 10},           FidelityInfo{"Invalid", {}, 9, 10},
};

const FidelityInfo& entry(Fidelity fidelity) {
    const auto index = static_cast<std::size_t>(fidelity);
    TT_CHECK(index < fidelity_table.size(), "fidelity number {}", index);
    return fidelity_table[index];
}

}  // namespace

std::optional<Fidelity> parse_fidelity(std::string_view name) {
    for (std::size_t i = 0; i < fidelity_table.size(); ++i)  // most names are spelt like this
        if (fidelity_table[i].name == name) return static_cast<Fidelity>(i);
    const std::string wanted = to_lower(name);
    if (wanted == "hifi2_a") return Fidelity::HiFi2;
    for (std::size_t i = 0; i < fidelity_table.size(); ++i)
        if (to_lower(fidelity_table[i].name) == wanted) return static_cast<Fidelity>(i);
    return std::nullopt;
}

std::string_view to_string(Fidelity fidelity) { return entry(fidelity).name; }

std::span<const int> phases(Fidelity fidelity) { return entry(fidelity).phases; }

int visible_mantissa_bits(Fidelity fidelity, SrcPort port) {
    const FidelityInfo& f = entry(fidelity);
    return port == SrcPort::A ? f.bits_a : f.bits_b;
}

}  // namespace ttsim::impl
