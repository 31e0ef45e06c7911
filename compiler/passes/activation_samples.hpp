// What values of a graph on device level are like in the mean, column by column, without inputs and without pictures.
//
// A few rows stand for all rows of a value. Those of inputs are some of a sample's, where samples are given, else drawn
// from a normal distribution, half of them the others turned around, so that their mean is 0. Elementwise ops and
// products with constants work on them as they are, rows that are picked are any others where one is picked, else
// zeros, and a mean over rows is that of the few. What stands behind other ops is not known.
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
    /// Of all nodes, in their order. `samples`: of the graph's inputs, by their origins; of inputs that have none there
    /// nothing is known. Null: none are given.
    ActivationSamples(const Graph& graph, unsigned threads, const std::map<std::string, Literal>* samples = nullptr);
    /// Means of the columns that operand `k` of a node has behind its TMs; none: they are not known.
    std::optional<std::vector<double>> means(const Node& node, std::size_t k);

private:
    using Points = std::optional<Literal>;  ///< {rows, columns}; one row: all are like it

    Points made(const Node& node);
    Points input(const Node& node);
    static Points sampled(const Node& node, const Literal& sample);
    Points constant(const Node& node) const;
    Points operand(const Edge& edge);
    Points product(const Node& node);
    Points times(const Literal& x, const Literal& matrix) const;
    Points depthwise(const Literal& x, const Literal& matrix) const;
    Points mixed(const Literal& rows, const Literal& x) const;
    Points elementwise(const Node& node);
    Points picked(const Node& sparse, std::int64_t slices, std::int64_t times);
    Literal beside(const Literal& x, std::int64_t times, std::int64_t rows);

    const Graph& graph_;
    unsigned threads_;
    const std::map<std::string, Literal>* samples_;
    std::mt19937 random_;
    std::vector<Points> points_;
};

}  // namespace ttsim::impl::ir
