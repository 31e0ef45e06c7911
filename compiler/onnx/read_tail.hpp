// The nodes of a model from where on shapes follow from values of the run, as a model of their own.
#pragma once

#include <span>
#include <string>

#include "compiler/ir/builder.hpp"

namespace ttsim::impl::ir {

/// `text`: of a model_tail (ops/model_tail.cpp); its inputs become these constants. Throws Error as parse_onnx() does.
/// `compute` gives the nodes their values.
Graph read_tail(const std::string& text, const std::string& name, std::span<const Literal* const> inputs,
                HostValue compute);

}  // namespace ttsim::impl::ir
