// The summary of an image in the format of the vendor's tool, and as JSON.
#pragma once

#include <string>

#include "runtime/image/image.hpp"

namespace ttsim::impl::image {

std::string info_text(const DeviceRecord& record);
/// Also lists host computations of Python programs, and members that are not read.
std::string info_text(const Summary& summary);
std::string info_json(const Summary& summary);

}  // namespace ttsim::impl::image
