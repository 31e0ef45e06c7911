// Lowers model tensors to device tensors. The last two axes become rows and columns, all others slices. Rows and
// columns are padded to full tiles. The range of padding values is tracked, so that padding never enters a sum.
#pragma once

#include <functional>
#include <optional>

#include "compiler/ir/derivation.hpp"
#include "compiler/ir/format_rules.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/lower/pad_range.hpp"

namespace ttsim::impl::ir {

/// The shape of a tensor on the device: slices, rows and columns.
struct Form {
    std::int64_t z = 1, rows = 1, cols = 1;
    std::int64_t more_rt = 0, more_ct = 0;  ///< additional tiles of rows and columns (tiling.hpp)
    std::int64_t rt() const { return (rows + tile_edge - 1) / tile_edge + more_rt; }
    std::int64_t ct() const { return (cols + tile_edge - 1) / tile_edge + more_ct; }
    std::int64_t full_rows() const { return rt() * tile_edge; }
    std::int64_t full_cols() const { return ct() * tile_edge; }
    bool fills_rows() const { return rows == full_rows(); }
    bool fills_cols() const { return cols == full_cols(); }
    friend bool operator==(const Form&, const Form&) = default;
};
Form form_of(const Dims& dims);
/// Form of a table whose rows fill their tiles, with the columns of another form.
inline Form tall_form(std::int64_t z, std::int64_t rows, const Form& columns_of) {
    return {z, rows, columns_of.cols, 0, columns_of.more_ct};
}

/// form_of() with the additional tiles of a padding.
Form padded_form(const Dims& dims, const TilePadding& padding);

/// A model value on the device.
struct Matrix {
    Edge edge;  ///< its tensor and the TMs that yield the form
    Form form;
    PadRange row_pad, col_pad;  ///< values of padding rows, of padding columns
};

/// A sparse matrix: for each row the nonzero columns with their weights.
struct SparseRows {
    std::vector<std::vector<std::pair<std::int64_t, double>>> rows;
    bool ones = true;  ///< all weights are 1
    std::int64_t widest() const;
};

/// A sparse matrix as the operands of buda.sparse.
struct SparseIndex {
    Literal columns;                 ///< i32 [rows, width of the longest row], filled up with -1
    std::optional<Literal> weights;  ///< of the same size; nullopt: all are 1
    double max_weight = 1;           ///< largest sum of the magnitudes of a row's weights
};

/// Cache key of a constant's layout on the device: the constant, if there is one, and a text with all else that the
/// layout depends on. Without a text the layout is not cached.
struct LayoutKey {
    const Literal* constant = nullptr;
    std::string layout{};
};

/// Weights R[j][c][d] of a gather_sum.
struct TermWeights {
    std::int64_t terms = 1, in = 1, out = 1;
    std::function<double(std::int64_t j, std::int64_t c, std::int64_t d)> at;
    /// Optional fast path for all d at once: writes the nonzero weights.
    std::function<void(std::int64_t j, std::int64_t c, float* row)> row{};
    /// All weights outside the diagonal tiles are 0.
    bool tile_diagonal = false;
    /// If the weights are a constant: `index` maps to the element that at() returns; negative: 0.
    const Node* constant = nullptr;
    std::function<std::int64_t(std::int64_t j, std::int64_t c, std::int64_t d)> index{};
    LayoutKey key{};
};

class Lowering {
public:
    /// `trial`: finds the ops needed when parameters are far from 0; constants stay empty.
    Lowering(const Graph& model, Graph& device, const PassOptions& options, bool trial = false)
        : model_(model),
          build_(device, model),
          options_(options),
          trial_(trial),
          padding_(usable_padding(model, options.tiling.padding)) {}
    void run();
    /// Whether parameters occur in padding, whose values decide which ops are needed.
    bool repeats_parameters() const { return repeats_parameters_; }

private:
    using Index = std::function<std::int64_t(std::int64_t z, std::int64_t r, std::int64_t c)>;
    using FillRow = std::function<void(std::int64_t z, std::int64_t r, float* row)>;

