// Netlists whose one op copies a queue into another, and a backend that runs one: what programs of the embedded runtime
// are tried on. Only the public headers are seen here, as a user sees them.
#pragma once

#include <io_utils.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace embedded_test {

using namespace tt;
inline constexpr auto Success = DEVICE_STATUS_CODE::Success;
inline constexpr auto RuntimeError = DEVICE_STATUS_CODE::RuntimeError;
inline constexpr auto TimeoutError = DEVICE_STATUS_CODE::TimeoutError;

struct Identity {
    std::string df = "Float16_b", acc = "Float16_b";
    int entries = 4, input_count = 2;
    int grid_r = 1, grid_c = 1, t = 1, m = 1, n = 1, rt = 1, ct = 1;
    int tile_h = 32, tile_w = 32;
    bool out_ram = false, out_on_host = false, untilize = false;
    std::string op_more{};  ///< further fields of the op

    int rows() const { return grid_r * m * rt * tile_h; }
    int columns() const { return grid_c * n * ct * tile_w; }
    std::size_t elements() const { return static_cast<std::size_t>(t * rows() * columns()); }
};

/// One entry for all inputs of an execute, each element `number`.
inline std::vector<float> entry(const Identity& o, int number) {
    return std::vector<float>(o.elements() * static_cast<std::size_t>(o.input_count), static_cast<float>(number));
}

inline std::string text_of(const Identity& o) {
    std::ostringstream cut, text;
    cut << "t: " << o.t << ", mblock: [" << o.m << ", " << o.n << "], ublock: [" << o.rt << ", " << o.ct
        << "], tile_dim: [" << o.tile_h << ", " << o.tile_w << "]";
    const auto queue = [&](const std::string& name, const std::string& input, bool ram, bool host, int at) {
        const bool one = name == "y" && o.untilize;
        text << "  " << name << ": {input: " << input << ", type: " << (ram ? "ram" : "queue")
             << ", entries: " << o.entries << ", grid_size: [" << (one ? 1 : o.grid_r) << ", " << (one ? 1 : o.grid_c)
             << "], " << cut.str() << ", df: " << o.df << ", target_device: 0, loc: " << (host ? "host" : "dram")
             << ", " << (host ? "host" : "dram") << ": [";
        for (int k = 0; k < (one ? 1 : o.grid_r * o.grid_c); ++k)
            text << (k ? ", " : "") << "[" << (host ? 0 : (at + k) % 6) << ", " << 0x10000000 + (at + k) * 0x1000000
                 << "]";
        text << "]}\n";
    };
    text << "devices:\n  arch: wormhole_b0\nqueues:\n";
    queue("x", "HOST", false, false, 0);
    queue("y", "copy", o.out_ram, o.out_on_host, 16);
    queue("memory", "HOST", true, false, 32);
    text << "graphs:\n  g:\n    target_device: 0\n    input_count: " << o.input_count
         << "\n    copy: {type: datacopy, grid_loc: [0, 0], grid_size: [" << o.grid_r << ", " << o.grid_c
         << "], inputs: [x], in_df: [" << o.df << "], acc_df: " << o.acc << ", out_df: " << o.df
         << ", intermed_df: " << o.df << ", ublock_order: r, buf_size_mb: 2, math_fidelity: HiFi4, untilize_output: "
         << (o.untilize ? "true" : "false") << ", " << cut.str() << o.op_more << "}\n";
    text << "programs:\n  - run_fwd_0:\n      - param: [$p_loop_count]\n      - staticvar: {$l: 0, $g: 0, $w: 0}\n"
         << "      - loop: $p_loop_count\n      - execute: {graph_name: g, queue_settings: {x: {prologue: false, "
         << "epilogue: false, zero: false, rd_ptr_local: $l, rd_ptr_global: $g}"
         << (o.out_ram ? ", y: {prologue: false, epilogue: false, zero: false, rd_ptr_global: $w, wr_ptr_global: $w, "
                         "global_wrptr_autoinc: 1}"
                       : "")
         << "}}\n      - varinst: [$l, incwrap, " << o.input_count << ", " << 2 * o.entries
         << "]\n      - varinst: [$g, incwrap, " << o.input_count << ", " << 2 * o.entries << "]\n      - endloop\n"
         << "  - another:\n      - endprogram\n  - a_third:\n      - endprogram\n";
    return text.str();
}

/// A folder that goes at the end.
class Folder {
public:
    Folder() {
        static int count = 0;
        path_ = std::filesystem::temp_directory_path() /
                ("ttsim_embedded_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(*this / name) << text;
        return *this / name;
    }

private:
    std::filesystem::path path_;
};

inline tt_backend_config config_for(DEVICE type, const Folder& folder) {
    tt_backend_config config;
    config.type = type;
    config.output_dir = folder / "out";
    config.runtime_args = "--threads 1";
    return config;
}

/// An open backend of a netlist.
struct Opened {
    Folder folder;
    std::shared_ptr<tt_backend> backend;

    explicit Opened(const std::string& text, DEVICE type = DEVICE::Silicon, int level = 0) {
        tt_backend_config config = config_for(type, folder);
        config.optimization_level = level;
        backend = tt_backend::create(folder.write("netlist.yaml", text), config);
        if (backend->initialize() != Success) throw std::runtime_error(tt::backend::last_error());
    }
    tt_dram_io_desc queue(const std::string& name) const { return io::utils::get_queue_descriptor(backend, name); }
    DEVICE_STATUS_CODE run(int loops = 1) const {
        return backend->run_program("run_fwd_0", {{"$p_loop_count", std::to_string(loops)}});
    }
};

/// Entries of numbers of type T, contiguous.
template <class T>
tt_PytorchTensorDesc tensor_of(const std::vector<T>& values, DataFormat format, const Identity& o, int count) {
    tt_PytorchTensorDesc desc = io::utils::to_tensor_descptor(
        static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(o.t), static_cast<std::uint32_t>(o.rows()),
        static_cast<std::uint32_t>(o.columns()), format);
    desc.ptr = values.data();
    return desc;
}

template <class T>
std::vector<T> values_of(const tt_PytorchTensorDesc& desc) {
    std::size_t count = 1;
    for (const std::uint32_t size : desc.shape) count *= size;
    const T* first = static_cast<const T*>(desc.ptr);
    return {first, first + count};
}

/// Gets, pops and frees.
template <class T>
std::vector<T> take(const tt_dram_io_desc& q, bool one = false) {
    tt_PytorchTensorDesc desc;
    if (backend::get_output(q, desc, one, 1) != Success) throw std::runtime_error(backend::last_error());
    std::vector<T> values = values_of<T>(desc);
    if (backend::pop_output(q, one, 1) != Success || backend::free_tensor(desc) != Success)
        throw std::runtime_error(backend::last_error());
    return values;
}

/// Small integers, other ones in each entry: all formats that hold -most..most give them back.
inline std::vector<float> counting(std::size_t count, int most, int seed = 0) {
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i)
        values.push_back(static_cast<float>(static_cast<int>((i * 7 + i / 31 + static_cast<std::size_t>(seed)) %
                                                             static_cast<std::size_t>(2 * most + 1)) -
                                            most));
    return values;
}

}  // namespace embedded_test
