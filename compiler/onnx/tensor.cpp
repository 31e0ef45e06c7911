#include "compiler/onnx/tensor.hpp"

#include <onnx/messages.pb.h>

#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/read_file.hpp"
#include "compiler/onnx/narrow_types.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl::ir {

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
            out.integer_elements()[k] = load<std::int64_t>(at);
            break;
        case DType::U64:
            out.integer_elements()[k] = static_cast<std::int64_t>(load<std::uint64_t>(at));
            break;
        case DType::I32:
            out.integer_elements()[k] = load<std::int32_t>(at);
            break;
        case DType::U32:
            out.integer_elements()[k] = load<std::uint32_t>(at);
            break;
        case DType::I16:
            out.integer_elements()[k] = load<std::int16_t>(at);
            break;
        case DType::U16:
            out.integer_elements()[k] = load<std::uint16_t>(at);
            break;
        case DType::Bool:
            out.integer_elements()[k] = *at != 0 ? 1 : 0;
            break;
        case DType::I8:  // handled by Literal::of_bytes
        case DType::U8:
            break;
    }
}

void from_raw(Literal& out, std::string_view raw) {
    if (out.dtype() == DType::F32) {
        if (!raw.empty()) std::memcpy(out.floats().data(), raw.data(), raw.size());
        return;
    }
    const std::size_t size = raw_size(out.dtype());
    for (std::int64_t i = 0; i < out.size(); ++i) set_raw(out, i, raw.data() + static_cast<std::size_t>(i) * size);
}

/// The lowest bits of a byte come first.
template <class ByteAt>
void unpack(Literal& out, const NarrowType& type, ByteAt byte_at) {
    const std::int64_t each = 8 / type.bits;
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const std::uint32_t byte = byte_at(i / each);
        const auto bits = byte >> (i % each * type.bits) & ((1U << type.bits) - 1);
        out.floats()[static_cast<std::size_t>(i)] = type.value(bits);
    }
}

template <class Field, class Set>
void from_field(const Field& field, Set set) {
    for (int i = 0; i < field.size(); ++i) set(i, field.Get(i));
}

std::int64_t bytes_of(const onnx::StringStringEntryProto& entry, const std::string& what, const std::string& file) {
    const std::string& text = entry.value();
    std::int64_t bytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (error != std::errc() || end != text.data() + text.size() || bytes < 0)
        fail_input({file, 0, 0}, "{} has '{}' as the {} of its data", what, text, entry.key());
    return bytes;
}

/// The path of external data. It must be a regular file inside the model's folder after resolving symbolic links.
fs::path external_path(const std::string& folder, const std::string& location, const std::string& what,
                       const std::string& file) {
    const fs::path named(location);
    std::error_code code;
    const fs::path base = fs::canonical(folder.empty() ? "." : folder, code);
    const fs::path path = code ? fs::path() : fs::canonical(base / named, code);
    const bool leaves = named.is_absolute() || std::find(named.begin(), named.end(), "..") != named.end();
    if (leaves || (!code && std::mismatch(base.begin(), base.end(), path.begin(), path.end()).first != base.end()))
        fail_input({file, 0, 0}, "{} has its data outside the model's folder: '{}'", what, location);
    if (code) fail_input({file, 0, 0}, "{} has its data in '{}', which cannot be read", what, location);
    if (!fs::is_regular_file(path, code))
        fail_input({file, 0, 0}, "{} has its data in '{}', which is not a regular file", what, location);
    return path;
}

std::string external_data(const onnx::TensorProto& tensor, std::int64_t needed, const std::string& what,
                          const std::string& file, const std::string& folder) {
    std::string location;
    std::int64_t offset = 0;
    std::optional<std::int64_t> length;
    for (const auto& entry : tensor.external_data()) {
        if (entry.key() == "location") location = entry.value();
        if (entry.key() == "offset") offset = bytes_of(entry, what, file);
        if (entry.key() == "length") length = bytes_of(entry, what, file);
    }
    const InputFile in(external_path(folder, location, what, file).string(), UINT64_MAX);
    // A hard link may refer to a file outside the folder that the model's author must not read.
    struct stat found {};
    if (::fstat(in.descriptor(), &found) != 0 || found.st_nlink > 1)
        fail_input({file, 0, 0},
                   "{} has its data in '{}', which has hard links: it may be a file of another folder; copy it "
                   "('cp {} COPY && mv COPY {}') if it is the model's",
                   what, location, location, location);
    const auto size = static_cast<std::int64_t>(in.size());
    if (offset > size || (length && *length > size - offset))
        fail_input({file, 0, 0}, "{} needs {} bytes at offset {} of '{}', which has {}", what, length.value_or(needed),
                   offset, location, size);
    if (length.value_or(size - offset) != needed)
        fail_input({file, 0, 0}, "{} has {} bytes of data in '{}'; its shape needs {}", what,
                   length.value_or(size - offset), location, needed);
    std::string raw(static_cast<std::size_t>(needed), '\0');
    if (!in.read_at(raw.data(), static_cast<std::uint64_t>(offset), raw.size()))
        fail_input({file, 0, 0}, "{} has its data in '{}', which cannot be read", what, location);
    return raw;
}

/// The number of values in the field for an element type.
std::int64_t values_of(const onnx::TensorProto& tensor, DType type) {
    switch (type) {
        case DType::F32:
            return tensor.float_data_size();
        case DType::F64:
            return tensor.double_data_size();
        case DType::I64:
            return tensor.int64_data_size();
        case DType::U32:
        case DType::U64:
            return tensor.uint64_data_size();
        case DType::F16:
        case DType::BF16:
        case DType::I8:
        case DType::I16:
        case DType::I32:
        case DType::U8:
        case DType::U16:
        case DType::Bool:
            return tensor.int32_data_size();
    }
    return 0;
}

