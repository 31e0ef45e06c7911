// Implementation of tt_device_image.
#pragma once

#include <tt_backend_api_types.hpp>

#include "api/embedded/bridge/bridge.hpp"

struct tt::tt_device_image::Impl {
    tt::bridge::ImageFacts facts;
};
