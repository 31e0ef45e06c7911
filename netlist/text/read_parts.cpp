#include "netlist/text/read_parts.hpp"

namespace ttsim::impl::reading {

std::string quoted_node(const YamlNode& node) {
    constexpr std::size_t max_length = 60;
    if (node.is_map()) return "a map";
    if (node.is_sequence()) return "a list";
    if (node.is_null()) return "empty";
    return fmt::format("'{}{}'", node.scalar.substr(0, max_length), node.scalar.size() > max_length ? "..." : "");
}

bool is_none(const YamlNode& node) {
    return node.is_null() || (node.is_scalar() && to_lower(node.scalar) == "none") ||
           (node.is_sequence() && node.items.empty());
}

bool Context::is_map(const YamlNode& node, std::string_view what) {
    if (!node.is_map()) {
        problems.error(at(node), "{} is {}; a map is wanted", what, quoted_node(node));
        return false;
    }
    bool valid = true;
    for (const auto& [key, value] : node.entries) {
        if (key->is_scalar()) continue;
        problems.error(at(*key), "a key of {} is {}; a word is wanted", what, quoted_node(*key));
        valid = false;
    }
    return valid;
}

bool Context::is_list(const YamlNode& node, std::string_view what) {
    if (!node.is_sequence()) problems.error(at(node), "{} is {}; a list is wanted", what, quoted_node(node));
    return node.is_sequence();
}

std::string text(const Context& ctx, const YamlNode& node, std::string_view what) {
    if (!node.is_scalar()) fail_input(ctx.at(node), "'{}' is {}; a word is wanted", what, quoted_node(node));
    return std::string(node.scalar);
}

std::int64_t integer(const Context& ctx, const YamlNode& node, std::string_view what, IntRange allowed) {
    return yaml_integer(node, ctx.file, what, allowed);
}

std::vector<std::int64_t> integer_list(const Context& ctx, const YamlNode& node, std::string_view what,
                                       IntRange allowed) {
    if (!node.is_sequence())
        fail_input(ctx.at(node), "'{}' is {}; a list of numbers is wanted", what, quoted_node(node));
    std::vector<std::int64_t> list;
    for (const YamlPtr& item : node.items) list.push_back(integer(ctx, *item, what, allowed));
    return list;
}

std::pair<std::int64_t, std::int64_t> integer_pair(const Context& ctx, const YamlNode& node, std::string_view what,
                                                   IntRange allowed) {
    if (!node.is_sequence() || node.items.size() != 2)
        fail_input(ctx.at(node), "'{}' is {}; a list of two numbers is wanted", what,
                   node.is_sequence() ? fmt::format("a list of {}", node.items.size()) : quoted_node(node));
    return {integer(ctx, *node.items[0], what, allowed), integer(ctx, *node.items[1], what, allowed)};
}

std::vector<std::string> text_list(const Context& ctx, const YamlNode& node, std::string_view what) {
    if (!node.is_sequence()) fail_input(ctx.at(node), "'{}' is {}; a list is wanted", what, quoted_node(node));
    std::vector<std::string> list;
    for (const YamlPtr& item : node.items) list.push_back(text(ctx, *item, what));
    return list;
}

std::string choice(const Context& ctx, const YamlNode& node, std::string_view what,
                   const std::vector<std::string>& choices) {
    const std::string found = to_lower(text(ctx, node, what));
    if (std::find(choices.begin(), choices.end(), found) != choices.end()) return found;
    std::string list;
    for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
    fail_input(ctx.at(node), "'{}' is {}; it must be one of {}{}", what, quoted_node(node), list,
               did_you_mean(found, choices));
}

DataFormat format(const Context& ctx, const YamlNode& node, std::string_view what) {
    const std::string name = text(ctx, node, what);
    if (const auto found = parse_format(name)) return *found;
    std::vector<std::string> known;
    for (const FormatInfo& info : all_formats()) known.emplace_back(info.name);
    fail_input(ctx.at(node), "'{}' is {}, which is not a data format{}", what, quoted_node(node),
               did_you_mean(name, known));
}

TileDim tile_dim(const Context& ctx, const YamlNode& node) {
    const auto [h, w] = integer_pair(ctx, node, "tile_dim", {1, tile_edge});
    const TileDim dim{static_cast<std::int32_t>(h), static_cast<std::int32_t>(w)};
    if (!is_legal(dim))
        fail_input(ctx.at(node),
                   "'tile_dim' is [{}, {}]; it must be one of 32x32, 16x32, 32x16, 8x32, 4x32, 2x32, 1x32", h, w);
    return dim;
}

UblockOrder ublock_order(const Context& ctx, const YamlNode& node) {
    return choice(ctx, node, "ublock_order", {"r", "c"}) == "r" ? UblockOrder::Row : UblockOrder::Column;
}

std::vector<std::int64_t> devices(const Context& ctx, const YamlNode& node) {
    constexpr IntRange chips{0, 1023};
    if (!node.is_sequence()) return {integer(ctx, node, "target_device", chips)};
    std::vector<std::int64_t> list = integer_list(ctx, node, "target_device", chips);
    if (list.empty()) fail_input(ctx.at(node), "'target_device' is an empty list; it must name a chip");
    std::vector<std::int64_t> sorted = list;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) fail_input(ctx.at(node), "'target_device' lists chip {} twice", *twice);
    return list;
}

