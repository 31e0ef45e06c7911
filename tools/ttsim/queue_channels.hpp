// Values of options in their form on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ttsim::impl::cli {

/// For an option whose value is a float format.
CLI::Validator float_format();

/// Adds NAME=N texts of an option to `channels`. Throws CLI::ValidationError for a text of another form.
void set_channels(const std::string& flag, const std::vector<std::string>& given,
                  std::map<std::string, std::int64_t>& channels);

}  // namespace ttsim::impl::cli
