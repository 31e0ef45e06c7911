// reroll-loops: turns that were written out become one again, which the device runs as a program that loops.
//
//   %h1 = tanh(%x1 + %h0 * R) {loop = "y", iteration = 1}       %f = loop_feed %xs {loop = "y", iterations = 255}
//   %h2 = tanh(%x2 + %h1 * R) {loop = "y", iteration = 2}  ->   %s = loop_state {loop = "y", state = 0}
//   ...                                                    %h = tanh(%f + (%s * %keep + %first) * R)
//                                                          %r = loop_results %h, %h {loop = "y", iterations = 255}
//
// Who reads a model marks the nodes of each turn. Iteration 0 stays written out: it may lack what has no state yet. The
// others are compared node by node, and where all are alike but for
//
//   constants that are equal
//   values of the turn before: states. What turn 1 gets instead, a turn gets where `keep` is 0, which is the first
//   slices of one tensor, and constants of each turn: what a turn is handed over
//
// one of them stays. Slices are taken, and results put beside each other, by the host. Anything else stays written out,
// as do short loops.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/ir/integer_ranges.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

/// Ops that a loop must have, written out, to become one: fewer are quick to compile and need no host between.
constexpr std::size_t least_ops = 256;
constexpr std::size_t least_iterations = 4;

using Family = std::vector<ValueId>;  ///< what stands at one place of each turn from 1 on

Node plain(Node node) {
    node.attrs.erase("loop");
    node.attrs.erase("iteration");
    return node;
}

bool alike(const Node& a, const Node& b) {
    return a.op == b.op && plain(a).attrs == plain(b).attrs && a.type == b.type && a.inputs.size() == b.inputs.size();
}

bool is_slicing(const Node& node) { return node.op == "reshape" || node.op == "transpose" || node.op == "map_axis"; }

/// One loop of a graph, by its turns.
class Loop {
public:
    struct Operand {
        enum class Kind : std::uint8_t { Body, State, Fixed, Feed } kind = Kind::Fixed;
        std::size_t place = 0;  ///< Body, State: of the body
        Family family;          ///< Feed: what the turns take; Fixed: one constant
    };

    Loop(const Graph& graph, std::string name, std::vector<std::vector<ValueId>> iterations)
        : graph_(graph), name_(std::move(name)), all_(std::move(iterations)) {}

    const std::string& name() const { return name_; }
    std::int64_t iterations() const { return std::ssize(all_) - 1; }
    std::size_t size() const { return all_[1].size(); }
    const Node& node(std::size_t place) const { return graph_.nodes[all_[1][place]]; }
    bool hoisted(std::size_t place) const { return hoisted_[place]; }
    const std::vector<Operand>& operands(std::size_t place) const { return operands_[place]; }
    /// Places whose values go to the next turn, with what turn 1 gets.
    const std::map<std::size_t, ValueId>& states() const { return states_; }
    /// Iteration (from 1 on) and place of a node of the loop that does not stay as it is.
    const std::pair<std::size_t, std::size_t>* find(ValueId id) const {
        const auto found = where_.find(id);
        return found == where_.end() || hoisted_[found->second.second] ? nullptr : &found->second;
    }

