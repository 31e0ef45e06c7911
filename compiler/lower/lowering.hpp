// From model tensors to device tensors: the last two axes become rows and columns, all before them slices; rows and
// columns are filled up to whole tiles. Fill elements are tracked, so that a sum never takes in a wrong one.
#pragma once

#include <functional>
#include <optional>

#include "compiler/ir/derivation.hpp"
#include "compiler/ir/format_rules.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/lower/pad_range.hpp"

namespace ttsim::impl::ir {

struct Form {
    std::int64_t z = 1, rows = 1, cols = 1;
    std::int64_t more_rt = 0, more_ct = 0;  ///< tiles beyond those that rows and columns need (tiling.hpp)
    std::int64_t rt() const { return (rows + 31) / 32 + more_rt; }
    std::int64_t ct() const { return (cols + 31) / 32 + more_ct; }
    std::int64_t full_rows() const { return rt() * 32; }
    std::int64_t full_cols() const { return ct() * 32; }
    bool fills_rows() const { return rows == full_rows(); }
    bool fills_cols() const { return cols == full_cols(); }
    friend bool operator==(const Form&, const Form&) = default;
};
Form form_of(const Dims& dims);
/// Of a table on the device whose rows fill their tiles.
inline Form tall_form(std::int64_t z, std::int64_t rows, const Form& columns_of) {
    return {z, rows, columns_of.cols, 0, columns_of.more_ct};
}

/// The same with the tiles that a padding adds.
Form padded_form(const Dims& dims, const TilePadding& padding);

/// A model value on the device.
struct Matrix {
    Edge edge;  ///< its tensor and the TMs that bring it into form
    Form form;
    PadRange row_pad, col_pad;  ///< of the rows past the last, of the columns past the last
};

/// Rows of a sparse matrix: for each the columns that are not zero, with their weights.
struct SparseRows {
    std::vector<std::vector<std::pair<std::int64_t, double>>> rows;
    bool ones = true;  ///< all weights are 1
    std::int64_t widest() const;
};

/// The same in one tensor: the operands of buda.sparse.
struct SparseIndex {
    Literal columns;                 ///< i32 [rows, most of a row], -1: no more
    std::optional<Literal> weights;  ///< of the same size; all 1 without them
    double heaviest = 1;             ///< most that the weights of a row sum up to
};

/// Of what constant something is laid out, and how: all that it depends on besides. None: made each time.
struct Source {
    const Literal* of = nullptr;
    std::string how{};
};

/// R[j][c][d] of a gather_sum.
struct TermWeights {
    std::int64_t terms = 1, in = 1, out = 1;
    std::function<double(std::int64_t j, std::int64_t c, std::int64_t d)> at;
    /// The same for all d at once, where that is less work: writes what is not 0.
    std::function<void(std::int64_t j, std::int64_t c, float* row)> row{};
    /// Nothing outside the tiles on the diagonal is other than 0.
    bool tile_diagonal = false;
    /// Of a constant: the index of its element that at() gives; negative: 0.
    const Node* constant = nullptr;
    std::function<std::int64_t(std::int64_t j, std::int64_t c, std::int64_t d)> index{};
    Source source{};
};

class Lowering {
public:
    /// `trial`: to see which ops are made if parameters are far from 0; constants stay empty.
    Lowering(const Graph& model, Graph& device, const PassOptions& options, bool trial = false)
        : model_(model),
          build_(device, model),
          options_(options),
          trial_(trial),
          padding_(usable_padding(model, options.tiling.padding)) {}
    void run();
    /// A parameter stands in filling elements, which decide what is made.
    bool repeats_parameters() const { return repeats_parameters_; }

private:
    using Fill = std::function<double(std::int64_t z, std::int64_t r, std::int64_t c)>;
    using Index = std::function<std::int64_t(std::int64_t z, std::int64_t r, std::int64_t c)>;
    using FillRow = std::function<void(std::int64_t z, std::int64_t r, float* row)>;

