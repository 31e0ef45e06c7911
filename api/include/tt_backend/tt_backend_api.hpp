// Host access to the queues of a backend, thread-safe. Functions with a status report errors on standard error and by
// last_error(); the others throw std::runtime_error.
//
//                         timeout_s > 0                                       <= 0
//   push_input            waits for room for all entries, else TimeoutError   waits without limit
//     numbers not in the
//     vector tilizer's list, or tilized, to a FIFO          same              full: RuntimeError
//   get_output, pop       waits for all entries, else TimeoutError            too few: RuntimeError
//
// A timeout counts real seconds in which the simulated device is blocked, so that only another thread could unblock it;
// the time of simulation does not count. Golden devices never wait. A call that fails transfers nothing.
#pragma once

#include <tt_backend.hpp>

namespace tt::param {

/// A simulated chip.
struct DeviceDesc {
    ARCH arch = ARCH::Invalid;
    std::string soc_desc_yaml;          ///< path of its soc descriptor
    bool mmio = false;                  ///< has a host link
    std::uint32_t harvesting_mask = 0;  ///< bit = NoC row
};

}  // namespace tt::param

namespace tt::backend {

// --- queues --------------------------------------------------------------------------------------------------------

/// Converts and writes shape[0] entries: appends them to a FIFO, or writes the slots of a ram from `ptr` on.
/// `timeout_s` is in seconds. The environment variables TT_BACKEND_PUSH_TIMEOUT, TT_BACKEND_GET_TIMEOUT and
/// TT_BACKEND_POP_TIMEOUT override timeouts.
TT_BACKEND_API DEVICE_STATUS_CODE push_input(const tt_dram_io_desc& q, const tt_PytorchTensorDesc& tensor,
                                             bool push_one, int timeout_s, int ptr = -1);
TT_BACKEND_API DEVICE_STATUS_CODE push_input(const tt_dram_io_desc& q, const tt_TilizedTensorDesc& tensor,
                                             int timeout_s, int ptr = -1);
/// Copies 1 or input_count entries from the read pointer, or from slot `ptr` of a ram, with shape [n, t / (h v), rows
/// v, columns h] in the host's element type; h and v are the stack factors. Overwrites `tensor` except `dim`. Its
/// memory belongs to the backend until free_tensor().
TT_BACKEND_API DEVICE_STATUS_CODE get_output(const tt_dram_io_desc& q, tt_PytorchTensorDesc& tensor, bool get_one,
                                             int timeout_s, int ptr = -1);
/// Removes 1 or input_count entries of a FIFO.
TT_BACKEND_API DEVICE_STATUS_CODE pop_output(const tt_dram_io_desc& q, bool pop_one, int timeout_s);
/// Sets bufq_mapping of queues in host memory. The DRAM of a simulated device cannot be mapped.
TT_BACKEND_API DEVICE_STATUS_CODE translate_addresses(tt_dram_io_desc& q);

// --- tensors -------------------------------------------------------------------------------------------------------

/// Frees memory of the backend. Other memory, such as that of a host queue, is not freed.
TT_BACKEND_API DEVICE_STATUS_CODE free_tensor(tt_PytorchTensorDesc& tensor);
TT_BACKEND_API DEVICE_STATUS_CODE free_tensor(tt_TilizedTensorDesc& tensor);
/// Allocates memory for `numbers` elements, until free_tensor() of a descriptor that points to it.
TT_BACKEND_API std::shared_ptr<std::vector<std::uint32_t>> allocate_memory_for_tensor(DataFormat format,
                                                                                      std::size_t numbers);
/// The tensor in the tilized form that a push would write.
TT_BACKEND_API tt_TilizedTensorDesc tilize_tensor(const tt_dram_io_desc& q, const tt_PytorchTensorDesc& tensor);
/// Writes the bytes of a tensor to a file.
TT_BACKEND_API void binarize_tensor(const tt_PytorchTensorDesc& tensor, const std::string& file);
TT_BACKEND_API void binarize_tensor(const tt_TilizedTensorDesc& tensor, const std::string& file);
/// Reads a file of binarize_tensor() for a tensor of the same shape; sets ptr and owner.
TT_BACKEND_API void debinarize_tensor(tt_PytorchTensorDesc& tensor, const std::string& file);
TT_BACKEND_API void debinarize_tensor(tt_TilizedTensorDesc& tensor, const std::string& file);

// --- sizes in bytes, of one buffer -----------------------------------------------------------------------------------

TT_BACKEND_API std::uint32_t sizeof_format(
    DataFormat format);  ///< bytes of an element; throws for block and 8-bit floats
TT_BACKEND_API std::uint32_t get_tile_size_in_bytes(DataFormat format, bool untilized, std::uint32_t tile_height = 32,
                                                    std::uint32_t tile_width = 32);
TT_BACKEND_API std::uint32_t get_entry_size_in_bytes(DataFormat format, bool untilized, std::uint32_t ublock_ct,
                                                     std::uint32_t ublock_rt, std::uint32_t mblock_m,
                                                     std::uint32_t mblock_n, std::uint32_t t,
                                                     std::uint32_t tile_height = 32, std::uint32_t tile_width = 32);
/// Bytes of all entries and the queue's header.
TT_BACKEND_API std::uint32_t get_io_size_in_bytes(DataFormat format, bool untilized, std::uint32_t ublock_ct,
                                                  std::uint32_t ublock_rt, std::uint32_t mblock_m,
                                                  std::uint32_t mblock_n, std::uint32_t t, std::uint32_t entries,
                                                  std::uint32_t tile_height = 32, std::uint32_t tile_width = 32);
TT_BACKEND_API std::uint32_t get_next_aligned_address(std::uint32_t address);  ///< to a multiple of 32, on Blackhole 64

// --- processes -----------------------------------------------------------------------------------------------------

/// Connects this process to backends with that output_dir that another process has created and opened. Pushes, gets and
/// pops of this process then go to that process, which alone runs programs. RuntimeError when there is none.
TT_BACKEND_API DEVICE_STATUS_CODE initialize_child_process(const std::string& output_dir);
TT_BACKEND_API DEVICE_STATUS_CODE finish_child_process();  ///< undoes the last initialize_child_process()
/// Extension of ttsim: error message of the last failed call of this thread; "" when none failed.
TT_BACKEND_API const std::string& last_error();

// --- devices -------------------------------------------------------------------------------------------------------

/// The chips of the simulated machine: the product named by TTSIM_DEVICE, else the first board of the default chip.
TT_BACKEND_API std::vector<ARCH> detect_available_devices();
TT_BACKEND_API std::vector<param::DeviceDesc> get_device_descs_for_available_devices(const std::string& folder);
/// Describes a chip with harvested rows. `grid`: expected columns and rows of the remaining cores, or {0, 0} for no
/// check.
TT_BACKEND_API param::DeviceDesc get_custom_device_desc(ARCH arch, bool mmio, std::uint32_t harvesting_mask,
                                                        std::pair<int, int> grid, const std::string& folder);
/// Writes the cluster descriptor of the machine; returns its path.
TT_BACKEND_API std::string get_device_cluster_yaml_v2(const std::string& folder);

/// Returns a parameter of the machine: "grayskull-t6-grid_size" -> "12-10". Names are case-insensitive. `soc`,
/// `cluster`: descriptor files. `params`: a parameter file whose values take precedence; with `save`, a missing file is
/// created with all parameters. Each may be "". Name "*": writes all parameters to standard output and returns their
/// number.
TT_BACKEND_API std::string get_backend_param(const std::string& name, const std::string& soc = "",
                                             const std::string& cluster = "", const std::string& params = "",
                                             bool save = false);
TT_BACKEND_API void clear_backend_param_cache_v2();

/// Converts between (column, row) of a worker core and its NoC coordinates (x, y). Throw for other positions.
TT_BACKEND_API std::pair<int, int> translate_coord_logical_to_routing(const std::string& soc_descriptor,
                                                                      std::pair<int, int> logical);
TT_BACKEND_API std::pair<int, int> translate_coord_routing_to_logical(const std::string& soc_descriptor,
                                                                      std::pair<int, int> routing);

}  // namespace tt::backend