    /// Whether its turns are one; fills in the rest.
    bool rolls(bool always) {
        if (all_.size() <= least_iterations) return false;
        for (std::size_t t = 1; t < all_.size(); ++t) {
            if (all_[t].size() != size()) return false;
            for (std::size_t i = 0; i < size(); ++i) where_[all_[t][i]] = {t, i};
        }
        if (!same_nodes()) return false;
        find_hoisted();
        if (!always &&
            all_.size() * static_cast<std::size_t>(std::count(hoisted_.begin(), hoisted_.end(), false)) < least_ops)
            return false;
        find_late();
        operands_.resize(size());
        for (std::size_t i = 0; i < size(); ++i)
            for (std::size_t k = 0; !hoisted_[i] && k < node(i).inputs.size(); ++k)
                if (!add_operand(i, k)) return false;
        return !states_.empty();
    }

private:
    Family family(std::size_t place, std::size_t k) const {
        Family made;
        for (std::size_t t = 1; t < all_.size(); ++t) made.push_back(graph_.nodes[all_[t][place]].inputs[k].value);
        return made;
    }
    bool all_of(const Family& family, const std::function<bool(ValueId)>& holds) const {
        return std::all_of(family.begin(), family.end(), holds);
    }
    bool same_nodes() const {
        for (std::size_t i = 0; i < size(); ++i) {
            const OpInfo* op = find_op(node(i).op);
            if (!op || op->level == Level::Host || op->level == Level::Device || node(i).has("host")) return false;
            for (std::size_t t = 2; t < all_.size(); ++t)
                if (!alike(node(i), graph_.nodes[all_[t][i]])) return false;
        }
        return true;
    }
    /// Of the turn that each is in: the same place.
    std::optional<std::size_t> own_place(const Family& family) const {
        for (std::size_t t = 0; t < family.size(); ++t) {
            const auto found = where_.find(family[t]);
            if (found == where_.end() || found->second.first != t + 1 ||
                found->second.second != where_.at(family[0]).second)
                return std::nullopt;
        }
        return where_.at(family[0]).second;
    }
    /// Of the turn before.
    std::optional<std::size_t> place_before(const Family& family) const {
        if (where_.contains(family[0])) return std::nullopt;
        std::optional<std::size_t> place;
        for (std::size_t t = 1; t < family.size(); ++t) {
            const auto found = where_.find(family[t]);
            if (found == where_.end() || found->second.first != t ||
                place.value_or(found->second.second) != found->second.second)
                return std::nullopt;
            place = found->second.second;
        }
        return place;
    }
    bool is_fixed(const Family& family) const {
        const Node& first = graph_.nodes[family[0]];
        return first.is_constant() && all_of(family, [&](ValueId id) {
                   const Node& one = graph_.nodes[id];
                   return id == family[0] ||
                          (one.is_constant() && (one.literal == first.literal || *one.literal == *first.literal));
               });
    }
    bool outside(const Family& family) const {
        return all_of(family, [&](ValueId id) { return !where_.contains(id); });
    }

    /// Slices of what all turns read alike are taken before.
    void find_hoisted() {
        hoisted_.assign(size(), false);
        for (std::size_t i = 0; i < size(); ++i) {
            if (!is_slicing(node(i))) continue;
            bool can = true;
            for (std::size_t k = 0; k < node(i).inputs.size(); ++k) {
                const Family from = family(i, k);
                const auto own = own_place(from);
                const bool constants = all_of(from, [&](ValueId id) { return graph_.nodes[id].is_constant(); });
                const bool one = outside(from) && all_of(from, [&](ValueId id) { return id == from[0]; });
                can = can && (constants || one || (own && hoisted_[*own]));
            }
            hoisted_[i] = can;
        }
    }
    /// Nodes outside that wait for the loop.
    void find_late() {
        late_.assign(graph_.nodes.size(), false);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const auto own = where_.find(id);
            late_[id] = own != where_.end() && !hoisted_[own->second.second];
            for (const Edge& edge : graph_.nodes[id].inputs) late_[id] = late_[id] || late_[edge.value];
        }
    }

    bool add_operand(std::size_t place, std::size_t k) {
        using Kind = Operand::Kind;
        const Family from = family(place, k);
        if (!node(place).inputs[k].tms.empty()) return false;
        if (is_fixed(from)) {
            operands_[place].push_back({Kind::Fixed, 0, {from[0]}});
        } else if (const auto own = own_place(from); own && !hoisted_[*own]) {
            operands_[place].push_back({Kind::Body, *own, {}});
        } else if (const auto before = place_before(from); before && !hoisted_[*before]) {
            if (late_[from[0]] || graph_.type(from[0]) != node(*before).type) return false;
            const auto [state, fresh] = states_.emplace(*before, from[0]);
            if (!fresh && state->second != from[0]) return false;
            operands_[place].push_back({Kind::State, *before, {}});
        } else {
            if (!all_of(from, [&](ValueId id) { return !late_[id]; }) || !liftable(from)) return false;
            operands_[place].push_back({Kind::Feed, 0, from});
        }
        return true;
    }

