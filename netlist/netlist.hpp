// A Buda netlist as plain values. Read by text/reader.hpp, written by text/writer.hpp, checked by checks/validate.hpp.
// Format: docs/netlist.md. Shapes are in tiles unless a name says elements.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "isa/arch.hpp"
#include "isa/data_format.hpp"
#include "kernels/op_config.hpp"
#include "netlist/name_places.hpp"
#include "netlist/test_config.hpp"
#include "netlist/tm.hpp"

namespace ttsim::impl {

enum class QueueType : std::uint8_t { Queue, Ram };
enum class QueueLoc : std::uint8_t { Dram, Host };
enum class QueueLayout : std::uint8_t { Tilized, Flat };

struct BufferAddress {
    std::int64_t channel = 0;
    std::uint64_t address = 0;
    friend bool operator==(const BufferAddress&, const BufferAddress&) = default;
};

struct Queue {
    std::string name;
    SourceLoc loc;
    std::string input;     ///< HOST, an op's name, or a name with "net2net"
    OperandTms input_tms;  ///< TMs on the producer's tensor before it is written
    QueueType type = QueueType::Queue;
    std::int64_t entries = 1;
    Blocking blocking;  ///< of one entry; the grid is the separate buffers
    DataFormat df = DataFormat::Float16_b;
    TileDim tile;
    std::vector<std::int64_t> target_devices;  ///< several until instances are expanded
    QueueLoc where = QueueLoc::Dram;
    std::vector<BufferAddress> buffers;  ///< one per grid cell, row-major
    std::vector<std::int64_t> read_ports, write_ports;
    QueueLayout layout = QueueLayout::Tilized;
    std::string alias;                               ///< another ram whose memory this one shares; "": none
    std::int64_t alignment = default_noc_alignment;  ///< of its tiles, and bytes of its header; set_chip() sets it

    bool from_host() const { return input == "HOST" || input.find("net2net") != std::string::npos; }
    /// Whether the host fills the queue. An alias is never filled itself, whatever its input is.
    bool host_fed() const { return alias.empty() && from_host(); }
    /// A ram that ops write and that has its own memory, such as a trained parameter.
    bool is_op_fed_ram() const { return type == QueueType::Ram && alias.empty() && !from_host(); }
    TileShape shape() const { return blocking.shape(); }
    std::int64_t tile_bytes() const { return ttsim::impl::tile_bytes(df, tile, alignment); }
    std::int64_t device() const { return target_devices.empty() ? 0 : target_devices.front(); }
};

struct Op {
    OpConfig cfg;                     ///< type, name, blocking, formats, attributes (cfg.in filled by resolve())
    std::vector<std::string> inputs;  ///< queue or op names, in operand order
    std::vector<OperandTms> tms;      ///< per input
    std::int64_t grid_loc_r = 0, grid_loc_c = 0;
    bool has_grid_loc = false;
    bool grid_transpose = false;
    std::int64_t buf_size_mb = 2;
    std::vector<std::int64_t> input_buf_min_size_tiles, input_dram_io_buf_size_tiles;
    std::int64_t overlay_size = 0;
    std::vector<std::pair<std::string, std::string>> forked_dram_inputs;

    const std::string& name() const { return cfg.name; }
    TileShape shape() const { return cfg.out.shape(); }
};

struct Graph {
    std::string name;
    SourceLoc loc;
    std::vector<std::int64_t> target_devices;
    std::int64_t input_count = 1;
    std::vector<Op> ops;
    std::int64_t device() const { return target_devices.empty() ? 0 : target_devices.front(); }
};

// --- programs ---------------------------------------------------------------------------------------------------

/// An integer or the name of a variable ("$x").
struct Operand {
    std::string variable;  ///< "" for a literal
    std::int64_t literal = 0;
    friend bool operator==(const Operand&, const Operand&) = default;
};

struct QueueSetting {
    std::string queue;
    SourceLoc loc;
    std::optional<Operand> prologue, epilogue, zero, read_only;  ///< booleans: literal 0/1 or variable
    std::optional<Operand> rd_ptr_local, rd_ptr_global, wr_ptr_global;
    std::optional<Operand> rd_ptr_autoinc, global_rdptr_autoinc, global_wrptr_autoinc;
};

struct Instruction {
    enum class Kind : std::uint8_t {
        Param,
        Var,
        StaticVar,
        VarInst,
        Loop,
        EndLoop,
        Execute,
        Allocate,
        Deallocate,
        EndProgram
    };
    Kind kind = Kind::EndProgram;
    SourceLoc loc;
    std::vector<std::pair<std::string, Operand>> variables;  ///< Param, Var, StaticVar: name -> initial value
    std::string out, op;                                     ///< VarInst: set add mul inc incwrap
    std::vector<Operand> operands;                           ///< VarInst: a, b; Loop: count
    std::string graph;                                       ///< Execute
    std::vector<QueueSetting> settings;                      ///< Execute
    std::vector<std::string> queues;                         ///< Allocate, Deallocate
};

struct Program {
    std::string name;
    SourceLoc loc;
    std::vector<Instruction> instructions;
};

struct Netlist {
    std::string file;                ///< as given on the command line
    std::vector<std::string> archs;  ///< lower case, in file order
    SourceLoc arch_loc;
    std::vector<Queue> queues;  ///< in file order
    std::vector<Graph> graphs;
    std::vector<Program> programs;
    std::vector<std::shared_ptr<const FusedDefinition>> fused_ops;
    TestConfig test;
    std::vector<PerformanceCheck> performance;
    std::vector<std::string> notes;  ///< parts of the file without effect: "line 12: ..."

    /// Set by resolve(), for the searches below; null: they go through the lists. A found place is compared with the
    /// name that is there, so a later change of a name costs time, not correctness. A change of Queue::input, or of the
    /// number of queues, needs another resolve().
    std::shared_ptr<const NamePlaces> places;

    const Queue* find_queue(std::string_view name) const;
    const Op* find_op(std::string_view name) const;
    const Graph* find_graph(std::string_view name) const;
    const Program* find_program(std::string_view name) const;
    std::vector<const Queue*> written_by(std::string_view op) const;  ///< queues in file order
};

/// Sets what the sizes of queues and the arithmetic of ops depend on in the chip that the netlist runs on.
void set_chip(Netlist& netlist, const ChipFeatures& chip);
/// The same for one op.
ChipTraits traits_of(const ChipFeatures& chip);

/// Whether all values are equal, ignoring places in the file.
bool equal(const Netlist& a, const Netlist& b);

}  // namespace ttsim::impl
