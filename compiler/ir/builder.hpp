// Adds nodes to a graph: infers types, folds constants and makes unique names.
#pragma once

#include <optional>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/op_table.hpp"

namespace ttsim::impl::ir {

/// The values of all results of a node with constant operands; empty if the host has none.
using HostValues = std::vector<Literal> (*)(const Node& node, std::span<const Literal* const> in);

class Builder {
public:
    explicit Builder(Graph& graph) : graph_(graph) {}
    /// `source`: the graph that is transformed. Its constants count as the model's for the limit of constant().
    Builder(Graph& graph, const Graph& source);

    /// Node of the model that nodes added from here on are derived from.
    void set_origin(const std::string& origin) { origin_ = origin; }
    const std::string& origin() const { return origin_; }
    /// Program of the nodes added from here on.
    void set_phase(Phase phase) { phase_ = phase; }
    void set_loc(const SourceLoc& loc) { loc_ = loc; }
    /// Evaluates ops that have no `eval`. With nullptr such ops stay nodes.
    void set_host_values(HostValues values) { host_values_ = values; }
    /// Whether ops on constants are evaluated at once.
    void set_folding(bool folds) { folds_ = folds; }
    /// Composite op that nodes added from here on are part of.
    void set_kind(const std::string& kind) { kind_ = kind; }

    ValueId add_edges(OpId op, std::vector<Edge> inputs, Attrs attrs = {},
                      std::optional<DataFormat> format = std::nullopt);
    ValueId add(OpId op, const std::vector<ValueId>& inputs, Attrs attrs = {});
    /// A further result of a node with several: 1 is the one after the first.
    ValueId result(ValueId node, std::int64_t index);
    /// For a rule that replaces a node with several results: the first one by `first`, and the others by `more`.
    void set_results(ValueId first, std::vector<ValueId> more) { results_[first] = std::move(more); }
    ValueId input(const std::string& name, Type type);
    /// The result of `make`, computed once for the same constants during a compilation (derived_constants.hpp).
    Literal cached(const std::string& how, std::span<const Literal* const> of, const std::function<Literal()>& make,
                   std::int64_t elements = 0) const;
    ValueId constant(Literal literal);        ///< throws Error(Unsupported) when derived constants exceed the limit
    ValueId model_constant(Literal literal);  ///< a constant from a file
    ValueId device_constant(Literal literal, DataFormat format);  ///< dims {z, rows, cols}, multiples of a tile
    ValueId scalar(double value, DType dtype = DType::F32) { return constant(Literal::scalar(dtype, value)); }
    ValueId integer(std::int64_t value, DType dtype = DType::I64);  ///< not rounded
    ValueId copy(const Node& node, std::vector<Edge> inputs);       ///< the same node with other operands

    // shorthands for model-level ops
    ValueId reshape(ValueId x, Dims dims);
    ValueId transpose(ValueId x, std::vector<std::int64_t> perm);
    ValueId map_axis(ValueId x, std::int64_t axis, Literal matrix);  ///< adds no node for the identity
    /// x divided by a number of elements; integers round towards 0.
    ValueId mean_of(ValueId x, std::int64_t count);
    /// A value that orders the other way: -x for floats, and (least + most) - x for integers, since the least integer
    /// has no negative.
    ValueId reversed(ValueId x);
    ValueId reduce_sum(ValueId x, std::int64_t axis);  ///< keeps the axis
    ValueId broadcast_to(ValueId x, Dims dims);
    ValueId cast(ValueId x, DType to);

    const Type& type(ValueId id) const { return graph_.nodes[id].type; }
    Dims dims(ValueId id) const { return graph_.nodes[id].type.dims; }
    const Literal* literal(ValueId id) const { return graph_.nodes[id].literal.get(); }  ///< nullptr: not a constant
    Graph& graph() { return graph_; }
    const Graph& graph() const { return graph_; }

private:
    ValueId push(Node node);
    ValueId add_constant_node(Literal literal);
    std::string unique_name(const std::string& stem);
    [[noreturn]] void fail_too_many_constants() const;
    std::string uniquify(const std::string& clean);  ///< `clean`, or `clean` with a number appended
    /// Replaces constants with one value by scalars where other operands cover their dims. A scalar takes less memory.
    void narrow_splats(std::vector<Edge>& operands);
    /// The results when all operands are constants and folding is within the limits of time and memory; else empty.
    std::vector<Literal> folded(const Node& node, const OpInfo& info);

    Graph& graph_;
    std::string origin_, kind_;
    Phase phase_ = Phase::Forward;
    HostValues host_values_ = nullptr;
    bool folds_ = true;
    SourceLoc loc_;
    std::map<std::string, int> names_;
    std::size_t named_nodes_ = 0;                             // how many nodes have their names in names_
    std::int64_t derived_elements_ = 0, model_elements_ = 0;  // of constants
    std::int64_t folding_steps_ = 0;
    std::map<std::string, std::int64_t> elements_by_origin_;
    std::map<ValueId, std::vector<ValueId>> results_;  // of set_results()
};

Literal zero_matrix(std::int64_t rows, std::int64_t cols, const SourceLoc& loc = {}, const std::string& who = "");
Literal identity(std::int64_t n);
bool is_identity(const Literal& matrix);
/// Whether a transpose moves no element: axes of a size other than 1 keep their order.
bool keeps_order(const Dims& dims, const std::vector<std::int64_t>& perm);

}  // namespace ttsim::impl::ir
