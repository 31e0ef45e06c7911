// Reads files of DRAM and Ethernet measurements, predicts the values and compares both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "base/prediction_errors.hpp"

namespace ttsim::impl::sim {

struct BenchPrediction {
    std::string group;                ///< group of rows that errors are reported for
    std::optional<double> predicted;  ///< in the row's unit
    std::string reason;               ///< why there is none
    std::optional<double> measured;
};

struct BenchRows {
    CsvFile csv;
    std::vector<BenchPrediction> predictions;  ///< one for each of csv.rows
};

/// Columns arch, n_dram_channels, n_tensix_tiles, pairing (randomly, carefully), direction (read, write), vc_alloc
/// (Static, Dynamic), noc (0, 1), and where present bytes (of an access, 8192) and GBps (measured). Predicts GB/s.
/// Throws one Error(Input) with every wrong column and value; rows of another chip get a reason.
BenchRows predict_dram_rows(CsvFile csv, const std::string& chip_name);
const std::vector<std::string>& dram_columns();

/// Columns arch, test, direction, packet_bytes, and where present expected and unit. Tests: erisc_bw,
/// erisc_write_worker_bw, erisc_write_worker_bw_no_trid (direction uni or bi; GB/s), erisc_latency,
/// erisc_write_worker_latency (ns), 1d_fabric_{mean,min,max,avg_hop} (direction ends with the number of hops; ns).
BenchRows predict_eth_rows(CsvFile csv, const std::string& chip_name);
const std::vector<std::string>& eth_columns();

/// The file with the columns `predicted` and reason added.
std::string bench_csv(const BenchRows& rows, const std::string& predicted);
std::vector<PredictionErrors> bench_errors(const BenchRows& rows);

}  // namespace ttsim::impl::sim
