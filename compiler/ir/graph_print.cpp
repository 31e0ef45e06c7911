// Prints a graph as text. graph_text.cpp describes the syntax and reads it.
#include <fmt/ranges.h>

#include <bit>
#include <cmath>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::int64_t most_listed = 256;

std::string float_text(float v) {
    if (std::isfinite(v)) return fmt::format("{}", v);
    return fmt::format("{:#010x}", std::bit_cast<std::uint32_t>(v));
}

std::string double_text(double v) {
    std::string text = fmt::format("{}", v);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += fmt::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 32)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));  // not to end the line
        else
            out += c;
    }
    return out + "\"";
}

std::string literal_text(const Literal& literal, std::int64_t elide) {
    const std::int64_t n = literal.size();
    if (elide > 0 && n > elide) return fmt::format("elided {}", n);
    const auto one = [&](std::int64_t i) {
        const auto k = static_cast<std::size_t>(i);
        return is_float(literal.dtype()) ? float_text(literal.floats()[k])
                                         : fmt::format("{}", literal.integer_elements()[k]);
    };
    if (n > 1 && literal.is_splat()) return fmt::format("[{}]", one(0));
    std::string text;
    if (n > most_listed && is_float(literal.dtype())) {
        for (const float v : literal.floats()) text += fmt::format("{:08x}", std::bit_cast<std::uint32_t>(v));
        return fmt::format("hex \"{}\"", text);
    }
    for (std::int64_t i = 0; i < n; ++i) text += (i ? ", " : "") + one(i);
    return fmt::format("[{}]", text);
}

std::string node_text(const Graph& graph, const Node& node, std::int64_t elide) {
    std::string text =
        fmt::format("%{} = {}", node.name, node.is_parameter() ? std::string_view("parameter") : node.op.name());
    if (const LiteralPtr& value = node.is_parameter() ? node.initial : node.literal)
        text += " " + literal_text(*value, elide);
    const char* comma = " ";
    for (const Edge& in : node.inputs) {
        text += fmt::format("{}%{}", comma, graph.nodes[in.value].name);
        comma = ", ";
        if (in.tms.empty()) continue;
        std::vector<std::string> tms;
        for (const Tm& tm : in.tms) tms.push_back(ttsim::impl::to_string(tm));
        text += fmt::format(" ({})", fmt::join(tms, ", "));
    }
    if (!node.attrs.empty()) {
        std::vector<std::string> attrs;
        for (const auto& [key, value] : node.attrs) attrs.push_back(fmt::format("{} = {}", key, to_string(value)));
        text += fmt::format(" {{{}}}", fmt::join(attrs, ", "));
    }
    text += " : " + types_text(node);
    if (!node.origin.empty()) text += " from " + quoted(node.origin);
    if (!node.kind.empty()) text += " in " + quoted(node.kind);
    if (node.phase != Phase::Forward) text += fmt::format(" for {}", to_string(node.phase));
    return text + "\n";
}

}  // namespace

std::string to_string(const Attr& attr) {
    if (const auto* i = std::get_if<std::int64_t>(&attr)) return fmt::format("{}", *i);
    if (const auto* d = std::get_if<double>(&attr)) return double_text(*d);
    if (const auto* s = std::get_if<std::string>(&attr)) return quoted(*s);
    return fmt::format("[{}]", fmt::join(std::get<std::vector<std::int64_t>>(attr), ", "));
}

std::string types_text(const Node& node) {
    std::string text = to_string(node.type);
    for (const Type& more : node.more_types) text += ", " + to_string(more);
    return text;
}

std::string print_graph(const Graph& graph, std::int64_t elide) {
    std::string text;
    for (const Node& node : graph.nodes) text += node_text(graph, node, elide);
    for (const Output& out : graph.outputs)
        text += fmt::format("output {} = %{}{}\n", quoted(out.name), graph.nodes[out.value].name,
                            out.type ? " : " + to_string(*out.type) : "");
    return text;
}

}  // namespace ttsim::impl::ir
