// Compares a queue's entries with golden (docs/netlist.md "Comparison").
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// The elements of each tile that are compared (SFPU vector modes, reduce results); the full tile by default. 0-based,
/// half open.
struct ComparedPart {
    std::int64_t row_first = 0, row_end = 1 << 30, col_first = 0, col_end = 1 << 30;
    bool judged = true;  ///< false: statistics only, since io-config lists other outputs
    bool bits = false;   ///< raw format: elements are bit patterns that must be equal
    std::string why;     ///< reason, such as "reduce c keeps column 0"
};

/// The comparison of all entries of one queue; add entries in order. All compared elements count: by tiles, or in runs
/// of 1024 consecutive values for flat queues.
/// The vendor's own test differs: its loops stop one row and one column short of the tile. It still divides by 1024, so
/// skipped elements count as equal, and as zeros in the correlation. Tiles with a large mean pass more easily. Both
/// forms are computed; a queue passes if one of them accepts all its tiles.
/// Elements are ignored if golden is NaN, or if golden is infinite and the result is infinite, NaN or near the largest
/// float. For exact rules and --numerics float32, a number in place of golden's NaN is an error.
class QueueComparison {
public:
    /// A negative atol is relative to the RMS of golden's tile; then check_pcc applies to all elements together.
    QueueComparison(Comparison rule, TileDim tile, ComparedPart part);
    void add(const Tensor& golden, const Tensor& actual);
    /// Unpacks `count` slices of a packed result, from slice `first` on.
    using Unpack = std::function<Tensor(std::int64_t first, std::int64_t count)>;
    /// Adds a part of an entry of `z` slices, golden's from slice `first` on; the last part ends the entry. Only a few
    /// slices of the result are unpacked at a time. Parts of flat queues begin at a multiple of 1024 values.
    void add_part(const Tensor& golden, std::int64_t first, std::int64_t z, const Unpack& actual);

    struct Result {
        bool pass = true;         ///< passes in one of the two forms
        bool strict_pass = true;  ///< with all values
        bool judged = true;
        std::int64_t entries = 0, elements = 0, failed_tiles = 0, tiles = 0;  ///< elements, tiles: compared
        std::int64_t undefined = 0;  ///< elements that golden does not determine
        double pcc = 1;              ///< over all compared elements of all entries
        bool constant = false;       ///< one side is constant, so that pcc means nothing
        double max_error = 0;        ///< largest |a-b|
        double max_rel_error = 0;    ///< largest |a-b| / max(|a|, |b|, atol)
        double share_within = 1;     ///< fraction of compared elements with |a-b| <= atol + rtol*max(|a|,|b|)
        std::string first_failure;   ///< with all values: "entry 0, z 1, tile (2,3): pcc 0.81 < 0.99"
        /// The vendor's form; 0 tiles if it does not apply: exact rules, flat queues, small tiles, raw formats.
        std::int64_t vendor_tiles = 0, vendor_failed_tiles = 0;
        double vendor_pcc = 1;  ///< lowest PCC of a tile
        /// Nothing was compared, since golden has no finite values.
        bool all_undefined() const { return elements == 0 && undefined > 0; }
    };
    Result result() const;
    std::int64_t failed_tiles() const { return result_.failed_tiles; }
    std::int64_t undefined() const { return result_.undefined; }
    /// Appends a comparison of later entries under the same rule.
    void join(const QueueComparison& later);

private:
    struct Sums {
        double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
        void join(const Sums& other);
    };
    /// Statistics of a tile or run: sums of finite pairs, and the number of matching elements.
    struct Piece {
        Sums sums;
        std::int64_t elements = 0, within = 0, undefined = 0;
        bool broken = false;  ///< a NaN or infinity that does not match
        void join(const Piece& other);
    };
    void add_tiles(ConstMatrixView golden, ConstMatrixView actual, std::int64_t z);
    void add_runs(std::span<const float> golden, const Tensor& actual, std::int64_t first);
    void add_row(const float* golden, const float* actual, std::int64_t count, double atol, Piece& piece);
    bool add_finite(const float* golden, const float* actual, std::int64_t count, double atol, Piece& piece);
    void add_special(float golden, float actual, double atol, Piece& piece);
    bool undefined(float golden, float actual) const;
    template <class Place>
    void finish(const Piece& piece, Place&& place);
    void finish_vendor_form(Piece vendor_piece);
    std::string failure(const Piece& piece) const;
    static std::pair<bool, bool> constant_sides(const Sums& sums);
    static double correlation(const Sums& sums);

    Comparison rule_;
    TileDim tile_;
    ComparedPart part_;
    std::int64_t row_first_, row_end_, col_first_, col_end_;  ///< compared part of every tile
    std::int64_t vendor_row_end_ = 0, vendor_col_end_ = 0;    ///< end of the vendor's loops; 0: form does not apply
    Result result_;
    Sums total_;
    std::int64_t within_ = 0;
    std::int64_t failed_entry_ = 0;  ///< entry of result_.first_failure, which result() adds to the text
};

/// The rule for an output queue: the netlist's comparison-config with its overrides; otherwise AllCloseHw with atol
/// 0.01 and the loosest tolerances of all ops that contribute to the output. With more than 10 ops at most 0.15 / 0.5 /
/// 0.92. `strict`: additionally PCC >= 0.999 (Float32) or 0.99 (16 bit and Bfp8, HiFi3 and up).
struct ComparisonRule {
    Comparison comparison;
    double strict_pcc = 0;      ///< 0: none
    bool from_netlist = false;  ///< the user's own rule
    std::string source;         ///< "comparison-config", "usual tolerance of matmul Bfp8_b", ...
};
ComparisonRule comparison_for(const Netlist& resolved, const Queue& output, bool strict);
/// The rule of --numerics float32: every element within 1e-4 of the larger value or of the RMS of golden's tile, and
/// PCC 0.99999 over all compared elements.
Comparison float32_comparison();
/// The compared part of an output queue, from the op that computed the values, skipping copies. If io-config lists
/// outputs, other queues only have statistics.
ComparedPart compared_part(const Netlist& resolved, const Queue& output);
/// Op-fed queues and rams that no graph reads or that io-config lists.
std::vector<const Queue*> reported_outputs(const Netlist& resolved);
/// Names in io-config's outputs that are not op-fed queues of the netlist.
std::vector<std::string> unknown_outputs(const Netlist& resolved);

/// Rule and compared part for the result of a single op.
ComparisonRule comparison_for_op(const OpConfig& op);
ComparedPart compared_part_of(const OpConfig& op);

}  // namespace ttsim::impl
