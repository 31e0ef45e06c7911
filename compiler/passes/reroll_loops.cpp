// reroll-loops: turns the unrolled iterations of a loop into a loop that the device runs as a program.
//
//   %h1 = tanh(%x1 + %h0 * R) {loop = "y", iteration = 1}       %f = loop_feed %xs {loop = "y", iterations = 255}
//   %h2 = tanh(%x2 + %h1 * R) {loop = "y", iteration = 2}  ->   %s = loop_state {loop = "y", state = 0}
//   ...                                                    %h = tanh(%f + (%s * %keep + %first) * R)
//                                                          %r = loop_results %h, %h {loop = "y", iterations = 255}
//
// The frontend marks the nodes of each iteration. Iteration 0 stays unrolled, since ops on an initial state may be
// missing in it. The others are compared node by node. They become one loop body if they differ at most in these
// operands:
//
//   constants, which must be equal in all iterations
//   values of the previous iteration: states. Iteration 1 has an initial value instead. The body computes
//   state * keep + initial, where keep is 0 and `initial` is not 0 in iteration 1 only
//   slices of one tensor, or a constant for each iteration: inputs of the iteration (feeds)
//
// The host slices feeds and collects results. Other loops, and short ones, stay unrolled.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/ir/integer_ranges.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

/// Loops with fewer unrolled ops stay unrolled: they compile quickly and need no host steps.
constexpr std::size_t min_ops = 256;
constexpr std::size_t min_iterations = 4;

using IterationValues = std::vector<ValueId>;  ///< the values at one position of the body, by iteration from 1 on

Node without_loop_attrs(Node node) {
    node.erase(attr::loop);
    node.erase(attr::iteration);
    return node;
}

bool is_same_op(const Node& a, const Node& b) {
    return a.op == b.op && without_loop_attrs(a).attrs == without_loop_attrs(b).attrs && a.type == b.type &&
           a.inputs.size() == b.inputs.size();
}

bool is_slicing(const Node& node) {
    return node.op == op::reshape || node.op == op::transpose || node.op == op::map_axis;
}

/// One loop of a graph, as a list of its iterations.
class Loop {
public:
    struct Operand {
        enum class Kind : std::uint8_t { Body, State, Fixed, Feed } kind = Kind::Fixed;
        std::size_t position = 0;  ///< Body, State: position in the body
        IterationValues values;    ///< Feed: the values of the iterations; Fixed: one constant
    };

    Loop(const Graph& graph, std::string name, std::vector<std::vector<ValueId>> iterations)
        : graph_(graph), name_(std::move(name)), iterations_(std::move(iterations)) {}

    const std::string& name() const { return name_; }
    std::int64_t iterations() const { return std::ssize(iterations_) - 1; }
    std::size_t size() const { return iterations_[1].size(); }
    const Node& node(std::size_t position) const { return graph_.nodes[iterations_[1][position]]; }
    bool hoisted(std::size_t position) const { return hoisted_[position]; }
    const std::vector<Operand>& operands(std::size_t position) const { return operands_[position]; }
    /// Positions whose values the next iteration reads, with the initial values for iteration 1.
    const std::map<std::size_t, ValueId>& states() const { return states_; }
    /// Iteration (from 1 on) and position of a node of the loop that is not hoisted.
    const std::pair<std::size_t, std::size_t>* find(ValueId id) const {
        const auto found = positions_.find(id);
        return found == positions_.end() || hoisted_[found->second.second] ? nullptr : &found->second;
    }

