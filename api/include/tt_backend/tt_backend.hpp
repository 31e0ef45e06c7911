// A device that runs the programs of one netlist. Several may live in one process, also on one netlist, and be used
// from several threads.
#pragma once

#include <tt_backend_api_types.hpp>

class TT_BACKEND_API tt_backend {
public:
    /// Of a netlist. Throws std::runtime_error for a type that is not there, a file that cannot be read.
    static std::shared_ptr<tt_backend> create(const std::string& netlist_path, const tt::tt_backend_config& config);
    /// Of an image: its arch, its type where config has none, reports in its folder, mode RunOnly.
    static std::shared_ptr<tt_backend> create(std::shared_ptr<tt::tt_device_image> image,
                                              const tt::tt_backend_config& config);
    /// A device without a netlist; compile_netlist() gives it one. Not Golden.
    static std::shared_ptr<tt_backend> create_eager_backend(const tt::tt_backend_config& config,
                                                            const std::set<int>& devices);
    ~tt_backend();
    tt_backend(const tt_backend&) = delete;
    tt_backend& operator=(const tt_backend&) = delete;

    /// Compiles as the mode says, opens the device, sets all pointers to 0 and writes an image's tensors. Once.
    tt::DEVICE_STATUS_CODE initialize();
    tt::DEVICE_STATUS_CODE initialize(tt::tt_compile_result* result);
    /// Eager backends: the netlist that later calls mean.
    tt::DEVICE_STATUS_CODE compile_netlist(const std::string& netlist_path);
    /// Eager backends: compiles, and runs every program once, each with those of `parameters` that it declares.
    tt::DEVICE_STATUS_CODE compile_and_run_netlist(const std::string& netlist_path,
                                                   const std::map<std::string, std::string>& parameters);
    /// Names with '$'; values are integers, True or False. After a RuntimeError the device is closed.
    tt::DEVICE_STATUS_CODE run_program(const std::string& program,
                                       const std::map<std::string, std::string>& parameters);
    /// Until all programs are over; waits for other threads where they must push or pop.
    tt::DEVICE_STATUS_CODE wait_for_idle();
    /// host_cluster: as wait_for_idle(). device_device: programs are in order as it is. The others are refused.
    tt::DEVICE_STATUS_CODE memory_barrier(tt::MemBarType type, int chip,
                                          const std::unordered_set<tt_xy_pair>& cores = {});
    /// Ends what runs and writes reports. Once.
    tt::DEVICE_STATUS_CODE finish();

    /// Throws std::runtime_error for a queue that the netlist lacks.
    tt::tt_dram_io_desc get_queue_descriptor(const std::string& queue);
    /// In the order of the netlist.
    const std::vector<std::string>& get_programs() const;
    void set_config(const tt::tt_backend_config& config);  ///< before initialize()
    tt::tt_backend_config get_config() const;
    std::uint64_t get_cycles() const;  ///< ours: of the simulated clock since initialize(); Golden: 0

    struct __attribute__((visibility("hidden"))) Impl;
    Impl& impl() { return *impl_; }

private:
    explicit tt_backend(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};
