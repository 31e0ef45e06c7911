// Executes calls of other processes on a device.
#pragma once

#include <functional>

#include "api/embedded/bridge/wire.hpp"

namespace ttsim::impl::bridge {

struct Call {
    const json& message;
    std::function<bool()> cancelled;  ///< true when the calling process is gone
};

/// The answer: {"result": ...} or {"error": text, "not_ready": bool}.
json answer_to(Device& device, const Call& call);

}  // namespace ttsim::impl::bridge
