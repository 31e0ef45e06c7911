// An ONNX model made of any bytes: ops of the reader with attributes, ranks, dimensions, types and constants, right and
// wrong ones. Neighbouring bytes make neighbouring models, so that a fuzzer can work its way.
#pragma once

#include <string>

namespace ttsim::impl::fuzz {

/// The bytes of an .onnx file.
std::string random_model(const std::string& bytes);

}  // namespace ttsim::impl::fuzz
