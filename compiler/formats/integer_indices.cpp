#include "compiler/formats/integer_indices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "base/error.hpp"
#include "compiler/ir/integer_ranges.hpp"
#include "isa/arch.hpp"
#include "kernels/formats/overflow.hpp"

namespace ttsim::impl::ir {

namespace {

/// Whether a format that holds integers up to `run` holds the value exactly.
bool is_exact(double value, std::int64_t run) {
    if (value == 0) return true;
    int exponent = 0;
    const double digits = std::frexp(value, &exponent) * static_cast<double>(run);
    return digits == std::floor(digits);
}

class Finder {
public:
    Finder(const Graph& graph, std::int64_t run)
        : graph_(graph), run_(run), ranges_(integer_ranges(graph, max_read_elements)) {}

    std::vector<std::string> warnings(DataFormat df) {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            check(node, id);
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
    /// The largest magnitude of a value, if all its elements are integers.
    std::optional<double> of(ValueId id) const {
        const Range& range = ranges_[id];
        if (!range.is_integral || !std::isfinite(range.largest())) return std::nullopt;
        const bool any = range.largest() >= 0x1p31 && !graph_.nodes[id].is_constant();
        return any ? std::nullopt : std::optional(range.largest());
    }
    std::optional<double> of(const Node& node, std::size_t k) const { return of(node.inputs[k].value); }

    std::int64_t axis_size(const Node& node) const {
        return operand(node, 0).type.dims[static_cast<std::size_t>(node.get(attr::axis))];
    }

    void check(const Node& node, ValueId id) {
        if (node.op == op::arg_max) return note(kinds_[0], node, static_cast<double>(axis_size(node)));
        if (node.op == op::take && !operand(node, 1).is_constant())
            return note(kinds_[1], node, static_cast<double>(axis_size(node) - 1));
        if (node.op.is_any_of({op::matmul, op::conv}) && of(id)) return note(kinds_[2], node, *of(id));
        if (!node.op.is_any_of({op::equal, op::less, op::greater, op::less_equal, op::greater_equal})) return;
        for (std::size_t k = 0; k < node.inputs.size(); ++k)
            if (const Node& with = operand(node, k); with.is_constant() && of(node, k) && !all_exact(*with.literal))
                note(kinds_[3], node, *of(node, k));
    }

    bool all_exact(const Literal& literal) const {
        for (std::int64_t i = 0; i < literal.size(); ++i)
            if (!is_exact(literal.at(i), run_)) return false;
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
        const std::int64_t wider = max_exact_integer(DataFormat::Float16, false);
        const std::string other =
            run_ < wider ? fmt::format("Float16 holds them up to {} (--default-df Float16); ", wider) : "";
        return fmt::format(
            "warning: '{}' ({}{}){} {} up to {:g}, inside the model; {} holds integers up to {} "
            "there: {}. {}the host computes the end of a model exactly",
            node.name, node.op, whose, more, kind.does, kind.most, to_string(df), run_, kind.consequence, other);
    }

    const Graph& graph_;
    std::int64_t run_;
    std::vector<Range> ranges_;
    std::array<Kind, 4> kinds_{{{.does = "finds places", .consequence = "others may be found"},
                                {.does = "looks up by numbers", .consequence = "others may be looked up"},
                                {.does = "sums products of integers",
                                 .consequence = "sums are rounded, and what is decided by them may be another"},
                                {.does = "compares with integers", .consequence = "others count as equal"}}};
};

}  // namespace

std::vector<std::string> integer_warnings(const Graph& graph, DataFormat df, const ChipParams& chip) {
    return Finder(graph, max_exact_integer(df, chip.features.tf32)).warnings(df);
}

}  // namespace ttsim::impl::ir