public:
    /// Whether lift() has all of them as one tensor.
    bool liftable(const Family& family) const {
        const Node& first = graph_.nodes[family[0]];
        if (all_of(family, [&](ValueId id) { return id == family[0] || graph_.nodes[id].is_constant(); })) return true;
        if (!is_slicing(first) || !all_of(family, [&](ValueId id) { return similar(first, graph_.nodes[id]); }))
            return false;
        if (first.op != "map_axis") return liftable(operand(family, 0));
        const Family from = operand(family, 0);
        return all_of(from, [&](ValueId id) { return id == from[0]; }) &&
               all_of(operand(family, 1), [&](ValueId id) { return picked(id).has_value(); });
    }
    Family operand(const Family& family, std::size_t k) const {
        Family made;
        for (const ValueId id : family) made.push_back(graph_.nodes[id].inputs[k].value);
        return made;
    }
    /// The one place that the only row of a constant matrix picks.
    std::optional<std::int64_t> picked(ValueId id) const {
        const Node& matrix = graph_.nodes[id];
        if (!matrix.is_constant() || matrix.type.dims.size() != 2 || matrix.type.dims[0] != 1) return std::nullopt;
        std::optional<std::int64_t> place;
        for (std::int64_t k = 0; k < matrix.literal->size(); ++k) {
            const double v = matrix.literal->at(k);
            if (v == 0) continue;
            if (v != 1 || place) return std::nullopt;
            place = k;
        }
        return place;
    }

private:
    static bool similar(const Node& a, const Node& b) {
        return alike(a, b) &&
               std::all_of(b.inputs.begin(), b.inputs.end(), [](const Edge& e) { return e.tms.empty(); });
    }

    const Graph& graph_;
    std::string name_;
    std::vector<std::vector<ValueId>> all_;                         ///< nodes by turn
    std::map<ValueId, std::pair<std::size_t, std::size_t>> where_;  ///< turn and place of those from turn 1 on
    std::vector<bool> hoisted_, late_;
    std::vector<std::vector<Operand>> operands_;
    std::map<std::size_t, ValueId> states_;
};

/// Walks the nodes in order into a new graph.
class Roller {
public:
    Roller(const Graph& graph, std::vector<Loop> loops)
        : graph_(graph),
          build_(result_, graph),
          loops_(std::move(loops)),
          results_(loops_.size()),
          new_(graph.nodes.size()) {}

