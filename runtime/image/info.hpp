// The summary of an image that its original prints, and the same as JSON.
#pragma once

#include <string>

#include "runtime/image/image.hpp"

namespace ttsim::impl::image {

std::string info_text(const DeviceRecord& record);
/// With what a program computes around the device, and members that are not read.
std::string info_text(const Summary& summary);
std::string info_json(const Summary& summary);

}  // namespace ttsim::impl::image
