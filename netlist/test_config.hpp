// The parts of a netlist file for tests: test-config and performance-check.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace ttsim::impl {

struct Comparison {
    enum class Type : std::uint8_t { Exact, AllClose, AllCloseHw } type = Type::AllCloseHw;
    double atol = 0.001, rtol = 1e-4, check_pct = 1.0, check_pcc = 0.999;
    std::string verbosity = "Concise";
    bool flat = true;                            ///< method FlatTensor
    std::int64_t rows_first = 0, rows_last = 0;  ///< 1-based, of every tile; 0 = all
    std::int64_t cols_first = 0, cols_last = 0;
    friend bool operator==(const Comparison&, const Comparison&) = default;
};

struct Stimulus {
    enum class Type : std::uint8_t {
        Uniform,
        Normal,
        Constant,
        DebugTileId,
        Step,
        StepRowwise,
        StepColumnwise,
        Sparse,
        SparseEncoding,
        SparseEncodingNzCounts,
        SparseConvolution  ///< not in files: the default of sparse encodings
    } type = Type::Uniform;
    double low = 0, high = 1;     ///< Uniform
    double mean = 0, stddev = 1;  ///< Normal
    double value = 0;             ///< Constant
    double base = 0, step = 0;    ///< DebugTileId; Step*: start and increment
    double zero_strip_freq = 0, zero_ublock_freq = 0.5, zero_tile_freq = 0.8;
    std::int64_t nz_strips = 0, nz_ublocks = 0, nz_tiles = 0;
    std::int64_t enc_tile_byte_size = 4096;
    std::string matmul_ident_name;                                              ///< sparse kinds: their op
    std::int64_t rows_first = 0, rows_last = 0, cols_first = 0, cols_last = 0;  ///< 1-based part of every tile; 0 = all
    friend bool operator==(const Stimulus&, const Stimulus&) = default;
};

struct TestConfig {
    std::map<std::string, std::int64_t> args;  ///< test-args with integer values
    std::optional<Comparison> comparison;
    std::vector<std::pair<std::string, Comparison>> comparison_overrides;  ///< queue name or regex, in file order
    std::optional<Stimulus> stimulus;
    std::vector<std::pair<std::string, Stimulus>> stimulus_overrides;
    std::vector<std::string> io_inputs, io_outputs;
};

/// One expected figure of a performance-check entry.
struct PerfMetric {
    std::string name;  ///< tensors-per-second, cycles-per-tensor, ...
    double expected = 0, rtol = 0, min_bound = 0;
    friend bool operator==(const PerfMetric&, const PerfMetric&) = default;
};
struct PerformanceCheck {
    std::string name;
    SourceLoc loc;
    std::string program, graph;
    std::vector<std::int64_t> target_inputs;
    std::vector<std::string> target_ops, target_cores;
    std::vector<PerfMetric> metrics;
};

}  // namespace ttsim::impl
