// Conversion of names of the bridge: formats, chips.
#pragma once

#include <string>
#include <tt_backend_api_types.hpp>

namespace tt_backend_api {

/// The format with that name; throws for an unknown name.
tt::DataFormat format_named(const std::string& name);
/// The arch of a chip by its name; Invalid for a chip that the original's enumeration does not have.
tt::ARCH arch_of_chip(const std::string& chip);

}  // namespace tt_backend_api
