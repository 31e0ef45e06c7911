// The program of a buda.fused_op as a netlist defines it.
#pragma once

#include <memory>
#include <string>

#include "kernels/op_config.hpp"

namespace ttsim::impl::ir {

/// `program`: "add in0 in1; sqrt d" (passes/fuse_ops.cpp). Each result goes to Dst where the next sub-op may take it
/// from there (`any_operand`: not only as its first operand), else to an intermediate. Blocks are those of op.out. The
/// id is left empty. Throws Error(Input) at op.loc for a program that cannot be read.
std::shared_ptr<FusedDefinition> make_fused(const std::string& program, const OpConfig& op, bool any_operand);

}  // namespace ttsim::impl::ir
