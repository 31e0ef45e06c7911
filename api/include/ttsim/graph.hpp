// A model, made node by node, or read from ONNX or text; compile() of ttsim/model.hpp takes it.
//
//   Graph graph;
//   Value x = graph.input("x", {32, 64}), w = graph.constant("w", weights);
//   graph.output("y", graph.add("relu", {graph.add("matmul", {x, w})}));
//
// Every function throws Error(Input) for what does not fit: names given twice, operands and attributes that an op does
// not take, shapes that do not go together.
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

struct OpInfo {
    std::string name;
    std::size_t min_operands = 0, max_operands = 0;
};
/// The ops that a model may be made of.
TTSIM_API std::vector<OpInfo> model_ops();

class TTSIM_API Graph {
public:
    /// What a node gives, in the graph that gave it.
    struct Value {
        std::size_t id = 0;
    };
    using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>;
    using Attributes = std::map<std::string, Attribute>;

    Graph();
    ~Graph();
    Graph(Graph&&) noexcept;
    Graph& operator=(Graph&&) noexcept;

    /// Throws Error(Input, Unsupported) with every node that cannot be compiled. `shapes`: of inputs that leave theirs
    /// open. `name` stands for the model in messages.
    using Shapes = std::map<std::string, std::vector<std::int64_t>>;
    static Graph from_onnx_file(const std::string& path, const Shapes& shapes = {});
    static Graph from_onnx(const std::string& bytes, const std::string& name, const Shapes& shapes = {});
    /// The text form: "%y = add %x, %w" and so on.
    static Graph from_text(const std::string& text, const std::string& name = "graph");
    std::string text() const;

    Value input(const std::string& name, std::vector<std::int64_t> shape, ElementType type = ElementType::F32);
    /// A weight under its name, or a number without one. What is computed of constants alone is so when the graph is
    /// compiled; Model::set_parameter() computes it anew.
    Value constant(const std::string& name, const Array& value);
    Value number(float value);
    /// An op of model_ops() with its operands. `name`: what ops of the netlist are named for; "": the op.
    Value add(const std::string& op, const std::vector<Value>& operands, const Attributes& attributes = {},
              const std::string& name = "");
    void output(const std::string& name, Value value);

    ArrayInfo info(Value value) const;  ///< name, type and shape
    std::vector<ArrayInfo> inputs() const;
    std::vector<ArrayInfo> outputs() const;

    struct Impl;
    const Impl& impl() const { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim
