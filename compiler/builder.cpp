#include "compiler/builder.hpp"

#include <algorithm>

namespace tt::ir {

std::string Builder::fresh(const std::string& stem) {
    for (; known_ < graph_.nodes.size(); ++known_) names_.emplace(graph_.nodes[known_].name, 0);
    std::string clean;
    for (const char c : stem) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        clean += plain ? c : '_';
    }
    if (clean.empty() || (clean[0] >= '0' && clean[0] <= '9')) clean = "v" + clean;
    if (names_.emplace(clean, 0).second) return clean;
    int& next = names_[clean];
    for (;;) {
        std::string name = fmt::format("{}_{}", clean, ++next);
        if (names_.emplace(name, 0).second) return name;
    }
}

ValueId Builder::push(Node node) {
    if (node.origin.empty()) node.origin = origin_;
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.size() - 1;
}

bool Builder::foldable(const Node& node) const {
    constexpr std::int64_t most = std::int64_t{1} << 28;  // a broadcast must not fill the memory
    return !node.inputs.empty() && count(node.type.dims) <= most && !node.type.format &&
           std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](const Edge& e) { return literal(e.value) != nullptr; });
}

/// A result that cannot be counted is no use to anybody.
static void check_size(const Node& node) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    std::int64_t datums = 1;
    for (const std::int64_t d : node.type.dims) {
        if (d > 0 && datums > most / d) fail_unsupported(node.loc, "'{}' has more than 2^40 datums", node.name);
        datums *= std::max<std::int64_t>(d, 1);
    }
}

ValueId Builder::add_edges(const std::string& op, std::vector<Edge> inputs, Attrs attrs,
                           std::optional<DataFormat> format) {
    Node node;
    node.op = op;
    node.inputs = std::move(inputs);
    node.attrs = std::move(attrs);
    node.type.format = format;
    node.loc = loc_;
    const std::string stem = op.starts_with("buda.") ? op.substr(5) : op;
    node.name = origin_.empty() ? stem : origin_ + "_" + stem;
    node.kind = kind_;
    node.type = infer_type(graph_, node);
    check_size(node);
    const OpInfo* info = find_op(op);
    if (info->eval && foldable(node)) {
        std::vector<const Literal*> in;
        for (const Edge& edge : node.inputs) in.push_back(literal(edge.value));
        return constant(info->eval(node, in));
    }
    node.name = fresh(node.name);
    return push(std::move(node));
}

ValueId Builder::add(const std::string& op, const std::vector<ValueId>& inputs, Attrs attrs) {
    std::vector<Edge> edges;
    for (const ValueId id : inputs) edges.push_back({id, {}});
    return add_edges(op, std::move(edges), std::move(attrs));
}

ValueId Builder::input(const std::string& name, Type type) {
    Node node;
    node.op = "input";
    node.name = fresh(name);
    node.type = std::move(type);
    node.origin = name;
    return push(std::move(node));
}

ValueId Builder::constant(Literal literal) {
    Node node;
    node.op = "constant";
    node.name = fresh(origin_.empty() ? "constant" : origin_ + "_constant");
    node.type = {literal.dtype(), literal.dims(), {}};
    node.literal = std::make_shared<Literal>(std::move(literal));
    return push(std::move(node));
}

ValueId Builder::device_constant(Literal literal, DataFormat format) {
    Dims tiles = literal.dims();
    TT_CHECK(tiles.size() == 3 && tiles[1] % 32 == 0 && tiles[2] % 32 == 0, "a device constant is no whole tiles");
    tiles[1] /= 32;
    tiles[2] /= 32;
    const ValueId id = constant(std::move(literal));
    graph_.nodes[id].type = {DType::F32, tiles, format};
    return id;
}

ValueId Builder::copy(const Node& node, std::vector<Edge> inputs) {
    Node out = node;
    out.inputs = std::move(inputs);
    out.name = fresh(node.name);
    return push(std::move(out));
}

ValueId Builder::reshape(ValueId x, Dims dims) {
    if (dims == this->dims(x)) return x;
    return add("reshape", {x}, {{"dims", std::move(dims)}});
}

ValueId Builder::transpose(ValueId x, std::vector<std::int64_t> perm) {
    if (std::is_sorted(perm.begin(), perm.end())) return x;
    return add("transpose", {x}, {{"perm", std::move(perm)}});
}

ValueId Builder::map_axis(ValueId x, std::int64_t axis, Literal matrix) {
    if (is_identity(matrix)) return x;
    return add("map_axis", {x, constant(std::move(matrix))}, {{"axis", axis}});
}

ValueId Builder::reduce_sum(ValueId x, std::int64_t axis) {
    const std::int64_t n = dims(x)[static_cast<std::size_t>(axis)];
    if (n == 1) return x;
    Literal ones(DType::F32, {1, n});
    std::fill(ones.floats().begin(), ones.floats().end(), 1.0F);
    return map_axis(x, axis, std::move(ones));
}

ValueId Builder::broadcast_to(ValueId x, Dims to) {
    const Dims from = dims(x);
    Dims padded(to.size() - from.size(), 1);
    padded.insert(padded.end(), from.begin(), from.end());
    x = reshape(x, padded);
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (dims(x)[i] == to[i]) continue;
        Literal ones(DType::F32, {to[i], 1});
        std::fill(ones.floats().begin(), ones.floats().end(), 1.0F);
        x = map_axis(x, static_cast<std::int64_t>(i), std::move(ones));
    }
    return x;
}

ValueId Builder::cast(ValueId x, DType to) {
    return type(x).dtype == to ? x : add("cast", {x}, {{"to", std::string(to_string(to))}});
}

Literal zero_matrix(std::int64_t rows, std::int64_t cols, const SourceLoc& loc, const std::string& who) {
    constexpr std::int64_t most = std::int64_t{1} << 26;
    if (rows > 0 && cols > most / rows)
        fail_unsupported(loc, "{}it needs a dense matrix of {} x {} datums; at most {} are allowed",
                         who.empty() ? "" : who + ": ", rows, cols, most);
    return Literal(DType::F32, {rows, cols});
}

Literal identity(std::int64_t n) {
    Literal matrix = zero_matrix(n, n);
    for (std::int64_t i = 0; i < n; ++i) matrix.set(i * n + i, 1);
    return matrix;
}

bool is_identity(const Literal& matrix) {
    if (matrix.dims().size() != 2 || matrix.dims()[0] != matrix.dims()[1]) return false;
    const std::int64_t n = matrix.dims()[0];
    for (std::int64_t i = 0; i < n * n; ++i)
        if (matrix.at(i) != (i % (n + 1) == 0 ? 1 : 0)) return false;
    return true;
}

bool keeps_order(const Dims& dims, const std::vector<std::int64_t>& perm) {
    std::int64_t last = -1;
    for (const std::int64_t axis : perm) {
        if (dims[static_cast<std::size_t>(axis)] == 1) continue;
        if (axis < last) return false;
        last = axis;
    }
    return true;
}

}  // namespace tt::ir
