// Data formats of a compiled graph: which rules there are, where they come from, and what a chip allows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "isa/data_format.hpp"
#include "isa/fidelity.hpp"

namespace ttsim::impl {
struct ChipParams;
}

namespace ttsim::impl::ir {

struct Graph;

/// The 16-bit format of a block float's family; any other format as it is.
DataFormat wide_format(DataFormat df);

/// A block float of the B family, or that of as many bits in the family of `like`.
DataFormat in_family_of(DataFormat wanted, DataFormat like);

/// One rule of mixed precision. All selectors that are given must fit; what is given is set.
struct FormatRule {
    // selectors
    std::string op_type;     ///< of the device ("matmul"), of the composite it is part of ("softmax"); "" = any
    std::string within;      ///< the composite it is part of, beside op_type; "" = any
    std::string outside;     ///< the composite it is not part of; "" = none
    std::string name_regex;  ///< ECMAScript, of the op's whole name; "" = any
    // formats
    std::optional<DataFormat> output_df, intermediate_df, accumulate_df;
    std::optional<Fidelity> fidelity;
    struct Input {
        DataFormat df = DataFormat::Float16_b;
        bool activations = false;  ///< also of computed operands, not of constants and inputs alone
        bool keep_family = false;  ///< as many bits, in the family the operand has
    };
    std::map<std::size_t, Input> inputs;  ///< by number of the operand
    SourceLoc loc;                        ///< in the user's file
};

/// Automatic mixed precision: level 0 none, 1 for B formats, 2 for A formats. The family of `default_df` decides when
/// the user gave it.
std::vector<FormatRule> amp_rules(int level, std::optional<DataFormat> default_df);
/// Weights of products alone: level 1 Bfp8 HiFi2, 2 Bfp4 HiFi2, 3 Bfp4 LoFi.
std::vector<FormatRule> light_amp_rules(int level);

/// A YAML file with a list `rules`; keys as in FormatRule, `input_df` a format for all operands or a map from the
/// operand's number to a format or [format, also activations]. Throws Error(Input) with every problem.
struct FormatRules {
    std::vector<FormatRule> rules;
    std::optional<DataFormat> default_df;  ///< of what no rule sets, where nothing else is said
};
FormatRules read_format_rules(const std::string& file);
FormatRules parse_format_rules(const std::string& text, const std::string& file);

/// Throws Error(Input) with every op whose formats the chip cannot do.
void check_formats(const Graph& graph, const ChipParams& chip);

}  // namespace ttsim::impl::ir
