// The compiler's graph: values in order of computation, each a result of one node.
//
//   model level   tensors of any rank; ops of op_table.cpp such as conv, softmax, matmul
//   device level  ops of the device (op::buda::*) on {z, rt, ct} tiles; edges may carry TMs
//
// Text form: graph_text.cpp. Passes: pass.hpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compiler/ir/literal.hpp"
#include "generated/attribute_constants.hpp"
#include "generated/op_constants.hpp"
#include "netlist/tm.hpp"

namespace ttsim::impl::ir {

using ValueId = std::size_t;
struct Node;
std::string types_text(const Node& node);  ///< of all results, as in the text of a graph

struct Edge {
    ValueId value = 0;
    std::vector<Tm> tms;
    friend bool operator==(const Edge&, const Edge&) = default;
};

struct Derivation;       // compiler/ir/derivation.hpp
class DerivedConstants;  // compiler/ir/derived_constants.hpp

/// The program that a node belongs to.
enum class Phase : std::uint8_t { Forward, Backward, Optimizer };

struct Node {
    std::string name;          ///< of its value, unique in the graph
    OpId op;                   ///< of op_table.cpp
    std::vector<Edge> inputs;  ///< always earlier nodes
    Attrs attrs;
    Type type;
    LiteralPtr literal;  ///< op::constant
    std::string origin;  ///< node of the model it is derived from
    std::string kind;  ///< composite op it was part of, such as softmax; "broadcast" for a repeated element; "" = none
    SourceLoc loc;     ///< position in a text
    /// For constants: how it is derived from the model's constants; null if unknown or not tracked.
    std::shared_ptr<const Derivation> derivation{};
    Phase phase = Phase::Forward;
    LiteralPtr initial{};  ///< of a parameter: its value before the first step
    /// Types of the results after the first. The node itself is its first result; `result` nodes name the others.
    std::vector<Type> more_types{};

    bool is_constant() const { return op == op::constant; }
    bool is_input() const { return op == op::input; }
    /// An input whose value stays on the device between programs, and which the optimizer replaces.
    bool is_parameter() const { return is_input() && initial != nullptr; }
    /// Whether it names a further result of its operand: that of its attribute `index`, counted from the first as 0.
    bool is_result() const { return op == op::result; }
    /// The value of an attribute: node.get(attr::axis). Without one: the default of the op (compiler/ops/ops.toml).
    template <class T>
    T get(Attribute<T> attribute) const {
        return value_of(attrs, op, attribute);
    }
    template <class T>
    bool has(Attribute<T> attribute) const {
        return ir::has(attrs, attribute);
    }
    template <class T>
    void set(Attribute<T> attribute, std::type_identity_t<T> value) {
        ir::set(attrs, attribute, std::move(value));
    }
    template <class T>
    void erase(Attribute<T> attribute) {
        ir::erase(attrs, attribute);
    }
};

struct Output {
    std::string name;  ///< name in the model
    ValueId value = 0;
    std::optional<Type> type;  ///< type in the model, when `value` is on the device
    friend bool operator==(const Output&, const Output&) = default;
};

struct Graph {
    std::vector<Node> nodes;
    std::vector<Output> outputs;
    /// Cache of derived constants, shared with graphs lowered from this one; null: no cache.
    std::shared_ptr<DerivedConstants> derived_constants{};

    /// An empty graph for the result of a pass, with the same cache.
    Graph next() const {
        Graph graph;
        graph.derived_constants = derived_constants;
        return graph;
    }
    const Type& type(ValueId id) const { return nodes[id].type; }
    /// Erases nodes whose results are unused, except inputs. Returns how many.
    std::size_t erase_unused();
    /// Throws Error(Internal) when the order, an arity, a type, a name or a phase is wrong.
    void verify() const;
    std::vector<std::size_t> use_counts() const;  ///< reads of each value, outputs included
};
/// Errors that a text can have: values that a program reads before they are computed, and parameters that no optimizer
/// replaces, or several values do.
void check_programs(const Graph& graph, Diagnostics& problems);
std::string_view to_string(Phase phase);     ///< "forward", "backward", "optimizer"
bool equal(const Graph& a, const Graph& b);  ///< compares names, ops, types and values, not source positions

/// Throws Error(Input) with every problem of the text.
Graph parse_graph(const std::string& text, const std::string& file);
/// Constants of more than `elide` elements are printed as a size only, which cannot be read back; 0: never.
std::string print_graph(const Graph& graph, std::int64_t elide = 0);

}  // namespace ttsim::impl::ir
