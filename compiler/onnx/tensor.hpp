// Reads ONNX tensors into literals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compiler/ir/literal.hpp"

namespace ttsim::onnx {
class TensorProto;
}

namespace ttsim::impl::ir {

/// The largest message that protobuf parses.
inline constexpr std::uint64_t max_message_bytes = (std::uint64_t{1} << 31) - 1;

/// The element type of an ONNX type number; nullopt for strings, complex numbers and unknown types.
std::optional<DType> onnx_dtype(int number);

/// `folder`: of external data; nullopt: external data is refused. Throws Error at `file`: Unsupported for element
/// types, Input for data that does not fit.
/// `data`: its raw data, if the message lacks it.
Literal read_tensor(const onnx::TensorProto& tensor, const std::string& file, const std::optional<std::string>& folder,
                    std::optional<std::string_view> data = std::nullopt);

/// Reads a .pb file with one tensor. Its external data is in the same folder.
Literal read_tensor_file(const std::string& file);

}  // namespace ttsim::impl::ir
