// Calls between a process that has a device and others of the same user: CBOR messages over a Unix socket
// that no file stands for: it ends with its process, whatever ends that.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "embedded/bridge/bridge.hpp"

namespace tt_bridge {

using nlohmann::json;
using Protocol = boost::asio::local::stream_protocol;

/// Of the device with a number that belongs to a folder.
Protocol::endpoint endpoint_of(const std::string& folder, std::uint64_t id);
/// The numbers of all devices that are served now for a folder.
std::vector<std::uint64_t> ids_served(const std::string& folder);
/// The other end is a process of this user.
bool of_this_user(Protocol::socket& socket);

/// Whole messages. Throw boost::system::system_error when the other end is gone.
void send(Protocol::socket& socket, const json& message);
json receive(Protocol::socket& socket);

/// Descriptors that a forked process does not keep, so that a socket ends with the process that opened it.
void close_when_forked(int descriptor);
void closed(int descriptor);  ///< it no longer is open

// --- what messages hold --------------------------------------------------------------------------------------------

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

}  // namespace tt_bridge
