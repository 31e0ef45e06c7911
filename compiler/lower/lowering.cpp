#include "compiler/lower/lowering.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "compiler/ir/legalization_error.hpp"

namespace ttsim::impl::ir {

/// Limit of elements of a matrix that is laid out in tiles. Constants of a model's file may be larger.
static constexpr std::int64_t max_layout_elements = std::int64_t{1} << 29;

Form form_of(const Dims& dims) {
    Form form;
    const std::size_t n = dims.size();
    if (n > 0) form.cols = dims[n - 1];
    if (n > 1) form.rows = dims[n - 2];
    for (std::size_t i = 0; i + 2 < n; ++i) form.z *= dims[i];
    return form;
}

Form padded_form(const Dims& dims, const TilePadding& padding) {
    Form form = form_of(dims);
    form.more_rt = tiles_after(padding, form.rt()) - form.rt();
    form.more_ct = tiles_after(padding, form.ct()) - form.ct();
    return form;
}

/// Removes paddings of axes that hslice or hstack cut, whose tile counts must not change.
TilePadding Lowering::usable_padding(const Graph& model, TilePadding padding) {
    for (const Node& node : model.nodes)
        if (node.op == op::hslice || node.op == op::hstack)
            for (const ValueId id : {node.inputs[0].value, static_cast<ValueId>(&node - model.nodes.data())})
                padding.erase(ttsim::impl::ir::form_of(model.type(id).dims).ct());
    return padding;
}

void Lowering::run() {
    Diagnostics problems;
    std::vector<bool> needed(model_.nodes.size(), false);
    for (const Output& out : model_.outputs) needed[out.value] = true;
    for (ValueId id = model_.nodes.size(); id-- > 0;)
        if (needed[id])
            for (const Edge& in : model_.nodes[id].inputs) needed[in.value] = true;
    for (ValueId id = 0; id < model_.nodes.size(); ++id) {
        current_ = id;
        build_.set_origin(node().origin);
        build_.set_kind(repeats(node()) ? "broadcast" : node().kind);
        build_.set_loc(node().loc);
        build_.set_phase(node().phase);
        if (node().is_input())
            add_input(node());
        else if (needed[id] && !node().is_constant() && !read_by_max_pools_only(id))
            for_origin(node().origin, [&] { lower(id); });
    }
    for (const Output& out : model_.outputs) add_output(out);
    build_.graph().erase_unused();
}

/// Whether a product broadcasts the single element of an axis for an elementwise op.
bool Lowering::repeats(const Node& n) const {
    const OpInfo* composite = find_op(op_named(n.kind));
    if (composite && !composite->elementwise) return false;
    return n.op == op::map_axis &&
           model_.type(n.inputs[0].value).dims[static_cast<std::size_t>(n.get(attr::axis))] == 1;
}

/// Whether a gather_rows is read by max pools only, which gather the rows themselves.
bool Lowering::read_by_max_pools_only(ValueId id) const {
    if (model_.nodes[id].op != op::gather_rows) return false;
    for (const Node& user : model_.nodes)
        for (const Edge& edge : user.inputs)
            if (edge.value == id && !is_max_pool(user)) return false;
    return std::none_of(model_.outputs.begin(), model_.outputs.end(),
                        [&](const Output& out) { return out.value == id; });
}

void Lowering::lower(ValueId id) {
    const Node& n = node();
    if (count(n.type.dims) == 0)
        fail_unsupported(n.loc, "'{}' ({}) has no elements: {}", n.name, n.op, to_string(n.type));
    if (n.op == op::cast)
        done_[id] = operand(n.inputs[0].value);
    else if (n.op == op::matmul)
        done_[id] = product(n);
    else if (n.op == op::map_axis)
        done_[id] = map_axis(n);
    else if (n.op == op::gather_sum)
        done_[id] = gather_sum(n);
    else if (n.op == op::gather_rows)
        done_[id] = lower_gather_rows(n);
    else if (n.op == op::scatter_rows)
        done_[id] = scatter_rows(n);
    else if (n.op == op::reduce_max)
        done_[id] = reduce_max(n);
    else if (n.op == op::transpose)
        done_[id] = transpose(n);
    else if (n.op == op::reshape)
        done_[id] = reshape(n);
    else if (n.op == op::hslice || n.op == op::hstack)
        done_[id] = slice_or_stack(n);
    else if (find_op(n.op) && find_op(n.op)->level == Level::Core)
        done_[id] = n.inputs.size() == 2 ? binary(n) : unary(n);
    else
        fail_unsupported(n.loc, "'{}': op {} must be decomposed before lower-to-buda", n.name, n.op);
}

void Lowering::add_input(const Node& n) {
    const Form form = form_of(n.type.dims);
    if (count(n.type.dims) == 0) fail_unsupported(n.loc, "input '{}' has no elements: {}", n.origin, to_string(n.type));
    // 8-bit integers need more digits than elements of a block float have
    const DataFormat df = is_float(n.type.dtype) ? options_.default_df : wide_format(options_.default_df);
    const ValueId id = build_.input(n.name, {DType::F32, {form.z, form.rt(), form.ct()}, df});
    Node& made = build_.graph().nodes[id];
    made.origin = n.origin;
    copy(attr::part, n.attrs, made.attrs);
    copy(attr::iterations, n.attrs, made.attrs);
    copy(attr::state, n.attrs, made.attrs);
    copy(attr::rows_of, n.attrs, made.attrs);
    copy(attr::first_row, n.attrs, made.attrs);
    copy(attr::row_count, n.attrs, made.attrs);
    made.phase = n.phase;
    if (n.is_parameter()) place_parameter(made, n, form);
    made.set(attr::dims, n.type.dims);
    made.set(attr::dtype, std::string(to_string(n.type.dtype)));
    // the host pads with zeros; a loop's state has the padding of the previous iteration
    constexpr double large = 1e30;
    const PadRange pads = n.has(attr::state) && !n.is_parameter() ? PadRange{-large, large} : PadRange{};
    done_[current_] = {{id, {}}, form, pads, pads};
}

/// A tensor in whole tiles, padded with zeros. It shares elements that need no padding.
Literal Lowering::stored(const Literal& value, const Form& form) const {
    const Dims dims{form.z, form.full_rows(), form.full_cols()};
    if (value.is_filled() && value.at(0) == 0) return Literal::filled(Literal::scalar(DType::F32, 0), dims);
    if (value.dtype() == DType::F32 && !value.is_filled() && value.size() == count(dims)) {
        Literal same = value;
        same.reshape(dims);
        return same;
    }
    const FillRow fill = [&](std::int64_t z, std::int64_t r, float* row) {
        for (std::int64_t c = 0; c < form.cols; ++c)
            row[c] = static_cast<float>(value.at((z * form.rows + r) * form.cols + c));
    };
    return fill_rows(form, fill);
}

/// The initial value of a parameter in whole tiles, padded with zeros.
void Lowering::place_parameter(Node& made, const Node& n, const Form& form) {
    const auto index = [form](std::int64_t z, std::int64_t r, std::int64_t c) {
        return (z * form.rows + r) * form.cols + c;
    };
    made.initial = std::make_shared<Literal>(trial_ ? Literal(DType::F32, {1, 32, 32}) : stored(*n.initial, form));
    if (!n.derivation) return;
    auto derivation = std::make_shared<Derivation>(*n.derivation);
    derivation->placement = padded_placement(form, index);
    made.derivation = std::move(derivation);
}

void Lowering::add_output(const Output& output) {
    build_.set_origin(output.name);
    build_.set_phase(model_.nodes[output.value].phase);
    build_.set_kind("");
    const Type type = model_.type(output.value);
    if (count(type.dims) == 0) fail_unsupported({}, "output '{}' has no elements: {}", output.name, to_string(type));
    const Matrix x = operand(output.value);
    const Node& made = build_.graph().nodes[x.edge.value];
    bool taken = false;
    for (const Output& other : build_.graph().outputs) taken = taken || other.value == x.edge.value;
    ValueId id = x.edge.value;
    if (taken || !x.edge.tms.empty() || made.is_input() || made.is_constant())
        id = build_.add_edges(op::buda::nop, {x.edge}, {}, options_.default_df);
    build_.graph().outputs.push_back({output.name, id, type});
}

Matrix& Lowering::operand(ValueId id) {
    const auto found = done_.find(id);
    if (found != done_.end()) return found->second;
    const Node& n = model_.nodes[id];
    TT_CHECK(n.is_constant(), "'{}' is used before it is lowered", n.name);
    const Form form = form_of(n.type.dims);
    const Literal& literal = *n.literal;
    const auto index = [form](std::int64_t z, std::int64_t r, std::int64_t c) {
        return (z * form.rows + r) * form.cols + c;
    };
    const bool same_layout =
        literal.dtype() == DType::F32 && literal.size() == form.z * form.full_rows() * form.full_cols();
    const ValueId made = same_layout ? matrix_of(literal, form)
                                     : matrix(form, [&](auto z, auto r, auto c) { return literal.at(index(z, r, c)); },
                                              {&literal, "rows"});
    if (n.derivation && form.more_rt + form.more_ct > 0)
        derived_from(made, n, padded_placement(form, index));
    else
        build_.graph().nodes[made].derivation = n.derivation;
    return done_[id] = {{made, {}}, form, {}, {}};
}

Matrix Lowering::emit(OpId op, std::vector<Edge> inputs, Attrs attrs, Form form, PadRange rows, PadRange cols) {
    // padding shares an exponent with real elements of a block and could round them to 0
    const bool needs_wide_format = is_block_float(options_.default_df) && form.cols % 16 != 0 && !cols.is_zero();
    const DataFormat df = needs_wide_format ? wide_format(options_.default_df) : options_.default_df;
    const ValueId id = build_.add_edges(op, std::move(inputs), std::move(attrs), df);
    if (form.fills_rows()) rows = {};
    if (form.fills_cols()) cols = {};
    return {{id, {}}, form, rows, cols};
}

ValueId Lowering::trial_matrix(const Form& form) {
    const ValueId id = build_.device_constant(Literal(DType::F32, {1, tile_edge, tile_edge}), options_.default_df);
    build_.graph().nodes[id].type.dims = {form.z, form.rt(), form.ct()};
    return id;
}

ValueId Lowering::matrix_of_rows(const Form& form, const FillRow& fill, const LayoutKey& key) {
    return cached_matrix(form, key, [&] { return fill_rows(form, fill); });
}

ValueId Lowering::matrix_of_elements(const Form& form, const LayoutKey& key,
                                     const std::function<void(float* elements)>& fill) {
    return cached_matrix(form, key, [&] {
        Literal literal(DType::F32, {form.z, form.full_rows(), form.full_cols()}, max_layout_elements);
        fill(literal.floats().data());
        return literal;
    });
}

ValueId Lowering::cached_matrix(const Form& form, const LayoutKey& key, const std::function<Literal()>& make) {
    const std::int64_t elements = form.z * form.full_rows() * form.full_cols();
    check_size(elements);
    if (trial_) return trial_matrix(form);
    if (key.layout.empty()) return build_.device_constant(make(), options_.default_df);
    const std::string how = fmt::format("{} in {}x{}x{} of {}x{}", key.layout, form.z, form.full_rows(),
                                        form.full_cols(), form.rows, form.cols);
    const std::span of(&key.constant, key.constant ? 1 : 0);
    return build_.device_constant(build_.cached(how, of, make, elements), options_.default_df);
}

Literal Lowering::fill_rows(const Form& form, const FillRow& fill) const {
    Literal literal(DType::F32, {form.z, form.full_rows(), form.full_cols()}, max_layout_elements);
    float* const elements = literal.floats().data();
    constexpr std::int64_t worth_a_thread = 1 << 16;  // elements
    const std::int64_t rows = form.z * form.rows, block = worth_a_thread / std::max<std::int64_t>(form.cols, 1) + 1;
    parallel_for(options_.threads, static_cast<std::size_t>((rows + block - 1) / block), [&](std::size_t n) {
        const std::int64_t first = static_cast<std::int64_t>(n) * block;
        for (std::int64_t i = first; i < std::min(first + block, rows); ++i) {
            const std::int64_t k = i / form.rows, r = i % form.rows;
            fill(k, r, elements + (k * form.full_rows() + r) * form.full_cols());
        }
    });
    return literal;
}

ValueId Lowering::matrix_of(const Literal& literal, const Form& form) {
    check_size(form.z * form.full_rows() * form.full_cols());
    if (trial_) return trial_matrix(form);
    Literal same = literal;
    same.reshape({form.z, form.full_rows(), form.full_cols()});
    return build_.device_constant(std::move(same), options_.default_df);
}

Derivation::Placement Lowering::padded_placement(const Form& form, Index index) {
    return {{form.z, form.full_rows(), form.full_cols()},
            [form, index = std::move(index)](std::int64_t z, std::int64_t r, std::int64_t c) {
                return r < form.rows && c < form.cols ? index(z, r, c) : -1;
            }};
}

Derivation& Lowering::derived_from(ValueId made, const Node& constant, Derivation::Placement placement) {
    auto derivation = std::make_shared<Derivation>(*constant.derivation);
    derivation->placement = std::move(placement);
    Derivation& result = *derivation;
    build_.graph().nodes[made].derivation = std::move(derivation);
    return result;
}

void Lowering::check_size(std::int64_t elements) const {
    if (elements > max_layout_elements)
        fail_unsupported(node().loc, "'{}' ({} of '{}') needs a constant of {} elements; at most {} are allowed",
                         node().name, node().op, node().origin, elements, max_layout_elements);
}

Matrix Lowering::zero_padding(const Matrix& x, bool columns) {
    const std::int64_t real = columns ? x.form.cols : x.form.rows;
    const std::int64_t full = columns ? x.form.full_cols() : x.form.full_rows();
    if (real == full || (columns ? x.col_pad : x.row_pad).is_zero()) return x;
    const ValueId mask =
        columns ? matrix({1, tile_edge, full}, [&](auto, auto, std::int64_t c) { return c < real ? 1.0 : 0.0; })
                : matrix({1, full, tile_edge}, [&](auto, std::int64_t r, auto) { return r < real ? 1.0 : 0.0; });
    Edge edge{mask, {}};
    const std::int64_t along = columns ? x.form.rt() : x.form.ct();
    if (along > 1) edge.tms.push_back(make_tm(columns ? Tm::Kind::BroadcastR : Tm::Kind::BroadcastC, along));
    if (x.form.z > 1) edge.tms.push_back(make_tm(Tm::Kind::BroadcastZ, x.form.z));
    Matrix out = emit(op::buda::multiply, {x.edge, edge}, {}, x.form, x.row_pad, x.col_pad);
    (columns ? out.col_pad : out.row_pad) = {};
    return out;
}

Matrix Lowering::bound_padding(const Matrix& x, bool columns) {
    return (columns ? x.col_pad : x.row_pad).is_bounded() ? x : zero_padding(x, columns);
}

}  // namespace ttsim::impl::ir