    /// Whether the iterations can be rerolled; analyzes the loop.
    bool can_reroll(bool always) {
        if (iterations_.size() <= min_iterations) return false;
        for (std::size_t t = 1; t < iterations_.size(); ++t) {
            if (iterations_[t].size() != size()) return false;
            for (std::size_t i = 0; i < size(); ++i) positions_[iterations_[t][i]] = {t, i};
        }
        if (!same_nodes()) return false;
        find_hoisted();
        if (!always &&
            iterations_.size() * static_cast<std::size_t>(std::count(hoisted_.begin(), hoisted_.end(), false)) <
                min_ops)
            return false;
        find_after_loop();
        operands_.resize(size());
        for (std::size_t i = 0; i < size(); ++i)
            for (std::size_t k = 0; !hoisted_[i] && k < node(i).inputs.size(); ++k)
                if (!add_operand(i, k)) return false;
        return !states_.empty();
    }

private:
    IterationValues values(std::size_t position, std::size_t k) const {
        IterationValues made;
        for (std::size_t t = 1; t < iterations_.size(); ++t)
            made.push_back(graph_.nodes[iterations_[t][position]].inputs[k].value);
        return made;
    }
    bool all_of(const IterationValues& values, const std::function<bool(ValueId)>& holds) const {
        return std::all_of(values.begin(), values.end(), holds);
    }
    bool same_nodes() const {
        for (std::size_t i = 0; i < size(); ++i) {
            const OpInfo* op = find_op(node(i).op);
            if (!op || op->level == Level::Host || op->level == Level::Device || node(i).has(attr::host)) return false;
            for (std::size_t t = 2; t < iterations_.size(); ++t)
                if (!is_same_op(node(i), graph_.nodes[iterations_[t][i]])) return false;
        }
        return true;
    }
    /// The common position, if each value is in its own iteration at one position.
    std::optional<std::size_t> own_position(const IterationValues& values) const {
        for (std::size_t t = 0; t < values.size(); ++t) {
            const auto found = positions_.find(values[t]);
            if (found == positions_.end() || found->second.first != t + 1 ||
                found->second.second != positions_.at(values[0]).second)
                return std::nullopt;
        }
        return positions_.at(values[0]).second;
    }
    /// The common position, if each value is in the previous iteration at one position.
    std::optional<std::size_t> position_before(const IterationValues& values) const {
        if (positions_.contains(values[0])) return std::nullopt;
        std::optional<std::size_t> position;
        for (std::size_t t = 1; t < values.size(); ++t) {
            const auto found = positions_.find(values[t]);
            if (found == positions_.end() || found->second.first != t ||
                position.value_or(found->second.second) != found->second.second)
                return std::nullopt;
            position = found->second.second;
        }
        return position;
    }
    bool is_fixed(const IterationValues& values) const {
        const Node& first = graph_.nodes[values[0]];
        return first.is_constant() && all_of(values, [&](ValueId id) {
                   const Node& one = graph_.nodes[id];
                   return id == values[0] ||
                          (one.is_constant() && (one.literal == first.literal || *one.literal == *first.literal));
               });
    }
    bool outside(const IterationValues& values) const {
        return all_of(values, [&](ValueId id) { return !positions_.contains(id); });
    }

    /// Finds slices of values that are equal in all iterations; they are hoisted out of the loop.
    void find_hoisted() {
        hoisted_.assign(size(), false);
        for (std::size_t i = 0; i < size(); ++i) {
            if (!is_slicing(node(i))) continue;
            bool can = true;
            for (std::size_t k = 0; k < node(i).inputs.size(); ++k) {
                const IterationValues from = values(i, k);
                const auto own = own_position(from);
                const bool constants = all_of(from, [&](ValueId id) { return graph_.nodes[id].is_constant(); });
                const bool one = outside(from) && all_of(from, [&](ValueId id) { return id == from[0]; });
                can = can && (constants || one || (own && hoisted_[*own]));
            }
            hoisted_[i] = can;
        }
    }
    /// Finds nodes that depend on the loop.
    void find_after_loop() {
        after_loop_.assign(graph_.nodes.size(), false);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const auto own = positions_.find(id);
            after_loop_[id] = own != positions_.end() && !hoisted_[own->second.second];
            for (const Edge& edge : graph_.nodes[id].inputs)
                after_loop_[id] = after_loop_[id] || after_loop_[edge.value];
        }
    }

    bool add_operand(std::size_t position, std::size_t k) {
        using Kind = Operand::Kind;
        const IterationValues from = values(position, k);
        if (!node(position).inputs[k].tms.empty()) return false;
        if (is_fixed(from)) {
            operands_[position].push_back({Kind::Fixed, 0, {from[0]}});
        } else if (const auto own = own_position(from); own && !hoisted_[*own]) {
            operands_[position].push_back({Kind::Body, *own, {}});
        } else if (const auto before = position_before(from); before && !hoisted_[*before]) {
            if (after_loop_[from[0]] || graph_.type(from[0]) != node(*before).type) return false;
            const auto [state, fresh] = states_.emplace(*before, from[0]);
            if (!fresh && state->second != from[0]) return false;
            operands_[position].push_back({Kind::State, *before, {}});
        } else {
            if (!all_of(from, [&](ValueId id) { return !after_loop_[id]; }) || !is_stackable(from)) return false;
            operands_[position].push_back({Kind::Feed, 0, from});
        }
        return true;
    }

