// What the host does with the queues of a backend, from any thread. What goes wrong is told on standard error and by
// last_error(); where no status is returned it is thrown as std::runtime_error.
//
//                         timeout_s > 0                                       <= 0
//   push_input            waits for room for all entries, else TimeoutError   waits for ever
//     numbers not in the
//     vector tilizer's list, or tilized, to a FIFO          same              full: RuntimeError
//   get_output, pop       waits for all entries, else TimeoutError            too few: RuntimeError
//
// A time-out counts real seconds in which the simulated device cannot move, so that only another thread could help; the
// time that simulating takes never counts. Golden devices never wait. Nothing is moved by a call that fails.
#pragma once

#include <tt_backend.hpp>

namespace tt::param {

struct DeviceDesc {
    ARCH arch = ARCH::Invalid;
    std::string soc_desc_yaml;          ///< file
    bool mmio = false;                  ///< has a host link
    std::uint32_t harvesting_mask = 0;  ///< bit = NoC row
};

}  // namespace tt::param

namespace tt::backend {

// --- queues --------------------------------------------------------------------------------------------------------

/// Converts and writes shape[0] entries: behind the last of a FIFO, to the slots from `ptr` of a ram.
/// TT_BACKEND_PUSH_TIMEOUT, _GET_ and _POP_TIMEOUT of the environment replace timeouts.
TT_BACKEND_API DEVICE_STATUS_CODE push_input(const tt_dram_io_desc& q, const tt_PytorchTensorDesc& tensor,
                                             bool push_one, int timeout_s, int ptr = -1);
TT_BACKEND_API DEVICE_STATUS_CODE push_input(const tt_dram_io_desc& q, const tt_TilizedTensorDesc& tensor,
                                             int timeout_s, int ptr = -1);
/// Copies 1 or input_count entries from the read pointer, or from slot `ptr` of a ram: [n, t / (h v), rows v, columns
/// h] in the host's type. Rewrites `tensor` but its `dim`; its memory is the backend's until free_tensor().
TT_BACKEND_API DEVICE_STATUS_CODE get_output(const tt_dram_io_desc& q, tt_PytorchTensorDesc& tensor, bool get_one,
                                             int timeout_s, int ptr = -1);
/// Frees 1 or input_count entries of a FIFO.
TT_BACKEND_API DEVICE_STATUS_CODE pop_output(const tt_dram_io_desc& q, bool pop_one, int timeout_s);
/// Fills bufq_mapping of queues on the host, which need it. No window shows the DRAM of a simulated device.
TT_BACKEND_API DEVICE_STATUS_CODE translate_addresses(tt_dram_io_desc& q);

// --- tensors -------------------------------------------------------------------------------------------------------

/// Backend memory only. Memory that it does not know, such as a host queue's own, is left alone.
TT_BACKEND_API DEVICE_STATUS_CODE free_tensor(tt_PytorchTensorDesc& tensor);
TT_BACKEND_API DEVICE_STATUS_CODE free_tensor(tt_TilizedTensorDesc& tensor);
/// Room for `numbers` numbers, until free_tensor() of a descriptor that points to it.
TT_BACKEND_API std::shared_ptr<std::vector<std::uint32_t>> allocate_memory_for_tensor(DataFormat format,
                                                                                      std::size_t numbers);
/// The bytes that a push would write.
TT_BACKEND_API tt_TilizedTensorDesc tilize_tensor(const tt_dram_io_desc& q, const tt_PytorchTensorDesc& tensor);
TT_BACKEND_API void binarize_tensor(const tt_PytorchTensorDesc& tensor, const std::string& file);
TT_BACKEND_API void binarize_tensor(const tt_TilizedTensorDesc& tensor, const std::string& file);
/// Reads what binarize_tensor() wrote of a tensor of the same shape: fills ptr and owner.
TT_BACKEND_API void debinarize_tensor(tt_PytorchTensorDesc& tensor, const std::string& file);
TT_BACKEND_API void debinarize_tensor(tt_TilizedTensorDesc& tensor, const std::string& file);

// --- sizes in bytes, of one buffer -----------------------------------------------------------------------------------

TT_BACKEND_API std::uint32_t sizeof_format(DataFormat format);  ///< of a number; block and 8-bit floats throw
TT_BACKEND_API std::uint32_t get_tile_size_in_bytes(DataFormat format, bool untilized, std::uint32_t tile_height = 32,
                                                    std::uint32_t tile_width = 32);
TT_BACKEND_API std::uint32_t get_entry_size_in_bytes(DataFormat format, bool untilized, std::uint32_t ublock_ct,
                                                     std::uint32_t ublock_rt, std::uint32_t mblock_m,
                                                     std::uint32_t mblock_n, std::uint32_t t,
                                                     std::uint32_t tile_height = 32, std::uint32_t tile_width = 32);
/// All entries and the queue's header.
TT_BACKEND_API std::uint32_t get_io_size_in_bytes(DataFormat format, bool untilized, std::uint32_t ublock_ct,
                                                  std::uint32_t ublock_rt, std::uint32_t mblock_m,
                                                  std::uint32_t mblock_n, std::uint32_t t, std::uint32_t entries,
                                                  std::uint32_t tile_height = 32, std::uint32_t tile_width = 32);
TT_BACKEND_API std::uint32_t get_next_aligned_address(std::uint32_t address);  ///< a multiple of 32

// --- processes -----------------------------------------------------------------------------------------------------

/// For a process that did not make the backends with that output_dir: its pushes, gets and pops go to the process that
/// did and that has them open, which alone runs programs. RuntimeError when there is none.
TT_BACKEND_API DEVICE_STATUS_CODE initialize_child_process(const std::string& output_dir);
TT_BACKEND_API DEVICE_STATUS_CODE finish_child_process();  ///< undoes the last of them
/// Ours: what went wrong in this thread's last call that did not return Success; "" before.
TT_BACKEND_API const std::string& last_error();

// --- devices -------------------------------------------------------------------------------------------------------

/// The chips of the simulated machine: the product that TTSIM_DEVICE names, else one wh_n150.
TT_BACKEND_API std::vector<ARCH> detect_available_devices();
TT_BACKEND_API std::vector<param::DeviceDesc> get_device_descs_for_available_devices(const std::string& folder);
/// A chip with rows taken away; `grid` {0, 0}: all of the rest, else it must be the rest's columns and rows.
TT_BACKEND_API param::DeviceDesc get_custom_device_desc(ARCH arch, bool mmio, std::uint32_t harvesting_mask,
                                                        std::pair<int, int> grid, const std::string& folder);
/// Writes the machine's cluster descriptor; its file.
TT_BACKEND_API std::string get_device_cluster_yaml_v2(const std::string& folder);

/// "grayskull-t6-grid_size" -> "12-10". Any case. `soc`, `cluster`: descriptor files; `params`: a file of parameters
/// whose values win, or with `save` one that is written with all of them when it is not there; each may be "". "*"
/// writes all to standard output and gives their number.
TT_BACKEND_API std::string get_backend_param(const std::string& name, const std::string& soc = "",
                                             const std::string& cluster = "", const std::string& params = "",
                                             bool save = false);
TT_BACKEND_API void clear_backend_param_cache_v2();

/// (column, row) of a working core <-> its place on the NoC. Throw for places that are none of a working core.
TT_BACKEND_API std::pair<int, int> translate_coord_logical_to_routing(const std::string& soc_descriptor,
                                                                      std::pair<int, int> logical);
TT_BACKEND_API std::pair<int, int> translate_coord_routing_to_logical(const std::string& soc_descriptor,
                                                                      std::pair<int, int> routing);

}  // namespace tt::backend
