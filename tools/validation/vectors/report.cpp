#include "tools/validation/vectors/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"

namespace ttsim::impl {

namespace {

/// All entries of one kind.
struct KindSum {
    std::string kind;
    int entries = 0, equal = 0, ungated_differing = 0;  ///< `ungated_differing`: entries that differ but do not count
    std::int64_t values = 0, differing = 0;
    std::string first;
};

std::vector<KindSum> by_kind(const VectorReport& report) {
    std::vector<KindSum> sums;
    for (const VectorResult& r : report.results) {
        auto found = std::find_if(sums.begin(), sums.end(), [&](const KindSum& s) { return s.kind == r.kind; });
        if (found == sums.end()) found = sums.insert(found, {.kind = r.kind, .first = {}});
        KindSum& sum = *found;
        ++sum.entries;
        sum.equal += r.differing == 0 ? 1 : 0;
        sum.ungated_differing += r.differing != 0 && !r.gated ? 1 : 0;
        sum.values += r.values;
        sum.differing += r.gated ? r.differing : 0;
        if (r.gated && r.differing != 0 && sum.first.empty()) sum.first = r.id + " " + r.first;
    }
    return sums;
}

}  // namespace

std::string vector_table(const VectorReport& report) {
    std::string text = fmt::format("{:<8} {:>7} {:>7} {:>10} {:>9}  {}\n", "kind", "vectors", "matched", "elements",
                                   "differing", "first mismatch");
    KindSum all{.kind = "all", .first = {}};
    for (const KindSum& s : by_kind(report)) {
        text += fmt::format("{:<8} {:>7} {:>7} {:>10} {:>9}  {}\n", s.kind, s.entries, s.equal, s.values, s.differing,
                            s.first.empty() ? "-" : s.first);
        all.entries += s.entries;
        all.equal += s.equal;
        all.values += s.values;
        all.differing += s.differing;
        all.ungated_differing += s.ungated_differing;
    }
    text +=
        fmt::format("{:<8} {:>7} {:>7} {:>10} {:>9}\n", all.kind, all.entries, all.equal, all.values, all.differing);
    for (const VectorResult& r : report.results)
        if (!r.gated && r.differing != 0)
            text += fmt::format("not counted (authority is a document): {}: {} of {} elements differ, {}\n", r.id,
                                r.differing, r.values, r.first);
    return text;
}

std::string vector_json(const VectorReport& report) {
    nlohmann::ordered_json entries = nlohmann::ordered_json::array();
    for (const VectorResult& r : report.results) {
        nlohmann::ordered_json e{{"id", r.id},           {"kind", r.kind},           {"gated", r.gated},
                                 {"elements", r.values}, {"differing", r.differing}, {"match", r.differing == 0}};
        if (r.differing != 0) e["first_mismatch"] = r.first;
        entries.push_back(std::move(e));
    }
    nlohmann::ordered_json kinds = nlohmann::ordered_json::array();
    for (const KindSum& s : by_kind(report))
        kinds.push_back({{"kind", s.kind},
                         {"vectors", s.entries},
                         {"matched", s.equal},
                         {"elements", s.values},
                         {"differing", s.differing}});
    return json_document({{"set", report.set}, {"pass", report.pass()}, {"kinds", kinds}, {"entries", entries}});
}

}  // namespace ttsim::impl