    // lowering.cpp
    static TilePadding usable_padding(const Graph& model, TilePadding padding);
    void lower(ValueId id);
    bool read_by_max_pools_only(ValueId id) const;
    bool repeats(const Node& node) const;
    void add_input(const Node& node);
    void place_parameter(Node& made, const Node& node, const Form& form);
    Literal stored(const Literal& value, const Form& form) const;
    void add_output(const Output& output);
    /// Form of a model value, with additional tiles.
    Form form_of(const Dims& dims) const { return padded_form(dims, padding_); }
    Matrix& operand(ValueId id);  ///< constants are placed on the device unchanged
    Matrix emit(OpId op, std::vector<Edge> inputs, Attrs attrs, Form form, PadRange rows, PadRange cols);
    /// `fill(z, r, c)`: an element. It is called for each, so it should be inlined.
    template <class Fill>
    ValueId matrix(const Form& form, const Fill& fill, const LayoutKey& key = {}) {
        const FillRow by_row = [&](std::int64_t z, std::int64_t r, float* row) {
            for (std::int64_t c = 0; c < form.cols; ++c) row[c] = static_cast<float>(fill(z, r, c));
        };
        return matrix_of_rows(form, by_row, key);
    }
    ValueId matrix_of_rows(const Form& form, const FillRow& fill, const LayoutKey& key = {});
    /// `fill` writes the elements of a matrix of zeros, in whole tiles.
    ValueId matrix_of_elements(const Form& form, const LayoutKey& key,
                               const std::function<void(float* elements)>& fill);
    /// `make` makes the matrix of this form, unless the key has one.
    ValueId cached_matrix(const Form& form, const LayoutKey& key, const std::function<Literal()>& make);
    Literal fill_rows(const Form& form, const FillRow& fill) const;  ///< several threads fill rows
    ValueId matrix_of(const Literal& literal, const Form& form);     ///< copies its elements
    ValueId trial_matrix(const Form& form);                          ///< a constant of that size without values
    /// Multiplies the padding columns (or rows) by 0 unless they are 0 already.
    Matrix zero_padding(const Matrix& x, bool columns);
    /// zero_padding() unless the padding is bounded.
    Matrix bound_padding(const Matrix& x, bool columns);
    const Node& node() const { return model_.nodes[current_]; }
    void check_size(std::int64_t elements) const;
    /// Elements by index, and 0 in the padding.
    static Derivation::Placement padded_placement(const Form& form, Index index);
    /// `made` holds the elements of a constant at the positions of the placement.
    Derivation& derived_from(ValueId made, const Node& constant, Derivation::Placement placement);

    // lower_elementwise.cpp
    Matrix unary(const Node& node);
    std::vector<Matrix> broadcast_operands(const Node& node);
    Matrix round_int8(const Node& node);
    Matrix binary(const Node& node);
    Matrix broadcast_constant(const Node& constant, const Dims& to);
    PadRange padding_of_parameter(const Literal& literal, PadRange range, Derivation& made);
    Matrix broadcast_slices(Matrix x, std::int64_t z);

    // lower_products.cpp
    Matrix product(const Node& node);
    Matrix map_axis(const Node& node);
    Matrix map_rows(const Matrix& x, Form to, ValueId left, double weight);
    ValueId transposed(const Form& form, const Literal& m);
    Matrix map_columns(const Matrix& x, Form to, const Literal& m);
    bool reduces_slices(const Node& reduce_max) const;
    bool is_max_pool(const Node& node) const;
    Matrix reduce_max(const Node& node);

    // lower_gather.cpp
    SparseIndex indexed(const SparseRows& rows) const;
    Matrix sparse(const Matrix& tall, SparseIndex index, std::int64_t t);
    std::int64_t streaming(std::int64_t rt, std::int64_t ct, std::int64_t terms) const;
    Matrix single_slice_sparse(const Matrix& tall, SparseIndex index);
    Matrix gather_rows(const Matrix& x, const Literal& gather_map, std::int64_t full, std::int64_t blocks);
    Matrix hstack_terms(Matrix picked, std::int64_t terms, Form to);
    Matrix pool_max(const Node& gather, Form to);
    ValueId term_matrix(const Form& form, std::int64_t full, const TermWeights& weights);
    Matrix gather_product(const Matrix& x, Form to, const Literal& gather_map, const TermWeights& weights);
    Matrix depthwise(const Matrix& wide, Form to, std::int64_t terms, const TermWeights& weights);
    Matrix gather_sum(const Node& node);
    Matrix lower_gather_rows(const Node& node);
    Matrix scatter_rows(const Node& node);
    std::optional<Matrix> sparse_map(const Matrix& x, Form to, std::int64_t step, std::int64_t outs, const Literal& m,
                                     bool leading);

    // lower_data_movement.cpp
    Matrix transpose(const Node& node);
    Matrix reshape(const Node& node);
    Matrix permute_rows(const Matrix& x, Form to, const GatherMap& gather_map);
    Matrix slice_or_stack(const Node& node);
    Matrix stacked(const Matrix& x);   ///< all slices as one tall slice
    Matrix sliced(Matrix x, Form to);  ///< the inverse

    const Graph& model_;
    Builder build_;
    const PassOptions& options_;
    bool trial_ = false, repeats_parameters_ = false;
    TilePadding padding_;
    std::map<ValueId, Matrix> done_;
    ValueId current_ = 0;
};

inline Tm make_tm(Tm::Kind kind, std::int64_t n = 1) {
    Tm tm;
    tm.kind = kind;
    tm.n = n;
    return tm;
}

}  // namespace ttsim::impl::ir
