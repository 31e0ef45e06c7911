#include "netlist/tm.hpp"

namespace ttsim::impl {

std::string to_string(const Tm& tm) {
    switch (tm.kind) {
        case Tm::Kind::BroadcastR:
            return fmt::format("broadcast: {{r: {}}}", tm.n);
        case Tm::Kind::BroadcastC:
            return fmt::format("broadcast: {{c: {}}}", tm.n);
        case Tm::Kind::BroadcastZ:
            return fmt::format("broadcast: {{z: {}}}", tm.n);
        case Tm::Kind::HSlice:
            return fmt::format("hslice: {}", tm.n);
        case Tm::Kind::HStack:
            return fmt::format("hstack: {}", tm.n);
        case Tm::Kind::VSlice:
            return fmt::format("vslice: {}", tm.n);
        case Tm::Kind::VStack:
            return fmt::format("vstack: {}", tm.n);
        case Tm::Kind::Transpose:
            return "transpose";
        case Tm::Kind::Pad:
            return fmt::format("pad: [{}, {}, {}]", tm.rt, tm.ct, tm.value);
    }
    return "";
}

static std::int64_t divided(std::int64_t count, std::int64_t n, const char* what, const Tm& tm) {
    if (n < 1 || count % n != 0) fail_input(tm.loc, "'{}' does not divide the {} {}", to_string(tm), count, what);
    return count / n;
}

/// Checks that the tile count of a tensor stays within limits, for any factors in the file.
static TileShape checked(const TileShape& shape, const std::string& what, const SourceLoc& loc) {
    constexpr std::int64_t max_tiles = std::int64_t{1} << 31;
    if (shape.z < 1 || shape.rt < 1 || shape.ct < 1) fail_input(loc, "{} leaves nothing of the tensor", what);
    const bool fits = shape.z <= max_tiles && shape.rt <= max_tiles && shape.ct <= max_tiles &&
                      shape.z <= max_tiles / shape.rt && shape.z * shape.rt <= max_tiles / shape.ct;
    if (!fits) fail_input(loc, "{} makes a tensor of more than {} tiles", what, max_tiles);
    return shape;
}

TileShape shape_after(TileShape in, const Tm& tm) {
    TileShape out = in;
    const std::int64_t stacked = tm.n == 0 ? in.z : tm.n;
    switch (tm.kind) {
        case Tm::Kind::BroadcastR:
            out.rt *= tm.n;
            break;
        case Tm::Kind::BroadcastC:
            out.ct *= tm.n;
            break;
        case Tm::Kind::BroadcastZ:
            out.z *= tm.n;
            break;
        case Tm::Kind::HSlice:
            out.ct = divided(in.ct, tm.n, "tile columns", tm);
            out.z *= tm.n;
            break;
        case Tm::Kind::VSlice:
            out.rt = divided(in.rt, tm.n, "tile rows", tm);
            out.z *= tm.n;
            break;
        case Tm::Kind::HStack:
            out.z = divided(in.z, stacked, "slices", tm);
            out.ct *= stacked;
            break;
        case Tm::Kind::VStack:
            out.z = divided(in.z, stacked, "slices", tm);
            out.rt *= stacked;
            break;
        case Tm::Kind::Transpose:
            std::swap(out.rt, out.ct);
            break;
        case Tm::Kind::Pad:
            out.rt += tm.rt;
            out.ct += tm.ct;
            break;
    }
    return checked(out, "'" + to_string(tm) + "'", tm.loc);
}

TileShape shape_after(TileShape in, const OperandTms& tms) {
    TileShape shape = in;
    if (tms.unpad_rt >= shape.rt || tms.unpad_ct >= shape.ct)
        fail_input({}, "unpad of {} tile rows and {} tile columns leaves nothing of {}x{}", tms.unpad_rt, tms.unpad_ct,
                   shape.rt, shape.ct);
    shape.rt -= tms.unpad_rt;
    shape.ct -= tms.unpad_ct;
    for (const Tm& tm : tms.tms) shape = shape_after(shape, tm);
    shape.rt += tms.pad_rt;
    shape.ct += tms.pad_ct;
    return checked(shape, "pad", {});
}

bool transposes_tiles(const OperandTms& tms) {
    bool odd = false;
    for (const Tm& tm : tms.tms) odd ^= tm.kind == Tm::Kind::Transpose;
    return odd;
}

}  // namespace ttsim::impl
