#include "compiler/onnx/value_file.hpp"

#include <fmt/ranges.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/read_file.hpp"
#include "compiler/ir/integers.hpp"
#include "compiler/onnx/tensor.hpp"

namespace ttsim::impl::ir {

namespace {

struct Layout {
    DType dtype;
    std::size_t bytes;
};

/// Loads up to 64 bits. Integer types use the lowest bits; a true boolean may be any byte except 0.
std::uint64_t bits_at(std::string_view data, std::size_t offset, std::size_t bytes) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, data.data() + offset, bytes);
    return bits;
}

void set_element(Literal& literal, std::int64_t i, std::string_view data, std::size_t bytes, std::int64_t at) {
    const std::uint64_t bits = bits_at(data, static_cast<std::size_t>(at) * bytes, bytes);
    if (literal.dtype() == DType::F16)
        literal.set(i, static_cast<double>(from_half(static_cast<std::uint16_t>(bits))));
    else if (literal.dtype() == DType::F64)
        literal.set(i, std::bit_cast<double>(bits));
    else if (literal.dtype() == DType::F32)
        literal.set(i, static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    else
        literal.set_integer(i, static_cast<std::int64_t>(bits));
}

const std::map<std::string, Layout>& layouts() {
    static const std::map<std::string, Layout> table{
        {"<f4", {DType::F32, 4}}, {"<f8", {DType::F64, 8}}, {"<f2", {DType::F16, 2}}, {"|i1", {DType::I8, 1}},
        {"<i2", {DType::I16, 2}}, {"<i4", {DType::I32, 4}}, {"<i8", {DType::I64, 8}}, {"|u1", {DType::U8, 1}},
        {"<u2", {DType::U16, 2}}, {"<u4", {DType::U32, 4}}, {"<u8", {DType::U64, 8}}, {"|b1", {DType::Bool, 1}}};
    return table;
}

/// The fields of a header.
struct Header {
    std::string descr;
    bool fortran = false;
    std::optional<Dims> dims;
};

/// Parses the header's Python dictionary, such as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, from
/// left to right without backtracking or recursion.
class HeaderParser {
public:
    HeaderParser(std::string_view text, const SourceLoc& loc) : rest_(text), loc_(loc) {}

    Header parse() {
        Header header;
        expect('{');
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr")
                header.descr = quoted();
            else if (key == "fortran_order")
                header.fortran = flag();
            else if (key == "shape")
                header.dims = dims();
            else
                fail_input(loc_, "its header has the unknown key '{}'", key);
            if (!accept(',') && peek() != '}') expect(',');
        }
        if (peek() != 0) fail_input(loc_, "its header has text after '}}'");
        return header;
    }

private:
    char peek() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
        return rest_.empty() ? '\0' : rest_.front();
    }
    bool accept(char c) {
        if (peek() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char c) {
        if (!accept(c)) fail_input(loc_, "its header lacks '{}' before '{:.20}'", c, rest_);
    }
    std::string quoted() {
        const char quote = peek() == '"' ? '"' : '\'';
        expect(quote);
        const std::size_t end = rest_.find(quote);
        if (end == std::string_view::npos) fail_input(loc_, "its header has an open quote");
        std::string text(rest_.substr(0, end));
        rest_.remove_prefix(end + 1);
        return text;
    }
    bool flag() {
        peek();
        for (const std::string_view value : {"True", "False"})
            if (rest_.starts_with(value)) {
                rest_.remove_prefix(value.size());
                return value == "True";
            }
        fail_input(loc_, "its fortran_order is neither True nor False");
    }
    Dims dims() {
        Dims dims;
        expect('(');
        while (!accept(')')) {
            peek();
            std::int64_t d = 0;
            const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), d);
            if (error != std::errc() || d < 0) fail_input(loc_, "its shape is not a tuple of integers");
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            dims.push_back(d);
            if (!accept(',') && peek() != ')') expect(',');
        }
        return dims;
    }

    std::string_view rest_;
    const SourceLoc& loc_;
};

/// Maps the index of an element in row-major order to its index in Fortran order, where the first axis is innermost.
auto columns_first(const Dims& dims) {
    const Dims rows = strides(dims);
    Dims columns(dims.size(), 1);
    for (std::size_t d = 1; d < dims.size(); ++d) columns[d] = columns[d - 1] * dims[d - 1];
    return [=](std::int64_t i) {
        std::int64_t at = 0;
        for (std::size_t d = 0; d < dims.size(); ++d) at += i / rows[d] % dims[d] * columns[d];
        return at;
    };
}

}  // namespace

