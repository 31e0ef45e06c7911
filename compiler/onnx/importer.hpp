// Imports one node of an ONNX graph into the compiler's graph, and the table of import rules by op.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error_codes.hpp"
#include "compiler/ir/builder.hpp"

namespace ttsim::onnx {
class NodeProto;
class AttributeProto;
}  // namespace ttsim::onnx

namespace ttsim::impl::ir {

/// A node's result shape depends on a runtime value. The host computes this node and the nodes that use its results.
class NeedsValue : public Error {
public:
    using Error::Error;
};

class Import {
public:
    Import(Builder& builder, const onnx::NodeProto& node, std::int64_t opset, std::string file,
           std::optional<std::string> folder);

    Builder& b;
    std::vector<std::optional<ValueId>> in;
    std::vector<ValueId> out;
    std::int64_t opset;

    // operands
    bool has(std::size_t k) const { return k < in.size() && in[k].has_value(); }
    ValueId x(std::size_t k) const;                           ///< fails if it is missing
    const Literal& literal(std::size_t k) const;              ///< fails if it is computed at run time
    std::vector<std::int64_t> integers(std::size_t k) const;  ///< fails if they are not integers
    double scalar(std::size_t k) const;         ///< the only element of operand k; fails if it has more or none
    std::int64_t integer(std::size_t k) const;  ///< the same for an integer
    void need_rank(std::int64_t least) const;   ///< fails if operand 0 has a lower rank
    void need_small(
        const std::vector<std::int64_t>& numbers) const;  ///< fails unless no product of two of them overflows
    Dims dims(std::size_t k = 0) const { return b.dims(x(k)); }
    std::int64_t rank(std::size_t k = 0) const { return static_cast<std::int64_t>(dims(k).size()); }
    std::int64_t axis(std::int64_t given, std::int64_t rank) const;  ///< negative ones count from the end
    bool is_integer(std::size_t k) const { return !is_float(b.type(x(k)).dtype); }

    // attributes
    bool has_attribute(const std::string& name) const;
    std::int64_t i(const std::string& name, std::int64_t otherwise) const;
    double f(const std::string& name, double otherwise) const;
    std::string s(const std::string& name, const std::string& otherwise) const;
    /// An attribute whose value is one of `known`; the default is the first.
    std::string get_string(const std::string& name, const std::vector<std::string>& known) const;
    std::optional<DType> dtype(const std::string& name,
                               int otherwise) const;  ///< nullopt if it is neither number nor boolean
    std::vector<std::int64_t> ints(const std::string& name) const;
    Literal tensor(const std::string& name) const;
    std::vector<float> floats(const std::string& name) const;
    std::vector<std::string> strings(const std::string& name) const;
    /// Axes as attribute (before opset `from`) or operand k, sorted. Empty if they are not given.
    std::vector<std::int64_t> axes(std::int64_t from, std::size_t k, std::int64_t rank) const;

    std::size_t outputs() const;
    const std::string& op() const;
    const std::string& domain() const;
    bool has_own_names() const;  ///< not in ONNX's own domain: attributes have the compiler's names
    SourceLoc loc() const { return {file_, 0, 0}; }
    template <class... Args>
    [[noreturn]] void unsupported(fmt::format_string<Args...> text, Args&&... args) const {
        fail(Fault::Unsupported, {loc(), error_code::unsupported_op, {name_}}, "{}: {}", what_,
             fmt::format(text, std::forward<Args>(args)...));
    }
    /// The node depends on a runtime value.
    template <class... Args>
    [[noreturn]] void needs_value(fmt::format_string<Args...> text, Args&&... args) const {
        throw NeedsValue(Fault::Unsupported, loc(),
                         fmt::format("{}: {}", what_, fmt::format(text, std::forward<Args>(args)...)));
    }
    template <class... Args>
    [[noreturn]] void wrong(fmt::format_string<Args...> text, Args&&... args) const {
        fail_input(loc(), "{}: {}", what_, fmt::format(text, std::forward<Args>(args)...));
    }

