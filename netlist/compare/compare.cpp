#include "netlist/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>

namespace ttsim::impl {

namespace {

constexpr std::int64_t run_length = 1024;
/// Elements of a packed result that are unpacked at a time: 4 MiB of floats.
constexpr std::int64_t max_unpacked = std::int64_t{1} << 20;

/// Equality with a NaN or an infinity involved: a NaN equals a NaN; an infinity equals an infinity of its sign, or a
/// finite number of its sign that is nearly as large.
bool special_equal(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (std::signbit(a) != std::signbit(b)) return false;
    int exponent_a = 0, exponent_b = 0;
    (void)std::frexp(a, &exponent_a);
    (void)std::frexp(b, &exponent_b);
    constexpr int near_top = 126;
    return (std::isinf(a) || exponent_a > near_top) && (std::isinf(b) || exponent_b > near_top);
}

/// An infinity, a NaN, or a number too large for formats with a smaller range.
bool is_special(float v) {
    constexpr float near_top = 0x1p126F;
    return !(std::fabs(v) < near_top);
}

/// Whether the variance is within rounding error.
bool is_constant(double n, double sum, double squares) { return squares - sum * sum / n <= 1e-10 * squares; }

double rms(double sum_of_squares, double count) { return count > 0 ? std::sqrt(sum_of_squares / count) : 0; }

/// Two elements at a time, as in the registers of the baseline.
using Two = double __attribute__((vector_size(16)));
using TwoFloats = float __attribute__((vector_size(8)));
using TwoFlags = std::int64_t __attribute__((vector_size(16)));

inline Two widen(const float* from) {
    TwoFloats values;
    std::memcpy(&values, from, sizeof values);
    return __builtin_convertvector(values, Two);
}
inline Two magnitude(Two v) { return std::bit_cast<Two>(std::bit_cast<TwoFlags>(v) & INT64_MAX); }
inline double total(Two v) { return v[0] + v[1]; }

/// Tolerances for the elements of a row.
struct Tolerances {
    Two atol, rtol, share;  ///< share: largest relative error so far
};

/// Sums and extremes of a row of finite elements.
struct RowSums {
    Two a{}, b{}, aa{}, bb{}, ab{}, max_difference{};
    TwoFlags within{}, exceeds_share{};

    void add(Two x, Two y, const Tolerances& t) {
        const Two difference = magnitude(x - y), left = magnitude(x), right = magnitude(y);
        const Two larger = left > right ? left : right, base = larger > t.atol ? larger : t.atol;
        a += x;
        b += y;
        aa += x * x;
        bb += y * y;
        ab += x * y;
        within -= difference <= larger * t.rtol + t.atol;  // true is -1
        exceeds_share |= difference > base * t.share;
        max_difference = difference > max_difference ? difference : max_difference;
    }
    void join(const RowSums& other) {
        a += other.a;
        b += other.b;
        aa += other.aa;
        bb += other.bb;
        ab += other.ab;
        within += other.within;
        exceeds_share |= other.exceeds_share;
        max_difference = other.max_difference > max_difference ? other.max_difference : max_difference;
    }
};

double max_relative_error(const float* golden, const float* actual, std::int64_t count, double atol) {
    double limit = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double x = golden[i], y = actual[i], base = std::max({std::fabs(x), std::fabs(y), atol});
        if (std::fabs(x - y) > limit * base) limit = std::fabs(x - y) / base;
    }
    return limit;
}

}  // namespace

