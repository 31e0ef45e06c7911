// What the parts of the netlist reader share: a place for problems, scalars by type, and maps read by tables of fields.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "kernels/ops/op_def.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::reading {

struct Context {
    std::string file;
    Diagnostics problems;
    std::string_view field;  ///< the one read_fields() is at, for messages

    std::vector<std::string> notes = {};  ///< what is valid and has no effect

    SourceLoc at(const YamlNode& node) const { return node.loc(file); }
    template <class... Args>
    void note(const YamlNode& node, fmt::format_string<Args...> text, Args&&... args) {
        notes.push_back(fmt::format("line {}: {}", at(node).line, fmt::format(text, std::forward<Args>(args)...)));
    }
    /// Runs one step; what is wrong in it is noted and the reading goes on.
    template <class Step>
    void attempt(Step&& step) {
        try {
            step();
        } catch (const Error& wrong) {
            problems.add(wrong);
        }
    }
    /// Only a map has fields; says so when the node is something else.
    bool is_map(const YamlNode& node, std::string_view what);
    bool is_list(const YamlNode& node, std::string_view what);
};

/// How a message names a node's value: the scalar in quotes, or the kind.
std::string shown(const YamlNode& node);
bool is_none(const YamlNode& node);  ///< null, None, or []

std::string text(const Context& ctx, const YamlNode& node, std::string_view what);
std::int64_t whole(const Context& ctx, const YamlNode& node, std::string_view what, IntRange allowed = {});
std::vector<std::int64_t> whole_list(const Context& ctx, const YamlNode& node, std::string_view what,
                                     IntRange allowed = {});
std::pair<std::int64_t, std::int64_t> whole_pair(const Context& ctx, const YamlNode& node, std::string_view what,
                                                 IntRange allowed = {});
std::vector<std::string> text_list(const Context& ctx, const YamlNode& node, std::string_view what);
/// The lower-case word, which must be one of `choices`.
std::string word(const Context& ctx, const YamlNode& node, std::string_view what,
                 const std::vector<std::string>& choices);
DataFormat format(const Context& ctx, const YamlNode& node, std::string_view what);
TileDim tile_dim(const Context& ctx, const YamlNode& node);
UblockOrder ublock_order(const Context& ctx, const YamlNode& node);
std::vector<std::int64_t> devices(const Context& ctx, const YamlNode& node);
/// An integer or $variable; with `boolean` true and false are 1 and 0.
Operand operand(const Context& ctx, const YamlNode& node, std::string_view what, bool boolean);

/// Operands of an op: a fused op has as many inputs as this.
inline constexpr int most_inputs = 64;
inline constexpr IntRange block_range{1, 1 << 20};
inline constexpr IntRange grid_range{1, 64};
inline constexpr std::int64_t most_tiles = std::int64_t{1} << 31;
void read_grid(const Context& ctx, const YamlNode& node, Blocking& into);
void read_mblock(const Context& ctx, const YamlNode& node, Blocking& into);
void read_ublock(const Context& ctx, const YamlNode& node, Blocking& into);
void read_t(const Context& ctx, const YamlNode& node, Blocking& into);
/// a*b*c..., or -1 when it exceeds most_tiles.
std::int64_t bounded_product(std::initializer_list<std::int64_t> factors);
/// Tiles of one whole entry stay countable.
void check_sizes(Context& ctx, const SourceLoc& loc, const std::string& what, const Blocking& blocking);

void append_tms(Context& ctx, const YamlNode& node, std::string_view what, std::vector<Tm>& into);

/// One field of a map: its name and what to do with its value.
template <class T>
struct Field {
    std::string_view name;
    void (*read)(Context&, const YamlNode&, T&);
    bool required = false;
};

/// Reads every pair in file order. `other(key, value)` may take a pair the table does not have and then returns true.
template <class T, std::size_t N, class Other>
void read_fields(Context& ctx, const SourceLoc& loc, const YamlNode& map, const std::string& what,
                 const Field<T> (&fields)[N], T& into, Other other) {
    if (!ctx.is_map(map, what)) return;
    bool seen[N] = {};
    for (const auto& [key, value] : map.entries) {
        std::size_t k = 0;
        while (k < N && fields[k].name != key->scalar) ++k;
        if (k < N) {
            seen[k] = true;
            ctx.field = fields[k].name;
            ctx.attempt([&, &node = *value] { fields[k].read(ctx, node, into); });
        } else if (!other(*key, *value)) {
            std::vector<std::string> known;
            for (const Field<T>& field : fields) known.emplace_back(field.name);
            ctx.problems.error(ctx.at(*key), "{} has no field '{}'{}", what, key->scalar,
                               did_you_mean(key->scalar, known));
        }
    }
    for (std::size_t k = 0; k < N; ++k)
        if (fields[k].required && !seen[k]) ctx.problems.error(loc, "{} needs the field '{}'", what, fields[k].name);
}

template <class T, std::size_t N>
void read_fields(Context& ctx, const SourceLoc& loc, const YamlNode& map, const std::string& what,
                 const Field<T> (&fields)[N], T& into) {
    read_fields(ctx, loc, map, what, fields, into, [](const YamlNode&, const YamlNode&) { return false; });
}

/// Attributes by the registry's tables: those of the op's own and the common ones. A sub-op of a fused op may carry
/// those of any op that can be fused.
void read_attributes(Context& ctx, const YamlNode& node, const OpDef& def, const std::string& what, OpAttributes& into,
                     bool sub_op = false);

void read_queues(Context& ctx, const YamlNode& node, Netlist& into);
void read_graphs(Context& ctx, const YamlNode& node, Netlist& into);
void read_programs(Context& ctx, const YamlNode& node, Netlist& into);
void read_fused_ops(Context& ctx, const YamlNode& node, Netlist& into);
void read_test_config(Context& ctx, const YamlNode& node, TestConfig& into);
void read_performance_check(Context& ctx, const YamlNode& node, std::vector<PerformanceCheck>& into);

}  // namespace ttsim::impl::reading
