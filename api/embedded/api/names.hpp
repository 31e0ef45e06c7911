// Conversion of format names of the bridge.
#pragma once

#include <string>
#include <tt_backend_api_types.hpp>

namespace tt_backend_api {

/// The format with that name; throws for an unknown name.
tt::DataFormat format_named(const std::string& name);

}  // namespace tt_backend_api
