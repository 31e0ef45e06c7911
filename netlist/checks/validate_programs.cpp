// Rules of programs: variables, loops, executes and queue settings.
#include <set>

#include "base/text.hpp"
#include "netlist/checks/validate_parts.hpp"

namespace ttsim::impl::checking {

namespace {

using Kind = Instruction::Kind;

/// Checks one program in order.
class ProgramCheck {
public:
    ProgramCheck(Validation& v, const Program& program) : v_(v), program_(program) {}

    void run() {
        for (std::size_t k = 0; k < program_.instructions.size(); ++k) {
            const Instruction& i = program_.instructions[k];
            if (i.kind == Kind::Param && k != 0)
                v_.out.error(i.loc, "'param' must be the first instruction of program '{}'", program_.name);
            instruction(i);
        }
        for (const Instruction* loop : open_loops_)
            v_.out.error(loop->loc, "this loop of program '{}' has no endloop", program_.name);
    }

private:
    void instruction(const Instruction& i) {
        switch (i.kind) {
            case Kind::Param:
            case Kind::Var:
            case Kind::StaticVar:
                return declare(i);
            case Kind::VarInst:
                if (parameters_.contains(i.out))
                    v_.out.error(i.loc, "'{}' is a parameter and cannot be changed", i.out);
                for (const Operand& operand : i.operands) check_declared(operand, i.loc);
                check_declared(i.out, i.loc);
                if (i.op == "incwrap" && i.operands[1].variable.empty() && i.operands[1].literal < 1)
                    v_.out.error(i.loc, "'incwrap' wraps at {}; it must wrap at 1 or more", i.operands[1].literal);
                return;
            case Kind::Loop:
                for (const Operand& operand : i.operands) check_declared(operand, i.loc);
                open_loops_.push_back(&i);
                return;
            case Kind::EndLoop:
                if (open_loops_.empty())
                    v_.out.error(i.loc, "'endloop' of program '{}' ends no loop", program_.name);
                else
                    open_loops_.pop_back();
                return;
            case Kind::Execute:
                return execute(i);
            case Kind::Allocate:
            case Kind::Deallocate:
                return queues(i);
            case Kind::EndProgram:
                return;
        }
    }

    void declare(const Instruction& i) {
        for (const auto& [name, value] : i.variables) {
            check_declared(value, i.loc);
            if (i.kind == Kind::Param) parameters_.insert(name);
            if (!variables_.insert(name).second)
                v_.out.error(i.loc, "variable '{}' of program '{}' is declared twice", name, program_.name);
        }
    }
    void check_declared(const std::string& variable, const SourceLoc& loc) {
        if (variable.empty() || variables_.contains(variable)) return;
        v_.out.error(loc, "variable '{}' is not declared in program '{}'{}", variable, program_.name,
                     guess(variable, [&] { return std::vector<std::string>(variables_.begin(), variables_.end()); }));
    }
    void check_declared(const Operand& operand, const SourceLoc& loc) { check_declared(operand.variable, loc); }

    void queues(const Instruction& i) {
        for (const std::string& name : i.queues)
            if (!v_.index.queue(name))
                v_.out.error(i.loc, "program '{}' names the queue '{}', which does not exist{}", program_.name, name,
                             guess(name, [&] { return queue_names(); }));
    }
    template <class Names>
    std::string guess(const std::string& wrong, Names names) const {
        return v_.out.size() > max_problems_for_guesses ? "" : did_you_mean(wrong, names());
    }
    std::vector<std::string> queue_names() const {
        std::vector<std::string> names;
        for (const Queue& queue : v_.netlist.queues) names.push_back(queue.name);
        return names;
    }

    void execute(const Instruction& i) {
        const Graph* graph = v_.index.graph(i.graph);
        if (!graph) {
            const auto names = [&] {
                std::vector<std::string> all;
                for (const Graph& one : v_.netlist.graphs) all.push_back(one.name);
                return all;
            };
            v_.out.error(i.loc, "program '{}' executes graph '{}', which does not exist{}", program_.name, i.graph,
                         guess(i.graph, names));
            return;
        }
        std::set<std::string_view> set;
        for (const QueueSetting& s : i.settings) {
            set.insert(s.queue);
            setting(*graph, s);
        }
        for (const Op& op : graph->ops) missing_settings(i, op, set);
    }