Literal parse_npy(std::string_view data, const std::string& file) {
    const SourceLoc loc{file, 0, 0};
    if (data.size() < 10 || data.compare(0, 6, "\x93NUMPY") != 0) fail_input(loc, "it is no .npy file");
    const int version = data[6];
    if (version < 1 || version > 3) fail_input(loc, "its .npy version is {}; 1 to 3 are read", version);
    // two bytes in version 1, four from version 2 on
    const std::size_t start = version == 1 ? 10 : 12;
    if (data.size() < start) fail_input(loc, "its header is cut off");
    std::size_t length = 0;
    for (std::size_t k = start; k-- > 8;) length = length * 256 + static_cast<unsigned char>(data[k]);
    if (data.size() - start < length) fail_input(loc, "its header is cut off");
    const Header header = HeaderParser(data.substr(start, length), loc).parse();
    const auto layout = layouts().find(header.descr);
    if (layout == layouts().end()) fail_input(loc, "its element type '{:.20}' is not read", header.descr);
    if (!header.dims) fail_input(loc, "it has no shape");
    if (extent(*header.dims) > max_read_elements)
        fail_unsupported(loc, "its shape is ({}); at most {} elements are read", fmt::join(*header.dims, ", "),
                         max_read_elements);
    const auto bytes = static_cast<std::size_t>(count(*header.dims)) * layout->second.bytes;
    if (data.size() - start - length < bytes)
        fail_input(loc, "it holds {} bytes of data; its shape ({}) needs {}", data.size() - start - length,
                   fmt::join(*header.dims, ", "), bytes);
    Literal literal(layout->second.dtype, *header.dims, max_read_elements);
    const std::string_view elements = data.substr(start + length);
    if (header.fortran) {
        const auto place = columns_first(*header.dims);
        for (std::int64_t i = 0; i < literal.size(); ++i)
            set_element(literal, i, elements, layout->second.bytes, place(i));
        return literal;
    }
    if (layout->second.dtype == DType::F32) {  // a plain copy; large embedding tables are read here
        if (bytes > 0) std::memcpy(literal.floats().data(), elements.data(), bytes);
        return literal;
    }
    for (std::int64_t i = 0; i < literal.size(); ++i) set_element(literal, i, elements, layout->second.bytes, i);
    return literal;
}

namespace {

template <class T>
void append(std::string& data, T value) {
    data.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_element(std::string& data, const Literal& values, std::int64_t i) {
    if (values.dtype() == DType::F64) return append(data, values.at(i));
    if (is_float(values.dtype())) return append(data, static_cast<float>(values.at(i)));
    const std::int64_t element = values.integer(i);  // the lowest byte comes first
    data.append(reinterpret_cast<const char*>(&element), static_cast<std::size_t>(bits_of(values.dtype()) / 8));
}

std::string header_of(const Literal& values) {
    const bool half = values.dtype() == DType::F16 || values.dtype() == DType::BF16;
    std::string descr;
    for (const auto& [name, layout] : layouts())
        if (layout.dtype == (half ? DType::F32 : values.dtype())) descr = name;
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                     fmt::join(values.dims(), ", "), values.dims().size() == 1 ? "," : "");
    constexpr std::size_t before = 10, unit = 64;  // magic, version, length; the data begins at a multiple of 64
    header.append(unit - 1 - (before + header.size()) % unit, ' ');
    header += '\n';
    std::string start("\x93NUMPY\x01\x00", 8);
    start += static_cast<char>(header.size() & 255);
    start += static_cast<char>(header.size() >> 8);
    return start + header;
}

}  // namespace

/// Converts integers to the integer type of an input. Fails if a value does not fit.
static Literal narrowed(const Literal& given, const Type& type, const std::string& file, const std::string& name) {
    Literal out(type.dtype, type.dims, max_read_elements);
    for (std::int64_t i = 0; i < out.size(); ++i) {
        out.copy(i, given, i);
        const bool same_sign = has_sign(given.dtype()) == has_sign(type.dtype) || out.integer(i) >= 0;
        if (out.integer(i) != given.integer(i) || !same_sign)
            fail_input({file, 0, 0}, "it holds the {} {}; input '{}' is {}", to_string(given.dtype()),
                       given.dtype() == DType::U64 ? fmt::format("{}", static_cast<std::uint64_t>(given.integer(i)))
                                                   : fmt::format("{}", given.integer(i)),
                       name, to_string(type));
    }
    return out;
}

Literal fitted(const Literal& given, const Type& type, const std::string& file, const std::string& name) {
    if (given.dims() != type.dims)
        fail_input({file, 0, 0}, "its shape is [{}]; input '{}' is {}", fmt::join(given.dims(), ", "), name,
                   to_string(type));
    const bool bits = type.dtype == DType::BF16 && given.dtype() == DType::U16;
    if (is_float(given.dtype()) != is_float(type.dtype) && !bits)
        fail_input({file, 0, 0}, "its elements are {}; input '{}' is {}", to_string(given.dtype()), name,
                   to_string(type));
    if (!bits && !is_float(type.dtype) && given.dtype() != type.dtype) return narrowed(given, type, file, name);
    if (!bits) return given;
    Literal out(DType::BF16, type.dims, max_read_elements);
    for (std::size_t i = 0; i < out.floats().size(); ++i)
        out.floats()[i] = std::bit_cast<float>(static_cast<std::uint32_t>(given.integer_elements()[i]) << 16);
    return out;
}

std::string npy_bytes(const Literal& values) {
    std::string data = header_of(values);
    data.reserve(data.size() + static_cast<std::size_t>(values.size()) * 8);
    for (std::int64_t i = 0; i < values.size(); ++i) append_element(data, values, i);
    return data;
}

void write_value_file(const std::string& file, const Literal& values) {
    const std::string data = npy_bytes(values);
    write_new_file(file, FileKind::Npy,
                   [&](std::ostream& out) { out.write(data.data(), static_cast<std::streamsize>(data.size())); });
}

static constexpr std::uint64_t max_file_bytes =
    std::uint64_t{8} * max_read_elements + (1 << 20);  // the largest type, and a header

Literal read_npy_of(const FileSet& files, const std::string& name) {
    return parse_npy(files.read(name, max_file_bytes), files.place(name));
}

Literal read_value_file(const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (extension == ".npy") return parse_npy(read_file(file, max_file_bytes), file);
    if (extension == ".pb") return read_tensor_file(file);
    fail_input({file, 0, 0}, "values are read from .npy and .pb files, not '{}'", extension);
}

}  // namespace ttsim::impl::ir
