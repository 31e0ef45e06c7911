// Reads the tail of a model during a run: the nodes whose shapes depend on runtime values.
#pragma once

#include <span>
#include <string>

#include "compiler/ir/builder.hpp"

namespace ttsim::impl::ir {

/// `text`: the attribute of a model_tail (ops/model_tail.cpp). Its inputs become these constants, and `compute`
/// computes the nodes. Throws Error as parse_onnx() does.
Graph read_tail(const std::string& text, const std::string& name, std::span<const Literal* const> inputs,
                HostValues compute);

}  // namespace ttsim::impl::ir
