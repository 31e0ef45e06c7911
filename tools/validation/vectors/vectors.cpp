#include "tools/validation/vectors/vectors.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/error.hpp"
#include "base/read_file.hpp"
#include "tools/validation/vectors/entry.hpp"

namespace ttsim::impl {

namespace {

struct Kind {
    const char* name;
    void (*check)(vectors::Check& check);
};
constexpr Kind kinds[] = {
    {"mvmul", vectors::check_mvmul},        {"pool", vectors::check_pool},          {"elw", vectors::check_elementwise},
    {"unpack", vectors::check_unpack},      {"pack", vectors::check_pack},          {"sfpu", vectors::check_sfpu},
    {"matmul", vectors::check_tile_matmul}, {"eltwise", vectors::check_tile_pairs}, {"copy", vectors::check_tile_copy},
    {"reduce", vectors::check_tile_reduce},
};

nlohmann::json read_index(const std::filesystem::path& file) {
    if (std::error_code ignored; !std::filesystem::exists(file, ignored))
        fail_input({file.string(), 0, 0}, "cannot be read; a folder of vectors has an index.json");
    constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;
    const std::string text = read_file(file.string(), most_bytes);
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception& e) {
        fail_input({file.string(), 0, 0}, "is not JSON: {}", e.what());
    }
}

VectorResult check_entry(const vectors::Entry& entry) {
    VectorResult result;
    result.id = entry.id();
    result.kind = result.id.substr(0, result.id.find('/'));
    result.gated = entry.text("authority", "ttsim") != "isa_doc";
    const auto* kind =
        std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& k) { return k.name == result.kind; });
    if (kind == std::end(kinds))
        entry.fail("kind '{}' is not known; mvmul, pool, elw, unpack, pack, sfpu, matmul, eltwise, copy and reduce are",
                   result.kind);
    vectors::Check check(entry, result);
    try {
        kind->check(check);
    } catch (const nlohmann::json::exception& e) {
        entry.fail("a field has the wrong type: {}", e.what());
    } catch (const std::out_of_range&) {
        entry.fail("its arrays have different numbers of tiles");
    }
    return result;
}

}  // namespace

bool VectorReport::pass() const {
    return std::none_of(results.begin(), results.end(),
                        [](const VectorResult& r) { return r.gated && r.differing != 0; });
}

bool VectorReport::compared() const {
    return std::any_of(results.begin(), results.end(), [](const VectorResult& r) { return r.gated && r.values > 0; });
}

VectorReport check_vectors(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / "index.json";
    const nlohmann::json index = read_index(file);
    if (!index.is_object() || !index.contains("entries") || !index["entries"].is_array())
        fail_input({file.string(), 0, 0}, "needs 'entries', a list");
    VectorReport report;
    report.set = index.contains("set") && index["set"].is_string() ? index["set"].get<std::string>()
                                                                   : folder.filename().string();
    for (const nlohmann::json& json : index["entries"])
        report.results.push_back(check_entry(vectors::Entry(folder, json)));
    return report;
}

}  // namespace ttsim::impl
