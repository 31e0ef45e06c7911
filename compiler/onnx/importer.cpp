#include "compiler/onnx/importer.hpp"

#include <fmt/ranges.h>
#include <onnx/messages.pb.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>

#include "compiler/ir/op_table.hpp"
#include "compiler/onnx/tensor.hpp"
#include "compiler/ops/device.hpp"

namespace ttsim::impl::ir {

Import::Import(Builder& builder, const onnx::NodeProto& node, std::int64_t version, std::string file,
               std::optional<std::string> folder)
    : b(builder), opset(version), node_(node), file_(std::move(file)), folder_(std::move(folder)) {
    name_ = node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
    what_ = fmt::format("node '{}' ({})", name_, node.op_type());
}

ValueId Import::x(std::size_t k) const {
    if (!has(k)) wrong("operand {} is missing", k);
    return *in[k];
}

ValueId Import::transpose(ValueId x, std::vector<std::int64_t> perm) {
    const Literal* weight = b.literal(x);
    b.set_folding(!weight || perm.size() != 2 || !is_float(weight->dtype()));
    const ValueId made = b.transpose(x, std::move(perm));
    b.set_folding(true);
    return made;
}

const Literal& Import::literal(std::size_t k) const {
    const Literal* found = b.literal(x(k));
    if (found) return *found;
    if (b.graph().nodes[x(k)].is_input())
        unsupported("operand {} is an input; it must be a constant (set it with --constant NAME=FILE)", k);
    needs_value("operand {} is computed at run time; a constant (--constant NAME=FILE) keeps the nodes on the device",
                k);
}

std::vector<std::int64_t> Import::integers(std::size_t k) const {
    const Literal& found = literal(k);
    if (is_float(found.dtype())) wrong("operand {} is {}; it must be integers", k, to_string(found.dtype()));
    if (found.dims().size() > 1) wrong("operand {} has rank {}; it must be a list", k, found.dims().size());
    return found.integer_elements();
}

std::int64_t Import::integer(std::size_t k) const {
    const auto found = integers(k);
    if (found.size() != 1) wrong("operand {} has {} values; it needs one", k, found.size());
    return found.front();
}

double Import::scalar(std::size_t k) const {
    const Literal& found = literal(k);
    if (found.size() != 1) wrong("operand {} has {} values; it needs one", k, found.size());
    return found.at(0);
}

void Import::need_rank(std::int64_t least) const {
    if (rank() < least) wrong("operand 0 has rank {}; it needs {} or more", rank(), least);
}

void Import::need_small(const std::vector<std::int64_t>& numbers) const {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    for (const std::int64_t v : numbers)
        if (v < -most || v > most) wrong("{} is too large; at most {} are allowed", v, most);
}

std::int64_t Import::axis(std::int64_t given, std::int64_t rank) const {
    const std::int64_t axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis >= rank) wrong("axis {} of a tensor of rank {}", given, rank);
    return axis;
}

const onnx::AttributeProto* Import::find(const std::string& name, int type) const {
    for (const auto& attribute : node_.attribute()) {
        if (attribute.name() != name) continue;
        if (!attribute.ref_attr_name().empty()) unsupported("attribute {} refers to an attribute of a function", name);
        // the first versions of the format had no attribute types
        if (attribute.type() != onnx::AttributeProto::UNDEFINED && attribute.type() != type)
            wrong("attribute {} has the type {}; it must be {}", name,
                  onnx::AttributeProto::AttributeType_Name(attribute.type()),
                  onnx::AttributeProto::AttributeType_Name(static_cast<onnx::AttributeProto::AttributeType>(type)));
        return &attribute;
    }
    return nullptr;
}

bool Import::has_attribute(const std::string& name) const {
    return std::any_of(node_.attribute().begin(), node_.attribute().end(),
                       [&](const auto& attribute) { return attribute.name() == name; });
}

