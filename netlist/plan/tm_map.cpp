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

TileArea TmMap::area(std::int64_t z, std::int64_t r, std::int64_t c, std::int64_t rows, std::int64_t columns) const {
    // room along the axes r and c of the current step; turned: the area's rows are along c
    std::int64_t down = rows, across = columns;
    bool turned = false;
    const auto limit = [](std::int64_t& room, std::int64_t most) { room = std::min(room, most); };
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
        const TileShape& in = step->in;
        const std::int64_t n = step->tm.n;
        switch (step->tm.kind) {
            case Tm::Kind::BroadcastR:
                r %= in.rt;
                limit(down, in.rt - r);
                break;
            case Tm::Kind::BroadcastC:
                c %= in.ct;
                limit(across, in.ct - c);
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
                limit(across, in.ct - c);
                break;
            case Tm::Kind::VStack:
                z = z * (n == 0 ? in.z : n) + r / in.rt;
                r %= in.rt;
                limit(down, in.rt - r);
                break;
            case Tm::Kind::Transpose:
                std::swap(r, c);
                std::swap(down, across);
                turned = !turned;
                break;
            case Tm::Kind::Pad:
                if (r >= in.rt || c >= in.ct) {
                    // Right of the input everything is padding; below it, the complete row.
                    const bool rest = turned ? c >= in.ct : r >= in.rt;
                    if (!rest) turned ? limit(down, step->out.rt - r) : limit(across, step->out.ct - c);
                    return {{true, step->tm.value, z, r, c}, 1, turned ? down : across, turned};
                }
                limit(down, in.rt - r);
                limit(across, in.ct - c);
                break;
        }
    }
    return {{false, 0, z, r, c}, turned ? across : down, turned ? down : across, turned};
}

}  // namespace ttsim::impl
