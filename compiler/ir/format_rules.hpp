// Rules for the data formats of a compiled graph: automatic ones, the user's, and a check against the chip's formats.
#pragma once

#include <cstdint>
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
enum class Phase : std::uint8_t;

/// Whether a tensor of floats can have the format: Tf32 is of registers alone.
bool is_tensor_float(DataFormat df);

/// The 16-bit format of a block float's family. Other formats are returned unchanged.
DataFormat wide_format(DataFormat df);

/// `target`, a block float of the B family, or the A format with as many bits if `like` is an A format.
DataFormat in_family_of(DataFormat target, DataFormat like);

/// One rule of mixed precision. It applies to ops that match all its selectors and sets the formats it has.
struct FormatRule {
    // selectors
    std::string op_type;           ///< device op ("matmul") or the composite op it is part of ("softmax"); "" = any
    std::string within;            ///< composite op it must be part of, besides op_type; "" = any
    std::string outside;           ///< composite op it must not be part of; "" = none
    std::string name_regex;        ///< ECMAScript pattern for the op's full name; "" = any
    std::optional<Phase> phase;    ///< program of a training netlist; none = any
    std::optional<bool> gradient;  ///< whether it computes the gradient of a parameter, which is summed; none = any
    // formats
    std::optional<DataFormat> output_df, intermediate_df, accumulate_df;
    std::optional<Fidelity> fidelity;
    struct Input {
        DataFormat df = DataFormat::Float16_b;
        bool activations = false;  ///< also for computed operands, not only constants and inputs
        bool keep_family = false;  ///< keep the operand's family and use the format of as many bits
    };
    std::map<std::size_t, Input> inputs;  ///< by operand index
    SourceLoc loc;                        ///< in the user's file
};

/// Automatic mixed precision: level 0 none, 1 for B formats, 2 for A formats. The family of `default_df` overrides the
/// level.
std::vector<FormatRule> amp_rules(int level, std::optional<DataFormat> default_df);
/// Formats for weights of products only: level 1 Bfp8 HiFi2, 2 Bfp4 HiFi2, 3 Bfp4 LoFi.
std::vector<FormatRule> light_amp_rules(int level);

/// A YAML file with a list `rules`. Keys are as in FormatRule. `input_df` is a format for all operands, or a map from
/// the operand's index to a format or [format, also activations]. Throws Error(Input) with every problem.
struct FormatRules {
    std::vector<FormatRule> rules;
    std::optional<DataFormat> default_df;  ///< default format, if the user gives no other
};
FormatRules read_format_rules(const std::string& file);
FormatRules parse_format_rules(const std::string& text, const std::string& file);

/// Throws Error(Input) with every op whose formats the chip does not support.
void check_formats(const Graph& graph, const ChipParams& chip);

}  // namespace ttsim::impl::ir
