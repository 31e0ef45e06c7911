// Resolves a netlist: expands instances, links names, computes operand shapes.
#include <set>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "kernels/ops/op_def.hpp"
#include "netlist/checks/instances.hpp"
#include "netlist/checks/name_index.hpp"
#include "netlist/checks/validate.hpp"

namespace ttsim::impl {

namespace {

/// Limit of expansion by target chips; more instances are a mistake in the file.
constexpr std::size_t max_instances = 1'000'000;

void check_instances(const Netlist& netlist, Diagnostics& out) {
    std::size_t total = 0, executes = 0;
    const NameIndex index(netlist);
    for (const Queue& queue : netlist.queues) total += queue.target_devices.size();
    for (const Graph& graph : netlist.graphs) total += graph.target_devices.size() * (graph.ops.size() + 1);
    for (const Program& program : netlist.programs)
        for (const Instruction& instruction : program.instructions)
            if (const Graph* graph = index.graph(instruction.graph))
                executes += graph->target_devices.size() * (instruction.settings.size() + 1);
    if (total > max_instances || executes > max_instances)
        out.error({netlist.file}, "target_device lists make more than {} instances", max_instances);
}

void check_unique(const Netlist& netlist, Diagnostics& out) {
    std::unordered_map<std::string_view, const SourceLoc*> seen;
    for (const Queue& queue : netlist.queues)
        if (!seen.emplace(queue.name, &queue.loc).second)
            out.error(queue.loc, "queue '{}' has the name of an instance of another queue", queue.name);
    for (const Graph& graph : netlist.graphs)
        for (const Op& op : graph.ops) {
            const auto [first, is_new] = seen.emplace(op.cfg.name, &op.cfg.loc);
            if (!is_new)
                out.error(op.cfg.loc,
                          "op '{}' has a name that is already used (line {}); names are unique in a netlist",
                          op.cfg.name, first->second->line);
        }
}

struct Producer {
    TileShape shape;
    TileDim tile;
};

class Linker {
public:
    Linker(Netlist& netlist, Diagnostics& out) : netlist_(netlist), index_(netlist), out_(out) {
        for (const auto& fused : netlist.fused_ops) fused_.emplace(fused->id, fused);
    }
    void run() {
        for (Graph& graph : netlist_.graphs)
            for (Op& op : graph.ops) {
                link_fused(op);
                link_inputs(op);
            }
        for (const Queue& queue : netlist_.queues)
            if (!queue.from_host() && !index_.op(queue.input).op)
                out_.error(queue.loc, "queue '{}' is fed by '{}', which is not an op{}", queue.name, queue.input,
                           guess(queue.input));
    }

private:
    std::string guess(const std::string& wrong) {
        if (out_.size() > max_problems_for_guesses) return "";
        if (names_.empty()) names_ = index_.names();
        return did_you_mean(wrong, names_);
    }
    void link_fused(Op& op) {
        if (op.cfg.type != "fused_op") return;
        const std::string& id = op.cfg.attr.fused_op_id;
        const auto found = fused_.find(id);
        if (found != fused_.end()) {
            op.cfg.fused = found->second;
            return;
        }
        if (id.empty())
            out_.error(op.cfg.loc, "op '{}' needs the attribute 'fused_op_id'", op.cfg.name);
        else
            out_.error(op.cfg.loc, "op '{}' has fused_op_id '{}', which 'fused_ops' does not define{}", op.cfg.name, id,
                       out_.size() > max_problems_for_guesses ? "" : did_you_mean(id, fused_names()));
    }
    std::vector<std::string> fused_names() const {
        std::vector<std::string> names;
        for (const auto& [name, unused] : fused_) names.emplace_back(name);
        return names;
    }
    bool find(const std::string& name, Producer& into) const {
        if (const Queue* queue = index_.queue(name)) {
            into = {queue->shape(), queue->tile};
            return true;
        }
        const Op* op = index_.op(name).op;
        if (op) into = {op->shape(), op->cfg.tile};
        return op != nullptr;
    }
    /// A 16-bit Dst has the exponent width of SrcA and SrcB, even if acc_df names the other format.
    static DataFormat dest_format(const OpConfig& cfg) {
        if (cfg.acc_df != DataFormat::Float16 && cfg.acc_df != DataFormat::Float16_b) return cfg.acc_df;
        bool a = false, b = false;
        for (const DataFormat df : cfg.in_df) {
            a = a || info(df).family == FormatFamily::A;
            b = b || info(df).family == FormatFamily::B;
        }
        if (a == b) return cfg.acc_df;  // mixed families: the unpacker converts to acc_df
        return a ? DataFormat::Float16 : DataFormat::Float16_b;
    }
    void link_inputs(Op& op) {
        OpConfig& cfg = op.cfg;
        cfg.in.clear();
        cfg.in_tile.clear();
        for (std::size_t k = 0; k < op.inputs.size(); ++k) {
            Producer producer;
            if (!find(op.inputs[k], producer)) {
                out_.error(cfg.loc, "input {} of op '{}' is '{}', which is neither a queue nor an op{}", k, cfg.name,
                           op.inputs[k], guess(op.inputs[k]));
                continue;
            }
            try {
                cfg.in.push_back(shape_after(producer.shape, op.tms[k]));
            } catch (const Error& wrong) {
                out_.add(wrong.fault(), wrong.where().file.empty() ? cfg.loc : wrong.where(),
                         fmt::format("input {} of op '{}': {}", k, cfg.name, wrong.message()));
                continue;
            }
            TileDim tile = producer.tile;
            if (transposes_tiles(op.tms[k])) std::swap(tile.h, tile.w);
            cfg.in_tile.push_back(tile);
        }
        cfg.acc_df = dest_format(cfg);
        const bool fused_unknown = cfg.type == "fused_op" && !cfg.fused;
        const int wanted = operand_count(cfg);
        if (!fused_unknown && std::cmp_not_equal(op.inputs.size(), wanted))
            out_.error(cfg.loc, "op '{}' has {} input{}; {} needs {} here", cfg.name, op.inputs.size(),
                       op.inputs.size() == 1 ? "" : "s", cfg.type, wanted);
    }

