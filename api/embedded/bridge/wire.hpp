// Calls between a process that has a device and others of the same user: CBOR messages over a Unix socket. What comes
// from the other process is checked before it is used: it may be anything.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "api/embedded/bridge/bridge.hpp"
#include "api/embedded/bridge/descriptor.hpp"

namespace ttsim::impl::bridge {

using nlohmann::json;

/// What comes is no message of ours. The connection cannot go on.
struct NoMessage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Whole messages. Throw std::system_error when the other end is gone or stands still in the midst of a message, and
/// NoMessage. `first`: until a message begins.
void send(const Descriptor& socket, const json& message);
json receive(const Descriptor& socket, const TimeLimit& first = {});
/// Sends what fits without waiting, to a process that is refused.
void send_at_once(const Descriptor& socket, const json& message);

/// Throws NoMessage for CBOR that is cut off, nested deeper than a message is, of too many items, or has what messages
/// lack: tags and texts of unknown length, in which a parser may recurse.
json from_cbor(const std::vector<std::uint8_t>& bytes);

json error_answer(const std::string& text, bool not_ready);

// --- what messages hold --------------------------------------------------------------------------------------------
// Those that read throw std::exception at values that no process of ours sends.

json binary(const void* data, std::size_t bytes);
json to_json(Wait wait);
Wait wait_from(const json& from);
json to_json(const QueueFacts& facts);
QueueFacts facts_from(const json& from);
/// With its numbers side by side.
json to_json(const HostTensor& tensor);
/// Its numbers stay those of `from`.
HostTensor host_tensor_from(const json& from);
json to_json(const TilizedTensor& tensor);
TilizedTensor tilized_from(const json& from);
json to_json(const Result& result);
Result result_from(const json& from);
std::shared_ptr<std::vector<std::uint32_t>> words_from(const json& binary);

}  // namespace ttsim::impl::bridge
