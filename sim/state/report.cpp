#include "sim/state/report.hpp"

#include <algorithm>

namespace ttsim::impl::sim {

std::string to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::Pass:
            return "pass";
        case Verdict::Mismatch:
            return "mismatch";
        case Verdict::IllConditioned:
            return "ill-conditioned";
        case Verdict::NothingCompared:
            return "nothing was compared";
        case Verdict::NotChecked:
            return "not checked";
    }
    return "";
}

const OpReport* GraphReport::slowest_op() const {
    const auto slowest = std::max_element(
        ops.begin(), ops.end(), [](const OpReport& a, const OpReport& b) { return a.busy_cycles < b.busy_cycles; });
    return slowest == ops.end() || slowest->busy_cycles == 0 ? nullptr : &*slowest;
}

double RunReport::math_utilization() const {
    std::uint64_t math = 0, all = 0;
    for (const GraphReport& graph : graphs) {
        math += graph.math_cycles;
        all += graph.core_cycles;
    }
    return share_of(static_cast<double>(math), static_cast<double>(all));
}

double RunReport::dram_busy_share() const {
    return share_of(static_cast<double>(memory.dram_busy_cycles), static_cast<double>(cycles));
}

Verdict OutputReport::verdict() const {
    if (!result.judged) return Verdict::NotChecked;
    if (missing > 0 || unexpected > 0) return Verdict::Mismatch;
    if (result.entries == 0 || result.all_undefined()) return Verdict::NothingCompared;
    if (result.pass) return Verdict::Pass;
    return ill_conditioned ? Verdict::IllConditioned : Verdict::Mismatch;
}

Verdict OpCheckReport::verdict() const {
    if (!local.judged) return Verdict::NotChecked;
    if (missing > 0) return Verdict::Mismatch;
    if (local.entries == 0 || local.all_undefined()) return Verdict::NothingCompared;
    return local.pass ? Verdict::Pass : Verdict::Mismatch;
}

const OpCheckReport* RunReport::first_wrong_op() const {
    const auto found =
        std::find_if(ops.begin(), ops.end(), [](const OpCheckReport& o) { return o.verdict() == Verdict::Mismatch; });
    return found == ops.end() ? nullptr : &*found;
}

const OpCheckReport* RunReport::amplified_from() const {
    const auto found = std::find_if(ops.begin(), ops.end(), [](const OpCheckReport& o) {
        return o.verdict() == Verdict::Pass && !o.accumulated.pass;
    });
    return found == ops.end() ? nullptr : &*found;
}

Verdict RunReport::verdict() const {
    if (!checked) return Verdict::NotChecked;
    if (first_wrong_op()) return Verdict::Mismatch;
    const auto any = [&](Verdict v) {
        return std::any_of(outputs.begin(), outputs.end(), [&](const OutputReport& o) { return o.verdict() == v; });
    };
    for (const Verdict v : {Verdict::Mismatch, Verdict::IllConditioned, Verdict::Pass})
        if (any(v)) return v;
    return Verdict::NothingCompared;
}

bool RunReport::fast_enough() const {
    return std::all_of(performance.begin(), performance.end(),
                       [](const PerformanceFigure& f) { return f.met() || !f.judged(); });
}

}  // namespace ttsim::impl::sim
