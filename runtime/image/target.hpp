// The machine of an image: descriptors with harvesting, and comparison with another machine.
#pragma once

#include <string>
#include <vector>

#include "base/file_set.hpp"
#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"
#include "runtime/image/device_record.hpp"

namespace ttsim::impl::image {

inline constexpr const char* builds_folder = "backend_build_binaries";
inline constexpr const char* ttsim_marker = "branch_name: ttsim";  ///< a line of runtime_data.yaml

/// The mask of harvested NoC rows of a chip.
std::int64_t harvesting_mask(const ChipInstance& chip);
std::vector<int> rows_of_mask(std::int64_t mask);

/// Writes device_desc.yaml, cluster_desc.yaml, runtime_data.yaml, and one descriptor per chip if they differ.
void write_target(const Machine& machine, const Netlist& netlist, const std::string& release, const FileSink& sink);

/// Reads the machine from the descriptors among the files; without them the full chip minus the masks of the record.
/// Throws Error(Input) if descriptors and record disagree.
Machine read_target(const FileSet& files, const DeviceRecord& record);

/// The machine requested on the command line, based on the machine that an image was compiled for; `options` as for a
/// netlist.
Machine requested_machine(const Machine& compiled_for, const std::string& arch, MachineOptions options);

/// Throws Error(Input) naming both machines if they differ in chip, grids, harvested rows or number of chips.
void check_same_target(const Machine& compiled_for, const Machine& asked, const std::string& image);

}  // namespace ttsim::impl::image
