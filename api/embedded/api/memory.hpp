// Memory that the backend gave out, by its address.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tt_backend_api {

using Memory = std::shared_ptr<std::vector<std::uint32_t>>;
/// Held until forget(); its address.
const void* keep(Memory memory);
/// Nothing happens for an address that is not known.
void forget(const void* address);

}  // namespace tt_backend_api