    Graph run() {
        find_read();
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            build_.set_origin(node.origin);
            build_.set_kind(node.kind);
            build_.set_loc(node.loc);
            if (const auto [loop, at] = member(id); at) {
                if (results_[loop].empty()) add_loop(loop);
            } else if (node.op == "join" && !node.has("host")) {
                new_[id] = joined(node);
            } else if (!new_[id]) {
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
        Node node = plain(graph_.nodes[id]);
        std::vector<Edge> edges;
        for (const Edge& edge : node.inputs) edges.push_back({value(edge.value), edge.tms});
        new_[id] = build_.copy(node, std::move(edges));
    }

    ValueId on_host(ValueId id) {
        Node& node = result_.nodes[id];
        if (!node.is_constant() && !node.is_input()) node.attrs["host"] = std::int64_t{1};
        return id;
    }
    ValueId reshaped(ValueId x, Dims dims) { return on_host(build_.reshape(x, std::move(dims))); }
    ValueId taken(ValueId x, const std::vector<std::int64_t>& places, std::int64_t axis) {
        return on_host(build_.add("take", {x, build_.constant(Literal::vector(places))}, {{"axis", axis}}));
    }

    /// Of the graph that was, in the one that is made.
    ValueId value(ValueId id) {
        if (!new_[id] && graph_.nodes[id].is_constant()) copy(id);
        if (new_[id]) return *new_[id];
        const auto [loop, at] = member(id);
        TT_CHECK(at, "'{}' is read before it is made", graph_.nodes[id].name);
        const ValueId all = results_[loop].at(at->second);
        const ValueId own = taken(all, {static_cast<std::int64_t>(at->first) - 1}, 0);
        new_[id] = reshaped(own, graph_.type(id).dims);
        return *new_[id];
    }

    /// Which places of the loops' bodies are read outside.
    void find_read() {
        read_.resize(loops_.size());
        const auto reads = [&](ValueId id, std::optional<std::size_t> by) {
            if (const auto [loop, at] = member(id); at && by != loop) read_[loop].insert(at->second);
        };
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const auto [loop, at] = member(id);
            for (const Edge& edge : graph_.nodes[id].inputs) reads(edge.value, at ? std::optional(loop) : std::nullopt);
        }
        for (const Output& output : graph_.outputs) reads(output.value, std::nullopt);
    }

    /// All that the turns take at one place, [turns, ...].
    ValueId lift(const Loop& loop, const Family& family) {
        const Node& first = graph_.nodes[family[0]];
        Dims dims = first.type.dims;
        dims.insert(dims.begin(), loop.iterations());
        const bool same = std::all_of(family.begin(), family.end(), [&](ValueId id) { return id == family[0]; });
        if (same && !first.is_constant()) {
            Dims one = dims;
            one[0] = 1;
            const std::vector<std::int64_t> again(family.size(), 0);
            return taken(reshaped(value(family[0]), one), again, 0);
        }
        if (first.is_constant()) {
            Literal all(first.type.dtype, dims);
            const std::int64_t own = count(first.type.dims);
            for (std::size_t t = 0; t < family.size(); ++t)
                for (std::int64_t k = 0; k < own; ++k)
                    all.copy(static_cast<std::int64_t>(t) * own + k, *graph_.nodes[family[t]].literal, k);
            return build_.constant(std::move(all));
        }
        if (first.op == "map_axis") return picked(loop, family, dims);
        const ValueId from = lift(loop, loop.operand(family, 0));
        if (first.op == "reshape") return reshaped(from, dims);
        std::vector<std::int64_t> perm{0};
        for (const std::int64_t axis : first.list("perm")) perm.push_back(axis + 1);
        return on_host(build_.transpose(from, perm));
    }
    ValueId picked(const Loop& loop, const Family& family, const Dims& dims) {
        const Node& first = graph_.nodes[family[0]];
        const std::int64_t axis = first.integer("axis", 0);
        std::vector<std::int64_t> places, perm{axis};
        for (const ValueId matrix : loop.operand(family, 1)) places.push_back(*loop.picked(matrix));
        const ValueId slices = taken(value(first.inputs[0].value), places, axis);
        for (std::int64_t k = 0; k < std::ssize(first.type.dims); ++k)
            if (k != axis) perm.push_back(k);
        return reshaped(on_host(build_.transpose(slices, perm)), dims);
    }

