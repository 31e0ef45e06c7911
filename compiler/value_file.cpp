#include "compiler/value_file.hpp"

#include <fmt/ranges.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <regex>
#include <sstream>
#include <type_traits>

#include "base/error.hpp"
#include "base/new_file.hpp"
#include "compiler/onnx/tensor.hpp"

namespace tt::ir {

namespace {

struct Layout {
    DType dtype;
    std::size_t bytes;
};

template <class T>
double value_at(const std::string& data, std::size_t offset) {
    T v;
    std::memcpy(&v, data.data() + offset, sizeof v);
    return static_cast<double>(v);
}

double datum(const std::string& data, std::size_t offset, DType dtype) {
    switch (dtype) {
        case DType::F32:
            return value_at<float>(data, offset);
        case DType::F64:
            return value_at<double>(data, offset);
        case DType::I8:
            return value_at<std::int8_t>(data, offset);
        case DType::I16:
            return value_at<std::int16_t>(data, offset);
        case DType::I32:
            return value_at<std::int32_t>(data, offset);
        case DType::I64:
            return value_at<std::int64_t>(data, offset);
        case DType::U16:
            return value_at<std::uint16_t>(data, offset);
        case DType::U32:
            return value_at<std::uint32_t>(data, offset);
        case DType::U64:
            return value_at<std::uint64_t>(data, offset);
        case DType::U8:
        case DType::Bool:
            return value_at<std::uint8_t>(data, offset);
        case DType::F16: {
            std::uint16_t bits = 0;
            std::memcpy(&bits, data.data() + offset, sizeof bits);
            return static_cast<double>(from_half(bits));
        }
        case DType::BF16:
            break;
    }
    return 0;
}

const std::map<std::string, Layout>& layouts() {
    static const std::map<std::string, Layout> table{
        {"<f4", {DType::F32, 4}}, {"<f8", {DType::F64, 8}}, {"<f2", {DType::F16, 2}}, {"|i1", {DType::I8, 1}},
        {"<i2", {DType::I16, 2}}, {"<i4", {DType::I32, 4}}, {"<i8", {DType::I64, 8}}, {"|u1", {DType::U8, 1}},
        {"<u2", {DType::U16, 2}}, {"<u4", {DType::U32, 4}}, {"<u8", {DType::U64, 8}}, {"|b1", {DType::Bool, 1}}};
    return table;
}

Literal read_npy_file(const std::string& file) {
    const SourceLoc loc{file, 0, 0};
    std::ifstream in(file, std::ios::binary);
    if (!in) fail_input(loc, "the file cannot be read");
    std::ostringstream all;
    all << in.rdbuf();
    const std::string data = all.str();
    if (data.size() < 10 || data.compare(0, 6, "\x93NUMPY") != 0) fail_input(loc, "it is no .npy file");
    std::size_t length = static_cast<unsigned char>(data[8]) + 256U * static_cast<unsigned char>(data[9]), start = 10;
    if (data[6] != 1) {
        if (data.size() < 12) fail_input(loc, "its header is cut off");
        length += 65536U * static_cast<unsigned char>(data[10]);
        start = 12;
    }
    if (data.size() < start + length) fail_input(loc, "its header is cut off");
    const std::string header = data.substr(start, length);
    std::smatch found;
    if (!std::regex_search(header, found, std::regex("'descr': *'([^']*)'")) || !layouts().count(found[1]))
        fail_input(loc, "its element type is not read: {}", header);
    const Layout layout = layouts().at(found[1]);
    if (header.find("'fortran_order': True") != std::string::npos) fail_input(loc, "it is in Fortran order");
    if (!std::regex_search(header, found, std::regex("'shape': *\\(([^)]*)\\)"))) fail_input(loc, "it has no shape");
    Dims dims;
    std::istringstream shape(found[1]);
    for (std::string word; std::getline(shape, word, ',');) {
        word.erase(0, word.find_first_not_of(' '));
        if (word.empty()) continue;
        std::int64_t d = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), d);
        if (error != std::errc() || end == word.data() || d < 0 || d > (std::int64_t{1} << 33))
            fail_input(loc, "its shape is wrong: {}", header);
        dims.push_back(d);
    }
    if (data.size() - start - length < static_cast<std::size_t>(count(dims)) * layout.bytes)
        fail_input(loc, "its data is cut off");
    Literal literal(layout.dtype, dims);
    for (std::int64_t i = 0; i < literal.size(); ++i)
        literal.set(i, datum(data, start + length + static_cast<std::size_t>(i) * layout.bytes, layout.dtype));
    return literal;
}

template <class T>
void append(std::string& data, double value) {
    T v;
    if constexpr (std::is_floating_point_v<T>)
        v = static_cast<T>(value);
    else if (value <= static_cast<double>(std::numeric_limits<T>::lowest()))
        v = std::numeric_limits<T>::lowest();
    else if (value >= static_cast<double>(std::numeric_limits<T>::max()))
        v = std::numeric_limits<T>::max();
    else
        v = static_cast<T>(value);
    data.append(reinterpret_cast<const char*>(&v), sizeof v);
}

void append_datum(std::string& data, const Literal& values, std::int64_t i) {
    switch (values.dtype()) {
        case DType::F32:
        case DType::F16:
        case DType::BF16:
            return append<float>(data, values.at(i));
        case DType::F64:
            return append<double>(data, values.at(i));
        case DType::I8:
            return append<std::int8_t>(data, values.at(i));
        case DType::I16:
            return append<std::int16_t>(data, values.at(i));
        case DType::I32:
            return append<std::int32_t>(data, values.at(i));
        case DType::I64:
            return append<std::int64_t>(data, values.at(i));
        case DType::U16:
            return append<std::uint16_t>(data, values.at(i));
        case DType::U32:
            return append<std::uint32_t>(data, values.at(i));
        case DType::U64:
            return append<std::uint64_t>(data, values.at(i));
        case DType::U8:
        case DType::Bool:
            return append<std::uint8_t>(data, values.at(i));
    }
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

void write_value_file(const std::string& file, const Literal& values) {
    std::string data = header_of(values);
    data.reserve(data.size() + static_cast<std::size_t>(values.size()) * 8);
    for (std::int64_t i = 0; i < values.size(); ++i) append_datum(data, values, i);
    write_new_file(file, FileKind::Npy,
                   [&](std::ostream& out) { out.write(data.data(), static_cast<std::streamsize>(data.size())); });
}

Literal read_value_file(const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (extension == ".npy") return read_npy_file(file);
    if (extension == ".pb") return read_tensor_file(file);
    fail_input({file, 0, 0}, "values are read from .npy and .pb files, not '{}'", extension);
}

}  // namespace tt::ir