QueueComparison::QueueComparison(Comparison rule, TileDim tile, ComparedPart part)
    : rule_(std::move(rule)), tile_(tile), part_(std::move(part)) {
    const auto first = [](std::int64_t given) { return given > 0 ? given - 1 : 0; };
    const auto last = [](std::int64_t given, std::int64_t size) { return given > 0 ? std::min(given, size) : size; };
    row_first_ = std::max(first(rule_.rows_first), part_.row_first);
    row_end_ = std::min(last(rule_.rows_last, tile_.h), part_.row_end);
    col_first_ = std::max(first(rule_.cols_first), part_.col_first);
    col_end_ = std::min(last(rule_.cols_last, tile_.w), part_.col_end);
    result_.judged = part_.judged;
    const bool tiled = !rule_.flat && rule_.type != Comparison::Type::Exact && !part_.bits && rule_.atol >= 0;
    if (!tiled || tile_ != TileDim{}) return;
    vendor_row_end_ = std::min(last(rule_.rows_last, tile_.h) - 1, row_end_);
    vendor_col_end_ = std::min(last(rule_.cols_last, tile_.w) - 1, col_end_);
    // for a range of one row or column the vendor's loops are empty and accept everything; ignored here
    if (vendor_row_end_ <= row_first_ || vendor_col_end_ <= col_first_) vendor_row_end_ = vendor_col_end_ = 0;
}

void QueueComparison::add(const Tensor& golden, const Tensor& actual) {
    TT_CHECK(golden.z == actual.z && golden.rows == actual.rows && golden.cols == actual.cols,
             "golden is {}x{}x{}, the result {}x{}x{}", golden.z, golden.rows, golden.cols, actual.z, actual.rows,
             actual.cols);
    if (rule_.flat)
        add_runs(golden.data, actual, 0);
    else
        for (std::int64_t z = 0; z < golden.z; ++z) add_tiles(golden.slice(z), actual.slice(z), z);
    ++result_.entries;
}

void QueueComparison::add_part(const Tensor& golden, std::int64_t first, std::int64_t z, const Unpack& actual) {
    const std::int64_t size = golden.rows * golden.cols;
    const bool runs_cross = rule_.flat && size % run_length != 0;  // runs continue in the next slice
    TT_CHECK(!rule_.flat || first * size % run_length == 0, "a part of flat values begins at value {}", first * size);
    const std::int64_t limit = runs_cross ? golden.z : std::max<std::int64_t>(1, max_unpacked / size);
    for (std::int64_t from = 0; from < golden.z; from += limit) {
        const Tensor values = actual(first + from, std::min(limit, golden.z - from));
        TT_CHECK(golden.rows == values.rows && golden.cols == values.cols, "golden is {}x{}, the result {}x{}",
                 golden.rows, golden.cols, values.rows, values.cols);
        if (rule_.flat)
            add_runs(std::span(golden.data).subspan(static_cast<std::size_t>(from * size), values.data.size()), values,
                     (first + from) * size);
        else
            for (std::int64_t k = 0; k < values.z; ++k)
                add_tiles(golden.slice(from + k), values.slice(k), first + from + k);
    }
    if (first + golden.z == z) ++result_.entries;
}

/// Adds one slice.
void QueueComparison::add_tiles(ConstMatrixView a, ConstMatrixView b, std::int64_t z) {
    const std::int64_t width = col_end_ - col_first_;
    if (width <= 0 || row_end_ <= row_first_) return;
    for (std::int64_t r = 0; r + tile_.h <= a.rows; r += tile_.h)
        for (std::int64_t c = 0; c + tile_.w <= a.cols; c += tile_.w) {
            Piece vendor_piece, rest;  // elements that the vendor compares, and the others
            double atol = rule_.atol;
            if (atol < 0) {
                double squares = 0;
                for (std::int64_t row = r + row_first_; row < r + row_end_; ++row)
                    for (std::int64_t col = c + col_first_; col < c + col_end_; ++col)
                        if (const double v = a.at(row, col); std::isfinite(v)) squares += v * v;
                atol = -atol * rms(squares, static_cast<double>(width * (row_end_ - row_first_)));
            }
            for (std::int64_t row = r + row_first_; row < r + row_end_; ++row) {
                const float *const x = a.row(row) + c + col_first_, *const y = b.row(row) + c + col_first_;
                const std::int64_t vendor_count = row < r + vendor_row_end_ ? vendor_col_end_ - col_first_ : 0;
                if (vendor_count > 0) add_row(x, y, vendor_count, atol, vendor_piece);
                if (vendor_count < width) add_row(x + vendor_count, y + vendor_count, width - vendor_count, atol, rest);
            }
            rest.join(vendor_piece);
            finish(rest, [&] { return fmt::format("z {}, tile ({},{})", z, r / tile_.h, c / tile_.w); });
            if (vendor_piece.elements > 0) finish_vendor_form(vendor_piece);
        }
}