std::int64_t Import::i(const std::string& name, std::int64_t otherwise) const {
    const auto* a = find(name, onnx::AttributeProto::INT);
    return a ? a->i() : otherwise;
}
double Import::f(const std::string& name, double otherwise) const {
    const auto* a = find(name, onnx::AttributeProto::FLOAT);
    return a ? static_cast<double>(a->f()) : otherwise;
}
std::string Import::s(const std::string& name, const std::string& otherwise) const {
    const auto* a = find(name, onnx::AttributeProto::STRING);
    return a ? a->s() : otherwise;
}
std::string Import::get_string(const std::string& name, const std::vector<std::string>& known) const {
    std::string value = s(name, known.front());
    if (std::find(known.begin(), known.end(), value) == known.end())
        unsupported("attribute {} is '{}'; it must be one of {}", name, value, fmt::join(known, ", "));
    return value;
}
std::optional<DType> Import::dtype(const std::string& name, int otherwise) const {
    const std::int64_t number = i(name, otherwise);
    return number < 0 || number > 255 ? std::nullopt : onnx_dtype(static_cast<int>(number));
}
std::vector<std::int64_t> Import::ints(const std::string& name) const {
    const auto* a = find(name, onnx::AttributeProto::INTS);
    return a ? std::vector<std::int64_t>(a->ints().begin(), a->ints().end()) : std::vector<std::int64_t>{};
}
std::vector<float> Import::floats(const std::string& name) const {
    const auto* a = find(name, onnx::AttributeProto::FLOATS);
    return a ? std::vector<float>(a->floats().begin(), a->floats().end()) : std::vector<float>{};
}
std::vector<std::string> Import::strings(const std::string& name) const {
    const auto* a = find(name, onnx::AttributeProto::STRINGS);
    return a ? std::vector<std::string>(a->strings().begin(), a->strings().end()) : std::vector<std::string>{};
}
Literal Import::tensor(const std::string& name) const {
    const auto* a = find(name, onnx::AttributeProto::TENSOR);
    if (!a || !a->has_t()) wrong("attribute {} is missing", name);
    try {
        return read_tensor(a->t(), file_, folder_);
    } catch (const Error& error) {
        throw Error(error.fault(), error.where(), what_ + ": " + error.message());
    }
}

std::vector<std::int64_t> Import::axes(std::int64_t from, std::size_t k, std::int64_t rank) const {
    std::vector<std::int64_t> axes = opset < from ? ints("axes") : has(k) ? integers(k) : std::vector<std::int64_t>{};
    for (std::int64_t& a : axes) a = axis(a, rank);
    std::sort(axes.begin(), axes.end());
    check_distinct(axes);
    return axes;
}

void Import::check_distinct(std::vector<std::int64_t> axes) const {
    std::sort(axes.begin(), axes.end());
    if (const auto twice = std::adjacent_find(axes.begin(), axes.end()); twice != axes.end())
        wrong("axis {} is given twice", *twice);
}

std::size_t Import::outputs() const { return static_cast<std::size_t>(node_.output_size()); }
const std::string& Import::op() const { return node_.op_type(); }
const std::string& Import::domain() const { return node_.domain(); }

void Import::check_positions(std::int64_t count) const {
    constexpr std::int64_t most = std::int64_t{1} << 26;
    if (count < 0) wrong("an axis would have {} elements", count);
    if (count > most) unsupported("an axis of {}; at most {} are allowed", count, most);
}

ValueId Import::scaled(ValueId v, double factor) {
    if (!is_float(b.type(v).dtype) && factor != std::trunc(factor))
        unsupported("it multiplies {} by {}; cast it to floats before", to_string(b.type(v)), factor);
    return binary(op::multiply, v, number(factor, v));
}

ValueId Import::gather(ValueId v, std::int64_t axis, const std::vector<std::int64_t>& positions) {
    Dims dims = b.dims(v);
    if (axis < 0 || axis >= std::ssize(dims)) wrong("axis {} of a tensor of rank {}", axis, dims.size());
    const std::int64_t size = dims[static_cast<std::size_t>(axis)],
                       wanted = static_cast<std::int64_t>(positions.size());
    constexpr std::int64_t most = std::int64_t{1} << 24;  // elements of a matrix
    for (const std::int64_t p : positions)
        if (p < -1 || p >= size) wrong("position {} of an axis of {}", p, size);
    bool same = wanted == size;
    for (std::int64_t k = 0; same && k < wanted; ++k) same = positions[static_cast<std::size_t>(k)] == k;
    if (same) return v;
    if (size == 0 || wanted <= most / size) return b.map_axis(v, axis, gather_matrix(positions, size));
    const std::int64_t lead = std::accumulate(dims.begin(), dims.begin() + axis, std::int64_t{1}, std::multiplies<>());
    const std::int64_t rest =
        std::accumulate(dims.begin() + axis + 1, dims.end(), std::int64_t{1}, std::multiplies<>());
    Literal rows(DType::I32, {1, wanted});
    for (std::int64_t k = 0; k < wanted; ++k) rows.set(k, static_cast<double>(positions[static_cast<std::size_t>(k)]));
    dims[static_cast<std::size_t>(axis)] = wanted;
    return b.reshape(b.add(op::gather_rows, {b.reshape(v, {lead, size, rest}), b.constant(std::move(rows))}), dims);
}