    ValueId feed(const Loop& loop, ValueId whole) {
        return build_.add("loop_feed", {whole}, {{"loop", loop.name()}, {"iterations", loop.iterations()}});
    }
    /// What a turn finds of the one before; the first one what it is given.
    ValueId state(const Loop& loop, std::size_t place, ValueId first, std::int64_t number) {
        const Type& type = loop.node(place).type;
        Dims all = type.dims;
        all.insert(all.begin(), loop.iterations());
        Literal keep(type.dtype, all);
        const std::int64_t own = count(type.dims);
        for (std::int64_t k = own; k < keep.size(); ++k) keep.set(k, 1);
        const ValueId left = build_.add("loop_state", {},
                                        {{"loop", loop.name()},
                                         {"iterations", loop.iterations()},
                                         {"state", number},
                                         {"dims", type.dims},
                                         {"dtype", std::string(to_string(type.dtype))}});
        const ValueId kept = build_.add("multiply", {left, feed(loop, build_.constant(std::move(keep)))});
        const Literal* known = build_.literal(first);
        if (known && known->is_splat() && known->at(0) == 0) return kept;
        Dims one = all;
        one[0] = 1;
        Literal only_first(type.dtype, all);
        for (std::int64_t k = 0; k < own; ++k) only_first.set(k, 1);
        const ValueId given =
            on_host(build_.add("multiply", {build_.constant(std::move(only_first)), reshaped(first, one)}));
        return build_.add("add", {kept, feed(loop, given)});
    }

    void add_loop(std::size_t index) {
        const Loop& loop = loops_[index];
        std::map<Family, ValueId> feeds;
        using Kind = Loop::Operand::Kind;
        for (std::size_t i = 0; i < loop.size(); ++i)
            for (const Loop::Operand& operand : loop.operands(i))
                if (operand.kind == Kind::Feed && !feeds.contains(operand.family))
                    feeds[operand.family] = feed(loop, lift(loop, operand.family));
        std::map<std::size_t, ValueId> states;
        for (const auto& [place, first] : loop.states())
            states[place] = state(loop, place, value(first), std::ssize(states));
        std::vector<ValueId> body(loop.size());
        for (std::size_t i = 0; i < loop.size(); ++i) {
            if (loop.hoisted(i)) continue;
            std::vector<Edge> edges;
            for (const Loop::Operand& operand : loop.operands(i)) switch (operand.kind) {
                    case Kind::Body:
                        edges.push_back({body[operand.place], {}});
                        break;
                    case Kind::State:
                        edges.push_back({states.at(operand.place), {}});
                        break;
                    case Kind::Fixed:
                        edges.push_back({value(operand.family[0]), {}});
                        break;
                    case Kind::Feed:
                        edges.push_back({feeds.at(operand.family), {}});
                        break;
                }
            build_.set_origin(loop.node(i).origin);
            body[i] = build_.copy(plain(loop.node(i)), std::move(edges));
        }
        std::vector<ValueId> left;
        for (const auto& [place, unused] : loop.states()) left.push_back(body[place]);
        for (const std::size_t place : read_[index]) {
            std::vector<ValueId> operands{body[place]};
            operands.insert(operands.end(), left.begin(), left.end());
            results_[index][place] =
                build_.add("loop_results", operands, {{"loop", loop.name()}, {"iterations", loop.iterations()}});
        }
    }