    // results
    void add_output(ValueId id) { out.push_back(id); }
    ValueId unary(OpId op, ValueId a, Attrs attrs = {}) { return b.add(op, {a}, std::move(attrs)); }
    /// Not folded for matrices of floats, so that the graph has weights under their own names. Passes fold it.
    ValueId transpose(ValueId x, std::vector<std::int64_t> perm);
    ValueId binary(OpId op, ValueId p, ValueId q) { return b.add(op, {p, q}); }
    /// Fails if this many positions along an axis would exhaust memory.
    void check_positions(std::int64_t count) const;
    void check_distinct(std::vector<std::int64_t> axes) const;
    /// The elements at constant positions of an axis; -1 yields zeros. Becomes one matrix, or gather_rows where the
    /// matrix would be large.
    ValueId gather(ValueId v, std::int64_t axis, const std::vector<std::int64_t>& positions);
    ValueId number(double v, ValueId like) { return b.scalar(v, b.type(like).dtype); }
    /// v * factor. Fails for integers and a factor with a fraction.
    ValueId scaled(ValueId v, double factor);

private:
    /// nullptr if the attribute is missing. Fails if it has another type (of onnx::AttributeProto).
    const onnx::AttributeProto* find(const std::string& name, int type) const;
    const onnx::NodeProto& node_;
    std::string file_, name_, what_;
    std::optional<std::string> folder_;
};

/// Scale of 8-bit integers before their product. A power of two is exact, and it keeps sums in the range of Float16.
inline constexpr double int8_scale = 1.0 / 256;

/// ONNX Gather: operand 1 holds the indices into the axis of operand 0.
void gather_along(Import& n, std::int64_t axis);

using ImportRule = void (*)(Import&);
using ImportRules = std::map<std::string, ImportRule>;
const ImportRules& elementwise_rules();  ///< ops_elementwise.cpp
const ImportRules& product_rules();      ///< ops_product.cpp
const ImportRules& reduction_rules();    ///< ops_reduction.cpp
const ImportRules& shape_rules();        ///< ops_shape.cpp
const ImportRules& gather_rules();       ///< ops_gather.cpp
const ImportRules& network_rules();      ///< ops_network.cpp
const ImportRules& recurrent_rules();    ///< ops_recurrent.cpp
const ImportRules& attention_rules();    ///< ops_attention.cpp
const ImportRules& signal_rules();       ///< ops_signal.cpp
const ImportRules& sample_rules();       ///< ops_sample.cpp
const ImportRules& select_rules();       ///< ops_select.cpp
const ImportRules& quantize_rules();     ///< ops_quantize.cpp
const ImportRules& exporter_rules();     ///< contrib_layers.cpp
// of the domain com.microsoft
const ImportRules& contrib_signal_rules();     ///< ops_signal.cpp
const ImportRules& contrib_quantize_rules();   ///< ops_quantize.cpp
const ImportRules& contrib_layer_rules();      ///< contrib_layers.cpp
const ImportRules& contrib_product_rules();    ///< contrib_products.cpp
const ImportRules& contrib_block_rules();      ///< contrib_blocks.cpp
const ImportRules& contrib_attention_rules();  ///< contrib_attention.cpp
// of other domains
const ImportRules& qonnx_rules();  ///< ops_quantize.cpp: qonnx and brevitas
const ImportRules& ml_rules();     ///< ops_ml.cpp: ai.onnx.ml
/// From the tables of rules, or for an elementwise op that names this ONNX op (OpInfo::onnx). `domain`: "" is ONNX's
/// own.
ImportRule find_rule(const std::string& domain, const std::string& op);
/// All ops with a rule, in other domains than ONNX's as DOMAIN.NAME. Some rules only refuse the op with a hint.
std::vector<std::string> ops_with_rules();

/// A 0/1 matrix that gathers positions; -1 leaves a row of zeros.
Literal gather_matrix(const std::vector<std::int64_t>& positions, std::int64_t size);

}  // namespace ttsim::impl::ir
