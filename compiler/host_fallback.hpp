// Ops that the device refuses, given to the host.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/no_device_form.hpp"

namespace tt::ir {

/// Marks them {host = 1}. Whether there was any that the host computes in bearable time; a note for each.
bool give_to_host(Graph& model, const NoDeviceForm& refusal, std::vector<std::string>& notes);

}  // namespace tt::ir
