#include "netlist/plan/tm_map.hpp"

#include <algorithm>

namespace ttsim::impl {

TmMap::TmMap(TileShape producer, const OperandTms& tms) : shape_(producer) {
    // Unpad does not change indices, only the shape.
    shape_.rt -= tms.unpad_rt;
    shape_.ct -= tms.unpad_ct;
    const auto add = [this](const Tm& tm) {
        const TileShape out = shape_after(shape_, tm);
        steps_.push_back({tm, shape_, out});
        shape_ = out;
        if (tm.kind == Tm::Kind::Transpose) transposes_ = !transposes_;
    };
    for (const Tm& tm : tms.tms) add(tm);
    if (tms.pad_rt || tms.pad_ct) {
        Tm pad;
        pad.kind = Tm::Kind::Pad;
        pad.rt = tms.pad_rt;
        pad.ct = tms.pad_ct;
        pad.value = tms.pad_value;
        add(pad);
    }
}

std::int64_t TmMap::period() const {
    std::int64_t slices = 1;  // slices cut from each slice of the producer
    for (const Step& step : steps_)
        if (step.tm.kind == Tm::Kind::HSlice || step.tm.kind == Tm::Kind::VSlice) slices *= step.tm.n;
    return slices;
}

TileRun TmMap::run(std::int64_t z, std::int64_t r, std::int64_t c, std::int64_t most) const {
    TileRun run;
    run.count = most;
    bool along_rows = false;  // direction of the run in the index space of the current step
    const auto limit = [&](std::int64_t room) { run.count = std::min(run.count, room); };
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
        const TileShape& in = step->in;
        const std::int64_t n = step->tm.n;
        switch (step->tm.kind) {
            case Tm::Kind::BroadcastR:
                r %= in.rt;
                if (along_rows) limit(in.rt - r);
                break;
            case Tm::Kind::BroadcastC:
                c %= in.ct;
                if (!along_rows) limit(in.ct - c);
                break;
            case Tm::Kind::BroadcastZ:
                z %= in.z;
                break;
            case Tm::Kind::HSlice:
                c += (z % n) * step->out.ct;
                z /= n;
                break;
            case Tm::Kind::VSlice:
                r += (z % n) * step->out.rt;
                z /= n;
                break;
            case Tm::Kind::HStack:
                z = z * (n == 0 ? in.z : n) + c / in.ct;
                c %= in.ct;
                if (!along_rows) limit(in.ct - c);
                break;
            case Tm::Kind::VStack:
                z = z * (n == 0 ? in.z : n) + r / in.rt;
                r %= in.rt;
                if (along_rows) limit(in.rt - r);
                break;
            case Tm::Kind::Transpose:
                std::swap(r, c);
                along_rows = !along_rows;
                break;
            case Tm::Kind::Pad: {
                const bool padded = r >= in.rt || c >= in.ct;
                if (padded) {
                    // Right of the input everything is padding; below it, the complete row.
                    const bool rest = along_rows ? c >= in.ct : r >= in.rt;
                    if (!rest) limit(along_rows ? step->out.rt - r : step->out.ct - c);
                    run.first = {true, step->tm.value, z, r, c};
                    run.dr = run.dc = 0;
                    return run;
                }
                limit(along_rows ? in.rt - r : in.ct - c);
                break;
            }
        }
    }
    run.first = {false, 0, z, r, c};
    run.dr = along_rows ? 1 : 0;
    run.dc = along_rows ? 0 : 1;
    return run;
}

}  // namespace ttsim::impl