public:
    /// Whether stack() can combine the values of all iterations in one tensor.
    bool is_stackable(const IterationValues& values) const {
        const Node& first = graph_.nodes[values[0]];
        if (all_of(values, [&](ValueId id) { return id == values[0] || graph_.nodes[id].is_constant(); })) return true;
        if (!is_slicing(first) ||
            !all_of(values, [&](ValueId id) { return is_same_op_without_tms(first, graph_.nodes[id]); }))
            return false;
        if (first.op != op::map_axis) return is_stackable(operand(values, 0));
        const IterationValues from = operand(values, 0);
        return all_of(from, [&](ValueId id) { return id == from[0]; }) &&
               all_of(operand(values, 1), [&](ValueId id) { return selected(id).has_value(); });
    }
    IterationValues operand(const IterationValues& values, std::size_t k) const {
        IterationValues made;
        for (const ValueId id : values) made.push_back(graph_.nodes[id].inputs[k].value);
        return made;
    }
    /// The position that a constant matrix of one row selects.
    std::optional<std::int64_t> selected(ValueId id) const {
        const Node& matrix = graph_.nodes[id];
        if (!matrix.is_constant() || matrix.type.dims.size() != 2 || matrix.type.dims[0] != 1) return std::nullopt;
        std::optional<std::int64_t> position;
        for (std::int64_t k = 0; k < matrix.literal->size(); ++k) {
            const double v = matrix.literal->at(k);
            if (v == 0) continue;
            if (v != 1 || position) return std::nullopt;
            position = k;
        }
        return position;
    }

private:
    static bool is_same_op_without_tms(const Node& a, const Node& b) {
        return is_same_op(a, b) &&
               std::all_of(b.inputs.begin(), b.inputs.end(), [](const Edge& e) { return e.tms.empty(); });
    }

    const Graph& graph_;
    std::string name_;
    std::vector<std::vector<ValueId>> iterations_;                      ///< nodes by iteration
    std::map<ValueId, std::pair<std::size_t, std::size_t>> positions_;  ///< iteration (from 1 on) and position
    std::vector<bool> hoisted_, after_loop_;
    std::vector<std::vector<Operand>> operands_;
    std::map<std::size_t, ValueId> states_;
};

/// Copies the nodes in order into a new graph, with loops rerolled.
class LoopRewriter {
public:
    LoopRewriter(const Graph& graph, std::vector<Loop> loops)
        : graph_(graph),
          build_(result_, graph),
          loops_(std::move(loops)),
          results_(loops_.size()),
          moved_(graph.nodes.size()) {}

    Graph run() {
        find_read_outside();
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            build_.set_origin(node.origin);
            build_.set_kind(node.kind);
            build_.set_loc(node.loc);
            if (const auto [loop, at] = member(id); at) {
                if (results_[loop].empty()) add_loop(loop);
            } else if (node.op == op::join && !node.has(attr::host)) {
                moved_[id] = joined(node);
            } else if (!moved_[id]) {
                copy(id);
            }
        }
        for (const Output& output : graph_.outputs)
            result_.outputs.push_back({output.name, value(output.value), output.type});
        result_.erase_unused();
        return std::move(result_);
    }

