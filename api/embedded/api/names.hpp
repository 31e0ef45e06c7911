// Names as the bridge has them.
#pragma once

#include <string>
#include <tt_backend_api_types.hpp>

namespace tt_backend_api {

/// Every format; throws for another name.
tt::DataFormat format_named(const std::string& name);

}  // namespace tt_backend_api
