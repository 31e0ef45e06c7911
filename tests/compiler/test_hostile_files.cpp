// Values, rules, overrides and graphs that are made to break their readers.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "compiler/files/model_files.hpp"
#include "compiler/ir/format_rules.hpp"
#include "compiler/ir/overrides.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/onnx/tensor.hpp"
#include "compiler/onnx/value_file.hpp"
#include "tests/compiler/fresh_folder.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

std::string npy(const std::string& header, const std::string& data, int version = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(version);
    bytes += '\0';
    for (int k = 0; k < (version == 1 ? 2 : 4); ++k) bytes += static_cast<char>(header.size() >> (8 * k) & 255);
    return bytes + header + data;
}

std::string dictionary(const std::string& descr, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }\n";
}

void refused(const std::string& bytes, const std::string& why) {
    CHECK_THROWS_WITH(parse_npy(bytes, "x.npy"), Catch::StartsWith("x.npy: ") && Catch::Contains(why));
}

ir::Graph two_ops() {
    return parse_graph(
        "%x = input : Float16_b[1, 1, 1]\n"
        "%banana = buda.exp %x : Float16_b[1, 1, 1]\n"
        "%b = buda.exp %banana : Float16_b[1, 1, 1]\n"
        "output \"y\" = %b\n",
        "graph");
}

}  // namespace

TEST_CASE(".npy files in Fortran order have their first axis fastest") {
    const std::string bytes("\0\1\2\3\4\5", 6);
    const Literal values = parse_npy(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", bytes), "x.npy");
    CHECK(values.dims() == Dims{2, 3});
    CHECK(values.integers() == std::vector<std::int64_t>{0, 2, 4, 1, 3, 5});
}

TEST_CASE(".npy files with any header are read or refused") {
    const std::string six(24, '\0');
    CHECK(parse_npy(npy(dictionary("<f4", "2, 3"), six), "x.npy").dims() == Dims{2, 3});
    CHECK(parse_npy(npy(dictionary("<f4", "2, 3"), six, 2), "x.npy").dims() == Dims{2, 3});
    CHECK(parse_npy(npy(dictionary("<f4", ""), six), "x.npy").dims().empty());
    CHECK(parse_npy(npy("{\"shape\":(6,),\"fortran_order\":False,\"descr\":\"<f4\"}", six), "x.npy").dims() == Dims{6});
    refused(npy(dictionary(std::string(65000, 'f'), "6,"), six), "is not read");
    refused(npy("{'descr': '" + std::string(65000, ' '), six), "its header has an open quote");
    refused(npy(dictionary("<f4", std::string(65000, '9')), six), "its shape is not a tuple of integers");
    refused(npy(dictionary("<f4", std::string(65000, '(')), six), "its shape is not a tuple of integers");
    refused(npy(std::string(65000, '{'), six), "its header lacks");
    refused(npy(dictionary("<f4", "-6,"), six), "its shape is not a tuple of integers");
    refused(npy(dictionary("<f4", "4294967296, 4294967296"), six), "at most");
    refused(npy(dictionary("<f4", "0, 9223372036854775807"), six), "at most");
    refused(npy(dictionary("<f4", "1073741824,"), six), "it holds 24 bytes of data");
    refused(npy(dictionary(">f4", "6,"), six), "its element type '>f4' is not read");
    refused(npy("{'fortran_order': False, 'shape': (6,), }", six), "its element type '' is not read");
    refused(npy("{'descr': '<f4', 'fortran_order': False, }", six), "it has no shape");
    refused(npy("{'descr': '<f4', 'fortran_order': No, 'shape': (6,), }", six), "neither True nor False");
    refused(npy("{'descr': '<f4', 'colour': 3}", six), "the unknown key 'colour'");
    refused(npy(dictionary("<f4", "6,"), six).replace(8, 2, "\xff\xff"), "its header is cut off");
    refused(npy(dictionary("<f4", "6,"), six, 2).replace(11, 1, "\x01"), "its header is cut off");
    refused(npy(dictionary("<f4", "6,"), six, 9), "its .npy version is 9");
}

TEST_CASE("patterns of rules are matched in bounded time and space") {
    const auto rules = [](const std::string& pattern) {
        return parse_format_rules("rules:\n  - {name_regex: '" + pattern + "', output_df: Bfp8_b}\n", "rules.yaml")
            .rules;
    };
    const Pass* const passes[] = {find_pass("mixed-precision")};
    ir::Graph graph = two_ops();
    graph.nodes[2].name = std::string(1 << 20, 'a');
    PassOptions options;
    for (const char* pattern : {"(a|n)*", "(a*)*b?", "(a|a)*", "(.*)*"}) {
        CAPTURE(pattern);
        options.rules = rules(pattern);
        ir::Graph changed = graph;
        run_passes(changed, passes, options, true);
        CHECK(changed.nodes[2].type.format == DataFormat::Bfp8_b);
    }
    options.rules = rules("b.*");
    run_passes(graph, passes, options, true);
    CHECK(graph.nodes[1].type.format == DataFormat::Bfp8_b);
    CHECK(graph.nodes[2].type.format == DataFormat::Float16_b);
    for (const char* pattern : {"(", "a{1000000}", "(?=a)", "((a{100}){100}){100}"}) {
        CAPTURE(pattern);
        CHECK_THROWS_WITH(rules(pattern),
                          Catch::Contains("rules.yaml:2:") && Catch::Contains("is not a regular expression"));
    }
}

TEST_CASE("devices and folders are not files of values, rules, overrides or graphs") {
    const TempFolder folder;
    for (const auto& [target, why] : {std::pair{std::string("/dev/zero"), "is a device or a pipe; a file is wanted"},
                                      std::pair{folder.path(), "is a folder; a file is wanted"}}) {
        const auto link = [&, to = target](const std::string& name) {
            const std::string file = folder.path() + "/" + name;
            std::filesystem::remove(file);
            std::filesystem::create_symlink(to, file);
            return file;
        };
        ModelFiles files;
        files.model = link("m.onnx");
        CHECK_THROWS_WITH(read_model(files), Catch::Contains(why));
        files.model = link("m.tg");
        CHECK_THROWS_WITH(read_model(files), Catch::Contains(why));
        for (const char* name : {"x.npy", "x.pb"}) CHECK_THROWS_WITH(read_value_file(link(name)), Catch::Contains(why));
        CHECK_THROWS_WITH(read_format_rules(link("rules.yaml")), Catch::Contains(why));
        Overrides overrides;
        CHECK_THROWS_WITH(read_overrides(link("overrides.yaml"), overrides), Catch::Contains(why));
    }
}

TEST_CASE("sizes in graphs that overflow are refused at their place") {
    const auto refused_graph = [](const std::string& text, const std::string& why) {
        CHECK_THROWS_WITH(parse_graph("%x = input : f32[2, 3]\n" + text + "\n", "g.tg"),
                          Catch::Contains("g.tg:2:") && Catch::Contains(why));
    };
    refused_graph("%y = input : f32[0, 9223372036854775807]", "cannot be right");
    refused_graph("%y = constant [1] : f32[1099511627776]", "constants of more than");
    refused_graph("%y = reshape %x {dims = [-2, -3]}", "the result of 'y' would be");
    refused_graph("%y = reshape %x {dims = [4294967296, 4294967296]}", "reshapes");
    refused_graph("%y = transpose %x {perm = [0, 0]}", "not an order of the 2 axes");
    refused_graph("%y = hstack %x {n = 9223372036854775807}", "stacks");
    refused_graph("%y = hslice %x {n = 0}", "cuts");
}
