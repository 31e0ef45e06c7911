// A device that runs the programs of one netlist. A process may have several, also for the same netlist. They are
// thread-safe.
#pragma once

#include <tt_backend_api_types.hpp>

class TT_BACKEND_API tt_backend {
public:
    /// Creates a backend for a netlist file. Throws std::runtime_error for an unknown type or an unreadable file.
    static std::shared_ptr<tt_backend> create(const std::string& netlist_path, const tt::tt_backend_config& config);
    /// Creates a backend for an image, with mode RunOnly and the image's arch. The type is that of the image unless
    /// config has one. Reports are written to the image's folder.
    static std::shared_ptr<tt_backend> create(std::shared_ptr<tt::tt_device_image> image,
                                              const tt::tt_backend_config& config);
    /// Creates a device without a netlist, which compile_netlist() sets. Not for type Golden.
    static std::shared_ptr<tt_backend> create_eager_backend(const tt::tt_backend_config& config,
                                                            const std::set<int>& devices);
    ~tt_backend();
    tt_backend(const tt_backend&) = delete;
    tt_backend& operator=(const tt_backend&) = delete;

    /// Compiles according to the mode, opens the device, sets all pointers to 0 and writes an image's tensors. To be
    /// called once.
    tt::DEVICE_STATUS_CODE initialize();
    tt::DEVICE_STATUS_CODE initialize(tt::tt_compile_result* result);
    /// Eager backends: compiles a netlist, which later calls use.
    tt::DEVICE_STATUS_CODE compile_netlist(const std::string& netlist_path);
    /// Eager backends: compiles, and runs every program once with those of `parameters` that it declares.
    tt::DEVICE_STATUS_CODE compile_and_run_netlist(const std::string& netlist_path,
                                                   const std::map<std::string, std::string>& parameters);
    /// Runs a program. Parameter names start with '$'; values are integers, True or False. After a RuntimeError the
    /// device is closed.
    tt::DEVICE_STATUS_CODE run_program(const std::string& program,
                                       const std::map<std::string, std::string>& parameters);
    /// Waits until all programs have finished, including pushes and pops of other threads that they need.
    tt::DEVICE_STATUS_CODE wait_for_idle();
    /// host_cluster: same as wait_for_idle(). device_device: no effect, since programs run in order. Other types are
    /// errors.
    tt::DEVICE_STATUS_CODE memory_barrier(tt::MemBarType type, int chip,
                                          const std::unordered_set<tt_xy_pair>& cores = {});
    /// Stops running programs and writes reports. To be called once.
    tt::DEVICE_STATUS_CODE finish();

    /// Throws std::runtime_error for an unknown queue.
    tt::tt_dram_io_desc get_queue_descriptor(const std::string& queue);
    /// Program names in the order of the netlist.
    const std::vector<std::string>& get_programs() const;
    void set_config(const tt::tt_backend_config& config);  ///< before initialize()
    tt::tt_backend_config get_config() const;
    std::uint64_t get_cycles()
        const;  ///< extension of ttsim: cycles of the simulated clock since initialize(); Golden: 0

    struct __attribute__((visibility("hidden"))) Impl;
    Impl& impl() { return *impl_; }

private:
    explicit tt_backend(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};
