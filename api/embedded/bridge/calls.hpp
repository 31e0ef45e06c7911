// What calls of other processes do on a device.
#pragma once

#include <functional>

#include "api/embedded/bridge/wire.hpp"

namespace ttsim::impl::bridge {

struct Call {
    const json& message;
    std::function<bool()> given_up;  ///< the process that called is gone
};

/// Its result, or what is wrong with it: {"result": ...} or {"error": text, "not_ready": bool}.
json answer_to(Device& device, const Call& call);

}  // namespace ttsim::impl::bridge