    // lowering.cpp
    static TilePadding usable_padding(const Graph& model, TilePadding padding);
    void lower(ValueId id);
    bool only_pooled(ValueId id) const;
    bool repeats(const Node& node) const;
    void add_input(const Node& node);
    void add_output(const Output& output);
    /// Of a value of the model.
    Form form_of(const Dims& dims) const { return padded_form(dims, padding_); }
    Matrix& operand(ValueId id);  ///< constants are brought to the device as they are
    Matrix emit(const std::string& op, std::vector<Edge> inputs, Attrs attrs, Form form, PadRange rows, PadRange cols);
    ValueId matrix(const Form& form, const Fill& fill, const Source& source = {});
    ValueId matrix_of_rows(const Form& form, const FillRow& fill, const Source& source = {});
    Literal laid_out(const Form& form, const FillRow& fill) const;  ///< rows at the same time: from several threads
    ValueId matrix_of(const Literal& literal, const Form& form);    ///< its elements as they are
    ValueId matrix_on_trial(const Form& form);                      ///< of that size, with no values
    /// Multiplied by 0 in the filling columns (or rows), if anything else may stand there.
    Matrix clean(const Matrix& x, bool columns);
    Matrix bounded(const Matrix& x, bool columns);
    const Node& node() const { return model_.nodes[now_]; }
    void check_size(std::int64_t elements) const;
    /// Elements by index, and 0 around them.
    static Derivation::Placement filled_placement(const Form& form, Index index);
    /// `made` holds the elements of a constant, each where the placement says.
    Derivation& derived_from(ValueId made, const Node& constant, Derivation::Placement placement);

    // lower_elementwise.cpp
    Matrix unary(const Node& node);
    std::vector<Matrix> spread_operands(const Node& node);
    Matrix round_int8(const Node& node);
    Matrix binary(const Node& node);
    Matrix spread_constant(const Node& constant, const Dims& to);
    PadRange fill_of_parameter(const Literal& literal, PadRange range, Derivation& made);
    Matrix spread_slices(Matrix x, std::int64_t z);

    // lower_products.cpp
    Matrix product(const Node& node);
    Matrix map_axis(const Node& node);
    Matrix map_rows(const Matrix& x, Form to, ValueId left, double weight);
    Matrix map_columns(const Matrix& x, Form to, const Literal& m);
    bool over_slices(const Node& reduce_max) const;
    bool pools(const Node& node) const;
    Matrix reduce_max(const Node& node);

    // lower_picks.cpp
    SparseIndex indexed(const SparseRows& rows) const;
    Matrix sparse(const Matrix& tall, SparseIndex index, std::int64_t t);
    std::int64_t streaming(std::int64_t rt, std::int64_t ct, std::int64_t terms) const;
    Matrix whole_sparse(const Matrix& tall, SparseIndex index);
    Matrix gather_rows(const Matrix& x, const Literal& picks, std::int64_t full, std::int64_t blocks);
    Matrix side_by_side(Matrix picked, std::int64_t terms, Form to);
    Matrix pool_max(const Node& picks, Form to);
    ValueId term_matrix(const Form& form, std::int64_t full, const TermWeights& weights);
    Matrix pick_product(const Matrix& x, Form to, const Literal& picks, const TermWeights& weights);
    Matrix depthwise(const Matrix& wide, Form to, std::int64_t terms, const TermWeights& weights);
    Matrix gather_sum(const Node& node);
    Matrix picked(const Node& node);
    std::optional<Matrix> sparse_map(const Matrix& x, Form to, std::int64_t step, std::int64_t outs, const Literal& m,
                                     bool leading);

    // lower_moves.cpp
    Matrix transpose(const Node& node);
    Matrix reshape(const Node& node);
    Matrix regrouped(const Matrix& x, Form to, const GatherMap& picks);
    Matrix slice_or_stack(const Node& node);
    Matrix stacked(const Matrix& x);   ///< all slices below each other
    Matrix sliced(Matrix x, Form to);  ///< and back

    const Graph& model_;
    Builder build_;
    const PassOptions& options_;
    bool trial_ = false, repeats_parameters_ = false;
    TilePadding padding_;
    std::map<ValueId, Matrix> done_;
    ValueId now_ = 0;
};

inline Tm make_tm(Tm::Kind kind, std::int64_t n = 1) {
    Tm tm;
    tm.kind = kind;
    tm.n = n;
    return tm;
}

}  // namespace ttsim::impl::ir
