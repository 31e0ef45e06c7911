#include "netlist/files/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/read_file.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl {

namespace {

static_assert(std::endian::native == std::endian::little, "the files are little-endian, and so are the copies here");

constexpr std::string_view magic = "\x93NUMPY";

struct Header {
    bool integer = false;
    std::vector<std::int64_t> shape;
};

/// Parses the header's Python dictionary: three known keys in any order.
class HeaderParser {
public:
    HeaderParser(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

    Header parse() {
        Header header;
        bool descr = false, order = false, shape = false;
        expect('{');
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr") {
                header.integer = integer_dtype(quoted());
                descr = true;
            } else if (key == "fortran_order") {
                if (word() != "False") fail("it is in Fortran order; C order is wanted");
                order = true;
            } else if (key == "shape") {
                header.shape = dims();
                shape = true;
            } else {
                fail(fmt::format("its header has the unknown key '{}'", key));
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        if (!descr || !order || !shape) fail("its header needs 'descr', 'fortran_order' and 'shape'");
        return header;
    }

private:
    [[noreturn]] void fail(const std::string& what) { fail_input({file_, 0, 0}, "{}", what); }

    void skip_blanks() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
    }
    bool accept(char c) {
        skip_blanks();
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char c) {
        if (!accept(c)) fail(fmt::format("its header lacks '{}'", c));
    }
    std::string quoted() {
        const char quote = accept('\'') ? '\'' : (expect('"'), '"');
        const auto end = rest_.find(quote);
        if (end == std::string_view::npos) fail("its header has an open quote");
        std::string text(rest_.substr(0, end));
        rest_.remove_prefix(end + 1);
        return text;
    }
    std::string_view word() {
        skip_blanks();
        const std::string_view text = rest_.substr(0, rest_.find_first_of(" ,}\n"));
        rest_.remove_prefix(text.size());
        return text;
    }
    bool integer_dtype(const std::string& descr) {
        if (descr != "<f4" && descr != "<i4")
            fail(fmt::format("its dtype is '{}'; '<f4' (float32) or '<i4' (int32) is wanted", descr));
        return descr == "<i4";
    }
    std::vector<std::int64_t> dims() {
        std::vector<std::int64_t> list;
        expect('(');
        while (!accept(')')) {
            skip_blanks();
            std::int64_t n = -1;
            const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
            if (code != std::errc() || n < 0) fail("its shape is not a tuple of integers");
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            list.push_back(n);
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return list;
    }

    std::string_view rest_;
    const std::string& file_;
};

Header read_header(std::ifstream& in, const std::string& file) {
    const SourceLoc loc{file, 0, 0};
    char start[8] = {};
    if (!in.read(start, 8) || std::string_view(start, 6) != magic) fail_input(loc, "it is no .npy file (wrong magic)");
    const int version = start[6];
    if (version != 1 && version != 2) fail_input(loc, "its .npy version is {}; 1 or 2 is wanted", version);
    std::uint32_t length = 0;  // two bytes in version 1, four in version 2
    std::string text;
    if (in.read(reinterpret_cast<char*>(&length), version == 1 ? 2 : 4) && length <= (1U << 20)) {
        text.resize(length);
        if (in.read(text.data(), static_cast<std::streamsize>(length))) return HeaderParser(text, file).parse();
    }
    fail_input(loc, "its header is cut off");
}

/// Number of elements of all entries; fails for shapes that do not match the file size.
std::int64_t checked_size(const Header& header, std::int64_t bytes, const SourceLoc& loc) {
    if (header.shape.size() != 4)
        fail_input(loc, "its rank is {}; [entries, z, rows, columns] is wanted", header.shape.size());
    const bool empty = std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end();
    std::int64_t elements = empty ? 0 : 1;
    for (const std::int64_t n : header.shape) {
        if (empty) break;
        if (elements > std::numeric_limits<std::int32_t>::max() * std::int64_t{64} / n)
            fail_input(loc, "its shape ({}) is too large", fmt::join(header.shape, ", "));
        elements *= n;
    }
    if (bytes != elements * 4)
        fail_input(loc, "it holds {} bytes of data; its shape ({}) needs {}", bytes, fmt::join(header.shape, ", "),
                   elements * 4);
    return elements;
}

void to_values(std::vector<float>& data) {
    for (float& element : data) element = static_cast<float>(std::bit_cast<std::int32_t>(element));
}

std::int32_t to_integer(float value) {
    if (std::isnan(value)) return 0;
    const double rounded = std::round(static_cast<double>(value));
    return static_cast<std::int32_t>(std::clamp(rounded, -2147483648.0, 2147483647.0));
}

std::string header_text(const NpyShape& shape) {
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}, {}, {}), }}",
                                   shape.integer ? "<i4" : "<f4", shape.entries, shape.z, shape.rows, shape.cols);
    constexpr std::size_t preamble = 10, alignment = 64;
    text.append(alignment - (preamble + text.size() + 1) % alignment, ' ');
    text.push_back('\n');
    return text;
}

