// The machine that an image was compiled for: its descriptors, harvesting applied, and whether another one is the same.
#pragma once

#include <string>
#include <vector>

#include "base/file_set.hpp"
#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"
#include "runtime/image/device_record.hpp"

namespace ttsim::impl::image {

inline constexpr const char* builds_folder = "backend_build_binaries";
inline constexpr const char* made_by_ttsim = "branch_name: ttsim";  ///< a line of runtime_data.yaml

/// Bits of the NoC rows a chip lacks.
std::int64_t harvesting_mask(const ChipInstance& chip);
std::vector<int> rows_of_mask(std::int64_t mask);

/// device_desc.yaml, cluster_desc.yaml, runtime_data.yaml, and a descriptor for each chip where they differ.
void write_target(const Machine& machine, const Netlist& netlist, const std::string& release, const FileSink& sink);

/// From the descriptors among the files; without them the whole chip, less the masks of the record. Throws Error(Input)
/// where descriptors and record part.
Machine read_target(const FileSet& files, const DeviceRecord& record);

/// The machine that a command line asks for, beside what an image was compiled for; `options` as for a netlist.
Machine asked_machine(const Machine& compiled_for, const std::string& arch, MachineOptions options);

/// Throws Error(Input) naming both when a machine is not what an image was compiled for: chip, grids, harvested rows,
/// number of chips.
void check_same_target(const Machine& compiled_for, const Machine& asked, const std::string& image);

}  // namespace ttsim::impl::image
