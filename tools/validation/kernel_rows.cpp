#include "tools/validation/kernel_rows.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "isa/arch.hpp"
#include "kernels/ops/op_def.hpp"
#include "tools/validation/sweep_pipes.hpp"

namespace ttsim::impl {

namespace {

const std::vector<std::string> needed = {
    "arch",        "op",     "approx", "vector_mode", "math_fidelity", "in0_df",    "in1_df",    "out_df",
    "intermed_df", "acc_df", "t",      "mblock_m",    "mblock_n",      "ublock_rt", "ublock_ct", "m_k",
    "u_kt",        "z",      "l1_acc", "nz_strips",   "nz_ublocks",    "nz_tiles"};

constexpr std::int64_t size_limit = 1 << 20;

/// Parses one row's fields as a kernel's sizes and formats.
class RowReader : public CsvFields {
public:
    using CsvFields::CsvFields;

    std::int64_t size(const char* column, std::int64_t low, std::optional<std::int64_t> otherwise) {
        return CsvFields::size(column, low, size_limit, otherwise);
    }
    DataFormat format(const char* column, DataFormat otherwise) {
        const std::string& field = text(column);
        if (field.empty()) return otherwise;
        if (const auto f = parse_format(field); f && *f != DataFormat::Invalid) return *f;
        std::vector<std::string> known;
        for (const FormatInfo& f : all_formats())
            if (f.format != DataFormat::Invalid) known.emplace_back(f.name);
        error("'{}' is '{}', which is not a data format{}", column, field, did_you_mean(field, known));
        return otherwise;
    }
    bool flag(const char* column) {
        const std::string field = to_lower(text(column));
        if (field.empty() || field == "0" || field == "false") return false;
        if (field == "1" || field == "true") return true;
        error("'{}' is '{}'; 0, 1, true or false is wanted", column, text(column));
        return false;
    }
};

void read_modes(RowReader& in, KernelShape& s) {
    s.approximate = in.flag("approx");
    s.l1_acc = in.flag("l1_acc") || s.l1_acc;
    const std::string activation = to_lower(in.text("sfpu_op"));
    const KernelFamily family = family_of(s);
    s.gelu = activation == "gelu";
    if (s.gelu ? family != KernelFamily::Matmul && family != KernelFamily::Sparse
               : !activation.empty() && activation != "invalid")
        in.error("'sfpu_op' is '{}' for {}; gelu for a matmul, invalid or nothing is wanted", in.text("sfpu_op"), s.op);
    const std::string vector = to_lower(in.text("vector_mode"));
    if (vector == "r")
        s.vector = VectorMode::R;
    else if (vector == "c")
        s.vector = VectorMode::C;
    else if (!vector.empty() && vector != "rc")
        in.error("'vector_mode' is '{}'; r, c, rc or nothing is wanted", in.text("vector_mode"));
    const std::string& fidelity = in.text("math_fidelity");
    if (const auto f = parse_fidelity(fidelity); f && *f != Fidelity::Invalid)
        s.fidelity = *f;
    else
        in.error("'math_fidelity' is '{}'; LoFi, HiFi2, HiFi3 or HiFi4 is wanted", fidelity);
}

void read_formats(RowReader& in, KernelShape& s) {
    if (in.text("in0_df").empty()) in.error("'in0_df' is empty; a data format is wanted");
    s.in0 = in.format("in0_df", DataFormat::Float16_b);
    s.in1 = in.format("in1_df", DataFormat::Invalid);
    s.out = in.format("out_df", s.in0);
    s.intermed = in.format("intermed_df", s.out);
    const bool integer = is_integer(s.in0);
    const bool family_a = info(s.in0).family == FormatFamily::A;
    s.acc = in.format("acc_df", integer ? DataFormat::Int32 : family_a ? DataFormat::Float16 : DataFormat::Float16_b);
}

void read_sizes(RowReader& in, KernelShape& s) {
    s.t = in.size("t", 1, 1);
    s.mblock_m = in.size("mblock_m", 1, {});
    s.mblock_n = in.size("mblock_n", 1, {});
    s.ublock_rt = in.size("ublock_rt", 1, {});
    s.ublock_ct = in.size("ublock_ct", 1, {});
    s.z = in.size("z", 1, 1);
    const KernelFamily family = family_of(s);
    const bool product =
        family == KernelFamily::Matmul || family == KernelFamily::Depthwise || family == KernelFamily::Sparse;
    const std::optional<std::int64_t> otherwise = product ? std::nullopt : std::optional<std::int64_t>(1);
    s.m_k = in.size("m_k", 1, otherwise);
    s.u_kt = in.size("u_kt", 1, otherwise);
    const bool sparse = family == KernelFamily::Sparse;
    const std::optional<std::int64_t> none = sparse ? std::nullopt : std::optional<std::int64_t>(0);
    s.nz_strips = in.size("nz_strips", 0, none);
    s.nz_ublocks = in.size("nz_ublocks", 0, none);
    s.nz_tiles = in.size("nz_tiles", 0, none);
}

/// Limits micro-blocks. A result must fit in half of Dst, but ops that reduce their input accept larger blocks.
void check_block(RowReader& in, const KernelShape& s) {
    constexpr std::int64_t most = 512;
    if (s.ublock_rt * s.ublock_ct > most)
        in.error("a micro-block of {} x {} tiles is beyond {} tiles", s.ublock_rt, s.ublock_ct, most);
}

std::string unknown_op(const std::string& name) {
    std::vector<std::string> names{"matmul_sparse", "reduce_r", "reduce_c", "reduce_z"};
    for (const OpDef* op : all_ops()) names.emplace_back(op->name);
    return fmt::format("'op' is '{}', which is not an op{}", name, did_you_mean(name, names));
}

void read_row(RowReader& in, KernelRow& row, const std::string& chip_name) {
    KernelShape s;
    row.op = in.text("op");
    const std::string arch = to_lower(in.text("arch"));
    const std::vector<std::string> chips = chip_names();
    if (std::find(chips.begin(), chips.end(), arch) == chips.end())
        in.error("'arch' is '{}'{}; known: {}", in.text("arch"), did_you_mean(arch, chips), fmt::join(chips, ", "));
    if (!set_op(s, row.op)) {  // its required columns are unknown too
        row.unknown = true;
        row.reason = unknown_op(row.op);
        return;
    }
    read_modes(in, s);
    read_formats(in, s);
    read_sizes(in, s);
    check_block(in, s);
    row.inputs = in.size("n_inputs", 0, 0);
    row.measured = in.positive("cycles_per_input");
    if (arch != chip_name)
        row.reason = fmt::format("arch is {}, predicted is {}", arch, chip_name);
    else if (!has_kernel_model(s))
        row.reason = fmt::format("no kernel model for {}", row.op);
    else
        row.shape = s;
}

}  // namespace

bool set_op(KernelShape& shape, std::string_view written) {
    std::string word = to_lower(std::string(written));
    std::replace_if(
        word.begin(), word.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
    constexpr std::string_view in_l1 = "_l1_acc";
    if (word.ends_with(in_l1)) {
        word.resize(word.size() - in_l1.size());
        shape.l1_acc = true;
    }
    if (word == "sparse_matmul") word = "matmul_sparse";
    shape.op = word;
    const std::string_view name = word;
    if (name == "matmul_sparse") return true;
    if (shape.l1_acc) return name == "matmul" || name == "depthwise";
    if (name.starts_with("reduce_")) {
        const std::string_view dim = name.substr(7);
        shape.op = "reduce";
        shape.reduce_dim = dim == "r"   ? ReduceDim::R
                           : dim == "c" ? ReduceDim::C
                           : dim == "z" ? ReduceDim::Z
                                        : ReduceDim::None;
        if (dim == "rc") shape.reduce_dim = ReduceDim::RC;
        return shape.reduce_dim != ReduceDim::None;
    }
    return find_op(name) != nullptr;
}

static KernelRowFile read_rows(CsvFile csv, const std::string& chip_name) {
    KernelRowFile file{std::move(csv), {}, {}};
    Diagnostics problems;
    for (const CsvRow& row : file.csv.rows) {
        RowReader reader(file.csv, row, problems);
        file.rows.emplace_back();
        KernelRow& read = file.rows.back();
        read_row(reader, read, chip_name);
        constexpr std::size_t most_reported = 100;
        if (read.unknown && file.refused.size() < most_reported) file.refused.error(reader.at(), "{}", read.reason);
        throw_if_many(problems);
    }
    problems.throw_if_any();
    return file;
}

KernelRowFile parse_kernel_rows(std::string_view text, const std::string& name, const std::string& chip_name) {
    return read_rows(parse_csv(text, name, needed), chip_name);
}

KernelRowFile read_kernel_rows(const std::string& file, const std::string& chip_name) {
    return read_rows(read_csv(file, needed), chip_name);
}

std::vector<KernelPrediction> predict(const KernelRowFile& file, const KernelModel& model) {
    std::vector<KernelPrediction> out;
    for (const KernelRow& row : file.rows) {
        KernelPrediction p;
        p.reason = row.reason;
        if (row.shape) {
            const KernelTime kernel = model.time(*row.shape);
            const SweepTime time = time_in_sweep(*row.shape, kernel, row.inputs, model.constants());
            p.cycles = time.cycles;
            p.math_percent = kernel.counted_percent() * kernel.cycles / time.cycles;
            p.limiter = to_string(time.limit);
            p.kernel_cycles = model.time(without_stream_waits(*row.shape)).cycles;
        }
        out.push_back(std::move(p));
    }
    return out;
}

std::string prediction_csv(const KernelRowFile& file, const std::vector<KernelPrediction>& predictions) {
    std::vector<std::string> fields = file.csv.columns;
    fields.insert(fields.end(), {"predicted_cycles", "predicted_math_util_pct", "limiter", "reason", "kernel_cycles"});
    std::string out = csv_line(fields);
    for (std::size_t i = 0; i < file.rows.size(); ++i) {
        const KernelPrediction& p = predictions[i];
        fields = file.csv.rows[i].fields;
        const auto shown = [&](double value) { return p.cycles ? fmt::format("{:.2f}", value) : ""; };
        fields.insert(fields.end(), {shown(p.cycles.value_or(0)), shown(p.math_percent), p.limiter, p.reason,
                                     shown(p.kernel_cycles)});
        out += csv_line(fields);
    }
    return out;
}

std::vector<PredictionErrors> kernel_errors(const KernelRowFile& file,
                                            const std::vector<KernelPrediction>& predictions) {
    ErrorStatistics count;
    for (std::size_t i = 0; i < file.rows.size(); ++i)
        if (file.rows[i].measured && predictions[i].cycles)
            count.add(file.rows[i].op, *predictions[i].cycles, *file.rows[i].measured);
    return count.summary();
}

}  // namespace ttsim::impl