void write_header(std::ostream& out, const NpyShape& shape) {
    const std::string header = header_text(shape);
    const auto length = static_cast<std::uint16_t>(header.size());
    out.write("\x93NUMPY\x01\x00", 8);
    out.write(reinterpret_cast<const char*>(&length), 2);
    out << header;
}

void write_floats(std::ostream& out, std::span<const float> data) {
    out.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size_bytes()));
}

void write_entry(std::ostream& out, const QueueArray& array, const Tensor& entry) {
    if (!array.integer || array.raw) return write_floats(out, entry.data);
    std::vector<float> converted(entry.data.size());
    std::transform(entry.data.begin(), entry.data.end(), converted.begin(),
                   [](float v) { return std::bit_cast<float>(to_integer(v)); });
    write_floats(out, converted);
}

}  // namespace

QueueArray read_npy(const std::string& file, bool raw) {
    const SourceLoc loc{file, 0, 0};
    require_file(file);
    std::ifstream in(file, std::ios::binary);
    if (!in) fail_input(loc, "cannot be read");
    std::error_code code;
    const Header header = read_header(in, file);
    const std::int64_t start = in.tellg();
    const std::int64_t all = static_cast<std::int64_t>(fs::file_size(file, code));
    (void)checked_size(header, code ? -1 : all - start, loc);
    if (raw && !header.integer) fail_input(loc, "its dtype is float32; a raw format needs int32 bit patterns");

    QueueArray array{header.integer, header.shape[1], header.shape[2], header.shape[3], {}, raw};
    if (array.z * array.rows * array.cols == 0 && header.shape[0] > 0)
        fail_input(loc, "its shape ({}) has entries without elements", fmt::join(header.shape, ", "));
    for (std::int64_t i = 0; i < header.shape[0]; ++i) {
        Tensor entry(array.z, array.rows, array.cols);
        if (!in.read(reinterpret_cast<char*>(entry.data.data()), static_cast<std::streamsize>(entry.data.size() * 4)))
            fail_input(loc, "its data is cut off in entry {}", i);
        if (header.integer && !raw) to_values(entry.data);
        array.entries.push_back(std::move(entry));
    }
    return array;
}

void write_npy(const std::string& file, const QueueArray& array) {
    write_new_file(file, FileKind::Npy, [&](std::ostream& out) {
        write_header(out, {array.integer, std::ssize(array.entries), array.z, array.rows, array.cols});
        for (const Tensor& entry : array.entries) {
            TT_CHECK(entry.z == array.z && entry.rows == array.rows && entry.cols == array.cols,
                     "{}: an entry is {}x{}x{}", file, entry.z, entry.rows, entry.cols);
            write_entry(out, array, entry);
        }
    });
}

void write_npy(const std::string& file, const NpyShape& shape, const FloatPieces& pieces) {
    write_new_file(file, FileKind::Npy, [&](std::ostream& out) {
        write_header(out, shape);
        std::int64_t written = 0;
        pieces([&](std::span<const float> piece) {
            write_floats(out, piece);
            written += std::ssize(piece);
        });
        TT_CHECK(written == shape.entries * shape.z * shape.rows * shape.cols, "{}: {} elements", file, written);
    });
}

}  // namespace ttsim::impl
