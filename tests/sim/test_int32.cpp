// Int32 in queues and ops: what keeps all 32 bits, in every mode and numerics, and in golden.
#include <fmt/format.h>
#include <bit>
#include <catch2/catch.hpp>
#include <filesystem>

#include "netlist/files/manifest.hpp"
#include "netlist/files/npy.hpp"
#include "sim/run.hpp"
#include "tests/netlist/temp_folder.hpp"

using namespace ttsim::impl;

namespace {

constexpr std::int32_t most = 2147483647;

/// One op on queues of one Int32 tile: `type`, with as many inputs.
std::string netlist_of(const std::string& type, int inputs, const std::string& more = "") {
    std::string queues, names, formats, settings;
    for (int k = 0; k < inputs; ++k) {
        queues += fmt::format(
            "  x{}: {{type: queue, input: HOST, entries: 1, grid_size: [1, 1], t: 1, mblock: [1, 1], ublock: [1, 1], "
            "ublock_order: r, df: Int32, target_device: 0, loc: dram, dram: [[{}, 0x20000000]]}}\n",
            k, k);
        names += fmt::format("{}x{}", k ? ", " : "", k);
        formats += k ? ", Int32" : "Int32";
        settings +=
            fmt::format("{}x{}: {{prologue: false, epilogue: false, zero: false, rd_ptr_local: $l, rd_ptr_global: $g}}",
                        k ? ", " : "", k);
    }
    return fmt::format(
        "devices:\n  arch: wormhole_b0\n\nqueues:\n{}"
        "  y: {{type: queue, input: o, entries: 1, grid_size: [1, 1], t: 1, mblock: [1, 1], ublock: [1, 1], "
        "ublock_order: r, df: Int32, target_device: 0, loc: dram, dram: [[2, 0x20000000]]}}\n\n"
        "graphs:\n  g:\n    target_device: 0\n    input_count: 1\n"
        "    o: {{type: {}, grid_loc: [0, 0], grid_size: [1, 1], inputs: [{}], in_df: [{}], acc_df: Int32, "
        "out_df: Int32, intermed_df: Int32, ublock_order: r, buf_size_mb: 2, math_fidelity: HiFi4, "
        "untilize_output: false, t: 1, mblock: [1, 1], ublock: [1, 1]{}}}\n\n"
        "programs:\n  - run:\n      - staticvar: {{$l: 0, $g: 0}}\n"
        "      - execute: {{graph_name: g, queue_settings: {{{}}}}}\n"
        "      - varinst: [$l, incwrap, 1, 2]\n      - varinst: [$g, incwrap, 1, 2]\n",
        queues, type, names, formats, more, settings);
}

using Integers = std::vector<std::int32_t>;

/// The first elements of an entry that has no others than 0.
void write_entry(const std::filesystem::path& file, const Integers& values) {
    QueueArray array{true, 1, 32, 32, {Tensor(1, 32, 32)}, true};
    for (std::size_t i = 0; i < values.size(); ++i) array.entries[0].data[i] = std::bit_cast<float>(values[i]);
    write_npy(file.string(), array);
}

Integers run(const std::string& text, const std::vector<Integers>& inputs, sim::Mode mode, Numerics numerics) {
    static int number = 0;
    const std::filesystem::path folder = temp_folder() / fmt::format("int32_{}", number++);
    std::filesystem::create_directories(folder / "in");
    Manifest manifest;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        write_entry(folder / "in" / fmt::format("x{}.npy", k), inputs[k]);
        manifest.inputs.push_back({fmt::format("x{}", k), fmt::format("x{}.npy", k)});
    }
    write_manifest((folder / "in").string(), manifest);
    sim::RunOptions options;
    options.netlist = write_temp(fmt::format("int32_{}.yaml", number), text);
    options.mode = mode;
    options.numerics = numerics;
    options.inputs_dir = (folder / "in").string();
    options.dump_dir = (folder / "out").string();
    CHECK(sim::run(options).pass());
    Integers values;
    for (const ManifestEntry& entry : read_manifest(options.dump_dir).outputs)
        for (std::size_t i = 0; i < inputs[0].size(); ++i)
            values.push_back(
                std::bit_cast<std::int32_t>(read_npy((folder / "out" / entry.file).string(), true).entries[0].data[i]));
    std::filesystem::remove_all(folder);
    return values;
}

}  // namespace

TEST_CASE("copies, sums and maxima of Int32 keep all 32 bits") {
    const Integers a{16777217, -most, most, 2147483001, 7, -3}, b{1, 0, -1, 1000, -16777217, -33554433};
    for (const sim::Mode mode : {sim::Mode::Functional, sim::Mode::Full})
        for (const Numerics numerics : {Numerics::Real, Numerics::Float32}) {
            CHECK(run(netlist_of("datacopy", 1), {a}, mode, numerics) == a);
            CHECK(run(netlist_of("nop", 1, ", attributes: {relu_en: true, relu_mode: min}"), {a}, mode, numerics) ==
                  Integers{16777217, 0, most, 2147483001, 7, 0});
            CHECK(run(netlist_of("add", 2), {a, b}, mode, numerics) ==
                  Integers{16777218, -most, most - 1, most, -16777210, -33554436});
            CHECK(run(netlist_of("maximum", 2), {a, b}, mode, numerics) ==
                  Integers{16777217, 0, most, 2147483001, 7, -3});
        }
}
