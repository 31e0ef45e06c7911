// A Buda netlist, read and checked for itself; docs/netlist.md of ttsim describes the format. A value: copies are
// cheap and share what was read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ttsim/export.hpp>

namespace ttsim {

/// A queue or ram. Its entries are z x rows x columns elements.
struct QueueInfo {
    std::string name;
    bool ram = false;           ///< slots to write and read; else entries to push, get and pop
    bool host_fills = false;    ///< Session::push() or write()
    bool host_empties = false;  ///< Session::get() and pop()
    std::string filled_by;      ///< the op; "" for the host
    std::int64_t entries = 0;
    std::int64_t z = 0, rows = 0, columns = 0;
    std::string format;     ///< on the device: "Float16_b", "Bfp8_b", ...
    std::int64_t chip = 0;  ///< where it lies
};

class TTSIM_API Netlist {
public:
    /// Throws Error(Input) with all problems of the file, each with its place.
    static Netlist from_file(const std::string& path);
    /// `name` stands for the file in messages.
    static Netlist from_text(const std::string& text, const std::string& name = "netlist");

    std::vector<QueueInfo> queues() const;           ///< in file order
    QueueInfo queue(const std::string& name) const;  ///< throws Error(Input) when there is none
    std::vector<std::string> programs() const;
    std::vector<std::string> graphs() const;
    std::vector<std::string> chips() const;  ///< names of the chips that it was written for
    std::vector<std::string> notes() const;  ///< what of the file has no effect

    struct Impl;
    explicit Netlist(std::shared_ptr<const Impl> impl);
    const Impl& impl() const { return *impl_; }

private:
    std::shared_ptr<const Impl> impl_;
};

}  // namespace ttsim
