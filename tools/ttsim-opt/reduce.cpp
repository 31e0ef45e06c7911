#include "tools/ttsim-opt/reduce.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "base/error.hpp"

namespace ttsim::impl::cli {

namespace {

/// A message without names and numbers, which change while a graph shrinks.
std::string normalized(const std::string& text) {
    std::string out;
    bool quoted = false;
    for (const char c : text.substr(0, text.find('\n'))) {
        if (c == '\'') quoted = !quoted;
        if (!quoted && (c < '0' || c > '9')) out += c;
    }
    return out;
}

std::string failure_of(ir::Graph graph, const PassesRun& run) {
    try {
        const auto changed = run_passes(graph, run);
        return changed ? "values changed by " + changed->pass : "";
    } catch (const Error& error) {
        const std::string text = error.what();
        const std::size_t message = text.find("error: ");
        return fmt::format("error {}: {}", static_cast<int>(error.fault()),
                           normalized(message == std::string::npos ? text : text.substr(message)));
    } catch (const std::exception& error) {
        return "exception: " + normalized(error.what());
    }
}

/// The same in a process of its own, since a pass may crash or not end.
std::string failure_apart(const ir::Graph& graph, const PassesRun& run) {
    constexpr unsigned most_seconds = 60;
    int ends[2];
    if (::pipe(ends) != 0) fail_input({}, "a pipe cannot be made");
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) fail_input({}, "a process cannot be started");
    if (child == 0) {
        ::close(ends[0]);
        ::alarm(most_seconds);
        const std::string failure = failure_of(graph, run);
        const bool written = ::write(ends[1], failure.data(), failure.size()) == static_cast<ssize_t>(failure.size());
        ::_exit(written ? 0 : 1);
    }
    ::close(ends[1]);
    std::string failure;
    char part[512];
    for (ssize_t n = 0; (n = ::read(ends[0], part, sizeof part)) > 0;)
        failure.append(part, static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status)) : failure;
}

/// The graph without nodes that no output needs, inputs included.
ir::Graph trimmed(const ir::Graph& graph) {
    std::vector<bool> used(graph.nodes.size());
    for (const ir::Output& output : graph.outputs) used[output.value] = true;
    for (std::size_t i = graph.nodes.size(); i-- > 0;)
        if (used[i])
            for (const ir::Edge& edge : graph.nodes[i].inputs) used[edge.value] = true;
    std::vector<ir::ValueId> place(graph.nodes.size());
    ir::Graph kept;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (!used[i]) continue;
        place[i] = kept.nodes.size();
        kept.nodes.push_back(graph.nodes[i]);
        for (ir::Edge& edge : kept.nodes.back().inputs) edge.value = place[edge.value];
    }
    kept.outputs = graph.outputs;
    for (ir::Output& output : kept.outputs) output.value = place[output.value];
    return kept;
}

/// Whether an input may stand for the node: results of an op with several go together.
bool can_be_input(const ir::Graph& graph, std::size_t i) {
    const ir::Node& node = graph.nodes[i];
    return !node.is_input() && !node.is_constant() && !node.is_result() && node.more_types.empty();
}

void make_input(ir::Node& node) {
    node.op = ir::op::input;
    node.inputs.clear();
    node.attrs = {};
    node.origin = node.name;
    node.kind.clear();
    node.literal = nullptr;
}

class Reducer {
public:
    Reducer(const ir::Graph& graph, const PassesRun& run) : run_(run), best_(trimmed(graph)) {
        run_.print = nullptr;
        run_.time_passes = false;
        failure_ = failure_apart(best_, run_);
        if (failure_.empty())
            fail_input({}, "--reduce: the passes do not fail on this graph, so there is nothing to reduce");
    }
    Reduced run() {
        for (std::size_t before = 0; before != size();) {
            before = size();
            drop_outputs();
            in_chunks([&](ir::Graph& graph, std::size_t i) {
                if (can_be_input(graph, i)) make_input(graph.nodes[i]);
            });
            in_chunks([](ir::Graph& graph, std::size_t i) { bypass(graph, i); });
            outputs_inside();
        }
        return {best_, failure_, trials_};
    }

private:
    std::size_t size() const { return best_.nodes.size() + best_.outputs.size(); }
    bool accept(ir::Graph graph) {
        graph = trimmed(graph);
        if (graph.nodes.size() + graph.outputs.size() >= size()) return false;
        ++trials_;
        if (failure_apart(graph, run_) != failure_) return false;
        best_ = std::move(graph);
        return true;
    }
    void drop_outputs() {
        for (std::size_t i = best_.outputs.size(); i-- > 0 && best_.outputs.size() > 1;) {
            ir::Graph graph = best_;
            graph.outputs.erase(graph.outputs.begin() + static_cast<std::ptrdiff_t>(i));
            accept(std::move(graph));
        }
    }
    /// Changes halves of the nodes at a time, then quarters, down to single ones.
    void in_chunks(const std::function<void(ir::Graph&, std::size_t)>& change) {
        for (std::size_t chunk = std::max<std::size_t>(1, best_.nodes.size() / 2);; chunk = chunk / 2) {
            for (std::size_t end = best_.nodes.size(); end > 0;
                 end = end > chunk ? std::min(end - chunk, best_.nodes.size()) : 0) {
                ir::Graph graph = best_;
                for (std::size_t i = end > chunk ? end - chunk : 0; i < end; ++i) change(graph, i);
                accept(std::move(graph));
            }
            if (chunk <= 1) return;
        }
    }
    /// Readers of a node read its first operand of the same type instead.
    static void bypass(ir::Graph& graph, std::size_t i) {
        const ir::Node& node = graph.nodes[i];
        const auto same = std::find_if(node.inputs.begin(), node.inputs.end(), [&](const ir::Edge& edge) {
            return edge.tms.empty() && graph.type(edge.value) == node.type;
        });
        if (same == node.inputs.end() || !node.more_types.empty()) return;
        const ir::ValueId operand = same->value;
        for (ir::Node& reader : graph.nodes)
            for (ir::Edge& edge : reader.inputs)
                if (edge.value == i) edge.value = operand;
        for (ir::Output& output : graph.outputs)
            if (output.value == i) output.value = operand;
    }
    /// An earlier node is the output, so that what follows it goes.
    void outputs_inside() {
        for (std::size_t i = 0; i < best_.nodes.size(); ++i) {
            if (best_.nodes[i].is_input() || best_.nodes[i].is_constant()) continue;
            ir::Graph graph = best_;
            graph.outputs.resize(1);
            graph.outputs.front().value = i;
            graph.outputs.front().type.reset();
            if (accept(std::move(graph))) return;
        }
    }

    PassesRun run_;
    ir::Graph best_;
    std::string failure_;
    std::size_t trials_ = 0;
};

}  // namespace

Reduced reduce(const ir::Graph& graph, const PassesRun& run) { return Reducer(graph, run).run(); }

}  // namespace ttsim::impl::cli
