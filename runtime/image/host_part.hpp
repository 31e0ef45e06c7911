// Derives the host steps of an image that has only device.json: every input fills a queue, every output is read from
// one.
#pragma once

#include "compiler/model/compiled_model.hpp"
#include "runtime/image/device_record.hpp"

namespace ttsim::impl::image {

/// Adds host steps and generated input values. Tensors are named like their queues. They have the shapes of the record
/// if those fill the entries, otherwise the shapes of the entries. Throws Error(Input) at `place` for queues missing in
/// the netlist, Error(Unsupported) for other host computations.
void add_host_part(ir::CompiledModel& model, const DeviceRecord& record, const std::string& place);

/// The forward programs of a netlist: run_fwd_<k>, with prefixes in merged images, or its only program.
std::vector<ir::ModelProgram> forward_programs(const Netlist& netlist);

}  // namespace ttsim::impl::image
