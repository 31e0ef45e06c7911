// Comparing a queue's entries with golden (docs/netlist.md "Comparison").
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// Which elements of every tile count (SFPU vector modes, reduce results); whole tile by default. 0-based, half open.
struct JudgedPart {
    std::int64_t row_first = 0, row_end = 1 << 30, col_first = 0, col_end = 1 << 30;
    bool judged = true;  ///< false: statistics only (descendants of dropout)
    bool bits = false;   ///< raw format: elements are bit patterns, equal when every bit is
    std::string why;     ///< "reduce c keeps column 0"
};

/// Verdict over all entries of one queue; add entries in order. All elements of the judged part count: tile by tile, or
/// in runs of 1024 consecutive values for flat queues.
///
/// The vendor's own test looks at whole tiles otherwise: its loops stop one row and one column short, and it divides by
/// 1024 all the same, so that what it does not look at agrees, and correlates as zeros would. Tiles with a large mean
/// pass by that. Both forms are computed; a queue passes when one of them accepts all its tiles.
///
/// Where golden is a NaN, or an infinity and the result none of the usual numbers either, there is nothing to compare:
/// such elements count for nothing, neither as equal nor as different. An exact rule and that of --numerics float32 say
/// that a number in place of golden's NaN is different.
class QueueComparison {
public:
    /// A negative atol is in units of the RMS of golden's tile; then check_pcc is asked of all elements together.
    QueueComparison(Comparison rule, TileDim tile, JudgedPart part);
    void add(const Tensor& golden, const Tensor& actual);
    /// Gives that many slices of a result that lies packed, from the first on.
    using Unpack = std::function<Tensor(std::int64_t first, std::int64_t count)>;
    /// A part of an entry of `z` slices, golden's from slice `first` on; the last part ends the entry. Of the result
    /// few slices at a time are unpacked. Parts of flat queues begin at a multiple of 1024 values.
    void add_part(const Tensor& golden, std::int64_t first, std::int64_t z, const Unpack& actual);

    struct Result {
        bool pass = true;         ///< in one of the two forms
        bool strict_pass = true;  ///< with all values
        bool judged = true;
        std::int64_t entries = 0, elements = 0, failed_tiles = 0, tiles = 0;  ///< elements, tiles: compared ones
        std::int64_t undefined = 0;  ///< elements that golden does not determine
        double pcc = 1;              ///< over all judged elements of all entries
        double max_error = 0;        ///< largest |a-b|
        double max_rel_error = 0;    ///< largest |a-b| / max(|a|, |b|, atol)
        double share_within = 1;     ///< of all judged elements, |a-b| <= atol + rtol*max(|a|,|b|)
        std::string first_failure;   ///< with all values: "entry 0, z 1, tile (2,3): pcc 0.81 < 0.99"
        /// The vendor's form; 0 tiles where it does not apply: exact rules, flat queues, small tiles, raw formats.
        std::int64_t vendor_tiles = 0, vendor_failed_tiles = 0;
        double vendor_pcc = 1;  ///< the lowest of a tile
        /// Nothing was compared, since golden holds no number.
        bool undefined_throughout() const { return elements == 0 && undefined > 0; }
    };
    Result result() const;
    std::int64_t failed_tiles() const { return result_.failed_tiles; }
    std::int64_t undefined() const { return result_.undefined; }
    /// Adds what was compared after the own entries, under the same rule.
    void join(const QueueComparison& later);

private:
    struct Sums {
        double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
        void join(const Sums& other);
    };
    /// One tile or run: sums of finite pairs, and how many elements agree.
    struct Piece {
        Sums sums;
        std::int64_t elements = 0, within = 0, undefined = 0;
        bool broken = false;  ///< a NaN or infinity met something else
        void join(const Piece& other);
    };
    void add_tiles(ConstMatrixView golden, ConstMatrixView actual, std::int64_t z);
    void add_runs(std::span<const float> golden, const Tensor& actual, std::int64_t first);
    void add_row(const float* golden, const float* actual, std::int64_t count, double atol, Piece& piece);
    bool add_finite(const float* golden, const float* actual, std::int64_t count, double atol, Piece& piece);
    void add_odd(float golden, float actual, double atol, Piece& piece);
    bool undefined(float golden, float actual) const;
    template <class Place>
    void finish(const Piece& piece, Place&& place);
    void finish_as_vendor(Piece looked_at);
    std::string failure(const Piece& piece) const;
    static double correlation(const Sums& sums);

    Comparison rule_;
    TileDim tile_;
    JudgedPart part_;
    std::int64_t row_first_, row_end_, col_first_, col_end_;  ///< judged in every tile
    std::int64_t vendor_row_end_ = 0, vendor_col_end_ = 0;    ///< where the vendor's loops end; 0: not its form
    Result result_;
    Sums total_;
    std::int64_t within_ = 0;
    std::int64_t failed_entry_ = 0;  ///< of result_.first_failure, which is without it until result()
};

/// The rule for an output queue: the netlist's own comparison-config with its overrides; else AllCloseHw with atol
/// 0.01 and the loosest row of the table of usual tolerances over all ancestors of the output; more than 10 ops: no
/// stricter than 0.15 / 0.5 / 0.92. `strict`: besides, PCC >= 0.999 (Float32) or 0.99 (16 bit and Bfp8, HiFi3 and up).
struct ComparisonRule {
    Comparison comparison;
    double strict_pcc = 0;  ///< 0: none
    std::string source;     ///< "comparison-config", "usual tolerance of matmul Bfp8_b", ...
};
ComparisonRule comparison_for(const Netlist& resolved, const Queue& output, bool strict);
/// Rule of --numerics float32: every element within 1e-4 of the larger value or of the RMS of golden's tile, and PCC
/// 0.99999 over all judged elements.
Comparison float32_comparison();
/// Judged part of an output queue: follows copies back from the queue to the op that made the values. Where io-config
/// lists outputs, the others have statistics only.
JudgedPart judged_part(const Netlist& resolved, const Queue& output);
/// Op-fed queues and rams that no graph reads, or that io-config lists.
std::vector<const Queue*> reported_outputs(const Netlist& resolved);
/// Names in io-config's outputs that are no op-fed queue of the netlist.
std::vector<std::string> unknown_outputs(const Netlist& resolved);

/// Rule and judged part for the result of one op by itself.
ComparisonRule comparison_for_op(const OpConfig& op);
JudgedPart judged_part_of(const OpConfig& op);

}  // namespace ttsim::impl
