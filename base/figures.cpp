#include "base/figures.hpp"

#include <array>

namespace ttsim::impl {

namespace {
constexpr std::array list{
    // runs
    Figure{"cycles", "cycles", "cycles"},
    Figure{"uncertainty", "+-", "share"},
    Figure{"end_to_end_per_second", "end to end", "inputs/s"},
    Figure{"inputs_per_second", "inputs/s", "inputs/s"},
    Figure{"push_to_pop_cycles", "first push to last pop", "cycles"},
    Figure{"push_to_pop_per_second", "first push to last pop", "inputs/s"},
    Figure{"latency_cycles", "latency of the first input", "cycles"},
    Figure{"load_cycles", "loading", "cycles"},
    Figure{"l1_bytes", "L1", "bytes"},
    Figure{"l1_share", "of L1", "share"},
    Figure{"dram_bytes", "DRAM", "bytes"},
    Figure{"dram_share", "of DRAM", "share"},
    Figure{"dram_busy_share", "DRAM busy", "share"},
    Figure{"host_seconds", "host", "s"},
    Figure{"host_time_share", "host's share of the time", "share"},
    Figure{"host_multiply_add_share", "host's share of multiply-adds", "share"},
    // epochs
    Figure{"speed_per_second", "speed", "inputs/s"},
    Figure{"utilization", "util", "share"},
    Figure{"math_utilization", "math", "share"},
    Figure{"matmul_utilization", "matmul util", "share"},
    // steps of training
    Figure{"epoch_type", "type", ""},
    Figure{"step_share", "of step", "share"},
    Figure{"saved_bytes", "saved activations", "bytes"},
    // ops
    Figure{"first_cycle", "first", "cycles"},
    Figure{"last_cycle", "last", "cycles"},
    Figure{"busy_cycles", "busy", "cycles"},
    Figure{"busy_share", "share", "share"},
    Figure{"est", "est", "cycles per input"},
    Figure{"kernel", "kernel", "cycles per input"},
    Figure{"bw_kernel", "bw_kernel", "cycles per input"},
    Figure{"wait_source", "", "cycles per input"},
    Figure{"wait_room", "", "cycles per input"},
    Figure{"wait_source_share", "for input", "share"},
    Figure{"wait_room_share", "for room", "share"},
    Figure{"in_bytes_per_cycle_needed", "in need", "bytes per cycle"},
    Figure{"in_bytes_per_cycle_got", "in got", "bytes per cycle"},
    Figure{"out_bytes_per_cycle_needed", "out need", "bytes per cycle"},
    Figure{"out_bytes_per_cycle_got", "out got", "bytes per cycle"},
    Figure{"total", "total", "cycles"},
    Figure{"run_share", "of run", "share"},
};
}  // namespace

std::span<const Figure> all_figures() { return list; }

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

double inputs_per_second(double clock_hz, double cycles_per_input) {
    return cycles_per_input > 0 ? clock_hz / cycles_per_input : 0;
}

double milliseconds_of(std::uint64_t cycles, std::int64_t clock_mhz) {
    return share_of(static_cast<double>(cycles), 1000.0 * static_cast<double>(clock_mhz));
}

double end_to_end_rate(std::int64_t inputs, double clock_hz, std::uint64_t cycles, double host_seconds) {
    return share_of(static_cast<double>(inputs), share_of(static_cast<double>(cycles), clock_hz) + host_seconds);
}

}  // namespace ttsim::impl