    /// Host-fed queues need settings of the read position, gradient queues of position and accumulation.
    void missing_settings(const Instruction& i, const Op& op, std::set<std::string_view>& set) {
        for (const std::string& input : op.inputs) {
            const Queue* queue = v_.index.queue(input);
            if (!queue || !queue->from_host() || queue->type != QueueType::Queue || !set.insert(input).second) continue;
            v_.out.error(i.loc, "the execute of graph '{}' needs settings for queue '{}', which op '{}' reads", i.graph,
                         input, op.cfg.name);
        }
        const auto fed = v_.fed_queues.find(op.cfg.name);
        if (!op.cfg.gradient || fed == v_.fed_queues.end()) return;
        for (const Queue* queue : fed->second)
            if (set.insert(queue->name).second)
                v_.out.error(i.loc,
                             "the execute of graph '{}' needs settings for queue '{}', in which gradient op '{}' "
                             "accumulates",
                             i.graph, queue->name, op.cfg.name);
    }

    bool uses(const Graph& graph, const Queue& queue) const {
        if (!queue.from_host() && v_.index.op(queue.input).graph == &graph) return true;
        const auto readers = v_.reader_graphs.find(queue.name);
        return readers != v_.reader_graphs.end() && readers->second.contains(&graph);
    }

    void setting(const Graph& graph, const QueueSetting& s) {
        for (const auto* value :
             {&s.prologue, &s.epilogue, &s.zero, &s.read_only, &s.rd_ptr_local, &s.rd_ptr_global, &s.wr_ptr_global,
              &s.rd_ptr_autoinc, &s.global_rdptr_autoinc, &s.global_wrptr_autoinc})
            if (*value) check_declared(**value, s.loc);
        const Queue* queue = v_.index.queue(s.queue);
        if (!queue) {
            v_.out.error(s.loc, "settings for queue '{}', which does not exist{}", s.queue,
                         guess(s.queue, [&] { return queue_names(); }));
            return;
        }
        if (!uses(graph, *queue))
            v_.out.error(s.loc, "settings for queue '{}', which graph '{}' neither reads nor writes", s.queue,
                         graph.name);
        keys(s, *queue);
        counts(s);
    }

    void keys(const QueueSetting& s, const Queue& queue) {
        const auto needs = [&](const std::optional<Operand>& value, const char* key, const char* type) {
            if (!value) v_.out.error(s.loc, "the settings of queue '{}' (type {}) need '{}'", s.queue, type, key);
        };
        if (queue.type == QueueType::Queue) {
            needs(s.rd_ptr_local, "rd_ptr_local", "queue");
            needs(s.rd_ptr_global, "rd_ptr_global", "queue");
            if (s.wr_ptr_global)
                v_.out.error(s.loc, "the settings of queue '{}' have 'wr_ptr_global', which is for type ram", s.queue);
            const bool epilogue = s.epilogue && s.epilogue->variable.empty() && s.epilogue->literal != 0;
            if (epilogue && !queue.from_host())
                v_.out.error(s.loc, "queue '{}' cannot be an epilogue; an op-fed epilogue must be of type ram",
                             s.queue);
        } else {
            needs(s.rd_ptr_global, "rd_ptr_global", "ram");
            needs(s.wr_ptr_global, "wr_ptr_global", "ram");
            if (s.rd_ptr_local)
                v_.out.error(s.loc, "the settings of ram '{}' have 'rd_ptr_local', which is for type queue", s.queue);
        }
    }

    void counts(const QueueSetting& s) {
        const auto literal = [](const std::optional<Operand>& value) {
            return value && value->variable.empty() ? value->literal : 0;
        };
        const std::int64_t read = literal(s.global_rdptr_autoinc), write = literal(s.global_wrptr_autoinc);
        if (read != 0 && write != 0 && read != write)
            v_.out.error(s.loc,
                         "global_rdptr_autoinc and global_wrptr_autoinc of queue '{}' are {} and {}; they must be "
                         "equal",
                         s.queue, read, write);
        for (const auto* value : {&s.rd_ptr_autoinc, &s.global_rdptr_autoinc, &s.global_wrptr_autoinc, &s.rd_ptr_local,
                                  &s.rd_ptr_global, &s.wr_ptr_global})
            if (literal(*value) < 0)
                v_.out.error(s.loc, "a pointer or step of queue '{}' is {}; it must be 0 or more", s.queue,
                             literal(*value));
    }

    Validation& v_;
    const Program& program_;
    std::set<std::string> variables_, parameters_;
    std::vector<const Instruction*> open_loops_;
};

}  // namespace

void check_programs(Validation& v) {
    for (const Program& program : v.netlist.programs) ProgramCheck(v, program).run();
}

}  // namespace ttsim::impl::checking
