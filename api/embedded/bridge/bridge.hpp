// Bridge between the embedded runtime's interface and the simulator, with standard library types only. The interface
// has its own names in namespace `tt`, so its implementation must not include headers of the simulator.
//
//   Image (an unpacked device image) --> Device (a netlist on a machine) --> push, run, get, pop
//
// Formats are given by name ("Float16_b"). Errors are thrown as std::runtime_error with location and remedy.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ttsim::impl::bridge {

using Sizes = std::array<std::uint32_t, 4>;

/// A queue was not ready before the timeout of a call.
struct NotReady : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// --- images ------------------------------------------------------------------------------------------------------

struct ImageTensor {
    std::string file, format;
    std::uint32_t itemsize = 0, dim = 4, buffers = 0, buffer_bytes = 0;
    bool tilized = false;
    Sizes shape{}, strides{};
};
/// z, y, x of an input before the host's reordering for a strided convolution.
struct Prestride {
    std::uint32_t z = 0, y = 0, x = 0, stride = 0, kernel = 0;
};
struct ImageFacts {
    std::string folder;  ///< folder of the unpacked members
    std::string netlist_file, arch, devtype;
    std::vector<std::string> inputs, outputs, intermediates, constants, parameters;
    std::map<std::string, Prestride> prestrides;
    std::map<std::string, ImageTensor> tensors;
    std::shared_ptr<const void> in_use;  ///< lock: while it exists, no other process replaces the folder
};
/// Unpacks an image into `folder` and reads its record.
ImageFacts open_image(const std::string& file, const std::string& folder);

// --- devices -----------------------------------------------------------------------------------------------------

struct DeviceOptions {
    bool golden = false, float32 = false;  ///< float32: no rounding
    bool functional = false, exact = false;
    unsigned threads = 0;
    std::string arch;  ///< "" = that of the image or netlist
    std::string soc, cluster;
    std::map<int, std::vector<std::uint32_t>> harvested;  ///< chip -> NoC rows
    std::string trace_file;                               ///< "" = none
};

struct QueueFacts {
    std::string name, format;
    std::string host_format;  ///< element type of get()
    bool ram = false, on_host = false, flat = false, untilized = false;
    std::uint32_t grid_r = 1, grid_c = 1, entries = 1, ublock_rt = 1, ublock_ct = 1, mblock_m = 1, mblock_n = 1, t = 1,
                  tile_h = 32, tile_w = 32, input_count = 1, entry_bytes = 0, header_bytes = 0;
    std::vector<std::pair<std::uint32_t, std::uint16_t>> buffers;  ///< address, channel
    std::uint32_t rows() const { return grid_r * mblock_m * ublock_rt * tile_h; }
    std::uint32_t columns() const { return grid_c * mblock_n * ublock_ct * tile_w; }
};

/// Limit of the real time for which a call on a blocked device waits for other threads.
struct Wait {
    double seconds = 0;
    bool for_ever = false;
    /// Polled during the wait; true cancels the call with an error.
    std::function<bool()> cancelled = {};
};

/// A tensor [entries, z, y, x] in the caller's memory.
struct HostTensor {
    const unsigned char* data = nullptr;
    std::string format;
    std::uint32_t itemsize = 0;
    Sizes shape{}, strides{};  ///< strides in bytes
    /// Reordering for a strided convolution: stride and offsets in its square; `stride` < 1: none.
    int stride = -1;
    std::vector<std::pair<int, int>> offsets;
};
/// Entries in the queue's memory layout: buffers one after another, each with all entries.
struct TilizedTensor {
    const unsigned char* data = nullptr;
    std::string format;
    std::uint32_t buffers = 0, buffer_bytes = 0;
};
/// How the t slices of an entry are concatenated, horizontally (h) and vertically (v).
struct Stacking {
    std::uint32_t h = 1, v = 1;
    bool row_major = true;
};
struct Result {
    std::string format;
    std::uint32_t itemsize = 0;
    Sizes shape{};
    std::shared_ptr<std::vector<std::uint32_t>> memory;  ///< null: data is at `in_queue`
    const void* in_queue = nullptr;                      ///< valid until the entries are popped
};

struct OpShortage {
    std::uint32_t chip = 0, epoch = 0, core_x = 0, core_y = 0, maximum = 0, allocated = 0;
    std::string graph, op;
};
struct CompileResult {
    bool success = true, l1 = false, overlay = false;  ///< l1, overlay: the memory that is too small
    std::string message, target;
    std::vector<OpShortage> shortages;
};

/// Host access to queues, in the process of the device or in another one.
class QueueAccess {
public:
    virtual ~QueueAccess() = default;

    virtual QueueFacts queue(const std::string& name) const = 0;
    /// Whether the original's vector code handles this element type; it waits for room, the scalar code does not.
    virtual bool uses_vector_tilizer(const std::string& queue, const std::string& host_format) const = 0;
    virtual void push(const std::string& queue, const HostTensor& tensor, Wait wait, std::int64_t ram_slot) = 0;
    virtual void push(const std::string& queue, const TilizedTensor& tensor, Wait wait, std::int64_t ram_slot) = 0;
    virtual Result get(const std::string& queue, std::uint32_t count, const Stacking& stacking, Wait wait,
                       std::int64_t ram_slot) = 0;
    virtual void pop(const std::string& queue, std::uint32_t count, Wait wait) = 0;
    /// Memory of this process that maps a host queue's buffers, each with header and slots.
    virtual std::vector<void*> mapped(const std::string& queue) = 0;
    /// The bytes of all buffers in the layout of TilizedTensor; sets `buffer_bytes` to the size of one.
    virtual std::shared_ptr<std::vector<std::uint32_t>> tilized(const std::string& queue, const HostTensor& tensor,
                                                                std::uint32_t& buffer_bytes) const = 0;
};

