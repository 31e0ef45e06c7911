// Messages between the process of a device and other processes of the same user: CBOR over a Unix socket. Received data
// is not trusted and is checked before use.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "api/embedded/bridge/bridge.hpp"
#include "api/embedded/bridge/descriptor.hpp"

namespace ttsim::impl::bridge {

using nlohmann::json;

/// The received data is not a valid message. The connection must be closed.
struct InvalidMessage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Transfer whole messages. Throw std::system_error when the other end is gone or stops within a message, and
/// InvalidMessage. `first`: time limit until a message begins.
void send(const Descriptor& socket, const json& message);
json receive(const Descriptor& socket, const TimeLimit& first = {});
/// Sends as much as possible without waiting, to a process that is rejected.
void send_at_once(const Descriptor& socket, const json& message);

/// Throws InvalidMessage for CBOR that is truncated, nested too deeply, has too many items, or contains tags or texts
/// of indefinite length, for which a parser may recurse.
json from_cbor(const std::vector<std::uint8_t>& bytes);

json error_answer(const std::string& text, bool not_ready);

// --- content of messages -------------------------------------------------------------------------------------------
// Reading functions throw std::exception for values that no valid process sends.

json binary(const void* data, std::size_t bytes);
json to_json(Wait wait);
Wait wait_from(const json& from);
json to_json(const QueueFacts& facts);
QueueFacts facts_from(const json& from);
/// Elements are sent contiguously.
json to_json(const HostTensor& tensor);
/// The elements stay in the memory of `from`.
HostTensor host_tensor_from(const json& from);
json to_json(const TilizedTensor& tensor);
TilizedTensor tilized_from(const json& from);
json to_json(const Result& result);
Result result_from(const json& from);
std::shared_ptr<std::vector<std::uint32_t>> words_from(const json& binary);

}  // namespace ttsim::impl::bridge
