// Kernel time and instructions, as text, of one op on one core, named as in rows of measurements.
#pragma once

#include <string>
#include <vector>

#include "tools/validation/kernel_rows.hpp"

namespace ttsim::impl {

/// `settings`: "u_kt=4", named as columns of rows; others have defaults. Throws Error(Input) for unknown names and
/// invalid values, Error(Unsupported) for an op without a kernel model. The row returned has a shape.
KernelRow single_kernel(const std::string& op, const std::vector<std::string>& settings, const std::string& chip_name);

/// Cycles by kind of micro-block, with infinite bandwidth and with neighbours.
std::string describe_kernel(const KernelRow& row, const KernelModel& model);
/// The same as JSON: configs/schemas/kernel.schema.json.
std::string kernel_json(const KernelRow& row, const KernelModel& model, const std::string& chip_name);
/// Its instruction streams, one listing for each kind of micro-block.
std::string disassemble_kernel(const KernelRow& row, const KernelModel& model);

}  // namespace ttsim::impl
