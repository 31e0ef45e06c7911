// Compiling and opening a backend's netlist, and conversion of compile results.
#include <cstdio>
#include <filesystem>

#include "api/embedded/api/backend.hpp"

namespace fs = std::filesystem;
using tt::COMPILE_FAILURE;

static tt::tt_compile_result public_result(const tt::bridge::CompileResult& from) {
    tt::tt_compile_result result;
    result.success = from.success;
    if (from.success) return result;
    result.failure_type = from.overlay ? COMPILE_FAILURE::OverlaySize
                          : from.l1    ? COMPILE_FAILURE::L1Size
                                       : COMPILE_FAILURE::Net2Pipe;
    result.failure_message = from.message;
    result.failure_target = from.target;
    for (const tt::bridge::OpShortage& op : from.shortages) {
        const std::uint32_t extra = op.allocated > op.maximum ? op.allocated - op.maximum : 0;
        result.overlay_compile_result.failed_compile_results_per_epoch.push_back(
            {op.chip, op.epoch, op.core_x, op.core_y, op.maximum, op.allocated, extra, op.graph, op.op});
    }
    return result;
}

void tt_backend::Impl::compile(tt::tt_compile_result* result) {
    const tt::tt_compile_result compiled = public_result(device().compile());
    if (result) *result = compiled;
    if (!compiled.success) throw std::runtime_error(compiled.failure_message);
}

void tt_backend::Impl::open(tt::tt_compile_result* result) {
    if (config.mode != tt::DEVICE_MODE::RunOnly) compile(result);
    if (!config.perf_desc_args.empty()) fs::create_directories(config.output_dir);
    if (config.mode != tt::DEVICE_MODE::CompileOnly) {
        device().open();
        try {
            record->server = std::make_unique<tt::bridge::DeviceServer>(
                record->device, tt::bridge::ServedDevice{record->netlist_path, record->id, record->golden()},
                config.output_dir);
        } catch (const std::exception& error) {  // not an error, since most programs have one process
            std::fprintf(stderr, "tt_backend: %s: other processes cannot reach the device: %s\n",
                         config.output_dir.c_str(), error.what());
        }
    }
    if (result) result->success = true;
}
