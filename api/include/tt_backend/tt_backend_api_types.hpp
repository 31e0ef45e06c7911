// Types of the embedded runtime: configuration of a backend, descriptors of queues and tensors, device images. The
// interface is that of tt-budabackend; the device behind it is simulated (docs/tti.md "From C++").
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <tt_backend_enums.hpp>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

/// A position on a chip's grid: column x, row y.
struct tt_xy_pair {
    std::size_t x = 0, y = 0;
    friend bool operator==(const tt_xy_pair& a, const tt_xy_pair& b) { return a.x == b.x && a.y == b.y; }
};
template <>
struct std::hash<tt_xy_pair> {
    std::size_t operator()(const tt_xy_pair& at) const noexcept { return at.x * 1024 + at.y; }
};

namespace tt {

using chip_id_t = int;

// --- configuration -----------------------------------------------------------------------------------------------

class tt_device_image;

/// Configuration of a backend.
struct tt_backend_config {
    DEVICE type = DEVICE::Invalid;  ///< Invalid: that of the image; required for a netlist
    ARCH arch = ARCH::Invalid;      ///< Invalid: that of the image or netlist
    DEVICE_MODE mode = DEVICE_MODE::CompileAndRun;
    bool dump_graphs = false;    ///< no effect
    int optimization_level = 0;  ///< 0: run_program() waits until the program has finished; 1-4: it returns immediately
    std::string output_dir = "tt_build/test_out";  ///< folder for reports; for an image, below its folder
    std::string soc_descriptor_path;               ///< file, or a product such as wh_n150; "": the full chip
    std::string cluster_descriptor_path;           ///< file; "": none
    std::string perf_desc_args;                    ///< if not empty, a trace perf.ttperf is written to output_dir
    /// Arguments of the original have no effect. Extensions of ttsim: --functional (values without a clock), --exact
    /// (bit-exact matrix unit), --threads N.
    std::string runtime_args;
    bool ignore_data_format_precision = false;                                      ///< Golden: all formats are float32
    std::shared_ptr<tt_device_image> tti = nullptr;                                 ///< the image; null: none
    std::unordered_map<chip_id_t, std::vector<std::uint32_t>> harvested_rows = {};  ///< chip -> its harvested NoC rows
    bool l1_profiler_en = true;  ///< finish() writes output_dir/l1_profile/GRAPH.json
};

// --- results of compiling ----------------------------------------------------------------------------------------

/// Result of compiling firmware.
struct tt_fw_compile_result {
    COMPILE_FAILURE failure_type = COMPILE_FAILURE::Invalid;
    std::string failure_message;
};

/// An op whose streams do not fit in L1; sizes in bytes.
struct tt_op_overlay_failure {
    std::uint32_t device_id = 0, temporal_epoch_id = 0;
    std::uint32_t logical_core_x = 0, logical_core_y = 0;
    std::uint32_t maximum_size_bytes = 0, allocated_size_bytes = 0, extra_size_bytes = 0;
    std::string graph_name, op_name;
};
struct tt_overlay_compile_result {
    std::vector<tt_op_overlay_failure> failed_compile_results_per_epoch;
};

/// Result of compiling a netlist.
struct tt_compile_result {
    bool success = false;
    COMPILE_FAILURE failure_type = COMPILE_FAILURE::Invalid;
    std::string failure_message, failure_target;  ///< target: the op, queue or file that caused the failure
    tt_fw_compile_result fw_compile_result;
    /// Also lists ops whose buffers do not fit in L1.
    tt_overlay_compile_result overlay_compile_result;
};

// --- queues ------------------------------------------------------------------------------------------------------

/// Reordering of a strided convolution's input, which the host does when it pushes (prestride).
struct tt_s_descriptor {
    std::vector<std::pair<int, int>> xy_offsets;  ///< offsets in a stride x stride square, in the order of output rows
    int stride = -1;                              ///< -1: no reordering
};

/// Descriptor of a queue or ram, from tt_backend::get_queue_descriptor(). Sizes are in tiles unless stated otherwise.
struct tt_dram_io_desc {
    std::string netlist_path, queue_name;
    DEVICE backend_type = DEVICE::Invalid;
    IO_TYPE io_type = IO_TYPE::Invalid;
    IO_LAYOUT layout = IO_LAYOUT::Invalid;
    std::uint32_t bufq_grid_dim_r = 0, bufq_grid_dim_c = 0;  ///< grid of buffers: rows and columns
    std::uint32_t bufq_num_slots = 0;                        ///< number of entries
    std::uint32_t ublock_rt = 0, ublock_ct = 0, mblock_m = 0, mblock_n = 0, t = 0;
    std::uint32_t tile_height = 32, tile_width = 32;  ///< elements
    std::uint32_t input_count = 1;                    ///< number of entries of a batched get or pop
    /// Set by the caller before get_output(): how many of an entry's t slices are concatenated horizontally and
    /// vertically.
    std::uint32_t hstack_factor = 1, vstack_factor = 1;
    bool stack_row_major = true;
    DataFormat bufq_target_format = DataFormat::Invalid;
    std::vector<std::pair<std::uint32_t, std::uint16_t>>
        bufq_start_addr_channel;        ///< address and channel of each buffer; Golden: zeros
    std::vector<void*> bufq_mapping;    ///< addresses of a host queue's buffers, set by translate_addresses()
    std::uint32_t bufq_entry_size = 0;  ///< bytes of one entry of one buffer, untilized, in the host's element type
    tt_s_descriptor s_descriptor;
    std::uint64_t backend_id =
        0;  ///< extension of ttsim: id of the backend in the process; 0: the backend of netlist_path
};

// --- tensors -----------------------------------------------------------------------------------------------------

inline constexpr unsigned PY_TENSOR_DIMS = 4;

/// A row-major tensor in the program's memory. For push_input() its shape is [entries, t, rows, columns] in elements,
/// padded to the queue's tiles. With dim < 4, shape[4 - dim] is the number of entries and the sizes before it are 1.
struct tt_PytorchTensorDesc {
    const void* ptr = nullptr;
    void* handle = nullptr;
    /// Reference counting of `handle`: called with (handle, true) for each copy, (handle, false) for each destruction.
    std::function<void(void*, bool)> allocate_callback;
    std::uint32_t itemsize = 0;  ///< bytes of an element
    DataFormat format = DataFormat::Invalid;
    std::array<std::uint32_t, PY_TENSOR_DIMS> shape{};
    std::array<std::uint32_t, PY_TENSOR_DIMS> strides{};  ///< bytes, outermost first
    unsigned dim = PY_TENSOR_DIMS;
    OWNERSHIP owner = OWNERSHIP::Frontend;

