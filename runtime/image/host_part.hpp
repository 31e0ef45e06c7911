// What the host does around the programs of an image that says no more than device.json: every input fills a queue,
// every output is read from one.
#pragma once

#include "compiler/model/compiled_model.hpp"
#include "runtime/image/device_record.hpp"

namespace ttsim::impl::image {

/// Host steps and made-up values of the inputs. Tensors are named as their queues; they have the shapes of the record
/// where those fill the entries, else the shapes of the entries. Throws Error(Input) at `place` for queues that the
/// netlist lacks, Error(Unsupported) for what the host would have to do besides.
void add_host_part(ir::CompiledModel& model, const DeviceRecord& record, const std::string& place);

/// The programs of a netlist that run a model forward: run_fwd_<k>, in merged images with prefixes, or its only one.
std::vector<ir::ModelProgram> forward_programs(const Netlist& netlist);

}  // namespace ttsim::impl::image
