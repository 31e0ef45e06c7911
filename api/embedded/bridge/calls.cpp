#include "api/embedded/bridge/calls.hpp"

#include <map>

#include "api/embedded/bridge/guard.hpp"

namespace ttsim::impl::bridge {

namespace {

using Answer = std::function<json(Device&, const Call&)>;

const json& field(const Call& call, const char* name) { return call.message.at(name); }
std::string queue_of(const Call& call) { return field(call, "queue").get<std::string>(); }

Wait wait_of(const Call& call) {
    Wait wait = wait_from(field(call, "wait"));
    wait.cancelled = call.cancelled;
    return wait;
}

json answer_get(Device& device, const Call& call) {
    const json& stacking = field(call, "stacking");
    return to_json(device.get(
        queue_of(call), field(call, "count"),
        {stacking.at(0).get<std::uint32_t>(), stacking.at(1).get<std::uint32_t>(), stacking.at(2).get<bool>()},
        wait_of(call), field(call, "slot")));
}

json answer_tilized(Device& device, const Call& call) {
    std::uint32_t buffer_bytes = 0;
    const auto memory = device.tilized(queue_of(call), host_tensor_from(field(call, "tensor")), buffer_bytes);
    return {buffer_bytes, binary(memory->data(), memory->size() * sizeof(std::uint32_t))};
}

const std::map<std::string, Answer>& answers() {
    static const std::map<std::string, Answer> all{
        {"queue", [](Device& d, const Call& c) { return to_json(d.queue(queue_of(c))); }},
        {"uses_vector_tilizer",
         [](Device& d, const Call& c) { return json(d.uses_vector_tilizer(queue_of(c), field(c, "format"))); }},
        {"push",
         [](Device& d, const Call& c) {
             d.push(queue_of(c), host_tensor_from(field(c, "tensor")), wait_of(c), field(c, "slot"));
             return json();
         }},
        {"push_tilized",
         [](Device& d, const Call& c) {
             d.push(queue_of(c), tilized_from(field(c, "tensor")), wait_of(c), field(c, "slot"));
             return json();
         }},
        {"get", answer_get},
        {"pop",
         [](Device& d, const Call& c) {
             d.pop(queue_of(c), field(c, "count"), wait_of(c));
             return json();
         }},
        {"tilized", answer_tilized},
    };
    return all;
}

}  // namespace

json answer_to(Device& device, const Call& call) {
    try {
        return {
            {"result", guarded([&] { return answers().at(field(call, "call").get<std::string>())(device, call); })}};
    } catch (const NotReady& error) {
        return error_answer(error.what(), true);
    } catch (const std::exception& error) {
        return error_answer(error.what(), false);
    }
}

}  // namespace ttsim::impl::bridge
