// What the embedded runtime's interface asks of the simulator, in types of the standard library alone: the interface
// has names of its own in the namespace `tt`, so no header of the simulator may be seen where it is implemented.
//
//   Image (an unpacked device image) --> Device (a netlist on a machine) --> push, run, get, pop
//
// Formats go by their names ("Float16_b"). What goes wrong is thrown as std::runtime_error with place and remedy.
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

/// A queue was not ready in the time that a call had.
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
/// z, y, x before the host's shuffling for a strided convolution.
struct Prestride {
    std::uint32_t z = 0, y = 0, x = 0, stride = 0, kernel = 0;
};
struct ImageFacts {
    std::string folder;  ///< the unpacked members
    std::string netlist_file, arch, devtype;
    std::vector<std::string> inputs, outputs, intermediates, constants, parameters;
    std::map<std::string, Prestride> prestrides;
    std::map<std::string, ImageTensor> tensors;
    std::shared_ptr<const void> in_use;  ///< as long as it lives, no other process replaces the folder
};
/// Unpacks into `folder`.
ImageFacts open_image(const std::string& file, const std::string& folder);

// --- devices -----------------------------------------------------------------------------------------------------

struct DeviceOptions {
    bool golden = false, float32 = false;  ///< float32: nothing is rounded
    bool functional = false, exact = false;
    unsigned threads = 0;
    std::string arch;  ///< "" = as image or netlist say
    std::string soc, cluster;
    std::map<int, std::vector<std::uint32_t>> harvested;  ///< chip -> NoC rows
    std::string trace_file;                               ///< "" = none
};

struct QueueFacts {
    std::string name, format;
    std::string host_format;  ///< of what get() gives
    bool ram = false, on_host = false, flat = false, untilized = false;
    std::uint32_t grid_r = 1, grid_c = 1, entries = 1, ublock_rt = 1, ublock_ct = 1, mblock_m = 1, mblock_n = 1, t = 1,
                  tile_h = 32, tile_w = 32, input_count = 1, entry_bytes = 0;
    std::vector<std::pair<std::uint32_t, std::uint16_t>> buffers;  ///< address, channel
    std::uint32_t rows() const { return grid_r * mblock_m * ublock_rt * tile_h; }
    std::uint32_t columns() const { return grid_c * mblock_n * ublock_ct * tile_w; }
};

/// Real seconds in which the device stands still that a call may wait for others.
struct Wait {
    double seconds = 0;
    bool for_ever = false;
    /// Looked at now and then: the result is no longer needed, and the call ends with an error.
    std::function<bool()> given_up = {};
};

/// [entries, z, y, x] numbers in the caller's memory.
struct HostTensor {
    const unsigned char* data = nullptr;
    std::string format;
    std::uint32_t itemsize = 0;
    Sizes shape{}, strides{};  ///< strides: bytes
    /// Places of a strided convolution's square; `stride` < 1: none.
    int stride = -1;
    std::vector<std::pair<int, int>> offsets;
};
/// Entries as they lie in the queue's slots: buffers one after the other, each with all entries.
struct TilizedTensor {
    const unsigned char* data = nullptr;
    std::string format;
    std::uint32_t buffers = 0, buffer_bytes = 0;
};
struct Stacking {
    std::uint32_t h = 1, v = 1;
    bool row_major = true;
};
struct Result {
    std::string format;
    std::uint32_t itemsize = 0;
    Sizes shape{};
    std::shared_ptr<std::vector<std::uint32_t>> memory;  ///< null: `in_queue`
    const void* in_queue = nullptr;                      ///< valid until the entries are popped
};

struct OpShortage {
    std::uint32_t chip = 0, epoch = 0, core_x = 0, core_y = 0, maximum = 0, allocated = 0;
    std::string graph, op;
};
struct CompileResult {
    bool success = true, l1 = false, overlay = false;  ///< l1, overlay: what does not fit
    std::string message, target;
    std::vector<OpShortage> shortages;
};

/// What the host does with queues, in the process that has the device or in another one.
class QueueAccess {
public:
    virtual ~QueueAccess() = default;

