// A Buda netlist, parsed and checked without a machine; docs/netlist.md of ttsim describes the format. A value type:
// copies are cheap and share the content.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ttsim/export.hpp>

namespace ttsim {

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
