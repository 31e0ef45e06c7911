#include "api/embedded/api/memory.hpp"

#include <cstring>
#include <fstream>
#include <mutex>
#include <tt_backend_api.hpp>

#include "api/embedded/api/registry.hpp"

namespace tt_backend_api {

static std::mutex memory_guard;
static std::map<const void*, Memory> known;

const void* keep(Memory memory) {
    const std::lock_guard lock(memory_guard);
    if (memory->empty()) memory->resize(1);  // ensures a unique address
    const void* address = memory->data();
    known[address] = std::move(memory);
    return address;
}

void forget(const void* address) {
    const std::lock_guard lock(memory_guard);
    known.erase(address);
}

}  // namespace tt_backend_api

namespace tt::backend {

namespace {

template <class Tensor>
DEVICE_STATUS_CODE free_any(Tensor& tensor) {
    return tt_backend_api::status_of(false, [&] {
        if (tensor.owner != OWNERSHIP::Backend)
            throw std::runtime_error("free_tensor: the program owns this tensor's memory (OWNERSHIP::Frontend)");
        if (!tensor.ptr) throw std::runtime_error("free_tensor: the tensor has no memory: its ptr is null");
        tt_backend_api::forget(tensor.ptr);
        tensor.ptr = nullptr;
    });
}

std::size_t bytes_of(const tt_PytorchTensorDesc& tensor) {
    std::size_t bytes = tensor.itemsize;
    for (const std::uint32_t size : tensor.shape) bytes *= size;
    return bytes;
}
std::size_t bytes_of(const tt_TilizedTensorDesc& tensor) {
    return std::size_t{tensor.num_buffers} * tensor.buf_size_bytes;
}

void check_contiguous(const tt_PytorchTensorDesc& tensor, const std::string& file) {
    std::size_t step = tensor.itemsize;
    for (std::size_t k = tensor.shape.size(); k-- > 0; step *= tensor.shape[k])
        if (tensor.shape[k] > 1 && tensor.strides[k] != step)
            throw std::runtime_error(file + ": the tensor is not contiguous, so it cannot be written as it lies");
}

void write_file(const void* data, std::size_t bytes, const std::string& file) {
    if (!data) throw std::runtime_error(file + ": the tensor has no memory: its ptr is null");
    tt::bridge::write_file(file, data, bytes);
}

template <class Tensor>
void read_file(Tensor& tensor, const std::string& file) {
    const std::size_t bytes = bytes_of(tensor);
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in) throw std::runtime_error(file + ": there is no such file, or it cannot be read");
    if (static_cast<std::size_t>(in.tellg()) != bytes)
        throw std::runtime_error(file + ": it has " + std::to_string(in.tellg()) +
                                 " bytes; a tensor of this shape has " + std::to_string(bytes));
    auto memory = std::make_shared<std::vector<std::uint32_t>>((bytes + 3) / 4);
    in.seekg(0);
    in.read(reinterpret_cast<char*>(memory->data()), static_cast<std::streamsize>(bytes));
    if (!in) throw std::runtime_error(file + ": it cannot be read");
    tensor.ptr = tt_backend_api::keep(std::move(memory));
    tensor.owner = OWNERSHIP::Backend;
}

}  // namespace

DEVICE_STATUS_CODE free_tensor(tt_PytorchTensorDesc& tensor) { return free_any(tensor); }
DEVICE_STATUS_CODE free_tensor(tt_TilizedTensorDesc& tensor) { return free_any(tensor); }

std::shared_ptr<std::vector<std::uint32_t>> allocate_memory_for_tensor(DataFormat format, std::size_t numbers) {
    auto memory = std::make_shared<std::vector<std::uint32_t>>((numbers * sizeof_format(format) + 3) / 4);
    tt_backend_api::keep(memory);
    return memory;
}

void binarize_tensor(const tt_PytorchTensorDesc& tensor, const std::string& file) {
    check_contiguous(tensor, file);
    write_file(tensor.ptr, bytes_of(tensor), file);
}
void binarize_tensor(const tt_TilizedTensorDesc& tensor, const std::string& file) {
    write_file(tensor.ptr, bytes_of(tensor), file);
}
void debinarize_tensor(tt_PytorchTensorDesc& tensor, const std::string& file) { read_file(tensor, file); }
void debinarize_tensor(tt_TilizedTensorDesc& tensor, const std::string& file) { read_file(tensor, file); }

// --- sizes ---------------------------------------------------------------------------------------------------------

std::uint32_t sizeof_format(DataFormat format) { return tt::bridge::number_bytes(get_string(format)); }

std::uint32_t get_tile_size_in_bytes(DataFormat format, bool untilized, std::uint32_t tile_height,
                                     std::uint32_t tile_width) {
    return tt::bridge::tile_bytes(get_string(format), untilized, tile_height, tile_width);
}

std::uint32_t get_entry_size_in_bytes(DataFormat format, bool untilized, std::uint32_t ublock_ct,
                                      std::uint32_t ublock_rt, std::uint32_t mblock_m, std::uint32_t mblock_n,
                                      std::uint32_t t, std::uint32_t tile_height, std::uint32_t tile_width) {
    return get_tile_size_in_bytes(format, untilized, tile_height, tile_width) * ublock_ct * ublock_rt * mblock_m *
           mblock_n * t;
}

std::uint32_t get_io_size_in_bytes(DataFormat format, bool untilized, std::uint32_t ublock_ct, std::uint32_t ublock_rt,
                                   std::uint32_t mblock_m, std::uint32_t mblock_n, std::uint32_t t,
                                   std::uint32_t entries, std::uint32_t tile_height, std::uint32_t tile_width) {
    return entries * get_entry_size_in_bytes(format, untilized, ublock_ct, ublock_rt, mblock_m, mblock_n, t,
                                             tile_height, tile_width) +
           tt::bridge::present_alignment();  // the queue's header
}

std::uint32_t get_next_aligned_address(std::uint32_t address) {
    const std::uint32_t alignment = tt::bridge::present_alignment();
    return (address + alignment - 1) / alignment * alignment;
}

}  // namespace tt::backend
