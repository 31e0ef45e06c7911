#include "sim/memory/memory_constants.hpp"

#include <map>
#include <mutex>

#include "base/error.hpp"
#include "base/yaml_map.hpp"
#include "isa/chip_part.hpp"
#include "isa/coord_text.hpp"

namespace ttsim::impl::sim {

namespace {

double positive(YamlMap& map, const char* key) {
    const double value = map.number(key);
    if (!(value > 0) || value > 1e12) fail_input(map.where(key), "'{}' is {}; a number above 0 is wanted", key, value);
    return value;
}

double not_negative(YamlMap& map, const char* key) {
    const double value = map.number(key);
    if (!(value >= 0) || value > 1e12) fail_input(map.where(key), "'{}' is {}; a number from 0 is wanted", key, value);
    return value;
}

void read_dram(YamlMap map, MemoryConstants& c) {
    c.dram_ports = read_coords(*map.node("ports"), map.where().file, "ports");
    if (c.dram_ports.empty()) fail_input(map.where("ports"), "'ports' needs at least one");
    c.dram.peak_bytes = positive(map, "peak_bytes");
    c.dram.refresh_every = positive(map, "refresh_every");
    c.dram.refresh_for = not_negative(map, "refresh_for");
    if (c.dram.refresh_for >= c.dram.refresh_every)
        fail_input(map.where("refresh_for"), "'refresh_for' must be below 'refresh_every'");
    c.dram.page_bytes = positive(map, "page_bytes");
    c.dram.page_read = not_negative(map, "page_read");
    c.dram.page_write = not_negative(map, "page_write");
    c.dram.small_write = not_negative(map, "small_write");
    c.dram.small_bytes = static_cast<std::uint64_t>(map.integer("small_bytes", {0, 1 << 20}));
    c.dram.request = positive(map, "request");
    map.done();
}

EthTiming read_ethernet(YamlMap map) {
    EthTiming t;
    for (const auto& [key, field] :
         {std::pair{"rate", &t.rate}, {"packet", &t.packet}, {"forward_rate", &t.forward_rate}})
        *field = positive(map, key);
    for (const auto& [key, field] : {std::pair{"overhead", &t.overhead},
                                     {"acknowledge", &t.acknowledge},
                                     {"loop", &t.loop},
                                     {"send", &t.send},
                                     {"receive", &t.receive},
                                     {"forward", &t.forward},
                                     {"flush", &t.flush},
                                     {"no_ids", &t.no_ids},
                                     {"one_way", &t.one_way},
                                     {"forward_way", &t.forward_way},
                                     {"relay", &t.relay},
                                     {"relay_spread", &t.relay_spread}})
        *field = not_negative(map, key);
    map.done();
    return t;
}

PcieTiming read_pcie(YamlMap map) {
    PcieTiming t;
    for (const auto& [key, field] : {std::pair{"read_bytes", &t.read_bytes},
                                     {"write_bytes", &t.write_bytes},
                                     {"untilized_bytes", &t.untilized_bytes},
                                     {"push_bytes", &t.push_bytes},
                                     {"pop_bytes", &t.pop_bytes}})
        *field = positive(map, key);
    for (const auto& [key, field] : {std::pair{"read_latency", &t.read_latency},
                                     {"write_latency", &t.write_latency},
                                     {"push_latency", &t.push_latency},
                                     {"pop_latency", &t.pop_latency}})
        *field = not_negative(map, key);
    map.done();
    return t;
}

void read_access_and_epoch(YamlMap access, YamlMap epoch, MemoryConstants& c) {
    c.access.dram_read = not_negative(access, "dram_read");
    c.access.pointer_write = not_negative(access, "pointer_write");
    c.access.pointer_poll = not_negative(access, "pointer_poll");
    access.done();
    c.epoch.blob = not_negative(epoch, "blob");
    c.epoch.kernels = not_negative(epoch, "kernels");
    c.epoch.rate = positive(epoch, "rate");
    c.epoch.commands = not_negative(epoch, "commands");
    epoch.done();
}

}  // namespace

MemoryConstants read_memory_constants(const std::string& file) {
    YamlMap map = read_chip_part(file, ChipPart::Memory);
    MemoryConstants c;
    c.chip = map.text("chip");
    read_dram(map.map("dram"), c);
    if (map.has("ethernet")) c.eth = read_ethernet(map.map("ethernet"));
    c.pcie = read_pcie(map.map("pcie"));
    read_access_and_epoch(map.map("access"), map.map("epoch"), c);
    map.done();
    return c;
}

const MemoryConstants& memory_constants(const std::string& chip_name) { return memory_constants(chip(chip_name)); }

const MemoryConstants& memory_constants(const ChipParams& chip) {
    static std::mutex mutex;
    static std::map<std::string, MemoryConstants> known;  // by file, which chips may share
    const std::string& file = chip.files.memory;
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(file); found != known.end()) return found->second;
    return known.emplace(file, read_memory_constants(file)).first->second;
}

}  // namespace ttsim::impl::sim
