#include "netlist/program/program.hpp"

#include <algorithm>

namespace ttsim::impl {

ProgramRunner::ProgramRunner(const Netlist& netlist, std::vector<ProgramCall> calls, std::int64_t limit)
    : netlist_(&netlist), calls_(std::move(calls)), limit_(limit), left_(limit) {}

void ProgramRunner::add(ProgramCall call) {
    if (!running_) {  // drop finished calls, since a session makes an unlimited number of calls
        calls_.erase(calls_.begin(), calls_.begin() + static_cast<std::ptrdiff_t>(call_));
        call_ = 0;
    }
    if (calls_.empty()) left_ = limit_;
    calls_.push_back(std::move(call));
}

bool ProgramRunner::next(Command& command) {
    while (ready_at_ == ready_.size()) {
        ready_.clear();
        ready_at_ = 0;
        if (!running_) {
            if (call_ == calls_.size()) return false;
            start_call();
        }
        step();
    }
    command = std::move(ready_[ready_at_++]);
    return true;
}

bool ProgramRunner::may_execute(const Graph& graph) const {
    for (std::size_t k = ready_at_; k < ready_.size(); ++k)
        if (const auto* execute = std::get_if<ExecuteCommand>(&ready_[k]); execute && execute->graph == &graph)
            return true;
    for (std::size_t call = call_; call < calls_.size(); ++call) {
        const std::vector<Instruction>& all = calls_[call].program->instructions;
        std::size_t first = running_ && call == call_ ? std::min(pc_, all.size()) : 0;
        if (running_ && call == call_)
            for (const LoopFrame& loop : loops_)
                if (loop.left > 1) first = std::min(first, loop.body);
        for (std::size_t k = first; k < all.size(); ++k)
            if (all[k].kind == Instruction::Kind::Execute && all[k].graph == graph.name) return true;
    }
    return false;
}

void ProgramRunner::start_call() {
    locals_.clear();
    loops_.clear();
    iteration_ = 0;
    bindings_.clear();
    bound_to_.clear();
    if (const std::optional<std::int64_t> first = calls_[call_].first_input) {
        first_input_ = *first;
        inputs_.clear();
    }
    pc_ = 0;
    running_ = true;
}

void ProgramRunner::step() {
    const ProgramCall& call = calls_[call_];
    if (pc_ >= call.program->instructions.size()) {
        running_ = false;
        ++call_;
        return;
    }
    const Instruction& instruction = call.program->instructions[pc_++];
    if (--left_ < 0)
        fail_input(instruction.loc, "program '{}' runs more instructions than ttsim allows; are the loop counts right?",
                   call.program->name);
    switch (instruction.kind) {
        case Instruction::Kind::Param:
            for (const auto& [name, initial] : instruction.variables) {
                const auto given = call.params.find(name);
                if (given == call.params.end())
                    fail_input(instruction.loc, "parameter '{}' of program '{}' has no value; give --param {}=N", name,
                               call.program->name, name.substr(name.starts_with('$') ? 1 : 0));
                locals_[name] = given->second;
            }
            break;
        case Instruction::Kind::Var:
            declare(instruction, locals_, false);
            break;
        case Instruction::Kind::StaticVar:
            declare(instruction, statics_[call.program], true);
            break;
        case Instruction::Kind::VarInst:
            var_inst(instruction);
            break;
        case Instruction::Kind::Loop:
            begin_loop(instruction);
            break;
        case Instruction::Kind::EndLoop:
            if (loops_.empty()) fail_input(instruction.loc, "endloop without a loop");
            if (--loops_.back().left > 0)
                pc_ = loops_.back().body;
            else
                loops_.pop_back();
            iteration_ = loops_.empty() ? 0 : ++iterations_;
            break;
        case Instruction::Kind::Execute:
            execute(instruction);
            break;
        case Instruction::Kind::Allocate:
        case Instruction::Kind::Deallocate:
            for (const std::string& name : instruction.queues)
                if (const Queue* queue = netlist_->find_queue(name))
                    ready_.emplace_back(AllocateCommand{queue, instruction.kind == Instruction::Kind::Allocate});
            break;
        case Instruction::Kind::EndProgram:
            pc_ = call.program->instructions.size();
            break;
    }
}

void ProgramRunner::declare(const Instruction& instruction, Variables& into, bool keep) {
    for (const auto& [name, initial] : instruction.variables) {
        if (keep && into.contains(name)) continue;
        into[name] = value(initial, instruction.loc);
    }
}

std::int64_t* ProgramRunner::find(const std::string& name) {
    if (const auto it = locals_.find(name); it != locals_.end()) return &it->second;
    Variables& statics = statics_[calls_[call_].program];
    if (const auto it = statics.find(name); it != statics.end()) return &it->second;
    return nullptr;
}

std::int64_t ProgramRunner::value(const Operand& operand, const SourceLoc& loc) const {
    if (operand.variable.empty()) return operand.literal;
    if (const auto it = locals_.find(operand.variable); it != locals_.end()) return it->second;
    if (const auto statics = statics_.find(calls_[call_].program); statics != statics_.end())
        if (const auto it = statics->second.find(operand.variable); it != statics->second.end()) return it->second;
    fail_input(loc, "variable '{}' is not declared in program '{}'", operand.variable, calls_[call_].program->name);
}

// Overflow of variables is an error; it does not wrap as on the chip.
static std::int64_t checked(const SourceLoc& loc, bool overflow, std::int64_t result) {
    if (overflow) fail_input(loc, "varinst overflows");
    return result;
}

void ProgramRunner::var_inst(const Instruction& instruction) {
    std::int64_t* out = find(instruction.out);
    if (!out) fail_input(instruction.loc, "variable '{}' is not declared", instruction.out);
    const std::int64_t a = instruction.operands.empty() ? 0 : value(instruction.operands[0], instruction.loc);
    const std::int64_t b = instruction.operands.size() < 2 ? 0 : value(instruction.operands[1], instruction.loc);
    std::int64_t result = 0;
    if (instruction.op == "set") {
        result = a;
    } else if (instruction.op == "add") {
        const bool over = __builtin_add_overflow(a, b, &result);
        result = checked(instruction.loc, over, result);
    } else if (instruction.op == "mul") {
        const bool over = __builtin_mul_overflow(a, b, &result);
        result = checked(instruction.loc, over, result);
    } else if (instruction.op == "inc") {
        const bool over = __builtin_add_overflow(*out, a, &result);
        result = checked(instruction.loc, over, result);
    } else {  // incwrap; the validator accepts no others
        if (b <= 0) fail_input(instruction.loc, "incwrap by a limit of {}; it must be above 0", b);
        const bool over = __builtin_add_overflow(*out, a, &result);
        result = checked(instruction.loc, over, result) % b;
        if (result < 0) result += b;
    }
    *out = result;
    if (const auto bound = bindings_.find(instruction.out); bound != bindings_.end())
        for (const auto& [number, binding] : bound->second)
            ready_.emplace_back(MovePointerCommand{binding.queue, binding.pointer, result});
}

void ProgramRunner::begin_loop(const Instruction& instruction) {
    const std::int64_t count = value(instruction.operands.at(0), instruction.loc);
    if (count < 1) fail_input(instruction.loc, "loop count is {}; it must be at least 1", count);
    // A loop without an execute could run for hours until the instruction limit, so its count is limited here.
    if (count > left_) fail_input(instruction.loc, "loop count {} is more than ttsim runs ({})", count, left_);
    loops_.push_back({pc_, count});
    iteration_ = ++iterations_;
}

void ProgramRunner::execute(const Instruction& instruction) {
    ExecuteCommand command;
    command.graph = netlist_->find_graph(instruction.graph);
    command.loc = instruction.loc;
    if (!command.graph) fail_input(instruction.loc, "execute of an unknown graph '{}'", instruction.graph);
    std::int64_t& next_input = inputs_.try_emplace(command.graph, first_input_).first->second;
    command.first_input = next_input;
    next_input += command.graph->input_count;
    command.iteration = iteration_;
    for (const QueueSetting& setting : instruction.settings) load_setting(setting, command);
    ready_.emplace_back(std::move(command));
}

/// To no variable if the name is empty.
void ProgramRunner::bind(const Queue& queue, Pointer pointer, const std::string& variable) {
    const auto bound = bound_to_.find({&queue, pointer});
    if (bound != bound_to_.end()) {
        bindings_[bound->second.variable].erase(bound->second.binding);
        bound_to_.erase(bound);
    }
    if (variable.empty()) return;
    bindings_[variable].emplace(next_binding_, Binding{&queue, pointer});
    bound_to_.emplace(std::pair(&queue, pointer), BoundTo{variable, next_binding_++});
}

void ProgramRunner::load_setting(const QueueSetting& setting, ExecuteCommand& command) {
    QueueLaunch launch;
    launch.queue = netlist_->find_queue(setting.queue);
    if (!launch.queue) fail_input(setting.loc, "settings for an unknown queue '{}'", setting.queue);
    const bool ram = launch.queue->type == QueueType::Ram;

    const auto flag = [&](const std::optional<Operand>& operand) {
        return operand && value(*operand, setting.loc) != 0;
    };
    const auto number = [&](const std::optional<Operand>& operand, std::int64_t otherwise) {
        return operand ? value(*operand, setting.loc) : otherwise;
    };
    launch.prologue = flag(setting.prologue);
    launch.epilogue = flag(setting.epilogue);
    launch.zero = flag(setting.zero);
    launch.read_only = flag(setting.read_only);
    launch.read_step = number(setting.rd_ptr_autoinc, ram ? 0 : 1);
    launch.pop_step = number(setting.global_rdptr_autoinc, 0);
    launch.write_step = number(setting.global_wrptr_autoinc, ram ? 0 : 1);

    const auto pointer = [&](const std::optional<Operand>& operand, Pointer pointer_kind, bool& has, std::int64_t& to) {
        if (!operand) return;
        has = true;
        to = value(*operand, setting.loc);
        if (to < 0)
            fail_input(setting.loc, "a pointer of queue '{}' is {}; it must not be negative", setting.queue, to);
        // Only the last settings of a queue are bound to variables.
        bind(*launch.queue, pointer_kind, operand->variable);
    };
    pointer(setting.rd_ptr_local, Pointer::ReadLocal, launch.has_read_local, launch.read_local);
    pointer(setting.rd_ptr_global, Pointer::ReadGlobal, launch.has_read_global, launch.read_global);
    pointer(setting.wr_ptr_global, Pointer::WriteGlobal, launch.has_write_global, launch.write_global);
    if (ram && (launch.read_global >= launch.queue->entries || launch.write_global >= launch.queue->entries))
        fail_input(setting.loc, "ram '{}' has {} entries; its pointer {} is beyond them", setting.queue,
                   launch.queue->entries, std::max(launch.read_global, launch.write_global));
    command.queues.push_back(launch);
}

}  // namespace ttsim::impl
