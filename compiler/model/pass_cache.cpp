#include "compiler/model/pass_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ttsim::impl::ir {

namespace {

/// The first passes that read each choice, in their order. "": the result.
constexpr std::array<std::string_view, 5> kept_passes{"host-windows", "lower-to-buda", "splice-columns", "fuse-gelu",
                                                      ""};

/// The choices that passes before `pass` have read; nullopt if the cache has no states there.
std::optional<std::string> key_before(std::string_view pass, const PassChoices& choices) {
    const auto found = std::find(kept_passes.begin(), kept_passes.end(), pass);
    if (found == kept_passes.end()) return std::nullopt;
    const auto place = found - kept_passes.begin();
    const Tiling& tiling = choices.tiling;
    std::string key;
    for (const auto& [name, parts] : tiling.divided) key += fmt::format("{} in {};", name, parts);
    if (place > 0)
        for (const auto& [name, user] : choices.overrides)
            if (user.fracture) key += fmt::format("{} by {};", name, *user.fracture);
    if (place > 1)
        for (const auto& [tiles, more] : tiling.padding) key += fmt::format("{} to {};", tiles, more);
    if (place > 2) key += tiling.splices ? "splices;" : ";";
    if (place > 3) {
        key += choices.kernel_broadcasts ? "broadcasts;" : ";";
        for (const auto& [shape, parts] : tiling.parts)
            key += fmt::format("{}x{} in {};", shape.first, shape.second, parts);
    }
    return key;
}

}  // namespace

bool PassCache::fits(const Graph& model) {
    constexpr std::int64_t most = std::int64_t{1} << 26;  // elements: 256 MB
    std::int64_t elements = 0;
    for (const Node& node : model.nodes)
        if (node.literal) elements += node.literal->stored_elements();
    return elements <= most;
}

void PassCache::keep(std::string_view pass, const PassChoices& choices, const State& state) {
    constexpr std::size_t most = 64;  // states: a dozen lowerings
    std::optional<std::string> key = key_before(pass, choices);
    if (!key || find(pass, choices)) return;
    kept_.push_front({std::string(pass), std::move(*key), state});
    if (kept_.size() > most) kept_.pop_back();
}

const PassCache::State* PassCache::find(std::string_view pass, const PassChoices& choices) const {
    const std::optional<std::string> key = key_before(pass, choices);
    if (!key) return nullptr;
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.pass == pass && one.key == *key; });
    return found == kept_.end() ? nullptr : &found->state;
}

}  // namespace ttsim::impl::ir
