// The units of a search for formats: netlist ops and their possible formats.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "compiler/ir/format_rules.hpp"
#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// Fidelity and weight format of products.
struct MultiplyMode {
    Fidelity fidelity;
    int weight_bits;  ///< of constant operands: 16, 8, 4
};
inline constexpr std::array multiply_modes{
    MultiplyMode{Fidelity::HiFi4, 16}, MultiplyMode{Fidelity::HiFi3, 16}, MultiplyMode{Fidelity::HiFi2, 8},
    MultiplyMode{Fidelity::LoFi, 8},   MultiplyMode{Fidelity::LoFi, 4},
};

/// The setting of an op: a result in 16 bits or an 8-bit block float, and the multiply mode.
struct OpSetting {
    bool narrow = false;
    std::size_t multiply = 0;  ///< of `multiply_modes`
    friend bool operator==(const OpSetting&, const OpSetting&) = default;
};

/// Settings that are measured for all ops together, from the most accurate to the fastest.
inline constexpr std::array<OpSetting, 6> levels{{{false, 0}, {false, 1}, {false, 2}, {true, 2}, {true, 3}, {true, 4}}};

/// A netlist op: the nodes fused into it, and its possible formats.
struct FormatUnit {
    std::string op, type;
    struct Member {
        std::string name, type;
        bool product = false;
        std::vector<std::size_t> constants{};  ///< constant operands of the product
    };
    std::vector<Member> members;
    DataFormat wide = DataFormat::Float16_b, narrow = DataFormat::Bfp8_b;  ///< equal: always in 16 bits
    bool multiplies_constants() const;
    bool may_be_narrow() const { return wide != narrow; }
    OpSetting at(OpSetting setting) const { return {setting.narrow && may_be_narrow(), setting.multiply}; }
    DataFormat output(OpSetting setting) const { return at(setting).narrow ? narrow : wide; }
    DataFormat weights(OpSetting setting) const;
    Fidelity fidelity(OpSetting setting) const;
};

/// `wide`, `narrow`: the model with formats for a default of 16 bits, and of an 8-bit block float. `last`: the first of
/// them after all passes. Ops with other formats are ignored.
std::vector<FormatUnit> format_units(const Graph& wide, const Graph& narrow, const Graph& last);

/// A mixed precision preset for all ops.
struct FormatPreset {
    std::string name;  ///< for reports
    std::vector<FormatRule> rules;
    DataFormat default_df = DataFormat::Float16_b;
};
/// The presets of --amp and --amp-light in the family of `default_df`, with `any_family` also those of the other
/// family.
std::vector<FormatPreset> format_presets(DataFormat default_df, bool any_family);

/// Rules that apply `settings` to the units.
std::vector<FormatRule> rules_of(const std::vector<FormatUnit>& units, const std::vector<OpSetting>& settings);

/// The text of a file for --format-rules, as JSON, which is valid YAML.
std::string rules_text(const FormatRules& rules);

}  // namespace ttsim::impl::ir
