#include "compiler/model/late_overrides.hpp"

#include <algorithm>

#include "base/error_codes.hpp"
#include "compiler/ir/legalization_error.hpp"
#include "compiler/model/host_fallback.hpp"
#include "compiler/model/model_compiler.hpp"

namespace ttsim::impl::ir {

namespace {

bool has_slices(const OpOverride& one) { return one.t || one.t_columns || one.by_columns; }

bool any_slices(const Overrides& overrides) {
    return std::any_of(overrides.begin(), overrides.end(), [](const auto& one) { return has_slices(one.second); });
}

/// Settings for every op: only those that do not depend on the op.
void check_every_op(const OpOverride& settings) {
    OpOverride others = settings;
    others.dram_parameters.reset();
    if (others.affects_placement() || others.affects_fusion() || others.fracture)
        fail_input(settings.loc, "'{}', for every op, may have 'dram_parameters' only", every_op);
}

void add_to_every(const std::vector<std::string>& ops, const OpOverride& settings, Overrides& overrides) {
    for (const std::string& op : ops) {
        OpOverride& own = overrides[op];
        if (!own.dram_parameters) own.dram_parameters = settings.dram_parameters;
    }
}

/// Removes the slices of the op in an error; false if there are none.
bool drop_slices(const Error& error, Overrides& overrides) {
    bool dropped = false;
    for (const std::string& op : error.ops()) {
        const auto found = overrides.find(op);
        if (found == overrides.end() || !has_slices(found->second)) continue;
        OpOverride& own = found->second;
        own.t.reset();
        own.t_columns.reset();
        own.by_columns.reset();
        dropped = true;
    }
    return dropped;
}

/// Lowers a model; ops that the device refuses are moved to the host, as in compile().
Lowered lowered_part(Graph model, const CompileOptions& options, const std::string& before) {
    std::vector<HostFallbackOps> moved;
    for (;;) {
        try {
            return ModelCompiler(options).lower_once(model, before);
        } catch (const LegalizationError& refusal) {
            if (!options.host_fallback || !move_to_host(model, refusal, most_host_work, moved)) throw;
        }
    }
}

/// The lowered model; slices that ops cannot have are removed from the overrides.
Lowered lowered_with(const Graph& model, CompileOptions& options, std::vector<IgnoredOverride>& ignored) {
    for (;;) {
        try {
            return lowered_part(model, options, "");
        } catch (const Error& error) {
            if (error.code() != error_code::cannot_stream || !options.drop_impossible_slices ||
                !drop_slices(error, options.overrides))
                throw;
            ignored.push_back({error.ops().front(), error.code(), "", error.message()});
        }
    }
}

}  // namespace

bool has_late_overrides(const CompileOptions& options) {
    return options.choose_overrides || options.overrides.contains(every_op) ||
           (options.drop_impossible_slices && any_slices(options.overrides));
}

std::vector<IgnoredOverride> resolve_overrides(const Graph& model, CompileOptions& options) {
    std::vector<IgnoredOverride> ignored;
    if (options.choose_overrides) {
        CompileOptions unfused = options;
        unfused.auto_fusing = false;
        const Lowered lowered = lowered_part(model, unfused, "fuse-ops");
        for (auto& [name, chosen] : options.choose_overrides(lowered_ops(lowered.graph)))
            options.overrides[name] = std::move(chosen);
        options.choose_overrides = nullptr;
    }
    std::optional<OpOverride> every;
    if (const auto found = options.overrides.find(every_op); found != options.overrides.end()) {
        every = std::move(found->second);
        options.overrides.erase(found);
        check_every_op(*every);
    }
    if (!every && !(options.drop_impossible_slices && any_slices(options.overrides))) return ignored;
    const Lowered lowered = lowered_with(model, options, ignored);
    if (every) add_to_every(device_ops(lowered.graph), *every, options.overrides);
    options.drop_impossible_slices = false;
    return ignored;
}

}  // namespace ttsim::impl::ir
