// One node of an ONNX graph on its way into the compiler's graph, and the table of ops that can make it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/builder.hpp"

namespace onnx {
class NodeProto;
class AttributeProto;
}  // namespace onnx

namespace ttsim::impl::ir {

/// What a node becomes depends on a value that only a run knows: the host computes it, and all that follows.
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
    ValueId x(std::size_t k) const;                           ///< fails when it is missing
    const Literal& literal(std::size_t k) const;              ///< fails when it is computed at run time
    std::vector<std::int64_t> integers(std::size_t k) const;  ///< fails when they are no integers
    double only(std::size_t k) const;          ///< the number that operand k holds; fails when there are more or none
    std::int64_t whole(std::size_t k) const;   ///< the same, of an integer
    void need_rank(std::int64_t least) const;  ///< of operand 0
    void need_small(const std::vector<std::int64_t>& numbers) const;  ///< no product of two of them overflows
    Dims dims(std::size_t k = 0) const { return b.dims(x(k)); }
    std::int64_t rank(std::size_t k = 0) const { return static_cast<std::int64_t>(dims(k).size()); }
    std::int64_t axis(std::int64_t given, std::int64_t rank) const;  ///< negative ones count from the end
    bool is_integer(std::size_t k) const { return !is_float(b.type(x(k)).dtype); }

    // attributes
    bool given(const std::string& name) const;
    std::int64_t i(const std::string& name, std::int64_t otherwise) const;
    double f(const std::string& name, double otherwise) const;
    std::string s(const std::string& name, const std::string& otherwise) const;
    /// One of the words; the first where it is not given.
    std::string word(const std::string& name, const std::vector<std::string>& known) const;
    std::optional<DType> dtype(const std::string& name, int otherwise) const;  ///< none: no number or boolean
    std::vector<std::int64_t> ints(const std::string& name) const;
    Literal tensor(const std::string& name) const;
    std::vector<float> floats(const std::string& name) const;
    std::vector<std::string> strings(const std::string& name) const;
    /// Axes as attribute (before `from`) or operand k; all axes when neither is there. Sorted.
    std::vector<std::int64_t> axes(std::int64_t from, std::size_t k, std::int64_t rank) const;

    std::size_t outputs() const;
    const std::string& op() const;
    const std::string& domain() const;
    bool has_own_names() const;  ///< not of ONNX's own domain: attributes have the names they have in the compiler
    SourceLoc loc() const { return {file_, 0, 0}; }
    template <class... Args>
    [[noreturn]] void unsupported(fmt::format_string<Args...> text, Args&&... args) const {
        fail_unsupported(loc(), "{}: {}", what_, fmt::format(text, std::forward<Args>(args)...));
    }
    /// It depends on operand k, whose value only a run knows.
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
    void give(ValueId id) { out.push_back(id); }
    ValueId one(const char* name, ValueId a, Attrs attrs = {}) { return b.add(name, {a}, std::move(attrs)); }
    ValueId two(const char* name, ValueId p, ValueId q) { return b.add(name, {p, q}); }
    /// Positions along an axis; -1: zeros. One matrix, or rows by number where that would be large.
    /// Refuses a number of positions that would fill the memory.
    void check_positions(std::int64_t count) const;
    void check_distinct(std::vector<std::int64_t> axes) const;
    ValueId pick(ValueId v, std::int64_t axis, const std::vector<std::int64_t>& positions);
    ValueId number(double v, ValueId like) { return b.scalar(v, b.type(like).dtype); }
    /// Fails for integers times a fraction.
    ValueId scaled(ValueId v, double factor);

private:
    /// nullptr: not given. Fails when it has another type (of onnx::AttributeProto).
    const onnx::AttributeProto* find(const std::string& name, int type) const;
    const onnx::NodeProto& node_;
    std::string file_, what_;
    std::optional<std::string> folder_;
};

/// Factor of integers of 8 bits before their product: a power of two rounds nothing, and sums stay in the range of
/// Float16.
inline constexpr double fixed_point = 1.0 / 256;

/// Gather: operand 1 says where on the axis of operand 0.
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
/// By a rule, or because an elementwise op says that it is this one (OpInfo::onnx). `domain`: "" is ONNX's own.
ImportRule find_rule(const std::string& domain, const std::string& op);
/// All that have one, those of other domains than ONNX's as DOMAIN.NAME. Some rules only refuse, with what helps.
std::vector<std::string> ops_with_rules();

/// A 0/1 matrix that picks positions; -1 leaves a row of zeros.
Literal picking(const std::vector<std::int64_t>& positions, std::int64_t size);

}  // namespace ttsim::impl::ir