private:
    using At = const std::pair<std::size_t, std::size_t>*;
    std::pair<std::size_t, At> member(ValueId id) const {
        for (std::size_t k = 0; k < loops_.size(); ++k)
            if (const At at = loops_[k].find(id)) return {k, at};
        return {0, nullptr};
    }

    void copy(ValueId id) {
        Node node = without_loop_attrs(graph_.nodes[id]);
        std::vector<Edge> edges;
        for (const Edge& edge : node.inputs) edges.push_back({value(edge.value), edge.tms});
        moved_[id] = build_.copy(node, std::move(edges));
    }

    ValueId on_host(ValueId id) {
        Node& node = result_.nodes[id];
        if (!node.is_constant() && !node.is_input()) node.set(attr::host, true);
        return id;
    }
    ValueId reshaped(ValueId x, Dims dims) { return on_host(build_.reshape(x, std::move(dims))); }
    ValueId take(ValueId x, const std::vector<std::int64_t>& positions, std::int64_t axis) {
        return on_host(build_.add(op::take, {x, build_.constant(Literal::vector(positions))}, {attr::axis(axis)}));
    }

    /// The value in the new graph for a value of the old graph.
    ValueId value(ValueId id) {
        if (!moved_[id] && graph_.nodes[id].is_constant()) copy(id);
        if (moved_[id]) return *moved_[id];
        const auto [loop, at] = member(id);
        TT_CHECK(at, "'{}' is read before it is computed", graph_.nodes[id].name);
        const ValueId all = results_[loop].at(at->second);
        const ValueId own = take(all, {static_cast<std::int64_t>(at->first) - 1}, 0);
        moved_[id] = reshaped(own, graph_.type(id).dims);
        return *moved_[id];
    }

    /// Finds the positions of loop bodies whose values are read outside the loop.
    void find_read_outside() {
        read_outside_.resize(loops_.size());
        const auto reads = [&](ValueId id, std::optional<std::size_t> by) {
            if (const auto [loop, at] = member(id); at && by != loop) read_outside_[loop].insert(at->second);
        };
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const auto [loop, at] = member(id);
            for (const Edge& edge : graph_.nodes[id].inputs) reads(edge.value, at ? std::optional(loop) : std::nullopt);
        }
        for (const Output& output : graph_.outputs) reads(output.value, std::nullopt);
    }

    /// Stacks the values of all iterations at one position: [iterations, ...].
    ValueId stack(const Loop& loop, const IterationValues& values) {
        const Node& first = graph_.nodes[values[0]];
        Dims dims = first.type.dims;
        dims.insert(dims.begin(), loop.iterations());
        const bool same = std::all_of(values.begin(), values.end(), [&](ValueId id) { return id == values[0]; });
        if (same && !first.is_constant()) {
            Dims one = dims;
            one[0] = 1;
            const std::vector<std::int64_t> again(values.size(), 0);
            return take(reshaped(value(values[0]), one), again, 0);
        }
        if (first.is_constant()) {
            Literal all(first.type.dtype, dims);
            const std::int64_t own = count(first.type.dims);
            for (std::size_t t = 0; t < values.size(); ++t)
                for (std::int64_t k = 0; k < own; ++k)
                    all.copy(static_cast<std::int64_t>(t) * own + k, *graph_.nodes[values[t]].literal, k);
            return build_.constant(std::move(all));
        }
        if (first.op == op::map_axis) return selected(loop, values, dims);
        const ValueId from = stack(loop, loop.operand(values, 0));
        if (first.op == op::reshape) return reshaped(from, dims);
        std::vector<std::int64_t> perm{0};
        for (const std::int64_t axis : first.get(attr::perm)) perm.push_back(axis + 1);
        return on_host(build_.transpose(from, perm));
    }
    ValueId selected(const Loop& loop, const IterationValues& values, const Dims& dims) {
        const Node& first = graph_.nodes[values[0]];
        const std::int64_t axis = first.get(attr::axis);
        std::vector<std::int64_t> positions, perm{axis};
        for (const ValueId matrix : loop.operand(values, 1)) positions.push_back(*loop.selected(matrix));
        const ValueId slices = take(value(first.inputs[0].value), positions, axis);
        for (std::int64_t k = 0; k < std::ssize(first.type.dims); ++k)
            if (k != axis) perm.push_back(k);
        return reshaped(on_host(build_.transpose(slices, perm)), dims);
    }

    ValueId feed(const Loop& loop, ValueId stacked) {
        return build_.add(op::loop_feed, {stacked}, {attr::loop(loop.name()), attr::iterations(loop.iterations())});
    }
    /// The state that an iteration reads: the previous iteration's value, or in the first iteration the initial value.
    ValueId state(const Loop& loop, std::size_t position, ValueId first, std::int64_t number) {
        const Type& type = loop.node(position).type;
        Dims all = type.dims;
        all.insert(all.begin(), loop.iterations());
        Literal keep(type.dtype, all);
        const std::int64_t own = count(type.dims);
        for (std::int64_t k = own; k < keep.size(); ++k) keep.set(k, 1);
        const ValueId states_out =
            build_.add(op::loop_state, {},
                       {attr::loop(loop.name()), attr::iterations(loop.iterations()), attr::state_index(number),
                        attr::dims(type.dims), attr::dtype(std::string(to_string(type.dtype)))});
        const ValueId masked_state =
            build_.add(op::multiply, {states_out, feed(loop, build_.constant(std::move(keep)))});
        const Literal* known = build_.literal(first);
        if (known && known->is_splat() && known->at(0) == 0) return masked_state;
        Dims one = all;
        one[0] = 1;
        Literal only_first(type.dtype, all);
        for (std::int64_t k = 0; k < own; ++k) only_first.set(k, 1);
        const ValueId initial =
            on_host(build_.add(op::multiply, {build_.constant(std::move(only_first)), reshaped(first, one)}));
        return build_.add(op::add, {masked_state, feed(loop, initial)});
    }

    void add_loop(std::size_t index) {
        const Loop& loop = loops_[index];
        std::map<IterationValues, ValueId> feeds;
        using Kind = Loop::Operand::Kind;
        for (std::size_t i = 0; i < loop.size(); ++i)
            for (const Loop::Operand& operand : loop.operands(i))
                if (operand.kind == Kind::Feed && !feeds.contains(operand.values))
                    feeds[operand.values] = feed(loop, stack(loop, operand.values));
        std::map<std::size_t, ValueId> states;
        for (const auto& [position, first] : loop.states())
            states[position] = state(loop, position, value(first), std::ssize(states));
        std::vector<ValueId> body(loop.size());
        for (std::size_t i = 0; i < loop.size(); ++i) {
            if (loop.hoisted(i)) continue;
            std::vector<Edge> edges;
            for (const Loop::Operand& operand : loop.operands(i)) switch (operand.kind) {
                    case Kind::Body:
                        edges.push_back({body[operand.position], {}});
                        break;
                    case Kind::State:
                        edges.push_back({states.at(operand.position), {}});
                        break;
                    case Kind::Fixed:
                        edges.push_back({value(operand.values[0]), {}});
                        break;
                    case Kind::Feed:
                        edges.push_back({feeds.at(operand.values), {}});
                        break;
                }
            build_.set_origin(loop.node(i).origin);
            body[i] = build_.copy(without_loop_attrs(loop.node(i)), std::move(edges));
        }
        std::vector<ValueId> states_out;
        for (const auto& [position, unused] : loop.states()) states_out.push_back(body[position]);
        for (const std::size_t position : read_outside_[index]) {
            std::vector<ValueId> operands{body[position]};
            operands.insert(operands.end(), states_out.begin(), states_out.end());
            results_[index][position] =
                build_.add(op::loop_results, operands, {attr::loop(loop.name()), attr::iterations(loop.iterations())});
        }
    }

    /// A join of iterations' results, which are already in one tensor.
    ValueId joined(const Node& node) {
        const std::int64_t axis = node.get(attr::axis);
        const auto at = static_cast<std::size_t>(axis);
        std::vector<ValueId> parts;
        std::map<std::pair<std::size_t, std::size_t>, std::int64_t> begins;  // of results, by loop and position
        std::vector<std::int64_t> order;
        std::int64_t end = 0;
        for (const Edge& edge : node.inputs) {
            const auto [loop, member_at] = member(edge.value);
            const std::int64_t own = graph_.type(edge.value).dims[at];
            std::int64_t from = end;
            if (member_at) {
                const auto [begin, fresh] = begins.try_emplace({loop, member_at->second}, end);
                if (fresh) {
                    parts.push_back(along_axis(results_[loop].at(member_at->second), graph_.type(edge.value).dims, at));
                    end += loops_[loop].iterations() * own;
                }
                from = begin->second + (static_cast<std::int64_t>(member_at->first) - 1) * own;
            } else {
                parts.push_back(value(edge.value));
                end += own;
            }
            for (std::int64_t k = 0; k < own; ++k) order.push_back(from + k);
        }
        if (begins.empty()) return concatenated(parts, axis);
        const ValueId all =
            parts.size() == 1 ? parts.front() : on_host(build_.add(op::join, parts, {attr::axis(axis)}));
        const bool sorted = std::is_sorted(order.begin(), order.end()) && std::ssize(order) == end;
        return sorted ? all : take(all, order, axis);
    }
    /// [iterations, ...] with the iterations concatenated along an axis of the results.
    ValueId along_axis(ValueId results, Dims dims, std::size_t axis) {
        std::vector<std::int64_t> perm;
        for (std::size_t k = 0; k < dims.size(); ++k) {
            if (k == axis) perm.push_back(0);
            perm.push_back(static_cast<std::int64_t>(k) + 1);
        }
        dims[axis] *= build_.dims(results)[0];
        return reshaped(axis == 0 ? results : on_host(build_.transpose(results, perm)), dims);
    }
    /// Concatenation as in unrolled loops: sums of parts padded with zeros.
    ValueId concatenated(std::span<const ValueId> parts, std::int64_t axis) {
        if (parts.size() == 1) return parts.front();
        const ValueId states_out = concatenated(parts.first(parts.size() / 2), axis),
                      right = concatenated(parts.subspan(parts.size() / 2), axis);
        const auto at = static_cast<std::size_t>(axis);
        const std::int64_t first = build_.dims(states_out)[at], second = build_.dims(right)[at];
        Literal before(DType::F32, {first + second, first}), after(DType::F32, {first + second, second});
        for (std::int64_t k = 0; k < first; ++k) before.set(k * first + k, 1);
        for (std::int64_t k = 0; k < second; ++k) after.set((first + k) * second + k, 1);
        return build_.add(op::add, {build_.map_axis(states_out, axis, std::move(before)),
                                    build_.map_axis(right, axis, std::move(after))});
    }

    const Graph& graph_;
    Graph result_ = graph_.next();
    Builder build_;
    std::vector<Loop> loops_;
    std::vector<std::map<std::size_t, ValueId>> results_;  ///< all iterations' values, by loop and position
    std::vector<std::set<std::size_t>> read_outside_;
    std::vector<std::optional<ValueId>> moved_;
};

