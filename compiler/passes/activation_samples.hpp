// Estimates the mean of each column of values in a device-level graph, without running the model on inputs.
//
// Each value is represented by a few sample rows. Rows of inputs are taken from given samples. Without samples they are
// drawn from a normal distribution, and half of them are the negatives of the others, so that their mean is 0.
// Elementwise ops and products with constants are evaluated on the sample rows. A gathered row is an arbitrary sample
// row, or zeros where the map has no row. A mean over rows is the mean of the sample rows. Results of other ops are
// unknown.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

class ActivationSamples {
public:
    /// Evaluates all nodes in order. `samples` has values of the graph's inputs by their origins; inputs without one
    /// are unknown. Null: random inputs.
    ActivationSamples(const Graph& graph, unsigned threads, const std::map<std::string, Literal>* samples = nullptr);
    /// Column means of operand `k` of a node after its TMs; none: unknown.
    std::optional<std::vector<double>> means(const Node& node, std::size_t k);

private:
    using Rows = std::optional<Literal>;  ///< {rows, columns}; one row: all rows are equal

    Rows evaluate(const Node& node);
    Rows input(const Node& node);
    static Rows sampled_input(const Node& node, const Literal& sample);
    Rows constant(const Node& node) const;
    Rows operand(const Edge& edge);
    Rows product(const Node& node);
    Rows times(const Literal& x, const Literal& matrix) const;
    Rows depthwise(const Literal& x, const Literal& matrix) const;
    Rows row_mixture(const Literal& rows, const Literal& x) const;
    Rows elementwise(const Node& node);
    Rows gathered(const Node& sparse, std::int64_t slices, std::int64_t times);
    Literal concatenated(const Literal& x, std::int64_t times, std::int64_t rows);

    const Graph& graph_;
    unsigned threads_;
    const std::map<std::string, Literal>* samples_;
    std::mt19937 random_;
    std::vector<Rows> rows_;
};

}  // namespace ttsim::impl::ir
