#include "kernels/kernel_constants.hpp"

#include <cmath>
#include <mutex>

#include "base/error.hpp"
#include "base/yaml_map.hpp"
#include "isa/arch.hpp"
#include "isa/chip_part.hpp"

namespace ttsim::impl {

namespace {

template <class Of>
struct Named {
    const char* name;
    double Of::*field;
};

#define TT_CONSTANT(name) \
    { #name, &KernelConstants::name }
constexpr Named<KernelConstants> scalars[] = {TT_CONSTANT(unpack_bytes),
                                              TT_CONSTANT(unpack_bytes_bfp),
                                              TT_CONSTANT(pack_elements),
                                              TT_CONSTANT(stream_wait),
                                              TT_CONSTANT(stream_push),
                                              TT_CONSTANT(unpack_row),
                                              TT_CONSTANT(unpack_step),
                                              TT_CONSTANT(unpack_operand),
                                              TT_CONSTANT(unpack_copy_tile),
                                              TT_CONSTANT(unpack_elw_tile),
                                              TT_CONSTANT(unpack_matmul_ublock),
                                              TT_CONSTANT(math_ublock),
                                              TT_CONSTANT(math_ublock_int),
                                              TT_CONSTANT(math_copy_tile),
                                              TT_CONSTANT(math_elw_tile),
                                              TT_CONSTANT(math_product),
                                              TT_CONSTANT(math_product_tile),
                                              TT_CONSTANT(pack_many),
                                              TT_CONSTANT(pack_int),
                                              TT_CONSTANT(pack_product_tile),
                                              TT_CONSTANT(math_16bit_tile),
                                              TT_CONSTANT(pack_ublock),
                                              TT_CONSTANT(pack_tile),
                                              TT_CONSTANT(reload_unpack),
                                              TT_CONSTANT(reload_math),
                                              TT_CONSTANT(reload_tile),
                                              TT_CONSTANT(reload_tile_32b),
                                              TT_CONSTANT(l1_acc_bytes),
                                              TT_CONSTANT(reduce_ublock),
                                              TT_CONSTANT(reduce_column),
                                              TT_CONSTANT(slice_latency),
                                              TT_CONSTANT(reduce_z_step),
                                              TT_CONSTANT(slice_copy_16bit),
                                              TT_CONSTANT(splice_ublock),
                                              TT_CONSTANT(splice_tile),
                                              TT_CONSTANT(sub_op),
                                              TT_CONSTANT(strip),
                                              TT_CONSTANT(strip_idle),
                                              TT_CONSTANT(strip_tile),
                                              TT_CONSTANT(strip_output),
                                              TT_CONSTANT(strip_ublock),
                                              TT_CONSTANT(input_eltwise),
                                              TT_CONSTANT(input_int),
                                              TT_CONSTANT(input_matmul),
                                              TT_CONSTANT(input_reduce),
                                              TT_CONSTANT(input_sparse),
                                              TT_CONSTANT(mvmul_per_phase),
                                              TT_CONSTANT(sparse_mvmul_per_phase)};
#undef TT_CONSTANT
#define TT_CONSTANT(name) \
    { #name, &SweepPipes::name }
constexpr Named<SweepPipes> sweep_scalars[] = {
    TT_CONSTANT(supply_bytes),        TT_CONSTANT(matmul_supply_bytes), TT_CONSTANT(depthwise_supply_bytes),
    TT_CONSTANT(reduce_supply_bytes), TT_CONSTANT(drain_bytes),         TT_CONSTANT(supply_iteration),
    TT_CONSTANT(slice_moves),         TT_CONSTANT(supply_block),        TT_CONSTANT(supply_window),
    TT_CONSTANT(supply_tile),         TT_CONSTANT(supply_tile_single),  TT_CONSTANT(inputs)};
#undef TT_CONSTANT

/// Reads a constant. Rates must be above 0, all others at least 0.
double read_constant(YamlMap& map, const std::string& key) {
    const double value = map.number(key);
    const bool rate = key.find("_bytes") != std::string::npos || key == "pack_elements";
    if (!std::isfinite(value) || value < 0 || (rate && value == 0))
        fail_input(map.where(key), "'{}' is {}; {} is wanted", key, value,
                   rate ? "a number above 0" : "a number from 0");
    return value;
}

void read_table(YamlMap& map, const std::string& key, std::map<std::string, double>& table) {
    YamlMap ops = map.map(key);
    for (const std::string& op : ops.keys()) {
        table[op] = ops.number(op);
        if (!std::isfinite(table[op]) || table[op] < 0)
            fail_input(ops.where(op), "'{}' is {}; a number from 0 is wanted", op, table[op]);
    }
}

}  // namespace

double KernelConstants::sfpu_count(const std::string& op, const std::string& mode) const {
    if (const auto found = sfpu.find(op + "/" + mode); found != sfpu.end()) return found->second;
    if (const auto found = sfpu.find(op); found != sfpu.end()) return found->second;
    return sfpu.at("default");
}

double KernelConstants::sfpu_counted_instructions(const std::string& op, const std::string& mode) const {
    if (const auto found = sfpu_counted.find(op + "/" + mode); found != sfpu_counted.end()) return found->second;
    if (const auto found = sfpu_counted.find(op); found != sfpu_counted.end()) return found->second;
    return sfpu_count(op, mode);
}

KernelConstants read_kernel_constants(const std::string& file) {
    YamlMap map = read_chip_part(file, ChipPart::Timing);
    KernelConstants c;
    c.chip = map.text("chip");
    YamlMap constants = map.map("constants");
    for (const auto& n : scalars) c.*n.field = read_constant(constants, n.name);
    constants.done();
    YamlMap sweep = map.map("sweep_pipes");
    for (const auto& n : sweep_scalars) c.sweep.*n.field = read_constant(sweep, n.name);
    sweep.done();
    read_table(map, "sfpu_instructions", c.sfpu);
    if (!c.sfpu.contains("default"))
        fail_input(map.where("sfpu_instructions"), "'sfpu_instructions' needs the key 'default'");
    read_table(map, "sfpu_counted", c.sfpu_counted);
    read_table(map, "ublock_extra", c.ublock_extra);
    map.done();
    return c;
}

const KernelConstants& kernel_constants(const std::string& chip_name) {
    static std::mutex mutex;
    static std::map<std::string, KernelConstants> known;  // by file, since chips may share one
    const std::string& file = chip(chip_name).files.timing;
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(file); found != known.end()) return found->second;
    return known.emplace(file, read_kernel_constants(file)).first->second;
}

}  // namespace ttsim::impl
