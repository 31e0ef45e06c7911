// Conversion of a backend's configuration to options of the bridge.
#pragma once

#include <tt_backend_api_types.hpp>

#include "api/embedded/bridge/bridge.hpp"

namespace tt_backend_api {

/// Throws for an unknown type or unknown runtime_args.
tt::bridge::DeviceOptions options_of(const tt::tt_backend_config& config);
/// Converts parameters: integers, True, False. Parameters that are not in `declared` are dropped. Throws for other
/// values, and for a missing declared parameter.
std::map<std::string, std::int64_t> parameters_of(const std::string& program, const std::vector<std::string>& declared,
                                                  const std::map<std::string, std::string>& given);

}  // namespace tt_backend_api
