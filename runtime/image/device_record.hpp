// The contents of device.json of an image. Fields: docs/tti.md.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "isa/data_format.hpp"

namespace ttsim::impl::image {

using Shape = std::vector<std::int64_t>;

/// A tensor whose values are in a file of the image.
struct StoredTensor {
    std::string file;  ///< below the image's folder
    std::int64_t itemsize = 4;
    std::array<std::int64_t, 4> shape{1, 1, 1, 1};
    std::array<std::int64_t, 4> strides{};  ///< bytes
    std::int64_t dim = 4;
    DataFormat format = DataFormat::Float32;  ///< format of the values; tilized: of the queue
    bool pickled = false;                     ///< in a Python pickle; only `file` is known
    bool tilized = false;
    std::int64_t num_buffers = 0, buffer_bytes = 0;  ///< tilized: one buffer, all entries
};

/// A host transform of a tensor besides padding and cropping.
struct TensorTransform {
    std::string type = "NoTransform";
    Shape original, reinterpreted, unpadded;      ///< empty: not valid
    std::int64_t stride = 0, kernel = 0;          ///< Prestride
    std::int64_t group = 0, index = 0, axis = 0;  ///< Concatenate
};

/// How the host restacks the slices of an output: h beside each other and v below each other form one.
struct HostStack {
    std::int64_t h = 1, v = 1;
    bool row_major = true;  ///< slices fill rows of the result first, otherwise columns
};

/// Device types as named in images.
const std::vector<std::string>& device_types();

struct DeviceRecord {
    std::string version = "1.1.0", name = "tt0";
    std::string arch;  ///< "Grayskull", "Wormhole_B0"
    std::string devtype = "Silicon";
    std::vector<std::int64_t> chip_ids;
    std::string fp32_fallback = "Float16_b";
    bool training = false;
    std::int64_t microbatch_size = 1, microbatch_count = 1;
    std::vector<std::int64_t> grid_size;       ///< rows, columns
    std::vector<std::int64_t> harvested_rows;  ///< one mask per chip; bit = NoC row
    // compiled_graph_state
    std::int64_t microbatch = 1;
    std::string graph_name;
    std::vector<std::string> inputs, outputs, constants, parameters;  ///< queues
    std::vector<std::pair<std::string, std::string>> intermediates;   ///< op, queue
    std::vector<Shape> input_shapes, output_shapes, target_shapes, intermediate_shapes;
    std::vector<std::int64_t> input_programs, output_programs;  ///< k of run_fwd_<k>
    std::vector<TensorTransform> input_transforms, output_transforms;
    std::map<std::string, TileDim> input_tiles, parameter_tiles, constant_tiles;
    std::map<std::string, HostStack> host_stacks;  ///< by output queue
    std::vector<std::string> output_formats;
    std::string netlist;  ///< path in device.json; the file is at the top of the image
    std::map<std::string, StoredTensor> constant_values, parameter_values;
    // writer
    std::string dump_format = "BACKEND";  ///< or BACKEND_TILIZED
    std::string fidelity;                 ///< "" = not known
    std::string release, commit, backend_commit;
};

/// The text of device.json, with every field in order.
std::string device_json(const DeviceRecord& record);

/// Fields that the vendor's runtime needs are required; others have the defaults of DeviceRecord. Throws Error(Input)
/// naming `place` and key.
DeviceRecord read_device_json(const std::string& text, const std::string& place);

/// "Wormhole_B0" -> "wormhole_b0".
std::string chip_of_arch(const std::string& arch);
std::string arch_of_chip(const std::string& chip);

}  // namespace ttsim::impl::image
