// Adds nodes to a graph: types are inferred, constants folded, names made.
#pragma once

#include <optional>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/op_table.hpp"

namespace ttsim::impl::ir {

/// The value of a node whose operands are known, where it has one.
using HostValue = std::optional<Literal> (*)(const Node& node, std::span<const Literal* const> in);

class Builder {
public:
    explicit Builder(Graph& graph) : graph_(graph) {}
    /// `source`: what the graph is made of. Its constants are given.
    Builder(Graph& graph, const Graph& source);

    /// Nodes added from here on come from this node of the model.
    void set_origin(const std::string& origin) { origin_ = origin; }
    const std::string& origin() const { return origin_; }
    void set_loc(const SourceLoc& loc) { loc_ = loc; }
    /// Nodes that constants cannot be folded through get their values from here; nullptr: they stay nodes.
    void set_host_value(HostValue value) { host_value_ = value; }
    /// Nodes added from here on are part of this composite op.
    void set_kind(const std::string& kind) { kind_ = kind; }

    ValueId add_edges(const std::string& op, std::vector<Edge> inputs, Attrs attrs = {},
                      std::optional<DataFormat> format = std::nullopt);
    ValueId add(const std::string& op, const std::vector<ValueId>& inputs, Attrs attrs = {});
    ValueId input(const std::string& name, Type type);
    /// What `make` gives, once for the same constants while the model is compiled (made_constants.hpp).
    Literal made(const std::string& how, std::span<const Literal* const> of,
                 const std::function<Literal()>& make) const;
    ValueId constant(Literal literal);  ///< throws Error(Unsupported) when those made fill the memory
    ValueId given(Literal literal);     ///< one that stands in a file
    ValueId device_constant(Literal literal, DataFormat format);  ///< dims {z, rows, cols}, multiples of a tile
    ValueId scalar(double value, DType dtype = DType::F32) { return constant(Literal::scalar(dtype, value)); }
    ValueId integer(std::int64_t value, DType dtype = DType::I64);  ///< exactly
    ValueId copy(const Node& node, std::vector<Edge> inputs);       ///< as it is, with other operands

    // shorthands of the model level
    ValueId reshape(ValueId x, Dims dims);
    ValueId transpose(ValueId x, std::vector<std::int64_t> perm);
    ValueId map_axis(ValueId x, std::int64_t axis, Literal matrix);  ///< the identity adds nothing
    /// x divided by a number of elements; integers towards 0.
    ValueId averaged(ValueId x, std::int64_t count);
    /// x in the reverse order: floats with the other sign; integers, of which the least has no other sign, as c - x.
    ValueId reversed(ValueId x);
    ValueId reduce_sum(ValueId x, std::int64_t axis);  ///< keeps the axis
    ValueId broadcast_to(ValueId x, Dims dims);
    ValueId cast(ValueId x, DType to);

    const Type& type(ValueId id) const { return graph_.nodes[id].type; }
    Dims dims(ValueId id) const { return graph_.nodes[id].type.dims; }
    const Literal* literal(ValueId id) const { return graph_.nodes[id].literal.get(); }  ///< nullptr: no constant
    Graph& graph() { return graph_; }
    const Graph& graph() const { return graph_; }

private:
    ValueId push(Node node);
    ValueId place(Literal literal);
    std::string fresh(const std::string& stem);
    [[noreturn]] void fail_made() const;
    std::string unused(const std::string& clean);  ///< it, or with a number behind it
    /// The result when all operands are known and it is worth the time and the memory.
    void narrow_filled(std::vector<Edge>& operands);
    std::optional<Literal> folded(const Node& node, const OpInfo& info);

    Graph& graph_;
    std::string origin_, kind_;
    HostValue host_value_ = nullptr;
    SourceLoc loc_;
    std::map<std::string, int> names_;
    std::size_t known_ = 0;                           // nodes whose names are in names_
    std::int64_t made_ = 0, given_ = 0, worked_ = 0;  // elements of constants; steps of folding
    std::map<std::string, std::int64_t> made_of_;     // by origin
};

/// f32 zeros. Throws Error(Unsupported) for a matrix that would fill the memory.
Literal zero_matrix(std::int64_t rows, std::int64_t cols, const SourceLoc& loc = {}, const std::string& who = "");
Literal identity(std::int64_t n);
bool is_identity(const Literal& matrix);
/// Whether a transpose moves no element: the axes that are not of size 1 keep their order.
bool keeps_order(const Dims& dims, const std::vector<std::int64_t>& perm);

}  // namespace ttsim::impl::ir