/// Adds runs of 1024 values, starting at value `first` of the entry; skips values outside the compared part of their
/// tile.
void QueueComparison::add_runs(std::span<const float> golden, const Tensor& actual, std::int64_t first) {
    const bool full_tile = row_first_ == 0 && col_first_ == 0 && row_end_ == tile_.h && col_end_ == tile_.w;
    const auto judged = [&](std::int64_t at) {
        const std::int64_t row = at / actual.cols % actual.rows % tile_.h, col = at % actual.cols % tile_.w;
        return row >= row_first_ && row < row_end_ && col >= col_first_ && col < col_end_;
    };
    for (std::int64_t start = 0; start < actual.size(); start += run_length) {
        const std::int64_t count = std::min(run_length, actual.size() - start);
        const float *const a = golden.data() + start, *const b = actual.data.data() + start;
        double atol = rule_.atol;
        if (atol < 0) {
            double squares = 0;
            for (std::int64_t i = 0; i < count; ++i)
                if (const double v = a[i]; std::isfinite(v)) squares += v * v;
            atol = -atol * rms(squares, static_cast<double>(count));
        }
        Piece piece;
        if (full_tile)
            add_row(a, b, count, atol, piece);
        else
            for (std::int64_t i = 0; i < count; ++i)
                if (judged(start + i)) add_row(a + i, b + i, 1, atol, piece);
        finish(piece, [&] { return fmt::format("values {}..{}", first + start, first + start + count - 1); });
    }
}

void QueueComparison::add_row(const float* golden, const float* actual, std::int64_t count, double atol, Piece& piece) {
    piece.elements += count;
    const bool plain = !part_.bits && rule_.type != Comparison::Type::Exact;
    if (plain && add_finite(golden, actual, count, atol, piece)) return;
    for (std::int64_t i = 0; i < count; ++i) add_special(golden[i], actual[i], atol, piece);
}

/// Returns false without effect if an element is NaN or infinite.
bool QueueComparison::add_finite(const float* golden, const float* actual, std::int64_t count, double atol,
                                 Piece& piece) {
    const Tolerances tolerances{Two{} + atol, Two{} + rule_.rtol, Two{} + result_.max_rel_error};
    RowSums row, second;  // two independent chains of additions
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        row.add(widen(golden + i), widen(actual + i), tolerances);
        second.add(widen(golden + i + 2), widen(actual + i + 2), tolerances);
    }
    for (; i < count; ++i) {  // pads the pair with a zero, which only counts as equal
        row.add(Two{golden[i], 0}, Two{actual[i], 0}, tolerances);
        --row.within[1];
    }
    row.join(second);
    if (!std::isfinite(total(row.aa) + total(row.bb))) return false;  // squares of floats cannot overflow a double
    piece.sums.n += static_cast<double>(count);
    piece.sums.a += total(row.a);
    piece.sums.b += total(row.b);
    piece.sums.aa += total(row.aa);
    piece.sums.bb += total(row.bb);
    piece.sums.ab += total(row.ab);
    piece.within += row.within[0] + row.within[1];
    result_.max_error = std::max({result_.max_error, row.max_difference[0], row.max_difference[1]});
    if ((row.exceeds_share[0] | row.exceeds_share[1]) != 0) [[unlikely]]
        result_.max_rel_error = std::max(result_.max_rel_error, max_relative_error(golden, actual, count, atol));
    return true;
}

