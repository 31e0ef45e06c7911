// Converts the program of a buda.fused_op to a netlist definition.
#pragma once

#include <memory>
#include <string>

#include "kernels/op_config.hpp"

namespace ttsim::impl::ir {

/// `program`: "add in0 in1; sqrt d" (passes/fuse_ops.cpp). A result stays in Dst if the next sub-op can read it there
/// (`any_operand`: not only as its first operand), else it is stored in an intermediate. Blocks are those of op.out.
/// The id is left empty. Throws Error(Input) at op.loc for an invalid program.
std::shared_ptr<FusedDefinition> make_fused(const std::string& program, const OpConfig& op, bool any_operand);

}  // namespace ttsim::impl::ir