/// The range of an element type that is stored in a field of a larger type.
std::pair<std::int64_t, std::int64_t> limits(DType type) {
    const auto bits = static_cast<int>(8 * raw_size(type));
    const bool is_signed = type == DType::I8 || type == DType::I16 || type == DType::I32;
    const std::int64_t range = std::int64_t{1} << (is_signed ? bits - 1 : bits);
    return {is_signed ? -range : 0, range - 1};
}

void from_fields(Literal& out, const onnx::TensorProto& tensor, const std::string& what, const std::string& file) {
    const DType type = out.dtype();
    const auto real = [&](int i, auto v) { out.floats()[static_cast<std::size_t>(i)] = static_cast<float>(v); };
    const auto integer = [&](int i, auto v) {
        out.integer_elements()[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(v);
    };
    const auto within = [&](int i, auto v) {
        const auto [least, most] = limits(type);
        if (std::cmp_less(v, least) || std::cmp_greater(v, most))
            fail_input({file, 0, 0}, "{} has the value {}, which is not of type {}", what, v, to_string(type));
        integer(i, v);
    };
    if (type == DType::F32)
        from_field(tensor.float_data(), real);
    else if (type == DType::F64)
        from_field(tensor.double_data(), real);
    else if (type == DType::I64)
        from_field(tensor.int64_data(), integer);
    else if (type == DType::U64)
        from_field(tensor.uint64_data(), integer);
    else if (type == DType::U32)
        from_field(tensor.uint64_data(), within);
    else if (type == DType::F16)
        from_field(tensor.int32_data(), [&](int i, auto v) { real(i, from_half(static_cast<std::uint16_t>(v))); });
    else if (type == DType::BF16)
        from_field(tensor.int32_data(),
                   [&](int i, auto v) { real(i, std::bit_cast<float>(static_cast<std::uint32_t>(v) << 16)); });
    else if (type == DType::Bool)
        from_field(tensor.int32_data(), [&](int i, auto v) { integer(i, v != 0 ? 1 : 0); });
    else
        from_field(tensor.int32_data(), within);
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

Literal read_tensor(const onnx::TensorProto& tensor, const std::string& file, const std::optional<std::string>& folder,
                    std::optional<std::string_view> data) {
    const std::string what = "tensor '" + tensor.name() + "'";
    const auto narrow = narrow_type(tensor.data_type());
    const auto dtype = narrow ? DType::F32 : onnx_dtype(tensor.data_type());
    if (!dtype)
        fail_unsupported({file, 0, 0}, "{} has element type {}, which is not a number or boolean", what,
                         tensor.data_type());
    const Dims dims(tensor.dims().begin(), tensor.dims().end());
    for (const std::int64_t d : dims)
        if (d < 0) fail_input({file, 0, 0}, "{} has a dimension of {}", what, d);
    if (extent(dims) > max_read_elements)
        fail_unsupported({file, 0, 0}, "{} has the dimensions [{}]; at most {} elements are read", what,
                         fmt::join(dims, ", "), max_read_elements);
    // check that the data is present before allocating
    const std::int64_t elements = count(dims);
    const std::int64_t bytes =
        narrow ? (elements * narrow->bits + 7) / 8 : elements * static_cast<std::int64_t>(raw_size(*dtype));
    const bool external = tensor.data_location() == onnx::TensorProto::EXTERNAL;
    std::string external_bytes;
    if (external && !folder)
        fail_input({file, 0, 0}, "{} has its data in a file; a model in memory has no folder; set the folder", what);
    if (external) external_bytes = external_data(tensor, bytes, what, file, *folder);
    const std::string_view raw = external ? std::string_view(external_bytes) : data.value_or(tensor.raw_data());
    const bool is_raw = external || data || tensor.has_raw_data();
    if (is_raw && static_cast<std::int64_t>(raw.size()) != bytes)
        fail_input({file, 0, 0}, "{} has {} bytes of data; its shape needs {}", what, raw.size(), bytes);
    const std::int64_t values = narrow ? tensor.int32_data_size() : values_of(tensor, *dtype);
    if (const std::int64_t needed = narrow ? bytes : elements; !is_raw && values != needed)
        fail_input({file, 0, 0}, "{} has {} values; its shape needs {}", what, values, needed);
    if (is_raw && (*dtype == DType::I8 || *dtype == DType::U8))
        return Literal::of_bytes(*dtype, dims, std::string(raw));
    Literal out(*dtype, dims, max_read_elements);
    if (narrow)
        unpack(out, *narrow, [&](std::int64_t byte) {
            return is_raw ? static_cast<std::uint8_t>(raw[static_cast<std::size_t>(byte)])
                          : static_cast<std::uint8_t>(tensor.int32_data(static_cast<int>(byte)));
        });
    else if (is_raw)
        from_raw(out, raw);
    else
        from_fields(out, tensor, what, file);
    return out;
}

Literal read_tensor_file(const std::string& file) {
    onnx::TensorProto tensor;
    if (!tensor.ParseFromString(read_file(file, max_message_bytes)))
        fail_input({file, 0, 0}, "it is not an ONNX tensor");
    return read_tensor(tensor, file, std::filesystem::path(file).parent_path().string());
}

}  // namespace ttsim::impl::ir
