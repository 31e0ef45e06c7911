// Reads files of measured op times (one op on one core per row), predicts the times and compares both.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"
#include "base/prediction_errors.hpp"
#include "kernels/timing/kernel_model.hpp"

namespace ttsim::impl {

struct KernelRow {
    std::string op;  ///< as written
    std::optional<KernelShape> shape;
    std::string reason;       ///< why there is no shape
    bool unknown = false;     ///< the op is unknown
    std::int64_t inputs = 0;  ///< number of inputs measured, over which start and end are averaged; 0: not given
    std::optional<double> measured;
};

struct KernelRowFile {
    CsvFile csv;
    std::vector<KernelRow> rows;  ///< of csv.rows
    Diagnostics refused;          ///< the first hundred rows with an unknown op
};

/// Reads a CSV file of the columns arch, op, approx, vector_mode, math_fidelity, in0_df, in1_df, out_df, intermed_df,
/// acc_df, t, mblock_m, mblock_n, ublock_rt, ublock_ct, m_k, u_kt, z, l1_acc, nz_strips, nz_ublocks, nz_tiles, and
/// where present sfpu_op, n_inputs and cycles_per_input; other columns are kept. Rows of another chip, ops without a
/// kernel model and unknown ops get a reason; unknown ops are also problems. Throws one Error(Input) with every wrong
/// column and value.
KernelRowFile read_kernel_rows(const std::string& file, const std::string& chip_name);
KernelRowFile parse_kernel_rows(std::string_view text, const std::string& name, const std::string& chip_name);

struct KernelPrediction {
    std::optional<double> cycles;
    double math_percent = 0;   ///< share of cycles with FPU or SFPU instructions, as the chip's counter counts them
    double kernel_cycles = 0;  ///< of the kernel alone, with infinite input and output bandwidth
    std::string limiter, reason;
};
/// With the pipes of a measured sweep (tools/validation/sweep_pipes.hpp).
std::vector<KernelPrediction> predict(const KernelRowFile& file, const KernelModel& model);

/// The file with the columns predicted_cycles, predicted_math_util_pct, limiter, reason and kernel_cycles added.
std::string prediction_csv(const KernelRowFile& file, const std::vector<KernelPrediction>& predictions);

/// Errors by op; empty if no row has a measurement.
std::vector<PredictionErrors> kernel_errors(const KernelRowFile& file,
                                            const std::vector<KernelPrediction>& predictions);

/// Fills a shape's op, reduce_dim and l1_acc from a row's op name as sweeps write it ("reduce_z", "matmul_sparse",
/// "sparse matmul", "matmul_l1_acc"); false for an unknown name.
bool set_op(KernelShape& shape, std::string_view name);

}  // namespace ttsim::impl
