// Checks a user-given name of an input of a model.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/error_codes.hpp"
#include "base/text.hpp"

namespace ttsim::impl::ir {

/// Adds an error at `where` if no input is called `name`: "WHAT names 'X', but the model has no such input; did you
/// mean 'x'?". `inputs`: names of the model's inputs; `what`: who names it, such as "--input".
inline void check_input_name(const std::string& name, const std::vector<std::string>& inputs, std::string_view what,
                             const SourceLoc& where, Diagnostics& problems) {
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end())
        problems.add(make_problem(
            Fault::Input, {where, error_code::unknown_name, {name}},
            fmt::format("{} names '{}', but the model has no such input{}", what, name, did_you_mean(name, inputs))));
}

}  // namespace ttsim::impl::ir
