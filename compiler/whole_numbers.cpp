#include "compiler/whole_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "base/error.hpp"
#include "isa/arch.hpp"
#include "kernels/formats/overflow.hpp"

namespace tt::ir {

namespace {

bool one_of(const Node& node, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), node.op) != names.end();
}

/// Whether so many binary digits hold it.
bool held(double value, std::int64_t run) {
    if (value == 0) return true;
    int exponent = 0;
    const double digits = std::frexp(value, &exponent) * static_cast<double>(run);
    return digits == std::floor(digits);
}

class Finder {
public:
    Finder(const Graph& graph, std::int64_t run) : graph_(graph), run_(run), largest_(graph.nodes.size()) {}

    std::vector<std::string> warnings(DataFormat df) {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            largest_[id] = largest(node);
            look_at(node, id);
        }
        std::vector<std::string> lines;
        for (const Kind& kind : kinds_)
            if (kind.first) lines.push_back(text(kind, df));
        return lines;
    }

private:
    struct Kind {
        const char *does, *consequence;
        const Node* first = nullptr;
        double most = 0;
        std::int64_t count = 0;
    };

    const Node& operand(const Node& node, std::size_t k) const { return graph_.nodes[node.inputs[k].value]; }
    std::optional<double> of(const Node& node, std::size_t k) const { return largest_[node.inputs[k].value]; }

    std::int64_t axis_size(const Node& node) const {
        return operand(node, 0).type.dims[static_cast<std::size_t>(node.integer("axis", 0))];
    }

    static std::optional<double> largest(const Literal& literal) {
        double most = 0;
        for (std::int64_t i = 0; i < literal.size(); ++i) {
            const double v = std::fabs(literal.at(i));
            if (v != std::floor(v)) return std::nullopt;
            most = std::max(most, v);
        }
        return most;
    }

    std::int64_t products(const Node& node) const {
        const Dims& right = operand(node, 1).type.dims;
        return node.op == "conv" ? tt::ir::count(right) / std::max<std::int64_t>(right[0], 1) : right[right.size() - 2];
    }

    /// The largest magnitude that a node's datums may have, when all of them are whole numbers.
    std::optional<double> largest(const Node& node) const {
        if (node.is_constant()) return largest(*node.literal);
        if (node.type.dtype == DType::Bool) return 1;
        if (node.type.dtype == DType::U8) return 255;
        if (node.type.dtype == DType::I8) return 128;
        if (node.inputs.empty()) return std::nullopt;
        const std::optional<double> a = of(node, 0), b = node.inputs.size() > 1 ? of(node, 1) : std::nullopt;
        if (one_of(node, {"cast", "reshape", "transpose", "neg", "abs", "relu"})) return a;
        if (node.op == "arg_max") return static_cast<double>(axis_size(node) - 1);
        if (!a || !b || node.inputs.size() > 2) return std::nullopt;
        if (one_of(node, {"add", "subtract"})) return *a + *b;
        if (one_of(node, {"maximum", "minimum"})) return std::max(*a, *b);
        if (node.op == "multiply") return *a * *b;
        if (one_of(node, {"matmul", "conv"})) return *a * *b * static_cast<double>(products(node));
        return std::nullopt;
    }

    void look_at(const Node& node, ValueId id) {
        if (node.op == "arg_max") return note(kinds_[0], node, static_cast<double>(axis_size(node)));
        if (node.op == "take" && !operand(node, 1).is_constant())
            return note(kinds_[1], node, static_cast<double>(axis_size(node) - 1));
        if (one_of(node, {"matmul", "conv"}) && largest_[id]) return note(kinds_[2], node, *largest_[id]);
        if (!one_of(node, {"equal", "less", "greater", "less_equal", "greater_equal"})) return;
        for (std::size_t k = 0; k < node.inputs.size(); ++k)
            if (const Node& with = operand(node, k); with.is_constant() && of(node, k) && !all_held(*with.literal))
                note(kinds_[3], node, *of(node, k));
    }

    bool all_held(const Literal& literal) const {
        for (std::int64_t i = 0; i < literal.size(); ++i)
            if (!held(literal.at(i), run_)) return false;
        return true;
    }

    void note(Kind& kind, const Node& node, double most) const {
        if (most <= static_cast<double>(run_)) return;
        if (kind.count++ == 0) kind.first = &node;
        kind.most = std::max(kind.most, most);
    }

    std::string text(const Kind& kind, DataFormat df) const {
        const Node& node = *kind.first;
        const std::string whose = node.origin.empty() ? "" : fmt::format(", of '{}'", node.origin);
        const std::string more = kind.count > 1 ? fmt::format(" and {} more", kind.count - 1) : "";
        const std::int64_t wider = largest_whole_run(DataFormat::Float16, false);
        const std::string other =
            run_ < wider ? fmt::format("Float16 holds them up to {} (--default-df Float16); ", wider) : "";
        return fmt::format(
            "warning: '{}' ({}{}){} {} up to {:g}, in the midst of the model; {} holds whole numbers up to {} "
            "there: {}. {}what stands at the end of a model the host computes exactly",
            node.name, node.op, whose, more, kind.does, kind.most, to_string(df), run_, kind.consequence, other);
    }

    const Graph& graph_;
    std::int64_t run_;
    std::vector<std::optional<double>> largest_;
    std::array<Kind, 4> kinds_{{{.does = "finds places", .consequence = "others may be found"},
                                {.does = "looks up by numbers", .consequence = "others may be looked up"},
                                {.does = "sums products of whole numbers",
                                 .consequence = "sums are rounded, and what is decided by them may be another"},
                                {.does = "compares with whole numbers", .consequence = "others count as equal"}}};
};

}  // namespace

std::vector<std::string> whole_number_warnings(const Graph& graph, DataFormat df, const ChipParams& chip) {
    return Finder(graph, largest_whole_run(df, chip.features.tf32)).warnings(df);
}

}  // namespace tt::ir
