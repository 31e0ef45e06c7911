// Memory that the backend allocated for programs, by address.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tt_backend_api {

using Memory = std::shared_ptr<std::vector<std::uint32_t>>;
/// Keeps the memory until forget(); returns its address.
const void* keep(Memory memory);
/// Releases the memory; no effect for an unknown address.
void forget(const void* address);

}  // namespace tt_backend_api
