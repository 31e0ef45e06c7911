#include "compiler/onnx/tensor.hpp"

#include <onnx/onnx_pb.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace tt::ir {

namespace {

std::size_t raw_size(DType dtype) {
    switch (dtype) {
        case DType::F64:
        case DType::I64:
        case DType::U64:
            return 8;
        case DType::F32:
        case DType::I32:
        case DType::U32:
            return 4;
        case DType::F16:
        case DType::BF16:
        case DType::I16:
        case DType::U16:
            return 2;
        case DType::I8:
        case DType::U8:
        case DType::Bool:
            return 1;
    }
    return 0;
}

template <class T>
T load(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

void set_raw(Literal& out, std::int64_t i, const char* at) {
    const auto k = static_cast<std::size_t>(i);
    switch (out.dtype()) {
        case DType::F32:
            out.floats()[k] = load<float>(at);
            break;
        case DType::F64:
            out.floats()[k] = static_cast<float>(load<double>(at));
            break;
        case DType::F16:
            out.floats()[k] = from_half(load<std::uint16_t>(at));
            break;
        case DType::BF16:
            out.floats()[k] = std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(at)) << 16);
            break;
        case DType::I64:
            out.whole()[k] = load<std::int64_t>(at);
            break;
        case DType::U64:
            out.whole()[k] = static_cast<std::int64_t>(load<std::uint64_t>(at));
            break;
        case DType::I32:
            out.whole()[k] = load<std::int32_t>(at);
            break;
        case DType::U32:
            out.whole()[k] = load<std::uint32_t>(at);
            break;
        case DType::I16:
            out.whole()[k] = load<std::int16_t>(at);
            break;
        case DType::U16:
            out.whole()[k] = load<std::uint16_t>(at);
            break;
        case DType::I8:
            out.whole()[k] = load<std::int8_t>(at);
            break;
        case DType::U8:
            out.whole()[k] = load<std::uint8_t>(at);
            break;
        case DType::Bool:
            out.whole()[k] = *at != 0 ? 1 : 0;
            break;
    }
}

void from_raw(Literal& out, const std::string& raw, const std::string& what, const std::string& file) {
    const std::size_t size = raw_size(out.dtype());
    if (raw.size() != size * static_cast<std::size_t>(out.size()))
        fail_input({file, 0, 0}, "{} has {} bytes of data; its shape needs {}", what, raw.size(),
                   size * static_cast<std::size_t>(out.size()));
    for (std::int64_t i = 0; i < out.size(); ++i) set_raw(out, i, raw.data() + static_cast<std::size_t>(i) * size);
}

template <class Field, class Set>
void from_field(Literal& out, const Field& field, const std::string& what, const std::string& file, Set set) {
    if (field.size() != out.size())
        fail_input({file, 0, 0}, "{} has {} values; its shape needs {}", what, field.size(), out.size());
    for (int i = 0; i < field.size(); ++i) set(i, field.Get(i));
}

std::string external_data(const onnx::TensorProto& tensor, const std::string& what, const std::string& file,
                          const std::string& folder) {
    std::string location;
    std::int64_t offset = 0, length = -1;
    for (const auto& entry : tensor.external_data()) {
        if (entry.key() == "location") location = entry.value();
        if (entry.key() == "offset") offset = std::atoll(entry.value().c_str());
        if (entry.key() == "length") length = std::atoll(entry.value().c_str());
    }
    const std::filesystem::path path(location);
    for (const auto& part : path)
        if (part == ".." || path.is_absolute())
            fail_input({file, 0, 0}, "{} has its data outside the model's folder: '{}'", what, location);
    std::ifstream in(std::filesystem::path(folder) / path, std::ios::binary | std::ios::ate);
    if (!in) fail_input({file, 0, 0}, "{} has its data in '{}', which cannot be read", what, location);
    const std::int64_t size = in.tellg();
    if (length < 0) length = size - offset;
    if (offset < 0 || length < 0 || offset > size || length > size - offset)
        fail_input({file, 0, 0}, "{} wants bytes {} to {} of '{}', which has {}", what, offset, offset + length,
                   location, size);
    std::string raw(static_cast<std::size_t>(length), '\0');
    in.seekg(offset);
    in.read(raw.data(), length);
    return raw;
}