static bool is_onnx(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }
bool Import::has_own_names() const { return !is_onnx(node_.domain()); }

static const OpInfo* same_op(const std::string& domain, const std::string& op) {
    const std::string name = is_onnx(domain) ? op : domain + "." + op;
    const auto ops = all_ops();
    const auto found = std::find_if(ops.begin(), ops.end(), [&](const OpInfo* info) { return info->onnx == name; });
    return found == ops.end() ? nullptr : *found;
}

/// Attributes of the device op that the node has.
static Attrs own_attributes(const Import& n, const OpInfo& op) {
    Attrs attrs;
    const OpDef* def = device_def(op.counterpart);
    if (!def || !n.has_own_names()) return attrs;
    for (const AttrDef& attr : def->attributes) {
        const std::string name(attr.name);
        if (!n.has_attribute(name)) continue;
        if (attr.kind == AttrKind::Number)
            attrs[name] = n.f(name, 0);
        else if (attr.kind == AttrKind::Word)
            attrs[name] = n.s(name, "");
        else if (attr.kind == AttrKind::List)
            attrs[name] = n.ints(name);
        else
            attrs[name] = n.i(name, 0);
    }
    return attrs;
}

/// Imports an op that the compiler has under the same name.
static void import_same(Import& n) {
    const OpInfo& op = *same_op(n.domain(), n.op());
    std::vector<ValueId> operands;
    for (std::size_t k = 0; k < op.min_inputs; ++k) operands.push_back(n.x(k));
    n.add_output(n.b.add(op.id, operands, own_attributes(n, op)));
}

/// The tables of rules of a domain. Domains without a table only have ops that the compiler has too.
static std::vector<const ImportRules*> rules_of(const std::string& domain) {
    if (is_onnx(domain))
        return {&elementwise_rules(), &product_rules(),   &reduction_rules(), &shape_rules(),  &gather_rules(),
                &network_rules(),     &recurrent_rules(), &attention_rules(), &signal_rules(), &sample_rules(),
                &select_rules(),      &quantize_rules(),  &exporter_rules()};
    if (domain == "com.microsoft")
        return {&contrib_signal_rules(),  &contrib_quantize_rules(), &contrib_layer_rules(),
                &contrib_product_rules(), &contrib_block_rules(),    &contrib_attention_rules()};
    if (domain == "qonnx.custom_op.general" || domain == "onnx.brevitas" || domain == "finn.custom_op.general")
        return {&qonnx_rules()};
    if (domain == "ai.onnx.ml") return {&ml_rules()};
    return {};
}

std::vector<std::string> ops_with_rules() {
    std::vector<std::string> names;
    for (const char* domain : {"", "com.microsoft", "ai.onnx.ml", "qonnx.custom_op.general"})
        for (const ImportRules* rules : rules_of(domain))
            for (const auto& [op, unused] : *rules) names.push_back((*domain ? std::string(domain) + "." : "") + op);
    for (const OpInfo* op : all_ops())
        if (!op->onnx.empty()) names.emplace_back(op->onnx);
    return names;
}

ImportRule find_rule(const std::string& domain, const std::string& op) {
    for (const ImportRules* rules : rules_of(domain))
        if (const auto found = rules->find(op); found != rules->end()) return found->second;
    return same_op(domain, op) ? import_same : nullptr;
}

Literal gather_matrix(const std::vector<std::int64_t>& positions, std::int64_t size) {
    const auto rows = static_cast<std::int64_t>(positions.size());
    Literal matrix = zero_matrix(rows, size);
    for (std::int64_t r = 0; r < rows; ++r)
        if (const std::int64_t p = positions[static_cast<std::size_t>(r)]; p >= 0) {
            TT_CHECK(p < size, "position {} of {}", p, size);
            matrix.set(r * size + p, 1);
        }
    return matrix;
}

}  // namespace ttsim::impl::ir
