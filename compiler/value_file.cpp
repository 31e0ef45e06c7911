#include "compiler/value_file.hpp"

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "base/error.hpp"
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
        case DType::F16:
        case DType::BF16:
            break;
    }
    return 0;
}

Literal read_npy_file(const std::string& file) {
    static const std::map<std::string, Layout> layouts{
        {"<f4", {DType::F32, 4}}, {"<f8", {DType::F64, 8}}, {"|i1", {DType::I8, 1}},  {"<i2", {DType::I16, 2}},
        {"<i4", {DType::I32, 4}}, {"<i8", {DType::I64, 8}}, {"|u1", {DType::U8, 1}},  {"<u2", {DType::U16, 2}},
        {"<u4", {DType::U32, 4}}, {"<u8", {DType::U64, 8}}, {"|b1", {DType::Bool, 1}}};
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
    if (!std::regex_search(header, found, std::regex("'descr': *'([^']*)'")) || !layouts.count(found[1]))
        fail_input(loc, "its element type is not read: {}", header);
    const Layout layout = layouts.at(found[1]);
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

}  // namespace

Literal read_value_file(const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (extension == ".npy") return read_npy_file(file);
    if (extension == ".pb") return read_tensor_file(file);
    fail_input({file, 0, 0}, "values are read from .npy and .pb files, not '{}'", extension);
}

}  // namespace tt::ir
