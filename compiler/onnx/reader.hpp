// An ONNX model on its way into the compiler's graph: names, scopes, functions and control flow. Nodes that compute go
// through the rules of importer.hpp.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <set>
#include <span>

#include "compiler/onnx/importer.hpp"
#include "compiler/onnx/read.hpp"

namespace ttsim::impl::ir {

/// What a name stands for: a tensor, a sequence of them, or an optional that holds nothing.
struct NamedValue {
    std::vector<ValueId> items;
    bool sequence = false;
    bool is_tensor() const { return !sequence && items.size() == 1; }
};

/// FunctionProto's attributes with defaults, which protocol buffers of before ONNX 1.13 do not know.
std::vector<onnx::AttributeProto> defaults_of(const onnx::FunctionProto& function);

/// Names of a graph: the model's, a function's or that of a branch or a loop, which sees those around it.
struct Scope {
    const Scope* outer = nullptr;                ///< none: the model, or a function
    std::string prefix;                          ///< of the names of nodes
    std::map<std::string, std::int64_t> opsets;  ///< by domain; "": ONNX's own
    const google::protobuf::RepeatedPtrField<onnx::NodeProto>* nodes = nullptr;
    std::map<std::string, onnx::AttributeProto> arguments;  ///< of a function: its attributes
    std::map<std::string, NamedValue> values;
    std::set<std::string> broken;  ///< of nodes that were refused, which has been said
    int depth = 0;                 ///< functions and graphs around it

    const NamedValue* find(const std::string& name) const;
    bool is_broken(const std::string& name) const;
};

class Reader {
public:
    /// Takes the data of weights out of the model.
    Reader(onnx::ModelProto& model, const std::string& file, const OnnxOptions& options);
    Graph read();

private:
    SourceLoc loc() const { return {file_, 0, 0}; }

    // the model: read.cpp
    void find_opset();
    void check_options();
    bool names_dimension(const std::string& name) const;
    std::optional<std::int64_t> size_of(const onnx::TensorShapeProto::Dimension& dim) const;
    void check_names();
    void free_unread(const onnx::NodeProto& node, ValueId first);
    struct Weight {
        std::optional<Literal> value;
        std::optional<Error> error;  ///< where there is no value
    };
    Weight read_weight(const onnx::TensorProto& tensor) const;
    std::vector<Weight> read_weights();
    void add_initializers(const onnx::GraphProto& graph, Scope& scope, std::vector<Weight> weights);
    void add_inputs();
    Type input_type(const onnx::ValueInfoProto& input) const;
    Literal constant_input(const onnx::ValueInfoProto& input, const Literal& given) const;
    void check_size(const std::string& name, const Dims& dims) const;
    [[noreturn]] void fail_open(const onnx::ValueInfoProto& input) const;
    void add_outputs();

    // a node: read_node.cpp
    void add_node(const onnx::NodeProto& node, Scope& scope);
    bool import(const onnx::NodeProto& node, Scope& scope);
    bool compute(const onnx::NodeProto& node, Scope& scope, ImportRule rule);
    /// The operands; nothing when one of them was refused. A name that is empty has no value.
    std::optional<std::vector<NamedValue>> operands(const onnx::NodeProto& node, const Scope& scope) const;
    [[noreturn]] void refuse_unknown(const onnx::NodeProto& node) const;
    [[noreturn]] void refuse_operand(const onnx::NodeProto& node, const std::string& name, const Scope& scope) const;
    Import importing(const onnx::NodeProto& node, const Scope& scope);
    void give(const onnx::NodeProto& node, Scope& scope, const std::vector<NamedValue>& results);
    /// A constant number; fails as `what` when it is computed at run time.
    const Literal& known(const onnx::NodeProto& node, const NamedValue& value, const std::string& what) const;

    // nodes that hold graphs, and functions: read_control.cpp
    using Control = bool (Reader::*)(const onnx::NodeProto& node, Scope& scope);
    static Control control_of(const std::string& op);
    bool import_if(const onnx::NodeProto& node, Scope& scope);
    bool import_loop(const onnx::NodeProto& node, Scope& scope);
    bool import_scan(const onnx::NodeProto& node, Scope& scope);
    std::optional<std::vector<NamedValue>> distances(const onnx::NodeProto& node, Import& n,
                                                     const std::vector<NamedValue>& given, std::int64_t inputs);
    std::optional<std::vector<NamedValue>> scanned(const onnx::NodeProto& node, Scope& scope, Import& n,
                                                   const std::string& prefix, const std::vector<NamedValue>& given,
                                                   std::int64_t inputs);
    /// What a body's outputs from `first` on are gathered to in no iterations. `inputs`: of an iteration, for their
    /// types; `axes`: the attribute with the axis of each.
    std::optional<std::vector<ValueId>> gathered_nothing(const onnx::NodeProto& node, Import& n, const Scope& scope,
                                                         const std::string& prefix,
                                                         const std::vector<NamedValue>& inputs, int first,
                                                         const char* axes);
    bool import_function(const onnx::NodeProto& node, Scope& scope, const onnx::FunctionProto& function);
    const onnx::FunctionProto* function_of(const onnx::NodeProto& node) const;
    /// The values of a graph's outputs for those of its inputs; nothing when a node of it was refused.
    std::optional<std::vector<NamedValue>> run_graph(const onnx::NodeProto& node, const onnx::GraphProto& graph,
                                                     const Scope& outer, const std::string& prefix,
                                                     const std::vector<NamedValue>& inputs);
    /// The same of a branch, with what was wrong there.
    struct Branch {
        std::optional<std::vector<NamedValue>> results;
        Diagnostics problems;
        bool fits() const { return results && problems.empty(); }
        /// Shapes and types do not go together: no run takes it.
        bool impossible() const;
    };
    Branch branch_of(const onnx::NodeProto& node, const char* name, const Scope& scope);
    bool give_only(const onnx::NodeProto& node, Scope& scope, const char* name, const Branch& taken,
                   const Branch& left);
    const onnx::GraphProto& graph_of(const onnx::NodeProto& node, const char* attribute) const;
    void check_growth(const onnx::NodeProto& node) const;

    // nodes whose results have a shape that only a run knows: read_tail.cpp
    void add_late(const onnx::NodeProto& node);
    bool is_late(const onnx::NodeProto& node) const;  ///< reads what such a node gives
    void check_known(const onnx::NodeProto& node) const;
    std::vector<ValueId> tail_operands(onnx::GraphProto& tail);
    void write_out_defaults(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) const;
    void add_tail();
    std::vector<std::string> steering_inputs() const;
    std::string tail_note() const;

    // sequences and optionals, which are known while the model is read: read_sequence.cpp
    static Control sequence_of(const std::string& op);
    bool import_sequence(const onnx::NodeProto& node, Scope& scope);
    bool split_to_sequence(const onnx::NodeProto& node, Scope& scope);
    bool join_sequence(const onnx::NodeProto& node, Scope& scope);
    bool import_optional(const onnx::NodeProto& node, Scope& scope);

    onnx::ModelProto& model_;
    const onnx::GraphProto& graph_;
    const std::string& file_;
    const OnnxOptions& options_;
    Graph result_;
    Builder build_;
    Scope top_;
    Diagnostics problems_;
    std::vector<const onnx::NodeProto*> tail_;  ///< in order, of the model itself
    std::set<std::string> late_;                ///< what they give
    std::string tail_reason_;                   ///< why the first of them is one
};

std::string onnx_node_name(const onnx::NodeProto& node);  ///< "node 'n' (Relu)"
bool is_own_domain(const std::string& domain);            ///< ONNX's

}  // namespace ttsim::impl::ir
