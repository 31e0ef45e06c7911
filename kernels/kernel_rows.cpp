#include "kernels/kernel_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

#include "base/text.hpp"
#include "isa/arch.hpp"
#include "kernels/op_def.hpp"

namespace tt {

namespace {

/// Cuts one record; fields may be quoted, "" inside quotes is a quote.
std::vector<std::string> cut(std::string_view line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
            fields.back() += '"';
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            fields.emplace_back();
        } else {
            fields.back() += c;
        }
    }
    return fields;
}

std::string quote(const std::string& field) {
    if (field.find_first_of(",\"") == std::string::npos) return field;
    std::string out = "\"";
    for (const char c : field) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

constexpr const char* needed[] = {
    "arch",        "op",     "approx", "vector_mode", "math_fidelity", "in0_df",    "in1_df",    "out_df",
    "intermed_df", "acc_df", "t",      "mblock_m",    "mblock_n",      "ublock_rt", "ublock_ct", "m_k",
    "u_kt",        "z",      "l1_acc", "nz_strips",   "nz_ublocks",    "nz_tiles"};

constexpr std::int64_t size_limit = 1 << 20;

std::optional<double> parse_real(const std::string& text) {
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || code != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
    return value;
}

/// One row's fields by column name, with messages that name file, line and column.
class RowReader {
public:
    RowReader(const std::vector<std::string>& columns, const KernelRow& row, const std::string& file, Diagnostics& out)
        : columns_(columns), row_(row), file_(file), out_(out) {}

    const std::string& text(std::string_view column) const {
        static const std::string empty;
        const auto found = std::find(columns_.begin(), columns_.end(), column);
        return found == columns_.end() ? empty : row_.fields[static_cast<std::size_t>(found - columns_.begin())];
    }
    SourceLoc at() const { return {file_, row_.line, 0}; }
    template <class... Args>
    void error(fmt::format_string<Args...> format, Args&&... args) {
        out_.error(at(), format, std::forward<Args>(args)...);
    }

    /// Whole, from `low`; empty gives `otherwise`, which nullopt forbids.
    std::int64_t size(const char* column, std::int64_t low, std::optional<std::int64_t> otherwise) {
        const std::string& field = text(column);
        if (field.empty()) {
            if (!otherwise) error("'{}' is empty; a whole number from {} is wanted", column, low);
            return otherwise.value_or(low);
        }
        const std::optional<double> value = parse_real(field);
        if (!value || *value != std::floor(*value) || *value < static_cast<double>(low) ||
            *value > static_cast<double>(size_limit)) {
            error("'{}' is '{}'; a whole number in {}..{} is wanted", column, field, low, size_limit);
            return low;
        }
        return static_cast<std::int64_t>(*value);
    }
    DataFormat format(const char* column, DataFormat otherwise) {
        const std::string& field = text(column);
        if (field.empty()) return otherwise;
        if (const auto f = parse_format(field); f && *f != DataFormat::Invalid) return *f;
        std::vector<std::string> known;
        for (const FormatInfo& f : all_formats())
            if (f.format != DataFormat::Invalid) known.emplace_back(f.name);
        error("'{}' is '{}', which is no data format{}", column, field, did_you_mean(field, known));
        return otherwise;
    }
    bool flag(const char* column) {
        const std::string field = to_lower(text(column));
        if (field.empty() || field == "0" || field == "false") return false;
        if (field == "1" || field == "true") return true;
        error("'{}' is '{}'; 0, 1, true or false is wanted", column, text(column));
        return false;
    }

private:
    const std::vector<std::string>& columns_;
    const KernelRow& row_;
    const std::string& file_;
    Diagnostics& out_;
};

void read_modes(RowReader& in, KernelShape& s) {
    s.approximate = in.flag("approx");
    s.l1_acc = in.flag("l1_acc");
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
    const bool whole = is_integer(s.in0);
    const bool family_a = info(s.in0).family == FormatFamily::A;
    s.acc = in.format("acc_df", whole ? DataFormat::Int32 : family_a ? DataFormat::Float16 : DataFormat::Float16_b);
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
    s.inputs = in.size("n_inputs", 1, 1);
}

/// A micro-block's result must fit in half of Dst; only ops that shrink their input take more, and not without end.
void check_block(RowReader& in, const KernelShape& s) {
    constexpr std::int64_t most = 512;
    if (s.ublock_rt * s.ublock_ct > most)
        in.error("a micro-block of {} x {} tiles is beyond {} tiles", s.ublock_rt, s.ublock_ct, most);
}

void read_row(RowReader& in, KernelRow& row, const std::string& chip_name) {
    KernelShape s;
    row.op = in.text("op");
    const std::string arch = to_lower(in.text("arch"));
    const std::vector<std::string> chips = chip_names();
    if (std::find(chips.begin(), chips.end(), arch) == chips.end())
        in.error("'arch' is '{}'{}; known: {}", in.text("arch"), did_you_mean(arch, chips), fmt::join(chips, ", "));
    if (!set_op(s, row.op)) {
        std::vector<std::string> names;
        for (const OpDef* op : all_ops()) names.emplace_back(op->name);
        in.error("'op' is '{}', which is no op{}", row.op, did_you_mean(row.op, names));
    }
    read_modes(in, s);
    read_formats(in, s);
    read_sizes(in, s);
    check_block(in, s);
    if (const std::string& cycles = in.text("cycles_per_input"); !cycles.empty()) {
        row.measured = parse_real(cycles);
        if (!row.measured || *row.measured <= 0)
            in.error("'cycles_per_input' is '{}'; a number above 0 is wanted", cycles);
    }
    if (arch != chip_name)
        row.reason = fmt::format("arch is {}, predicted is {}", arch, chip_name);
    else if (!has_kernel_model(s))
        row.reason = fmt::format("no kernel model for {}", row.op);
    else
        row.shape = s;
}

double percentile(std::vector<double> sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

KernelErrors errors_of(const std::string& op, const std::vector<double>& relative) {
    KernelErrors e;
    e.op = op;
    e.rows = relative.size();
    std::vector<double> sizes;
    for (const double r : relative) {
        sizes.push_back(std::abs(r));
        e.mean += std::abs(r);
        e.bias += r;
    }
    e.mean /= static_cast<double>(e.rows);
    e.bias /= static_cast<double>(e.rows);
    std::sort(sizes.begin(), sizes.end());
    e.median = percentile(sizes, 0.5);
    e.p95 = percentile(sizes, 0.95);
    e.worst = sizes.back();
    return e;
}

}  // namespace

bool set_op(KernelShape& shape, std::string_view name) {
    shape.op = std::string(name);
    if (name == "matmul_sparse") return true;
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

bool has_kernel_model(const KernelShape& shape) {
    if (shape.op == "matmul_sparse") return true;
    if (shape.op == "reduce") return shape.reduce_dim != ReduceDim::None;
    const OpDef* def = find_op(shape.op);
    if (!def) return false;
    switch (def->op_class) {
        case OpClass::Sfpu:
        case OpClass::SfpuBinary:
        case OpClass::Binary:
        case OpClass::Matmul:
        case OpClass::Depthwise:
            return shape.op != "topk";
        case OpClass::Move:
            return shape.op == "nop" || shape.op == "datacopy" || shape.op == "splice";
        case OpClass::SparseMatmul:
        case OpClass::Reduce:
        case OpClass::Fused:
        case OpClass::Ethernet:
            break;
    }
    return false;
}

KernelRowFile parse_kernel_rows(std::string_view text, const std::string& name, const std::string& chip_name) {
    KernelRowFile file;
    Diagnostics problems;
    int line_number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        at = end + 1;
        ++line_number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line_number == 1) {
            file.columns = cut(line);
            for (const char* column : needed)
                if (std::find(file.columns.begin(), file.columns.end(), column) == file.columns.end())
                    problems.error({name, 1, 0}, "the column '{}' is missing", column);
            problems.throw_if_any();
            continue;
        }
        if (line.empty()) continue;
        KernelRow row;
        row.line = line_number;
        row.fields = cut(line);
        if (row.fields.size() != file.columns.size()) {
            problems.error({name, line_number, 0}, "{} fields; the first line names {}", row.fields.size(),
                           file.columns.size());
            continue;
        }
        KernelRow read = row;
        RowReader reader(file.columns, row, name, problems);
        read_row(reader, read, chip_name);
        file.rows.push_back(std::move(read));
    }
    if (line_number == 0) problems.error({name, 1, 0}, "the file is empty; a line of column names is wanted");
    problems.throw_if_any();
    return file;
}

KernelRowFile read_kernel_rows(const std::string& file, const std::string& chip_name) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (in) text << in.rdbuf();
    if (!in || in.bad() || !text) fail_input({file, 0, 0}, "the file cannot be read");
    return parse_kernel_rows(text.str(), file, chip_name);
}

std::vector<KernelPrediction> predict(const KernelRowFile& file, const KernelModel& model) {
    std::vector<KernelPrediction> out;
    for (const KernelRow& row : file.rows) {
        KernelPrediction p;
        p.reason = row.reason;
        if (row.shape) {
            const KernelTime time = model.time(*row.shape);
            p.cycles = time.cycles;
            p.limiter = to_string(time.limit);
        }
        out.push_back(std::move(p));
    }
    return out;
}

std::string prediction_csv(const KernelRowFile& file, const std::vector<KernelPrediction>& predictions) {
    std::string out;
    const auto line = [&](const std::vector<std::string>& fields) {
        for (const std::string& field : fields) out += quote(field) + ",";
    };
    line(file.columns);
    out += "predicted_cycles,limiter,reason\n";
    for (std::size_t i = 0; i < file.rows.size(); ++i) {
        const KernelPrediction& p = predictions[i];
        line(file.rows[i].fields);
        out += fmt::format("{},{},{}\n", p.cycles ? fmt::format("{:.2f}", *p.cycles) : "", p.limiter, quote(p.reason));
    }
    return out;
}

std::vector<KernelErrors> kernel_errors(const KernelRowFile& file, const std::vector<KernelPrediction>& predictions) {
    std::map<std::string, std::vector<double>> by_op;
    std::vector<double> all;
    for (std::size_t i = 0; i < file.rows.size(); ++i) {
        const KernelRow& row = file.rows[i];
        if (!row.measured || !predictions[i].cycles) continue;
        const double relative = 100 * (*predictions[i].cycles / *row.measured - 1);
        by_op[row.op].push_back(relative);
        all.push_back(relative);
    }
    std::vector<KernelErrors> out;
    for (const auto& [op, relative] : by_op) out.push_back(errors_of(op, relative));
    if (!all.empty()) out.push_back(errors_of("all", all));
    return out;
}

std::string error_table(const std::vector<KernelErrors>& errors) {
    std::string out = fmt::format("{:<18} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "op", "rows", "mean %", "median %",
                                  "P95 %", "worst %", "bias %");
    for (const KernelErrors& e : errors)
        out += fmt::format("{:<18} {:>6} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>+8.2f}\n", e.op, e.rows, e.mean,
                           e.median, e.p95, e.worst, e.bias);
    return out;
}

}  // namespace tt
