// Queues and graphs that name several chips become one copy a chip.
#pragma once

#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// Copies get the suffix ".<chip>"; names that refer to them follow, programs execute every copy.
Netlist expand_instances(const Netlist& netlist);

/// "q.3", the copy of "q" on chip 3, without its suffix; any other name as it is.
std::string without_instance(const std::string& name);

/// Bytes of one buffer of a queue: header and all slots, rounded as the chip stores tiles.
std::int64_t queue_buffer_bytes(const Queue& queue);

}  // namespace ttsim::impl
