// A model as a graph of ops, built node by node, or read from ONNX or text. compile() in ttsim/model.hpp compiles it.
//
//   Graph graph;
//   Value x = graph.input("x", {32, 64}), w = graph.constant("w", weights);
//   graph.output("y", graph.add("relu", {graph.add("matmul", {x, w})}));
//
// Every function throws Error(Input) for invalid arguments: duplicate names, operands or attributes that an op does not
// accept, incompatible shapes.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <ttsim/array.hpp>
#include <ttsim/errors.hpp>
#include <ttsim/export.hpp>

namespace ttsim {

/// Name and range of the number of operands of an op.
struct OpInfo {
    std::string name;
    std::size_t min_operands = 0, max_operands = 0;
};
/// The ops that a model may contain.
TTSIM_API std::vector<OpInfo> model_ops();

/// A graph of ops with typed values. Movable, not copyable.
class TTSIM_API Graph {
public:
    /// The result of a node. Valid only in the graph that returned it.
    struct Value {
        std::size_t id = 0;
    };
    using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>;
    using Attributes = std::map<std::string, Attribute>;

    Graph();
    ~Graph();
    Graph(Graph&&) noexcept;
    Graph& operator=(Graph&&) noexcept;

    /// Reads an ONNX model. `shapes`: shapes of inputs whose shape the model leaves open, by name. `name`: name of the
    /// model in messages. Throws Error(Input, Unsupported) that lists every node that cannot be compiled.
    using Shapes = std::map<std::string, std::vector<std::int64_t>>;
    static Graph from_onnx_file(const std::string& path, const Shapes& shapes = {});
    static Graph from_onnx(const std::string& bytes, const std::string& name, const Shapes& shapes = {});
    /// Parses the text form: "%y = add %x, %w" and so on.
    static Graph from_text(const std::string& text, const std::string& name = "graph");
    std::string text() const;  ///< the text form

    /// Adds an input of a fixed shape.
    Value input(const std::string& name, std::vector<std::int64_t> shape, ElementType type = ElementType::F32);
    /// Adds a constant (a weight) with a name. Ops on constants only are folded when the graph is compiled;
    /// Model::set_parameter() recomputes them.
    Value constant(const std::string& name, const Array& value);
    Value constant(const std::string& name, Array&& value);  ///< without a copy
    Value number(float value);                               ///< adds a scalar constant without a name
    /// Adds an op of model_ops(). `name`: base of the names of its ops in the netlist; "": the name of the op.
    Value add(const std::string& op, const std::vector<Value>& operands, const Attributes& attributes = {},
              const std::string& name = "");
    void output(const std::string& name, Value value);  ///< declares an output

    ArrayInfo info(Value value) const;      ///< name, type and shape
    std::vector<ArrayInfo> inputs() const;  ///< in the order of their creation
    std::vector<ArrayInfo> outputs() const;

    struct Impl;
    const Impl& impl() const { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim
