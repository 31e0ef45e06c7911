// Runs programs as a stream of commands, with variables, loops and pointers resolved to numbers.
// Program --ProgramRunner--> Execute{graph, settings} | MovePointer | Allocate | Deallocate --> golden, simulator
// The runner does not use data; all users receive the same commands in the same order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "netlist/netlist.hpp"

namespace ttsim::impl {

enum class Pointer : std::uint8_t { ReadLocal, ReadGlobal, WriteGlobal };

/// The settings of one queue for one execute, variables replaced by their values.
struct QueueLaunch {
    const Queue* queue = nullptr;
    bool prologue = false, epilogue = false, zero = false, read_only = false;
    bool has_read_local = false, has_read_global = false, has_write_global = false;
    std::int64_t read_local = 0, read_global = 0, write_global = 0;
    std::int64_t read_step = 1;   ///< rd_ptr_autoinc: local pointer per input
    std::int64_t pop_step = 0;    ///< global_rdptr_autoinc: slots popped, or ram read step, per input
    std::int64_t write_step = 1;  ///< global_wrptr_autoinc (queue 1, ram 0)
};

struct ExecuteCommand {
    const Graph* graph = nullptr;
    SourceLoc loc;
    std::vector<QueueLaunch> queues;  ///< queues that the execute names
    std::int64_t first_input = 0;     ///< number of the first input, on which random ops depend
    std::uint64_t iteration = 0;      ///< another number in each iteration of a loop; 0 outside of loops
};
/// A varinst changed a variable used by the queue's last settings.
struct MovePointerCommand {
    const Queue* queue = nullptr;
    Pointer pointer = Pointer::ReadGlobal;
    std::int64_t value = 0;
};
struct AllocateCommand {
    const Queue* queue = nullptr;
    bool allocate = true;
};
using Command = std::variant<ExecuteCommand, MovePointerCommand, AllocateCommand>;

/// A program to run and its parameters.
struct ProgramCall {
    const Program* program = nullptr;
    std::map<std::string, std::int64_t> params;  ///< "$p_x"
    /// Number of the first input of each graph; none: every graph counts on from its last execute.
    std::optional<std::int64_t> first_input{};
};

/// Runs the calls in order; static variables persist for the complete run.
class ProgramRunner {
public:
    /// `limit`: maximum number of commands and instructions (a loop of 2^62 is an error at its place).
    ProgramRunner(const Netlist& netlist, std::vector<ProgramCall> calls, std::int64_t limit = 50'000'000);

    /// The next command; false at the end. Throws Error(Input) with the instruction's place.
    bool next(Command& command);
    /// Appends a call; each appended call has its own limit.
    void add(ProgramCall call);
    /// Whether a command to come may execute the graph.
    bool may_execute(const Graph& graph) const;

private:
    using Variables = std::map<std::string, std::int64_t>;
    struct Binding {
        const Queue* queue;
        Pointer pointer;
    };
    struct BoundTo {
        std::string variable;
        std::uint64_t binding = 0;  // key in bindings_[variable]
    };
    struct LoopFrame {
        std::size_t body = 0;  // instruction after `loop`
        std::int64_t left = 0;
    };

    void start_call();
    void step();
    void declare(const Instruction& instruction, Variables& into, bool keep);
    void var_inst(const Instruction& instruction);
    void begin_loop(const Instruction& instruction);
    void execute(const Instruction& instruction);
    void load_setting(const QueueSetting& setting, ExecuteCommand& command);
    void bind(const Queue& queue, Pointer pointer, const std::string& variable);
    std::int64_t value(const Operand& operand, const SourceLoc& loc) const;
    std::int64_t* find(const std::string& name);

    const Netlist* netlist_;
    std::vector<ProgramCall> calls_;
    std::size_t call_ = 0;
    std::size_t pc_ = 0;
    bool running_ = false;
    std::int64_t limit_, left_;
    Variables locals_;
    std::map<const Program*, Variables> statics_;
    std::vector<LoopFrame> loops_;
    std::uint64_t iterations_ = 0;                 // begun so far, of all loops
    std::uint64_t iteration_ = 0;                  // the present one; 0 outside of loops
    std::int64_t first_input_ = 0;                 // of graphs without an execute so far
    std::map<const Graph*, std::int64_t> inputs_;  // number of the next input
    // variable -> pointers bound to it, in the order of their binding
    std::map<std::string, std::map<std::uint64_t, Binding>> bindings_;
    std::map<std::pair<const Queue*, Pointer>, BoundTo> bound_to_;  // the same by pointer
    std::uint64_t next_binding_ = 0;
    std::vector<Command> ready_;  // commands of the current instruction
    std::size_t ready_at_ = 0;
};

}  // namespace ttsim::impl
