#include <catch2/catch.hpp>

#include <bit>
#include <limits>

#include "base/error.hpp"
#include "netlist/files/npy.hpp"
#include "tests/netlist/temp_folder.hpp"

using namespace ttsim::impl;

namespace {

QueueArray sample(bool integer, bool raw) {
    QueueArray array{integer, 2, 3, 4, {}, raw};
    for (int n = 0; n < 3; ++n) {
        Tensor entry(2, 3, 4);
        for (std::size_t i = 0; i < entry.data.size(); ++i) {
            const auto value = static_cast<std::int32_t>(100 * n) + static_cast<std::int32_t>(i) - 7;
            entry.data[i] = raw ? std::bit_cast<float>(static_cast<std::uint32_t>(value) * 77777777U)
                                : static_cast<float>(value) * (integer ? 1.0F : 0.25F);
        }
        array.entries.push_back(entry);
    }
    return array;
}

bool same_bits(const QueueArray& a, const QueueArray& b) {
    if (a.integer != b.integer || a.entries.size() != b.entries.size()) return false;
    for (std::size_t n = 0; n < a.entries.size(); ++n)
        for (std::size_t i = 0; i < a.entries[n].data.size(); ++i)
            if (std::bit_cast<std::uint32_t>(a.entries[n].data[i]) !=
                std::bit_cast<std::uint32_t>(b.entries[n].data[i]))
                return false;
    return true;
}

std::string npy(const std::string& header, const std::string& data, char version = 1) {
    std::string text = "\x93NUMPY";
    text += version;
    text += '\0';
    text += static_cast<char>(header.size() % 256);
    text += static_cast<char>(header.size() / 256);
    if (version == 2) text += std::string(2, '\0');
    return text + header + data;
}

std::string refused(const std::string& content, bool raw = false) {
    try {
        (void)read_npy(write_temp("bad.npy", content), raw);
        return "";
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::Input);
        CHECK_THAT(error.what(), Catch::Contains("bad.npy"));
        return error.what();
    }
}

const std::string good_header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 2), }\n";
const std::string eight_bytes = std::string("\0\0\x80\x3f\0\0\0\x40", 8);  // 1.0F, 2.0F

}  // namespace

TEST_CASE("arrays of floats, integers and bit patterns come back as they were written") {
    for (const auto& [integer, raw] : {std::pair{false, false}, {true, false}, {true, true}}) {
        const QueueArray written = sample(integer, raw);
        const std::string file = (temp_folder() / "round.npy").string();
        write_npy(file, written);
        const QueueArray read = read_npy(file, raw);
        CHECK((read.z == 2 && read.rows == 3 && read.cols == 4));
        CHECK(same_bits(written, read));
        CHECK(holds_whole_files(temp_folder()));
    }
}

TEST_CASE("a written file is version 1.0 with an aligned header") {
    const std::string file = (temp_folder() / "header.npy").string();
    write_npy(file, sample(false, false));
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    CHECK(text.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
    const auto length = static_cast<std::size_t>(static_cast<unsigned char>(text[8])) +
                        256 * static_cast<std::size_t>(static_cast<unsigned char>(text[9]));
    CHECK((10 + length) % 64 == 0);
    CHECK(text[10 + length - 1] == '\n');
    CHECK(text.find("'shape': (3, 2, 3, 4), }") != std::string::npos);
    CHECK(text.size() == 10 + length + 3 * 24 * 4);
}

TEST_CASE("integers are rounded and kept inside 32 bits") {
    QueueArray array{true, 1, 1, 4, {Tensor(1, 1, 4)}, false};
    array.entries[0].data = {2.6F, -3e9F, 3e9F, std::numeric_limits<float>::quiet_NaN()};
    const std::string file = (temp_folder() / "whole.npy").string();
    write_npy(file, array);
    const Tensor read = read_npy(file, false).entries[0];
    CHECK(read.data == std::vector<float>{3, -2147483648.0F, 2147483648.0F, 0});
}

TEST_CASE("headers of other writers are understood") {
    const auto values = [](const std::string& content) {
        return read_npy(write_temp("other.npy", content), false).entries.at(0).data;
    };
    const std::vector<float> wanted{1, 2};
    CHECK(values(npy(good_header, eight_bytes)) == wanted);
    CHECK(values(npy(good_header, eight_bytes, 2)) == wanted);
    CHECK(values(npy("{\"shape\":(1,1,1,2),\"fortran_order\":False,\"descr\":\"<f4\"}", eight_bytes)) == wanted);
    CHECK(read_npy(write_temp("none.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 1, 1, 2)}", "")),
                   false)
              .entries.empty());
}

TEST_CASE("broken arrays are refused with the file's name") {
    const auto with = [](const std::string& old_text, const std::string& new_text) {
        std::string header = good_header;
        header.replace(header.find(old_text), old_text.size(), new_text);
        return refused(npy(header, eight_bytes));
    };
    CHECK(refused(npy(good_header, eight_bytes)).empty());
    CHECK_THAT(refused("PK\x03\x04 nonsense"), Catch::Contains("wrong magic"));
    CHECK_THAT(refused(""), Catch::Contains("wrong magic"));
    CHECK_THAT(refused(npy(good_header, eight_bytes, 3)), Catch::Contains("version is 3"));
    CHECK_THAT(refused(npy(good_header, eight_bytes).substr(0, 30)), Catch::Contains("cut off"));
    CHECK_THAT(with("<f4", "<f8"), Catch::Contains("'<f8'"));
    CHECK_THAT(with("False", "True"), Catch::Contains("Fortran"));
    CHECK_THAT(with("(1, 1, 1, 2)", "(1, 2)"), Catch::Contains("rank is 2"));
    CHECK_THAT(with("(1, 1, 1, 2)", "(1, -1, 1, 2)"), Catch::Contains("integers"));
    CHECK_THAT(with("(1, 1, 1, 2)", "(1, 1, 1, 3)"), Catch::Contains("holds 8 bytes") && Catch::Contains("needs 12"));
    CHECK_THAT(with("(1, 1, 1, 2)", "(1, 1, 1, 1)"), Catch::Contains("holds 8 bytes"));
    CHECK_THAT(with("(1, 1, 1, 2)", "(4294967296, 4294967296, 4294967296, 2)"), Catch::Contains("too large"));
    CHECK_THAT(with("(1, 1, 1, 2)", "(2, 0, 1, 2)"), Catch::Contains("holds 8 bytes"));
    CHECK_THAT(with("'shape'", "'shoe'"), Catch::Contains("'shoe'"));
    CHECK_THAT(with("'shape': (1, 1, 1, 2), ", ""), Catch::Contains("needs 'descr'"));
    CHECK_THAT(refused(npy(good_header, eight_bytes), true), Catch::Contains("bit patterns"));
    CHECK_THROWS_AS(read_npy((temp_folder() / "missing.npy").string(), false), Error);
    CHECK_THROWS_AS(read_npy(temp_folder().string(), false), Error);
}

TEST_CASE("a file that cannot be written is an input error and leaves nothing behind") {
    CHECK_THROWS_WITH(write_npy((temp_folder() / "no" / "such.npy").string(), sample(false, false)),
                      Catch::Contains("such.npy") && Catch::Contains("cannot be written"));
}
