// The summary of an image that its original prints, and the same as JSON.
#pragma once

#include <string>

#include "runtime/image/device_record.hpp"

namespace tt::image {

std::string info_text(const DeviceRecord& record);
std::string info_json(const DeviceRecord& record);

}  // namespace tt::image
