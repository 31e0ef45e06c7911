// onnx::TensorProto -> Literal.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/literal.hpp"

namespace onnx {
class TensorProto;
}

namespace ttsim::impl::ir {

/// What protobuf reads at most.
inline constexpr std::uint64_t most_message = (std::uint64_t{1} << 31) - 1;

/// The element type of an ONNX type number; none for strings, complex numbers and unknown ones.
std::optional<DType> onnx_dtype(int number);

/// `folder`: where external data lies; none: it is refused. Throws Error at `file`: Unsupported element types, data
/// that does not fit.
Literal read_tensor(const onnx::TensorProto& tensor, const std::string& file, const std::optional<std::string>& folder);

/// A .pb file holding one tensor; its external data lies beside it.
Literal read_tensor_file(const std::string& file);

}  // namespace ttsim::impl::ir
