// Expands queues and graphs with several target chips into one copy (instance) per chip.
#pragma once

#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// Instances get the suffix ".<chip>"; references to them are renamed, and programs execute every instance.
Netlist expand_instances(const Netlist& netlist);

/// Removes the instance suffix: "q.3" becomes "q". Other names are unchanged.
std::string without_instance_suffix(const std::string& name);

/// Bytes of one buffer of a queue: header and all slots, with tiles rounded up as on the chip.
std::int64_t queue_buffer_bytes(const Queue& queue);

}  // namespace ttsim::impl