/// The loops that can be rerolled, in order.
std::vector<Loop> rerollable_loops(const Graph& graph, const PassOptions& options) {
    std::vector<std::string> names;
    std::map<std::string, std::vector<std::vector<ValueId>>> iterations;
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (!node.has(attr::iteration)) continue;
        auto& all = iterations[node.get(attr::loop)];
        if (all.empty()) names.push_back(node.get(attr::loop));
        const auto iteration =
            static_cast<std::size_t>(std::clamp<std::int64_t>(node.get(attr::iteration), 0, 1 << 20));
        if (all.size() <= iteration) all.resize(iteration + 1);
        all[iteration].push_back(id);
    }
    std::vector<Loop> loops;
    if (options.loops == Loops::Unrolled || !options.host_fallback) return loops;
    for (const std::string& name : names)
        if (Loop loop(graph, name, std::move(iterations[name])); loop.can_reroll(options.loops == Loops::Programs))
            loops.push_back(std::move(loop));
    return loops;
}

void run_reroll_loops(Graph& graph, const PassOptions& options) {
    const auto marked = [](const Node& node) { return node.has(attr::iteration) || node.op == op::join; };
    if (std::none_of(graph.nodes.begin(), graph.nodes.end(), marked)) return;
    // integer ops that the host must compute prevent rerolling
    const std::vector<bool> inexact = inexact_integer_ops(graph, integer_ranges(graph), exact_integer_limit(options));
    for (ValueId id = 0; id < graph.nodes.size(); ++id)
        if (inexact[id]) graph.nodes[id].set(attr::host, true);
    graph = LoopRewriter(graph, rerollable_loops(graph, options)).run();
}

}  // namespace

extern const Pass reroll_loops;
const Pass reroll_loops{
    .name = "reroll-loops", .summary = "reroll unrolled loops into device programs that loop", .run = run_reroll_loops};

}  // namespace ttsim::impl::ir