/// Adds a single element: exact rules, bit patterns, NaNs and infinities.
void QueueComparison::add_special(float golden, float actual, double atol, Piece& piece) {
    if (part_.bits) {
        const auto x = std::bit_cast<std::uint32_t>(golden), y = std::bit_cast<std::uint32_t>(actual);
        const double a = x, b = y;
        piece.within += static_cast<std::int64_t>(x == y);
        result_.max_error = std::max(result_.max_error, std::fabs(a - b));
        if (x != y) result_.max_rel_error = std::max(result_.max_rel_error, std::fabs(a - b) / std::max(a, b));
        const Sums& s = piece.sums;
        piece.sums = {s.n + 1, s.a + a, s.b + b, s.aa + a * a, s.bb + b * b, s.ab + a * b};
        return;
    }
    if (std::isfinite(golden) && std::isfinite(actual)) {
        const std::int64_t before = piece.within;
        (void)add_finite(&golden, &actual, 1, atol, piece);
        if (rule_.type == Comparison::Type::Exact) piece.within = before + static_cast<std::int64_t>(golden == actual);
        return;
    }
    if (undefined(golden, actual)) {
        --piece.elements;
        ++piece.undefined;
        return;
    }
    const bool same = rule_.type != Comparison::Type::Exact && special_equal(golden, actual);
    piece.within += static_cast<std::int64_t>(same);
    if (same) return;
    piece.broken = true;
    result_.max_error = INFINITY;
    result_.max_rel_error = INFINITY;
}

/// Whether golden does not determine the result.
bool QueueComparison::undefined(float golden, float actual) const {
    if (std::isfinite(golden)) return false;
    if (rule_.type == Comparison::Type::Exact || rule_.atol < 0)
        return golden == actual || (std::isnan(golden) && std::isnan(actual));
    return std::isnan(golden) || is_special(actual);
}

void QueueComparison::Sums::join(const Sums& other) {
    n += other.n;
    a += other.a;
    b += other.b;
    aa += other.aa;
    bb += other.bb;
    ab += other.ab;
}

void QueueComparison::Piece::join(const Piece& other) {
    sums.join(other.sums);
    elements += other.elements;
    within += other.within;
    undefined += other.undefined;
    broken = broken || other.broken;
}

std::pair<bool, bool> QueueComparison::constant_sides(const Sums& s) {
    return {is_constant(s.n, s.a, s.aa), is_constant(s.n, s.b, s.bb)};
}

double QueueComparison::correlation(const Sums& s) {
    if (s.n < 1) return 1;
    const auto [constant_a, constant_b] = constant_sides(s);
    if (constant_a || constant_b) return constant_a && constant_b ? 1 : 0;
    const double variance_a = s.aa - s.a * s.a / s.n, variance_b = s.bb - s.b * s.b / s.n;
    return std::clamp((s.ab - s.a * s.b / s.n) / std::sqrt(variance_a * variance_b), -1.0, 1.0);
}