    Netlist& netlist_;
    NameIndex index_;
    Diagnostics& out_;
    std::unordered_map<std::string_view, std::shared_ptr<const FusedDefinition>> fused_;
    std::vector<std::string> names_;
};

/// Finds one cycle of ops by an iterative depth-first search.
class CycleSearch {
public:
    explicit CycleSearch(const Netlist& netlist) : index_(netlist), netlist_(netlist) {}

    void run(Diagnostics& out) {
        for (const Graph& graph : netlist_.graphs)
            for (const Op& op : graph.ops)
                if (walk(op, out)) return;
    }

private:
    enum class State { New, Open, Done };
    struct Step {
        const Op* op;
        std::size_t next = 0;
    };
    bool walk(const Op& start, Diagnostics& out) {
        if (state_[&start] != State::New) return false;
        std::vector<Step> path{{&start}};
        state_[&start] = State::Open;
        while (!path.empty()) {
            Step& top = path.back();
            if (top.next == top.op->inputs.size()) {
                state_[top.op] = State::Done;
                path.pop_back();
                continue;
            }
            const Op* from = index_.op(top.op->inputs[top.next++]).op;
            if (!from) continue;
            State& state = state_[from];
            if (state == State::Open) {
                report(path, *from, out);
                return true;
            }
            if (state == State::New) {
                state = State::Open;
                path.push_back({from});
            }
        }
        return false;
    }
    /// The path goes from readers to producers; the message shows the reverse, the direction of data.
    static void report(const std::vector<Step>& path, const Op& first, Diagnostics& out) {
        std::string cycle = first.cfg.name;
        constexpr int max_ops = 20;
        int shown = 0;
        for (auto step = path.rbegin(); step != path.rend(); ++step) {
            if (++shown <= max_ops || step->op == &first)
                cycle += (shown > max_ops ? " -> ... -> " : " -> ") + step->op->cfg.name;
            if (step->op == &first) break;
        }
        out.error(first.cfg.loc, "ops form a cycle: {}", cycle);
    }

    NameIndex index_;
    const Netlist& netlist_;
    std::unordered_map<const Op*, State> state_;
};

/// A varinst to an undeclared name creates a local variable; adds its declaration.
void declare_result_variables(Program& program) {
    using Kind = Instruction::Kind;
    std::set<std::string> known;
    for (const Instruction& i : program.instructions)
        if (i.kind == Kind::Param || i.kind == Kind::Var || i.kind == Kind::StaticVar)
            for (const auto& [name, value] : i.variables) known.insert(name);
    Instruction declaration;
    declaration.kind = Kind::Var;
    for (const Instruction& i : program.instructions) {
        if (i.kind != Kind::VarInst || !known.insert(i.out).second) continue;
        if (declaration.variables.empty()) declaration.loc = i.loc;
        declaration.variables.emplace_back(i.out, Operand{});
    }
    if (declaration.variables.empty()) return;
    const bool has_param = program.instructions.front().kind == Kind::Param;
    program.instructions.insert(program.instructions.begin() + (has_param ? 1 : 0), std::move(declaration));
}

}  // namespace

Netlist resolve(const Netlist& read) {
    Diagnostics problems;
    check_instances(read, problems);
    problems.throw_if_any();
    Netlist netlist = expand_instances(read);
    netlist.places = nullptr;  // of `read`, which may have been resolved before
    check_unique(netlist, problems);
    Linker(netlist, problems).run();
    CycleSearch(netlist).run(problems);
    for (Program& program : netlist.programs) declare_result_variables(program);
    problems.throw_if_any();
    netlist.places = std::make_shared<const NamePlaces>(netlist);
    return netlist;
}

}  // namespace ttsim::impl
