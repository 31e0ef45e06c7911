// A Buda netlist, parsed and checked without a machine; docs/netlist.md of ttsim describes the format. A value type:
// copies are cheap and share the content.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ttsim/export.hpp>

namespace ttsim {

/// The part of a queue or ram in a channel of DRAM, or in host memory.
struct QueueBuffer {
    std::int64_t channel = 0;
    std::uint64_t address = 0;  ///< in bytes
};

/// A queue or ram. An entry has z x rows x columns elements.
struct QueueInfo {
    std::string name;
    bool ram = false;           ///< true: slots with write() and read(); false: entries with push(), get() and pop()
    bool host_fills = false;    ///< filled by the host, with Session::push() or write()
    bool host_empties = false;  ///< emptied by the host, with Session::get() and pop()
    std::string filled_by;      ///< name of the op that writes it; "": the host
    std::int64_t entries = 0;   ///< number of entries or slots
    std::int64_t z = 0, rows = 0, columns = 0;  ///< shape of an entry in elements
    std::string format;                         ///< data format on the device: "Float16_b", "Bfp8_b", ...
    std::int64_t chip = 0;                      ///< chip whose memory holds it
    bool on_host = false;                       ///< its buffers are in host memory
    std::vector<QueueBuffer> buffers;           ///< its parts, row by row
};

/// A step of a fused op.
struct FusedMember {
    std::string name, type;
};

/// A fused op: several ops that run as one, in schedules of steps.
struct FusedInfo {
    std::string name;
    std::int64_t inputs = 0;
    std::vector<std::vector<FusedMember>> schedules;
};

/// An op of a netlist with its place.
struct PlacedOp {
    std::string name, type;
    std::string graph;
    std::int64_t epoch = 0;  ///< position of its graph in the netlist; compiled models execute their graphs in order
    std::int64_t chip = 0;
    std::int64_t row = 0, column = 0;              ///< coordinates of its first core; {0, 0}: the chip's first worker
    std::int64_t rows = 0, columns = 0;            ///< cores that it covers on the chip
    bool transposed = false;                       ///< rows of its grid lie along columns of the chip
    std::vector<std::string> operands;             ///< names of ops and queues
    std::vector<std::string> operand_formats;      ///< data formats: "Float16_b", ...
    std::string format;                            ///< data format of the result
    std::string intermediate_format, dest_format;  ///< data formats of its intermediate buffer and of Dst
    std::string fidelity;                          ///< "LoFi", "HiFi2", ...
    std::string fused;                             ///< FusedInfo::name; "": no fused op
};

/// A graph: the ops of one chip that run at the same time.
struct GraphInfo {
    std::string name;
    std::int64_t epoch = 0;  ///< position in the netlist
    std::int64_t chip = 0;
    std::int64_t input_count = 1;  ///< inputs of one execute
    std::vector<std::string> ops;
};

/// A program: what the host starts with Session::run().
struct ProgramInfo {
    std::string name;
    std::vector<std::string> parameters;
    std::vector<std::string> graphs;  ///< that it executes, in the order of the text; loops repeat them
};

/// A parsed and checked netlist.
class TTSIM_API Netlist {
public:
    /// Throws Error(Input) with all problems of the file and their locations.
    static Netlist from_file(const std::string& path);
    /// `name`: name of the text in messages. Throws like from_file().
    static Netlist from_text(const std::string& text, const std::string& name = "netlist");

    std::vector<QueueInfo> queues() const;           ///< in the order of the file
    QueueInfo queue(const std::string& name) const;  ///< throws Error(Input) for an unknown name
    std::vector<PlacedOp> ops() const;               ///< of all graphs, in the order of the file
    PlacedOp op(const std::string& name) const;      ///< throws Error(Input) for an unknown name
    std::vector<FusedInfo> fused_ops() const;        ///< in the order of the file
    std::vector<GraphInfo> graph_infos() const;      ///< in the order of the file
    std::vector<ProgramInfo> program_infos() const;  ///< in the order of the file
    std::vector<std::string> programs() const;       ///< names
    std::vector<std::string> graphs() const;         ///< names
    std::vector<std::string> chips() const;          ///< names of the chips for which it was written
    std::vector<std::string> notes() const;          ///< warnings about entries of the file without effect

    struct Impl;
    explicit Netlist(std::shared_ptr<const Impl> impl);
    const Impl& impl() const { return *impl_; }

private:
    std::shared_ptr<const Impl> impl_;
};

}  // namespace ttsim