Operand operand(const Context& ctx, const YamlNode& node, std::string_view what, bool boolean) {
    const std::string found = text(ctx, node, what);
    if (found.size() > 1 && found.front() == '$') return {found, 0};
    if (!boolean) {
        constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
        return {"", integer(ctx, node, what, {-most, most})};
    }
    const std::string lower = to_lower(found);
    if (lower == "true" || lower == "1") return {"", 1};
    if (lower == "false" || lower == "0") return {"", 0};
    fail_input(ctx.at(node), "'{}' is {}; true, false or a $variable is wanted", what, quoted_node(node));
}

void read_grid(const Context& ctx, const YamlNode& node, Blocking& into) {
    std::tie(into.grid_r, into.grid_c) = integer_pair(ctx, node, "grid_size", grid_range);
}
void read_mblock(const Context& ctx, const YamlNode& node, Blocking& into) {
    std::tie(into.mblock_m, into.mblock_n) = integer_pair(ctx, node, "mblock", block_range);
}
void read_ublock(const Context& ctx, const YamlNode& node, Blocking& into) {
    std::tie(into.ublock_rt, into.ublock_ct) = integer_pair(ctx, node, "ublock", block_range);
}
void read_t(const Context& ctx, const YamlNode& node, Blocking& into) { into.t = integer(ctx, node, "t", block_range); }

std::int64_t bounded_product(std::initializer_list<std::int64_t> factors) {
    std::int64_t product = 1;
    for (const std::int64_t factor : factors) {
        if (factor != 0 && product > max_tiles / factor) return -1;
        product *= factor;
    }
    return product;
}

void check_sizes(Context& ctx, const SourceLoc& loc, const std::string& what, const Blocking& b) {
    if (bounded_product({b.grid_r, b.grid_c, b.t, b.mblock_m, b.mblock_n, b.ublock_rt, b.ublock_ct}) < 0)
        ctx.problems.error(loc, "{} has more than {} tiles an entry (grid_size x t x mblock x ublock)", what,
                           max_tiles);
}

namespace {

Tm broadcast(const Context& ctx, const YamlNode& node) {
    if (!node.is_map() || node.entries.size() != 1)
        fail_input(ctx.at(node), "'broadcast' is {}; a map with one of r, c, z is wanted, such as {{r: 4}}",
                   node.is_map() ? fmt::format("a map of {}", node.entries.size()) : quoted_node(node));
    const auto& [key, value] = node.entries.front();
    const std::string dim = choice(ctx, *key, "broadcast", {"r", "c", "z"});
    Tm tm;
    tm.kind = dim == "r" ? Tm::Kind::BroadcastR : dim == "c" ? Tm::Kind::BroadcastC : Tm::Kind::BroadcastZ;
    tm.n = integer(ctx, *value, "broadcast", block_range);
    return tm;
}

Tm pad(const Context& ctx, const YamlNode& node) {
    if (!node.is_sequence() || node.items.size() != 3)
        fail_input(ctx.at(node), "'pad' is {}; a list [rows, columns, value] is wanted", quoted_node(node));
    Tm tm;
    tm.kind = Tm::Kind::Pad;
    tm.rt = integer(ctx, *node.items[0], "pad", {0, 1 << 20});
    tm.ct = integer(ctx, *node.items[1], "pad", {0, 1 << 20});
    tm.value = static_cast<float>(yaml_number_or_infinity(*node.items[2], ctx.file, "pad"));
    return tm;
}

Tm one_tm(const Context& ctx, const YamlNode& node) {
    static const std::vector<std::string> names{"broadcast", "hslice",    "hstack", "vslice",
                                                "vstack",    "transpose", "pad",    "tile_broadcast"};
    Tm tm;
    if (node.is_scalar()) {
        if (node.scalar != "transpose")
            fail_input(ctx.at(node), "{} is not a TM; only transpose has no argument{}", quoted_node(node),
                       did_you_mean(node.scalar, names));
        return tm;
    }
    if (!node.is_map() || node.entries.size() != 1)
        fail_input(ctx.at(node), "a TM is {}; 'transpose' or a map of one TM is wanted, such as {{hslice: 4}}",
                   node.is_map() ? fmt::format("a map of {}", node.entries.size()) : quoted_node(node));
    const auto& [key, value] = node.entries.front();
    const std::string name = text(ctx, *key, "TM");
    if (name == "broadcast") return broadcast(ctx, *value);
    if (name == "pad") return pad(ctx, *value);
    if (name == "transpose") return tm;
    if (name == "tile_broadcast") fail_input(ctx.at(*key), "'tile_broadcast' is for sub-ops of fused ops only");
    const bool stack = name == "hstack" || name == "vstack";
    if (!stack && name != "hslice" && name != "vslice")
        fail_input(ctx.at(*key), "{} is not a TM{}", quoted_node(*key), did_you_mean(name, names));
    tm.kind = name == "hslice"   ? Tm::Kind::HSlice
              : name == "vslice" ? Tm::Kind::VSlice
              : name == "hstack" ? Tm::Kind::HStack
                                 : Tm::Kind::VStack;
    tm.n = integer(ctx, *value, name, {stack ? 0 : 1, 1 << 20});
    return tm;
}

}  // namespace

void append_tms(Context& ctx, const YamlNode& node, std::string_view what, std::vector<Tm>& into) {
    if (is_none(node)) return;
    if (!node.is_sequence())
        fail_input(ctx.at(node), "'{}' is {}; a list of TMs is wanted, such as [transpose, hslice: 4]", what,
                   quoted_node(node));
    for (const YamlPtr& item : node.items)
        ctx.attempt([&] {
            Tm tm = one_tm(ctx, *item);
            tm.loc = ctx.at(*item);
            into.push_back(std::move(tm));
        });
}

}  // namespace ttsim::impl::reading