    /// Results of turns stand in one tensor already.
    ValueId joined(const Node& node) {
        const std::int64_t axis = node.integer("axis", 0);
        const auto at = static_cast<std::size_t>(axis);
        std::vector<ValueId> parts;
        std::map<std::pair<std::size_t, std::size_t>, std::int64_t> begins;  // of a loop's results, by place
        std::vector<std::int64_t> order;
        std::int64_t end = 0;
        for (const Edge& edge : node.inputs) {
            const auto [loop, member_at] = member(edge.value);
            const std::int64_t own = graph_.type(edge.value).dims[at];
            std::int64_t from = end;
            if (member_at) {
                const auto [begin, fresh] = begins.try_emplace({loop, member_at->second}, end);
                if (fresh) {
                    parts.push_back(
                        side_by_side(results_[loop].at(member_at->second), graph_.type(edge.value).dims, at));
                    end += loops_[loop].iterations() * own;
                }
                from = begin->second + (static_cast<std::int64_t>(member_at->first) - 1) * own;
            } else {
                parts.push_back(value(edge.value));
                end += own;
            }
            for (std::int64_t k = 0; k < own; ++k) order.push_back(from + k);
        }
        if (begins.empty()) return tree(parts, axis);
        const ValueId all = parts.size() == 1 ? parts.front() : on_host(build_.add("join", parts, {{"axis", axis}}));
        const bool sorted = std::is_sorted(order.begin(), order.end()) && std::ssize(order) == end;
        return sorted ? all : taken(all, order, axis);
    }
    /// [turns, ...] with the turns put one behind the other along an axis of theirs.
    ValueId side_by_side(ValueId results, Dims dims, std::size_t axis) {
        std::vector<std::int64_t> perm;
        for (std::size_t k = 0; k < dims.size(); ++k) {
            if (k == axis) perm.push_back(0);
            perm.push_back(static_cast<std::int64_t>(k) + 1);
        }
        dims[axis] *= build_.dims(results)[0];
        return reshaped(axis == 0 ? results : on_host(build_.transpose(results, perm)), dims);
    }
    /// What was written out: sums of parts that stand apart.
    ValueId tree(std::span<const ValueId> parts, std::int64_t axis) {
        if (parts.size() == 1) return parts.front();
        const ValueId left = tree(parts.first(parts.size() / 2), axis),
                      right = tree(parts.subspan(parts.size() / 2), axis);
        const auto at = static_cast<std::size_t>(axis);
        const std::int64_t first = build_.dims(left)[at], second = build_.dims(right)[at];
        Literal before(DType::F32, {first + second, first}), behind(DType::F32, {first + second, second});
        for (std::int64_t k = 0; k < first; ++k) before.set(k * first + k, 1);
        for (std::int64_t k = 0; k < second; ++k) behind.set((first + k) * second + k, 1);
        return build_.add(
            "add", {build_.map_axis(left, axis, std::move(before)), build_.map_axis(right, axis, std::move(behind))});
    }

    const Graph& graph_;
    Graph result_ = graph_.next();
    Builder build_;
    std::vector<Loop> loops_;
    std::vector<std::map<std::size_t, ValueId>> results_;  ///< by loop and place: all turns of what is read outside
    std::vector<std::set<std::size_t>> read_;
    std::vector<std::optional<ValueId>> new_;
};

/// Those whose turns are one, in order.
std::vector<Loop> rolling(const Graph& graph, const PassOptions& options) {
    std::vector<std::string> names;
    std::map<std::string, std::vector<std::vector<ValueId>>> iterations;
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (!node.has("iteration")) continue;
        auto& all = iterations[node.word("loop", "")];
        if (all.empty()) names.push_back(node.word("loop", ""));
        const auto iteration =
            static_cast<std::size_t>(std::clamp<std::int64_t>(node.integer("iteration", 0), 0, 1 << 20));
        if (all.size() <= iteration) all.resize(iteration + 1);
        all[iteration].push_back(id);
    }
    std::vector<Loop> loops;
    if (options.loops == Loops::Unrolled || !options.host_fallback) return loops;
    for (const std::string& name : names)
        if (Loop loop(graph, name, std::move(iterations[name])); loop.rolls(options.loops == Loops::Programs))
            loops.push_back(std::move(loop));
    return loops;
}

void run_reroll_loops(Graph& graph, const PassOptions& options) {
    const auto marked = [](const Node& node) { return node.has("iteration") || node.op == "join"; };
    if (std::none_of(graph.nodes.begin(), graph.nodes.end(), marked)) return;
    // integers that the host has to compute keep a loop written out
    const std::vector<bool> inexact = inexact_integer_ops(graph, integer_ranges(graph), held_integers(options));
    for (ValueId id = 0; id < graph.nodes.size(); ++id)
        if (inexact[id]) graph.nodes[id].attrs["host"] = std::int64_t{1};
    graph = Roller(graph, rolling(graph, options)).run();
}

}  // namespace

extern const Pass reroll_loops;
const Pass reroll_loops{
    .name = "reroll-loops", .summary = "make turns that were written out programs that loop", .run = run_reroll_loops};

}  // namespace ttsim::impl::ir