    virtual QueueFacts queue(const std::string& name) const = 0;
    /// Whether the original's vector code takes these numbers; it waits for room where the scalar code does not.
    virtual bool in_vector_code(const std::string& queue, const std::string& host_format) const = 0;
    virtual void push(const std::string& queue, const HostTensor& tensor, Wait wait, std::int64_t ram_slot) = 0;
    virtual void push(const std::string& queue, const TilizedTensor& tensor, Wait wait, std::int64_t ram_slot) = 0;
    virtual Result get(const std::string& queue, std::uint32_t count, const Stacking& stacking, Wait wait,
                       std::int64_t ram_slot) = 0;
    virtual void pop(const std::string& queue, std::uint32_t count, Wait wait) = 0;
    /// Memory of this process that shows a host queue's buffers, one behind the other; each with header and slots.
    virtual std::vector<void*> mapped(const std::string& queue) = 0;
    /// The bytes of all buffers, as TilizedTensor has them; `buffer_bytes` of one.
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
    std::vector<std::string> parameters_of(const std::string& program) const;  ///< declared, with '$'
    std::string arch() const;
    QueueFacts queue(const std::string& name) const override;

    CompileResult compile() const;  ///< every rule and every graph, without running anything
    void open();                    ///< ready for calls; writes an image's constants
    /// `wait`: until the program is over.
    void run(const std::string& program, const std::map<std::string, std::int64_t>& parameters, bool wait);
    void wait_for_idle();
    void close() noexcept;  ///< calls that wait end with an error
    void finish_trace();
    bool is_open() const;
    std::uint64_t cycles() const;

    // --- hot: called for every input and output ---
    bool in_vector_code(const std::string& queue, const std::string& host_format) const override;
    void push(const std::string& queue, const HostTensor& tensor, Wait wait, std::int64_t ram_slot) override;
    void push(const std::string& queue, const TilizedTensor& tensor, Wait wait, std::int64_t ram_slot) override;
    Result get(const std::string& queue, std::uint32_t count, const Stacking& stacking, Wait wait,
               std::int64_t ram_slot) override;
    void pop(const std::string& queue, std::uint32_t count, Wait wait) override;
    std::vector<void*> mapped(const std::string& queue) override;
    std::shared_ptr<std::vector<std::uint32_t>> tilized(const std::string& queue, const HostTensor& tensor,
                                                        std::uint32_t& buffer_bytes) const override;

    // --- reports ---
    void write_l1_report(const std::string& folder) const;  ///< a file for each graph
    void write_run_report(const std::string& file) const;

    struct Impl;

private:
    std::unique_ptr<Impl> impl_;
};

// --- other processes -----------------------------------------------------------------------------------------------

/// What another process must know to find a device.
struct ServedDevice {
    std::string netlist_path;
    std::uint64_t id = 0;
    bool golden = false;
};

/// Lets other processes of this user reach a device's queues, as long as this lives: through a socket in a folder that
/// only this user can enter. At most 256 connections; what ends, by itself or with its process, takes nothing more.
class DeviceServer {
public:
    /// `folder`: its name for the others; it need not be there. Throws std::runtime_error where there can be no
    /// socket or no thread.
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
/// The devices that other processes of this user serve under a folder's name. Those that do not answer within 5 s, and
/// those that take no more connections, are left out with a line on standard error. Throws std::runtime_error with all
/// of these lines where no device is left.
std::vector<RemoteDevice> devices_served_for(const std::string& folder);

// --- machines ----------------------------------------------------------------------------------------------------

struct ChipFacts {
    std::string arch, descriptor;  ///< descriptor: file
    bool mmio = false;
    std::uint32_t harvesting_mask = 0;
};
/// Of the machine that the environment names, with descriptors written into `folder`; "" = none are.
std::vector<ChipFacts> present_chips(const std::string& folder);
ChipFacts custom_chip(const std::string& arch, bool mmio, std::uint32_t mask, std::pair<int, int> grid,
                      const std::string& folder);
std::string present_cluster(const std::string& folder);

std::pair<int, int> logical_to_routing(const std::string& descriptor, std::pair<int, int> at);
std::pair<int, int> routing_to_logical(const std::string& descriptor, std::pair<int, int> at);

/// All parameters by name, lower case.
std::map<std::string, std::string> backend_parameters(const std::string& soc, const std::string& cluster,
                                                      const std::string& file);
void write_parameters(const std::map<std::string, std::string>& all, const std::string& file);
/// " (did you mean ...?)", or "".
std::string nearest(const std::string& word, const std::vector<std::string>& known);

/// Appears whole or not at all, and replaces what is there.
void write_file(const std::string& file, const void* data, std::size_t bytes);

// --- sizes -------------------------------------------------------------------------------------------------------

std::uint32_t number_bytes(const std::string& format);  ///< throws for what no host holds
std::uint32_t tile_bytes(const std::string& format, bool untilized, std::uint32_t tile_h, std::uint32_t tile_w);

}  // namespace ttsim::impl::bridge

// for the interface, whose own names are in the namespace tt
namespace tt {
namespace bridge = ttsim::impl::bridge;
}