class Device final : public QueueAccess {
public:
    Device(const std::string& netlist_file, const DeviceOptions& options);
    Device(const ImageFacts& image, const DeviceOptions& options);
    ~Device() override;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    const std::vector<std::string>& programs() const;
    std::vector<std::string> parameters_of(const std::string& program) const;  ///< declared parameters, with '$'
    std::string arch() const;
    QueueFacts queue(const std::string& name) const override;

    CompileResult compile() const;  ///< checks all rules and plans all graphs, without running
    void open();                    ///< creates the session and writes an image's constants
    /// `wait`: wait until the program has finished.
    void run(const std::string& program, const std::map<std::string, std::int64_t>& parameters, bool wait);
    void wait_for_idle();
    void close() noexcept;  ///< waiting calls end with an error
    void finish_trace();
    bool is_open() const;
    std::uint64_t cycles() const;

    // --- performance critical: called for every input and output ---
    bool uses_vector_tilizer(const std::string& queue, const std::string& host_format) const override;
    void push(const std::string& queue, const HostTensor& tensor, Wait wait, std::int64_t ram_slot) override;
    void push(const std::string& queue, const TilizedTensor& tensor, Wait wait, std::int64_t ram_slot) override;
    Result get(const std::string& queue, std::uint32_t count, const Stacking& stacking, Wait wait,
               std::int64_t ram_slot) override;
    void pop(const std::string& queue, std::uint32_t count, Wait wait) override;
    std::vector<void*> mapped(const std::string& queue) override;
    std::shared_ptr<std::vector<std::uint32_t>> tilized(const std::string& queue, const HostTensor& tensor,
                                                        std::uint32_t& buffer_bytes) const override;

    // --- reports ---
    void write_l1_report(const std::string& folder) const;  ///< one file per graph
    void write_run_report(const std::string& file) const;

    struct Impl;

private:
    std::unique_ptr<Impl> impl_;
};

// --- other processes -----------------------------------------------------------------------------------------------

/// Data with which another process finds a device.
struct ServedDevice {
    std::string netlist_path;
    std::uint64_t id = 0;
    bool golden = false;
};

/// Serves a device's queues to other processes of this user while it exists, through a socket in a folder that only
/// this user can access. At most 256 connections at a time.
class DeviceServer {
public:
    /// `folder`: the name under which others find the device; it need not exist. Throws std::runtime_error when no
    /// socket or thread can be created.
    DeviceServer(std::shared_ptr<Device> device, ServedDevice served, const std::string& folder);
    ~DeviceServer();
    DeviceServer(const DeviceServer&) = delete;
    DeviceServer& operator=(const DeviceServer&) = delete;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

struct RemoteDevice {
    ServedDevice served;
    std::shared_ptr<QueueAccess> queues;
};
/// Connects to the devices that other processes of this user serve under a folder's name. Devices that do not answer
/// within 5 s, or accept no more connections, are skipped with a line on standard error. Throws std::runtime_error with
/// all of these lines when no device remains.
std::vector<RemoteDevice> devices_served_for(const std::string& folder);

// --- machines ----------------------------------------------------------------------------------------------------

struct ChipFacts {
    std::string arch, descriptor;  ///< descriptor: file
    bool mmio = false;
    std::uint32_t harvesting_mask = 0;
};
/// The chips of the machine in the environment; writes their descriptors to `folder` unless it is "".
std::vector<ChipFacts> present_chips(const std::string& folder);
ChipFacts custom_chip(const std::string& arch, bool mmio, std::uint32_t mask, std::pair<int, int> grid,
                      const std::string& folder);
std::string present_cluster(const std::string& folder);

std::pair<int, int> logical_to_routing(const std::string& descriptor, std::pair<int, int> at);
std::pair<int, int> routing_to_logical(const std::string& descriptor, std::pair<int, int> at);

/// All parameters by lower-case name.
std::map<std::string, std::string> backend_parameters(const std::string& soc, const std::string& cluster,
                                                      const std::string& file);
void write_parameters(const std::map<std::string, std::string>& all, const std::string& file);
/// " (did you mean ...?)", or "".
std::string nearest(const std::string& word, const std::vector<std::string>& known);

/// Writes a file atomically, replacing an existing one.
void write_file(const std::string& file, const void* data, std::size_t bytes);

// --- sizes -------------------------------------------------------------------------------------------------------

std::uint32_t number_bytes(const std::string& format);  ///< throws for formats without a host type
std::uint32_t tile_bytes(const std::string& format, bool untilized, std::uint32_t tile_h, std::uint32_t tile_w);
/// Bytes to which tiles, queues and queue headers of the present chips (present_chips()) are padded.
std::uint32_t present_alignment();

}  // namespace ttsim::impl::bridge

// short name for the interface in namespace tt
namespace tt {
namespace bridge = ttsim::impl::bridge;
}
