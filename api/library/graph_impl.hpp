// Implementation of the public Graph.
#pragma once

#include <algorithm>
#include <ttsim/graph.hpp>

#include "compiler/ir/builder.hpp"

namespace ttsim {

struct Graph::Impl {
    impl::ir::Graph graph;
    impl::ir::Builder build{graph};

    /// Whether an input (or a constant) with that name exists.
    bool has(bool input, const std::string& name) const {
        return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const impl::ir::Node& node) {
            return (input ? node.is_input() : node.is_constant()) && node.origin == name;
        });
    }
};

}  // namespace ttsim