    tt_PytorchTensorDesc() = default;
    tt_PytorchTensorDesc(const void* data, std::uint32_t bytes, DataFormat type,
                         const std::array<std::uint32_t, PY_TENSOR_DIMS>& sizes,
                         const std::array<std::uint32_t, PY_TENSOR_DIMS>& steps, unsigned dims = PY_TENSOR_DIMS,
                         OWNERSHIP whose = OWNERSHIP::Frontend)
        : ptr(data), itemsize(bytes), format(type), shape(sizes), strides(steps), dim(dims), owner(whose) {}
    tt_PytorchTensorDesc(const tt_PytorchTensorDesc& other);
    tt_PytorchTensorDesc(tt_PytorchTensorDesc&& other) noexcept { swap(other); }
    tt_PytorchTensorDesc& operator=(tt_PytorchTensorDesc other) noexcept {
        swap(other);
        return *this;
    }
    ~tt_PytorchTensorDesc() {
        if (handle && allocate_callback) allocate_callback(handle, false);
    }
    void swap(tt_PytorchTensorDesc& other) noexcept;
};

inline tt_PytorchTensorDesc::tt_PytorchTensorDesc(const tt_PytorchTensorDesc& other)
    : ptr(other.ptr),
      handle(other.handle),
      allocate_callback(other.allocate_callback),
      itemsize(other.itemsize),
      format(other.format),
      shape(other.shape),
      strides(other.strides),
      dim(other.dim),
      owner(other.owner) {
    if (handle && allocate_callback) allocate_callback(handle, true);
}

inline void tt_PytorchTensorDesc::swap(tt_PytorchTensorDesc& other) noexcept {
    std::swap(ptr, other.ptr);
    std::swap(handle, other.handle);
    allocate_callback.swap(other.allocate_callback);
    std::swap(itemsize, other.itemsize);
    std::swap(format, other.format);
    shape.swap(other.shape);
    strides.swap(other.strides);
    std::swap(dim, other.dim);
    std::swap(owner, other.owner);
}

/// Entries in the memory layout of a queue: its buffers one after another.
struct tt_TilizedTensorDesc {
    const void* ptr = nullptr;
    std::uint32_t num_buffers = 0;
    std::uint32_t buf_size_bytes = 0;  ///< bytes of all entries of one buffer
    DataFormat format = DataFormat::Invalid;
    OWNERSHIP owner = OWNERSHIP::Frontend;

    tt_TilizedTensorDesc() = default;
    tt_TilizedTensorDesc(const void* data, std::uint32_t buffers, std::uint32_t bytes, DataFormat type,
                         OWNERSHIP whose = OWNERSHIP::Frontend)
        : ptr(data), num_buffers(buffers), buf_size_bytes(bytes), format(type), owner(whose) {}
};

/// z, y, x of the tensor before the reordering, and the stride.
using prestride_info = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
/// Tensor of an image: file, itemsize, format, shape, strides, dim. Tilized: file, number of buffers, format, {}, {},
/// bytes of a buffer.
using tensor_meta = std::tuple<std::string, std::uint32_t, DataFormat, std::array<std::uint32_t, PY_TENSOR_DIMS>,
                               std::array<std::uint32_t, PY_TENSOR_DIMS>, std::uint32_t>;

// --- images ------------------------------------------------------------------------------------------------------

/// A device image, unpacked into a folder. Throws std::runtime_error when it is missing, damaged or not supported.
class TT_BACKEND_API tt_device_image {
public:
    /// Unpacks into `output_path`. Replaces an earlier unpacked image there; other folders are an error.
    explicit tt_device_image(const std::string& tti_path, const std::string& output_path = "tt_build/tti");
    ~tt_device_image();
    tt_device_image(const tt_device_image&) = delete;
    tt_device_image& operator=(const tt_device_image&) = delete;

    std::string arch() const;     ///< "Wormhole_B0"
    std::string backend() const;  ///< "Silicon", "Golden", ...
    std::string get_netlist_path() const;
    std::string get_model_path(const std::string& relative) const;  ///< below unzipped_tti
    std::vector<std::string> get_graph_input_names() const;         ///< names of queues, in the model's order
    std::vector<std::string> get_graph_output_names() const;
    std::vector<std::string> get_graph_intermediate_names()
        const;  ///< extension of ttsim: intermediate outputs, which must be popped too
    /// Constants, then parameters, each sorted.
    std::vector<std::string> get_graph_constant_and_parameter_names() const;
    std::unordered_map<std::string, prestride_info> get_io_prestride_map() const;
    tensor_meta get_tensor_meta(const std::string& name) const;

    struct __attribute__((visibility("hidden"))) Impl;
    const Impl& impl() const { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace tt