void from_fields(Literal& out, const onnx::TensorProto& tensor, const std::string& what, const std::string& file) {
    const DType type = out.dtype();
    const auto real = [&](int i, auto v) { out.floats()[static_cast<std::size_t>(i)] = static_cast<float>(v); };
    const auto whole = [&](int i, auto v) { out.whole()[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(v); };
    if (type == DType::F32)
        from_field(out, tensor.float_data(), what, file, real);
    else if (type == DType::F64)
        from_field(out, tensor.double_data(), what, file, real);
    else if (type == DType::I64)
        from_field(out, tensor.int64_data(), what, file, whole);
    else if (type == DType::U64 || type == DType::U32)
        from_field(out, tensor.uint64_data(), what, file, whole);
    else if (type == DType::F16)
        from_field(out, tensor.int32_data(), what, file,
                   [&](int i, auto v) { real(i, from_half(static_cast<std::uint16_t>(v))); });
    else if (type == DType::BF16)
        from_field(out, tensor.int32_data(), what, file,
                   [&](int i, auto v) { real(i, std::bit_cast<float>(static_cast<std::uint32_t>(v) << 16)); });
    else
        from_field(out, tensor.int32_data(), what, file, whole);
}

}  // namespace

std::optional<DType> onnx_dtype(int number) {
    using T = onnx::TensorProto;
    switch (number) {
        case T::FLOAT:
            return DType::F32;
        case T::FLOAT16:
            return DType::F16;
        case T::BFLOAT16:
            return DType::BF16;
        case T::DOUBLE:
            return DType::F64;
        case T::INT8:
            return DType::I8;
        case T::INT16:
            return DType::I16;
        case T::INT32:
            return DType::I32;
        case T::INT64:
            return DType::I64;
        case T::UINT8:
            return DType::U8;
        case T::UINT16:
            return DType::U16;
        case T::UINT32:
            return DType::U32;
        case T::UINT64:
            return DType::U64;
        case T::BOOL:
            return DType::Bool;
        default:
            return std::nullopt;
    }
}

Literal read_tensor(const onnx::TensorProto& tensor, const std::string& file, const std::string& folder) {
    const std::string what = "tensor '" + tensor.name() + "'";
    const auto dtype = onnx_dtype(tensor.data_type());
    if (!dtype)
        fail_unsupported({file, 0, 0}, "{} has element type {}, which is no number or boolean", what,
                         tensor.data_type());
    Dims dims;
    std::int64_t datums = 1;
    for (const std::int64_t d : tensor.dims()) {
        if (d < 0 || (d > 0 && datums > (std::int64_t{1} << 33) / d))
            fail_input({file, 0, 0}, "{} has a dimension of {}", what, d);
        dims.push_back(d);
        datums *= d;
    }
    const bool external = tensor.data_location() == onnx::TensorProto::EXTERNAL;
    std::string far;
    if (external) far = external_data(tensor, what, file, folder);
    const std::string& raw = external ? far : tensor.raw_data();
    const bool is_raw = external || tensor.has_raw_data();
    if (is_raw && raw.size() != raw_size(*dtype) * static_cast<std::size_t>(datums))
        fail_input({file, 0, 0}, "{} has {} bytes of data; its shape needs {}", what, raw.size(),
                   raw_size(*dtype) * static_cast<std::size_t>(datums));
    Literal out(*dtype, dims);
    if (is_raw)
        from_raw(out, raw, what, file);
    else
        from_fields(out, tensor, what, file);
    return out;
}

Literal read_tensor_file(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    onnx::TensorProto tensor;
    if (!in) fail_input({file, 0, 0}, "the file cannot be read");
    if (!tensor.ParseFromIstream(&in)) fail_input({file, 0, 0}, "it is no ONNX tensor");
    return read_tensor(tensor, file, std::filesystem::path(file).parent_path().string());
}

}  // namespace tt::ir
