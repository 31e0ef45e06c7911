// What a search for formats decides one by one: ops of the netlist, and the formats each may have.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "compiler/ir/format_rules.hpp"
#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// How products multiply, from the most accurate to the fastest.
struct Multiplying {
    Fidelity fidelity;
    int weight_bits;  ///< of constants that are multiplied: 16, 8, 4
};
inline constexpr std::array multiplying{
    Multiplying{Fidelity::HiFi4, 16}, Multiplying{Fidelity::HiFi3, 16}, Multiplying{Fidelity::HiFi2, 8},
    Multiplying{Fidelity::LoFi, 8},   Multiplying{Fidelity::LoFi, 4},
};

/// One way for an op: its result in 16 bits or in a block float of 8, and how it multiplies.
struct OpWay {
    bool narrow = false;
    std::size_t multiply = 0;  ///< of `multiplying`
    friend bool operator==(const OpWay&, const OpWay&) = default;
};

/// Ways that are measured for all ops together, from the most accurate to the fastest.
inline constexpr std::array<OpWay, 6> levels{{{false, 0}, {false, 1}, {false, 2}, {true, 2}, {true, 3}, {true, 4}}};

/// An op of the netlist: the nodes that become it, and what may be set of it.
struct FormatUnit {
    std::string op, type;
    struct Member {
        std::string name, type;
        bool product = false;
        std::vector<std::size_t> constants{};  ///< operands of the product that are
    };
    std::vector<Member> members;
    DataFormat wide = DataFormat::Float16_b, narrow = DataFormat::Bfp8_b;  ///< equal: always in 16 bits
    bool multiplies_constants() const;
    bool may_be_narrow() const { return wide != narrow; }
    OpWay at(OpWay way) const { return {way.narrow && may_be_narrow(), way.multiply}; }
    DataFormat output(OpWay way) const { return at(way).narrow ? narrow : wide; }
    DataFormat weights(OpWay way) const;
    Fidelity fidelity(OpWay way) const;
};

/// `wide`, `narrow`: the model with formats chosen for 16 bits, and for a block float of 8, as default; `last`: the
/// first of them behind all passes. Ops with other formats than these two are left alone.
std::vector<FormatUnit> format_units(const Graph& wide, const Graph& narrow, const Graph& last);

/// A way to set all ops at once that a user could ask for.
struct FormatPreset {
    std::string name;  ///< for people
    std::vector<FormatRule> rules;
    DataFormat default_df = DataFormat::Float16_b;
};
/// --amp and --amp-light in the family of `default_df`; with `any_family` what is another's by itself, too.
std::vector<FormatPreset> format_presets(DataFormat default_df, bool any_family);

/// That set each unit as `ways` says.
std::vector<FormatRule> rules_of(const std::vector<FormatUnit>& units, const std::vector<OpWay>& ways);

/// As the text of a file for --format-rules: JSON, which is YAML.
std::string rules_text(const FormatRules& rules);

}  // namespace ttsim::impl::ir
