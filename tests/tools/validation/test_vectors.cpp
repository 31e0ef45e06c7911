// Reading and checking folders of vectors: generated ones, right and wrong.
#include "tools/validation/vectors/vectors.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "tools/validation/vectors/entry.hpp"

using namespace ttsim::impl;
namespace fs = std::filesystem;

namespace {

/// A folder that goes when the test ends.
struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "ttsim_vectors_XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name, std::ios::binary) << text;
    }
    void write_array(const std::string& name, const std::string& shape, const std::vector<std::uint32_t>& data,
                     const std::string& type = "<u4", const std::string& order = "False") const {
        std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }";
        header.resize(118, ' ');
        std::string text = std::string("\x93NUMPY\x01\x00", 8) + char(118) + char(0) + header;
        const std::size_t size = static_cast<std::size_t>(type.back() - '0');
        for (const std::uint32_t word : data)
            for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(word >> (8 * i));
        write(name, text);
    }
    std::string problem() const {
        try {
            check_vectors(path);
        } catch (const Error& error) {
            CHECK(error.exit_code() == 2);
            return error.what();
        }
        return "none";
    }
};

constexpr const char* cast_index =
    R"({"set": "made", "entries": [{"id": "sfpu/cast", "op": "SFPCAST", "authority": "ttsim",
  "arrays": [{"name": "x", "file": "x.npy"}, {"name": "y", "file": "y.npy"}]}]})";

bool contains(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("equal bits pass, and the first different element is named with its place") {
    const Folder folder;
    folder.write("index.json", cast_index);
    folder.write_array("x.npy", "2, 2", {1, 0x80000002U, 3, 0});
    folder.write_array("y.npy", "2, 2", {0x3F800000U, 0xC0000000U, 0x40400000U, 0});
    const VectorReport good = check_vectors(folder.path);
    CHECK(good.pass());
    CHECK(good.set == "made");
    CHECK(good.results.at(0).values == 4);
    folder.write_array("y.npy", "2, 2", {0x3F800000U, 0xC0000000U, 0x40400001U, 0});
    const VectorReport bad = check_vectors(folder.path);
    CHECK_FALSE(bad.pass());
    CHECK(bad.results.at(0).differing == 1);
    CHECK(bad.results.at(0).first == "y[1][0]: got 0x40400000, want 0x40400001");
}

TEST_CASE("differences from a document are reported but do not fail") {
    const Folder folder;
    std::string index = cast_index;
    index.replace(index.find("\"ttsim\""), 7, "\"isa_doc\"");
    folder.write("index.json", index);
    folder.write_array("x.npy", "1,", {1});
    folder.write_array("y.npy", "1,", {2});
    const VectorReport report = check_vectors(folder.path);
    CHECK(report.pass());
    CHECK(report.results.at(0).differing == 1);
    CHECK_FALSE(report.compared());  // nothing that counts
}

TEST_CASE("a folder without entries counts as not compared") {
    const Folder folder;
    folder.write("index.json", R"({"entries": []})");
    CHECK_FALSE(check_vectors(folder.path).compared());
}

TEST_CASE("folders of vectors that cannot be read are refused with file and entry") {
    const Folder folder;
    CHECK(contains(folder.problem(), "index.json: error: cannot be read"));
    folder.write("index.json", "{");
    CHECK(contains(folder.problem(), "is not JSON"));
    folder.write("index.json", "[]");
    CHECK(contains(folder.problem(), "needs 'entries', a list"));
    folder.write("index.json", R"({"entries": [{}]})");
    CHECK(contains(folder.problem(), "an entry has no 'id'"));
    folder.write("index.json", R"({"entries": [{"id": "dance/one"}]})");
    CHECK(contains(folder.problem(), "entry 'dance/one': kind 'dance' is not known"));
    folder.write("index.json", R"({"entries": [{"id": "sfpu/cast", "arrays": []}]})");
    CHECK(contains(folder.problem(), "entry 'sfpu/cast': needs an array 'x'"));
    folder.write("index.json",
                 R"({"entries": [{"id": "pack/x", "op": "PACR", "intermediate_format": "Float16_c", "arrays": []}]})");
    CHECK(contains(folder.problem(), "entry 'pack/x': 'intermediate_format' is Float16_c, which is not a data format"));
}

TEST_CASE("fields of the wrong type and formats that cannot be computed are refused") {
    const Folder folder;
    folder.write("index.json",
                 R"({"entries": [{"id": "unpack/x", "in_format": "Int32", "out_format": "Int32", "arrays": []}]})");
    CHECK(contains(folder.problem(), "entry 'unpack/x': 'in_format' is Int32, which cannot be unpacked"));
    folder.write("index.json", R"({"entries": [{"id": "unpack/x", "in_format": 3, "arrays": []}]})");
    CHECK(contains(folder.problem(), "entry 'unpack/x': needs 'in_format', a text"));
    folder.write("index.json", R"({"entries": [{"id": "sfpu/cast", "arrays": [{"name": 5}]}]})");
    CHECK(contains(folder.problem(), "entry 'sfpu/cast': a field has the wrong type"));
    folder.write("index.json",
                 R"({"entries": [{"id": "pack/x_d32", "op": "PACR with ReLU", "intermediate_format": "Float32",
        "out_format": "Float32", "relu_settings": [{"mode": "two", "threshold": 1}],
        "arrays": [{"name": "dst", "file": "dst.npy"}]}]})");
    folder.write_array("dst.npy", "1024,", std::vector<std::uint32_t>(1024));
    CHECK(contains(folder.problem(), "entry 'pack/x_d32': a field has the wrong type"));
}

TEST_CASE("arrays that do not fit are refused with their file") {
    const Folder folder;
    folder.write("index.json", cast_index);
    CHECK(contains(folder.problem(), "x.npy: error: there is no such file"));
    folder.write("x.npy", "no array at all");
    CHECK(contains(folder.problem(), "x.npy: error: is not an .npy file"));
    folder.write_array("x.npy", "4,", {1});
    CHECK(contains(folder.problem(), "its shape needs"));
    folder.write_array("x.npy", "1000000000, 1000000000", {1});
    CHECK(contains(folder.problem(), "its shape needs more than"));
    folder.write_array("x.npy", "1,", {1}, "<f4");
    CHECK(contains(folder.problem(), "its elements are '<f4'"));
    folder.write_array("x.npy", "1,", {1}, "<u4", "True");
    CHECK(contains(folder.problem(), "is not in C order"));
    folder.write_array("x.npy", "2,", {1, 2});
    folder.write_array("y.npy", "1,", {1});
    CHECK(contains(folder.problem(), "array 'y' has 1 elements; its inputs give at least 2"));
}
