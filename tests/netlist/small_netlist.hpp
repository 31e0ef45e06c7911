// A small good netlist, and ways to break it in one place.
#pragma once

#include <stdexcept>
#include <string>

#include "netlist/checks/validate.hpp"
#include "netlist/text/reader.hpp"

namespace ttsim::impl::test {

/// in0 -> exp -> add(w) -> out0, with a program.
inline const std::string small_netlist = R"(devices: {arch: [grayskull, wormhole_b0]}
queues:
  in0: {input: HOST, type: queue, entries: 2, grid_size: [1, 1], t: 1, mblock: [1, 2], ublock: [2, 1], df: Float16_b, target_device: 0, loc: dram, dram: [[0, 0x20000000]]}
  w: {input: HOST, type: ram, entries: 1, grid_size: [1, 1], t: 1, mblock: [1, 2], ublock: [2, 1], df: Float16_b, target_device: 0, loc: dram, dram: [[1, 0x20000000]]}
  out0: {input: sum, type: queue, entries: 2, grid_size: [1, 1], t: 1, mblock: [1, 2], ublock: [2, 1], df: Float16_b, target_device: 0, loc: dram, dram: [[2, 0x20000000]]}
graphs:
  g0:
    target_device: 0
    input_count: 2
    e: {type: exp, grid_loc: [0, 0], grid_size: [1, 1], inputs: [in0], in_df: [Float16_b], acc_df: Float16_b, out_df: Float16_b, intermed_df: Float16_b, ublock_order: r, buf_size_mb: 2, math_fidelity: HiFi3, untilize_output: false, t: 1, mblock: [1, 2], ublock: [2, 1], attributes: {approximate_mode: true}}
    sum: {type: add, grid_loc: [0, 1], grid_size: [1, 1], inputs: [e, w], in_df: [Float16_b, Float16_b], acc_df: Float16_b, out_df: Float16_b, intermed_df: Float16_b, ublock_order: r, buf_size_mb: 2, math_fidelity: HiFi3, untilize_output: false, t: 1, mblock: [1, 2], ublock: [2, 1], input_1_tms: [broadcast: {r: 1}]}
programs:
  - p0:
      - staticvar: {$lptr: 0, $gptr: 0}
      - execute: {graph_name: g0, queue_settings: {in0: {prologue: false, epilogue: false, zero: false, rd_ptr_local: $lptr, rd_ptr_global: $gptr}, w: {prologue: true, epilogue: false, zero: false, rd_ptr_global: 0, wr_ptr_global: 0}}}
      - varinst: [$gptr, incwrap, 2, 4]
      - varinst: [$lptr, incwrap, 2, 4]
)";

/// The first `from` replaced; a test that replaces nothing is wrong itself.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::logic_error("'" + from + "' does not occur");
    return text.replace(at, from.size(), to);
}

inline DeviceGrid default_grid(const std::string& arch) {
    if (arch == "grayskull") return {10, 12, 8, 0, std::int64_t{1} << 30};
    return {10, 8, 6, 16, std::int64_t{2} << 30};
}

/// What reading, resolving and validating on that chip complain of; "" when nothing.
inline std::string complaints(const std::string& text, const std::string& arch = "wormhole_b0",
                              std::int64_t chips = 1) {
    try {
        const Netlist resolved = resolve(read_netlist_text(text, "n.yaml"));
        Diagnostics problems;
        validate(resolved, chip(arch), default_grid(arch), chips, problems);
        problems.throw_if_any();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

struct Message {
    const char* from;  ///< replaced in small_netlist ...
    const char* to;    ///< ... by this
    const char* text;  ///< the whole complaint
};

}  // namespace ttsim::impl::test
