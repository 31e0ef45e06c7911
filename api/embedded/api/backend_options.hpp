// A backend's configuration as the bridge takes it.
#pragma once

#include <tt_backend_api_types.hpp>

#include "api/embedded/bridge/bridge.hpp"

namespace tt_backend_api {

/// Throws for a type that is not there, and for runtime_args that are not known.
tt::bridge::DeviceOptions options_of(const tt::tt_backend_config& config);
/// Integers, True, False. Throws for other values, and for a parameter in `declared` that is not given; those not
/// declared are left out.
std::map<std::string, std::int64_t> parameters_of(const std::string& program, const std::vector<std::string>& declared,
                                                  const std::map<std::string, std::string>& given);

}  // namespace tt_backend_api
