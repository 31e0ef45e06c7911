// ONNX models of one node, made in tests.
#pragma once

#include <onnx/messages.pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace onnx = ttsim::onnx;
using Whole = std::vector<std::int64_t>;

/// One node 'n' on the input x and constants.
class Model {
public:
    explicit Model(const std::string& op, const Whole& dims = {2, 3}, int outputs = 1, std::int64_t opset = 13,
                   const std::string& domain = "") {
        model_.set_ir_version(8);
        model_.add_opset_import()->set_version(opset);
        auto& x = *graph().add_input();
        x.set_name("x");
        auto& type = *x.mutable_type()->mutable_tensor_type();
        type.set_elem_type(onnx::TensorProto::FLOAT);
        type.mutable_shape();
        for (const std::int64_t d : dims) type.mutable_shape()->add_dim()->set_dim_value(d);
        auto& node = *graph().add_node();
        node.set_name("n");
        node.set_op_type(op);
        node.set_domain(domain);
        node.add_input("x");
        for (int k = 0; k < outputs; ++k) {
            node.add_output("y" + std::to_string(k));
            graph().add_output()->set_name("y" + std::to_string(k));
        }
    }
    Model& without() {
        node().clear_input();
        return *this;
    }
    Model& again() {
        node().add_input("x");
        return *this;
    }
    Model& none() {
        node().add_input("");
        return *this;
    }
    Model& whole(const Whole& values, std::optional<Whole> dims = {}) {
        auto& tensor = constant(dims.value_or(Whole{static_cast<std::int64_t>(values.size())}));
        tensor.set_data_type(onnx::TensorProto::INT64);
        for (const std::int64_t v : values) tensor.add_int64_data(v);
        return *this;
    }
    Model& real(const std::vector<float>& values, std::optional<Whole> dims = {}) {
        auto& tensor = constant(dims.value_or(Whole{static_cast<std::int64_t>(values.size())}));
        tensor.set_data_type(onnx::TensorProto::FLOAT);
        for (const float v : values) tensor.add_float_data(v);
        return *this;
    }
    Model& attr(const std::string& name, std::int64_t value) {
        auto& a = attribute(name, onnx::AttributeProto::INT);
        a.set_i(value);
        return *this;
    }
    Model& attr(const std::string& name, const Whole& values) {
        auto& a = attribute(name, onnx::AttributeProto::INTS);
        for (const std::int64_t v : values) a.add_ints(v);
        return *this;
    }
    Model& attr(const std::string& name, const std::string& value) {
        attribute(name, onnx::AttributeProto::STRING).set_s(value);
        return *this;
    }
    Model& real_attr(const std::string& name, float value) {
        attribute(name, onnx::AttributeProto::FLOAT).set_f(value);
        return *this;
    }
    Model& floats_attr(const std::string& name, const std::vector<float>& values) {
        auto& a = attribute(name, onnx::AttributeProto::FLOATS);
        for (const float v : values) a.add_floats(v);
        return *this;
    }
    Model& words_attr(const std::string& name, const std::vector<std::string>& values) {
        auto& a = attribute(name, onnx::AttributeProto::STRINGS);
        for (const std::string& v : values) a.add_strings(v);
        return *this;
    }
    onnx::ModelProto& proto() { return model_; }
    onnx::GraphProto& graph() { return *model_.mutable_graph(); }
    onnx::NodeProto& node() { return *graph().mutable_node(0); }
    onnx::TensorProto& constant(const Whole& dims) {
        auto& tensor = *graph().add_initializer();
        tensor.set_name("c" + std::to_string(graph().initializer_size()));
        for (const std::int64_t d : dims) tensor.add_dims(d);
        node().add_input(tensor.name());
        return tensor;
    }
    std::string bytes() const { return model_.SerializeAsString(); }

private:
    onnx::AttributeProto& attribute(const std::string& name, onnx::AttributeProto::AttributeType type) {
        auto& a = *node().add_attribute();
        a.set_name(name);
        a.set_type(type);
        return a;
    }
    onnx::ModelProto model_;
};