/// The reason why a tile fails; "" if it passes.
std::string QueueComparison::failure(const Piece& piece) const {
    if (rule_.type == Comparison::Type::Exact || part_.bits)
        return piece.within == piece.elements ? "" : fmt::format("{} values differ", piece.elements - piece.within);
    const double share = static_cast<double>(piece.within) / static_cast<double>(piece.elements);
    if (share < rule_.check_pct)
        return fmt::format("{:.4g} % of the values within tolerance, {:.4g} % wanted", 100 * share,
                           100 * rule_.check_pct);
    if (rule_.type != Comparison::Type::AllCloseHw || rule_.check_pcc <= 0) return "";
    if (piece.broken) return "a NaN or infinity on one side only";
    // Constants have no correlation: then the means must agree or, if only one side is constant, every value.
    const Sums& s = piece.sums;
    if (s.n < 1) return "";
    const auto [constant_a, constant_b] = constant_sides(s);
    if (constant_a && constant_b) {
        const double mean_a = s.a / s.n, mean_b = s.b / s.n;
        const bool agree = std::fabs(mean_a - mean_b) <= rule_.atol + rule_.rtol * std::fabs(mean_a);
        return agree ? "" : fmt::format("all values are {} instead of {}", mean_b, mean_a);
    }
    if (constant_a || constant_b)
        return piece.within == piece.elements ? "" : "one side is constant and the other is not";
    const double pcc = correlation(s);
    return pcc >= rule_.check_pcc ? "" : fmt::format("pcc {:.5f} < {}", pcc, rule_.check_pcc);
}

template <class Place>
void QueueComparison::finish(const Piece& piece, Place&& place) {
    result_.undefined += piece.undefined;
    if (piece.elements == 0) return;
    ++result_.tiles;
    result_.elements += piece.elements;
    within_ += piece.within;
    total_.join(piece.sums);
    if (!part_.judged) return;
    const std::string reason = failure(piece);
    if (reason.empty()) return;
    if (result_.failed_tiles++ > 0) return;
    failed_entry_ = result_.entries;
    result_.first_failure = fmt::format("{}: {}", place(), reason);
}

/// Elements that the vendor skips count as equal values, and as pairs of zeros.
void QueueComparison::finish_vendor_form(Piece vendor_piece) {
    const std::int64_t size = tile_.elements();
    vendor_piece.within += size - vendor_piece.elements;
    vendor_piece.sums.n += static_cast<double>(size - vendor_piece.elements);
    vendor_piece.elements = size;
    ++result_.vendor_tiles;
    result_.vendor_pcc = std::min(result_.vendor_pcc, vendor_piece.broken ? 0 : correlation(vendor_piece.sums));
    if (part_.judged && !failure(vendor_piece).empty()) ++result_.vendor_failed_tiles;
}

void QueueComparison::join(const QueueComparison& later) {
    Result& own = result_;
    const Result& other = later.result_;
    if (own.failed_tiles == 0) {
        own.first_failure = other.first_failure;
        failed_entry_ = own.entries + later.failed_entry_;
    }
    own.entries += other.entries;
    own.elements += other.elements;
    own.undefined += other.undefined;
    own.failed_tiles += other.failed_tiles;
    own.tiles += other.tiles;
    own.max_error = std::max(own.max_error, other.max_error);
    own.max_rel_error = std::max(own.max_rel_error, other.max_rel_error);
    own.vendor_tiles += other.vendor_tiles;
    own.vendor_failed_tiles += other.vendor_failed_tiles;
    own.vendor_pcc = std::min(own.vendor_pcc, other.vendor_pcc);
    within_ += later.within_;
    total_.join(later.total_);
}

QueueComparison::Result QueueComparison::result() const {
    Result result = result_;
    if (result.failed_tiles > 0)
        result.first_failure = fmt::format("entry {}, {}", failed_entry_, result.first_failure);
    result.pcc = correlation(total_);
    const auto [constant_a, constant_b] = constant_sides(total_);
    result.constant = constant_a || constant_b;
    if (result.elements > 0) result.share_within = static_cast<double>(within_) / static_cast<double>(result.elements);
    result.strict_pass = !result.judged || result.failed_tiles == 0;
    if (result.judged && rule_.atol < 0 && result.pcc < rule_.check_pcc) {
        result.strict_pass = false;
        if (result.first_failure.empty())
            result.first_failure = fmt::format("all entries: pcc {:.7f} < {}", result.pcc, rule_.check_pcc);
    }
    result.pass = result.strict_pass || (result.vendor_tiles > 0 && result.vendor_failed_tiles == 0);
    return result;
}

}  // namespace ttsim::impl
