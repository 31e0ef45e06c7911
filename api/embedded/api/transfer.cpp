// Pushes, gets and pops: converts descriptors to calls of the bridge.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <tt_backend_api.hpp>

#include "api/embedded/api/memory.hpp"
#include "api/embedded/api/names.hpp"
#include "api/embedded/api/registry.hpp"

namespace tt::backend {

using tt::bridge::HostTensor;
using tt::bridge::Wait;
using tt_backend_api::Record;
using tt_backend_api::status_of;

namespace {

/// A timeout in the environment variable takes precedence.
int seconds_of(const char* variable, int given) {
    const char* text = std::getenv(variable);
    if (!text || !*text) return given;
    int seconds = 0;
    const char* end = text + std::strlen(text);
    const auto [at, error] = std::from_chars(text, end, seconds);
    if (error != std::errc{} || at != end)
        throw std::runtime_error(std::string(variable) + "=" + text + ": a number of seconds is wanted");
    return seconds;
}

Wait wait_of(int seconds) { return {static_cast<double>(std::max(seconds, 0)), false}; }

std::string where(const tt_dram_io_desc& q) { return q.netlist_path + ": queue '" + q.queue_name + "': "; }

std::shared_ptr<Record> found(const tt_dram_io_desc& q) {
    std::shared_ptr<Record> record = tt_backend_api::find(q);
    if (q.bufq_mapping.empty() && record->queues->queue(q.queue_name).on_host)
        throw std::runtime_error(where(q) + "it is on the host: translate_addresses() of its descriptor comes first");
    return record;
}

/// The tensor with its entries outermost.
HostTensor host_tensor(const tt_dram_io_desc& q, const tt_PytorchTensorDesc& desc) {
    HostTensor tensor{static_cast<const unsigned char*>(desc.ptr),
                      get_string(desc.format),
                      desc.itemsize,
                      desc.shape,
                      desc.strides,
                      q.s_descriptor.stride,
                      q.s_descriptor.xy_offsets};
    if (desc.dim < 1 || desc.dim > PY_TENSOR_DIMS)
        throw std::runtime_error(where(q) + "a tensor of " + std::to_string(desc.dim) + " dimensions; 1 to 4 are");
    const std::size_t batch = PY_TENSOR_DIMS - desc.dim;
    for (std::size_t k = 0; k < batch; ++k)
        if (tensor.shape[k] != 1)
            throw std::runtime_error(where(q) + "a tensor of " + std::to_string(desc.dim) + " dimensions has size " +
                                     std::to_string(tensor.shape[k]) + " before them; 1 is wanted");
    std::swap(tensor.shape[0], tensor.shape[batch]);
    std::swap(tensor.strides[0], tensor.strides[batch]);
    return tensor;
}

/// Checks the number of entries of one call.
void check_count(const tt_dram_io_desc& q, const Record& record, bool vector_code, std::uint32_t count) {
    if (record.golden() ? count == 1 || (count > 0 && count % q.input_count == 0)
        : vector_code   ? count > 0
                        : count == 1 || count == q.input_count || count == q.bufq_num_slots)
        return;
    throw std::runtime_error(where(q) + "a push of " + std::to_string(count) + " entries; " +
                             (record.golden() ? "1 or a multiple of " : "1, ") + std::to_string(q.input_count) +
                             (record.golden() ? "" : " or " + std::to_string(q.bufq_num_slots)) + " can be pushed");
}

}  // namespace

// --- 1. push -------------------------------------------------------------------------------------------------------

DEVICE_STATUS_CODE push_input(const tt_dram_io_desc& q, const tt_PytorchTensorDesc& desc, bool push_one, int timeout_s,
                              int ptr) {
    bool timed = false;
    return status_of(timed, [&] {
        const int seconds = seconds_of("TT_BACKEND_PUSH_TIMEOUT", timeout_s);
        const std::shared_ptr<Record> record = found(q);
        HostTensor tensor = host_tensor(q, desc);
        const bool vector_code = record->queues->uses_vector_tilizer(q.queue_name, tensor.format);
        if (push_one && !vector_code && !record->golden()) tensor.shape[0] = 1;
        check_count(q, *record, vector_code, tensor.shape[0]);
        timed = seconds > 0 && !record->golden();
        Wait wait = wait_of(seconds);
        wait.for_ever = seconds <= 0 && vector_code;
        record->queues->push(q.queue_name, tensor, wait, ptr);
    });
}

DEVICE_STATUS_CODE push_input(const tt_dram_io_desc& q, const tt_TilizedTensorDesc& desc, int timeout_s, int ptr) {
    bool timed = false;
    return status_of(timed, [&] {
        const std::shared_ptr<Record> record = found(q);
        timed = timeout_s > 0 && !record->golden();
        const tt::bridge::TilizedTensor tensor{static_cast<const unsigned char*>(desc.ptr), get_string(desc.format),
                                               desc.num_buffers, desc.buf_size_bytes};
        record->queues->push(q.queue_name, tensor, wait_of(timeout_s), ptr);
    });
}

// --- 2. get, pop ---------------------------------------------------------------------------------------------------

/// Fills the caller's descriptor with a result: contiguous, `dim` dimensions, entries outermost.
static void describe(const tt_dram_io_desc& q, const tt::bridge::Result& result, tt_PytorchTensorDesc& desc) {
    const unsigned dim = desc.dim;
    if (dim < 1 || dim > PY_TENSOR_DIMS)
        throw std::runtime_error(where(q) + "a tensor of " + std::to_string(dim) + " dimensions; 1 to 4 are");
    std::array<std::uint32_t, PY_TENSOR_DIMS> shape = result.shape;
    const std::size_t batch = PY_TENSOR_DIMS - dim;
    for (std::size_t k = 1; k <= batch; ++k)
        if (shape[k] != 1)
            throw std::runtime_error(where(q) + "its entries have size " + std::to_string(shape[k]) +
                                     " where a tensor of " + std::to_string(dim) + " dimensions has its entries");
    std::swap(shape[0], shape[batch]);
    std::array<std::uint32_t, PY_TENSOR_DIMS> strides{};
    std::uint32_t step = result.itemsize;
    for (std::size_t k = shape.size(); k-- > 0; step *= shape[k]) strides[k] = step;
    const void* data = result.memory ? tt_backend_api::keep(result.memory) : result.in_queue;
    desc = tt_PytorchTensorDesc(data, result.itemsize, tt_backend_api::format_named(result.format), shape, strides, dim,
                                OWNERSHIP::Backend);
}

DEVICE_STATUS_CODE get_output(const tt_dram_io_desc& q, tt_PytorchTensorDesc& desc, bool get_one, int timeout_s,
                              int ptr) {
    bool timed = false;
    const DEVICE_STATUS_CODE status = status_of(timed, [&] {
        const int seconds = seconds_of("TT_BACKEND_GET_TIMEOUT", timeout_s);
        const std::shared_ptr<Record> record = found(q);
        timed = seconds > 0 && !record->golden();
        const std::uint32_t count = get_one ? 1 : q.input_count;
        describe(q,
                 record->queues->get(q.queue_name, count, {q.hstack_factor, q.vstack_factor, q.stack_row_major},
                                     wait_of(seconds), ptr),
                 desc);
    });
    if (status != DEVICE_STATUS_CODE::Success) desc.ptr = nullptr;
    return status;
}

DEVICE_STATUS_CODE pop_output(const tt_dram_io_desc& q, bool pop_one, int timeout_s) {
    bool timed = false;
    return status_of(timed, [&] {
        const int seconds = seconds_of("TT_BACKEND_POP_TIMEOUT", timeout_s);
        const std::shared_ptr<Record> record = found(q);
        timed = seconds > 0 && !record->golden();
        record->queues->pop(q.queue_name, pop_one ? 1 : q.input_count, wait_of(seconds));
    });
}

// --- 3. addresses and memory ---------------------------------------------------------------------------------------

DEVICE_STATUS_CODE translate_addresses(tt_dram_io_desc& q) {
    return status_of(false, [&] { q.bufq_mapping = tt_backend_api::find(q)->queues->mapped(q.queue_name); });
}

tt_TilizedTensorDesc tilize_tensor(const tt_dram_io_desc& q, const tt_PytorchTensorDesc& desc) {
    const std::shared_ptr<Record> record = tt_backend_api::find(q);
    std::uint32_t bytes = 0;
    auto memory = record->queues->tilized(q.queue_name, host_tensor(q, desc), bytes);
    return {tt_backend_api::keep(std::move(memory)), q.bufq_grid_dim_r * q.bufq_grid_dim_c, bytes, q.bufq_target_format,
            OWNERSHIP::Backend};
}

}  // namespace tt::backend
