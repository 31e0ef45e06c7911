// A trace written by hand: one op on two cores, two epochs of which the second repeats the first.
#pragma once

#include "tests/netlist/temp_folder.hpp"
#include "trace/writer.hpp"

namespace ttsim::impl::test {

/// Cycles of core 0: start 100, math 30, unpack 10, source 5, noc 20, dram 1, room 7, output 2, pack 3, drain 2 = end
/// 180 for 4 inputs; core 1 does half the work.
inline std::string small_trace(const std::string& name) {
    using trace::Table;
    const std::string path = (temp_folder() / name).string();
    trace::Writer writer(path);
    writer.add(Table::Run, "1.0", "ttsim run n.yaml", "n.yaml", "grayskull", "gs_e150", "timing", "real", 7,
               std::nullopt, 1000, 2, "complete", "", 500, 0, 256, std::int64_t{0});
    writer.add(Table::File, "netlist", "n.yaml", "devices: {}");
    writer.add(Table::Chip, 0, "grayskull", 1000, 13, 12, 120, "[]");
    writer.add(Table::Queue, 0, "x", "queue", "dram", 0, 4, "Float16_b", 2080, "[[0,4096]]");
    // 40 cycles of unpack, 80 of math, 20 of pack for an input
    writer.add(Table::Op, 0, 0, "product \"p\"", "matmul", true, "g", 0, 1, 2, 1, 2, 4, 40, 80, 20, 8320, 80, 90);
    writer.add(Table::Core, 0, 0, 0, 1, 1);
    writer.add(Table::Core, 1, 0, 1, 2, 1);
    writer.add(Table::Flow, 0, 0, "operand", 0, 0, std::nullopt, 0, "dram", "[0,1]", 2, 4160);
    writer.add(Table::Flow, 1, 0, "operand", 0, 1, std::nullopt, 0, "dram", "[0]", 2, 2080);
    writer.add(Table::Flow, 2, 0, "resident", 0, 2, std::nullopt, 0, "dram", "[0]", 2, 99999);
    writer.add(Table::Epoch, 0, 0, "g", "[0]", 4, 0, 200, 1e6, "complete", std::nullopt, "");
    writer.add(Table::Epoch, 1, 0, "g", "[0]", 4, 200, 200, 1e6, "complete", 0, "");
    writer.add(
        Table::CoreLoad, 0, 0, 4, 100, 180, 16, 8, 32, 30, 10, 5, 20, 1, 7, 2, 3, 0, 2,
        "[[0,3,1,20,100,20,2,19,4,2,8,9,2,1,5,0,2,0,1,0,0,0],[3,1,1,0,160,20,0,20,4,2,8,3,4,2,5,1,1,2,0,0,2,1]]");
    writer.add(Table::CoreLoad, 0, 1, 4, 100, 140, 16, 8, 16, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, "[]");
    writer.add(Table::FlowLoad, 0, 0, 8, 16640, 90, 150, 300, 11, 12, 13, 14);
    writer.add(Table::FlowRun, 0, 0, 0, 4, 1, 20, 90, 1);
    writer.add(Table::Pattern, 0, "[[0,5,1,9],[10,5,0,19]]");
    writer.add(Table::Pattern, 1, "[[0,5],[6,12]]");
    writer.add(Table::Resource, 0, "dram", "chip 0 dram 0", 0, std::nullopt, std::nullopt, std::nullopt, "", 0,
               std::nullopt, 9.5, 8, 16640, 200, 40, "[128,72]");
    writer.add(Table::Resource, 1, "noc", "chip 0 noc0 1-1 right", 0, 0, 1, 1, "right", std::nullopt, std::nullopt,
               32.0, 8, 16640, 520, 0, "[256,264]");
    for (int n = 0; n < 4; ++n) writer.add(Table::Number, n);
    writer.finish();
    return path;
}

}  // namespace ttsim::impl::test
