// Reads an ONNX model into the compiler's graph: names, scopes, functions and control flow. Nodes that compute are
// imported by the rules of importer.hpp.
#pragma once

#include <onnx/messages.pb.h>

#include <map>
#include <set>
#include <span>

#include "compiler/onnx/importer.hpp"
#include "compiler/onnx/read.hpp"

namespace ttsim::impl::ir {

/// The value of a name: a tensor, a sequence of tensors, or an empty optional.
struct NamedValue {
    std::vector<ValueId> items;
    bool sequence = false;
    bool is_tensor() const { return !sequence && items.size() == 1; }
};

/// FunctionProto's attributes with defaults. Protocol buffers older than ONNX 1.13 have no field for them.
std::vector<onnx::AttributeProto> defaults_of(const onnx::FunctionProto& function);

/// Names of a graph: the model, a function, a branch or a loop body. Branches and bodies also see the outer names.
struct Scope {
    const Scope* outer = nullptr;                ///< nullptr for the model and for functions
    std::string prefix;                          ///< of node names
    std::map<std::string, std::int64_t> opsets;  ///< by domain; "" is ONNX's own
    const google::protobuf::RepeatedPtrField<onnx::NodeProto>* nodes = nullptr;
    std::map<std::string, onnx::AttributeProto> arguments;  ///< attributes of a function call
    std::map<std::string, NamedValue> values;
    std::set<std::string> broken;  ///< outputs of refused nodes; the error is already reported
    int depth = 0;                 ///< number of enclosing functions and graphs

    const NamedValue* find(const std::string& name) const;
    bool is_broken(const std::string& name) const;
};

class Reader {
public:
    /// Moves the data of weights out of the model.
    /// `data`: raw data of initializers that the message lacks, or empty.
    Reader(onnx::ModelProto& model, std::vector<std::string_view> data, const std::string& file,
           const OnnxOptions& options);
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
    Weight read_weight(const onnx::TensorProto& tensor, std::optional<std::string_view> data = std::nullopt) const;
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
    /// The operands; nullopt if one of them was refused. An empty name has no value.
    std::optional<std::vector<NamedValue>> operands(const onnx::NodeProto& node, const Scope& scope) const;
    [[noreturn]] void refuse_unknown(const onnx::NodeProto& node) const;
    [[noreturn]] void refuse_operand(const onnx::NodeProto& node, const std::string& name, const Scope& scope) const;
    Import importing(const onnx::NodeProto& node, const Scope& scope);
    void set_outputs(const onnx::NodeProto& node, Scope& scope, const std::vector<NamedValue>& results);
    /// A constant with one element. Fails if it is computed at run time; the message calls it `what`.
    const Literal& constant_scalar(const onnx::NodeProto& node, const NamedValue& value, const std::string& what) const;

    // nodes that hold graphs, and functions: read_control.cpp
    using Control = bool (Reader::*)(const onnx::NodeProto& node, Scope& scope);
    static Control control_of(const std::string& op);
    bool import_if(const onnx::NodeProto& node, Scope& scope);
    bool import_loop(const onnx::NodeProto& node, Scope& scope);
    bool import_scan(const onnx::NodeProto& node, Scope& scope);
    std::optional<std::vector<NamedValue>> scan_as_distances(const onnx::NodeProto& node, Import& n,
                                                             const std::vector<NamedValue>& given, std::int64_t inputs);
    std::optional<std::vector<NamedValue>> unroll_scan(const onnx::NodeProto& node, Scope& scope, Import& n,
                                                       const std::string& prefix, const std::vector<NamedValue>& given,
                                                       std::int64_t inputs);
    /// The scan outputs (the body's outputs from `first` on) of a loop without iterations. `inputs`: those of an
    /// iteration, for their types. `axes`: the attribute with the axis of each output.
    std::optional<std::vector<ValueId>> empty_scan_outputs(const onnx::NodeProto& node, Import& n, const Scope& scope,
                                                           const std::string& prefix,
                                                           const std::vector<NamedValue>& inputs, int first,
                                                           const char* axes);
    bool import_function(const onnx::NodeProto& node, Scope& scope, const onnx::FunctionProto& function);
    const onnx::FunctionProto* function_of(const onnx::NodeProto& node) const;
    /// Imports a graph with these inputs and returns its outputs; nullopt if one of its nodes was refused.
    std::optional<std::vector<NamedValue>> run_graph(const onnx::NodeProto& node, const onnx::GraphProto& graph,
                                                     const Scope& outer, const std::string& prefix,
                                                     const std::vector<NamedValue>& inputs);
    /// The result of importing a branch, with its problems.
    struct Branch {
        std::optional<std::vector<NamedValue>> results;
        Diagnostics problems;
        bool fits() const { return results && problems.empty(); }
        /// Shapes or types do not match, so no run takes this branch.
        bool impossible() const;
    };
    Branch branch_of(const onnx::NodeProto& node, const char* name, const Scope& scope);
    bool use_only_branch(const onnx::NodeProto& node, Scope& scope, const char* name, const Branch& taken,
                         const Branch& left);
    const onnx::GraphProto& graph_of(const onnx::NodeProto& node, const char* attribute) const;
    void check_growth(const onnx::NodeProto& node) const;

    // nodes whose result shapes depend on runtime values: read_tail.cpp
    void defer_node(const onnx::NodeProto& node);
    bool is_deferred(const onnx::NodeProto& node) const;  ///< reads a result of such a node
    void check_known(const onnx::NodeProto& node) const;
    std::vector<ValueId> tail_operands(onnx::GraphProto& tail);
    void write_default_attributes(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) const;
    void add_tail();
    std::vector<std::string> control_inputs() const;
    std::string tail_note() const;

    // sequences and optionals, which are resolved while the model is read: read_sequence.cpp
    static Control sequence_of(const std::string& op);
    bool import_sequence(const onnx::NodeProto& node, Scope& scope);
    bool split_to_sequence(const onnx::NodeProto& node, Scope& scope);
    bool join_sequence(const onnx::NodeProto& node, Scope& scope);
    bool import_optional(const onnx::NodeProto& node, Scope& scope);

    onnx::ModelProto& model_;
    std::vector<std::string_view> data_;
    const onnx::GraphProto& graph_;
    const std::string& file_;
    const OnnxOptions& options_;
    Graph result_;
    Builder build_;
    Scope top_;
    Diagnostics problems_;
    std::vector<const onnx::NodeProto*> tail_;  ///< deferred nodes of the model itself, in order
    std::set<std::string> deferred_names_;      ///< their outputs
    std::string tail_reason_;                   ///< why the first of them is deferred
};

std::string onnx_node_name(const onnx::NodeProto& node);  ///< "node 'n' (Relu)"
bool is_own_domain(const std::string& domain);            ///< whether it is ONNX's own domain

}  // namespace ttsim::impl::ir
