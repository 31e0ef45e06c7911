// Shared by the parts of the netlist reader: error collection, typed scalars, and maps read by field tables.
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
    std::string_view field;  ///< current field of read_fields(), for messages

    std::vector<std::string> notes = {};  ///< valid parts of the file that have no effect

    SourceLoc at(const YamlNode& node) const { return node.loc(file); }
    template <class... Args>
    void note(const YamlNode& node, fmt::format_string<Args...> text, Args&&... args) {
        notes.push_back(fmt::format("line {}: {}", at(node).line, fmt::format(text, std::forward<Args>(args)...)));
    }
    /// Runs one step; records its error and continues.
    template <class Step>
    void attempt(Step&& step) {
        try {
            step();
        } catch (const Error& wrong) {
            problems.add(wrong);
        }
    }
    /// Whether the node is a map; reports an error otherwise.
    bool is_map(const YamlNode& node, std::string_view what);
    bool is_list(const YamlNode& node, std::string_view what);
};

/// The node's text in a message: the scalar in quotes, or the kind.
std::string quoted_node(const YamlNode& node);
bool is_none(const YamlNode& node);  ///< null, None, or []

std::string text(const Context& ctx, const YamlNode& node, std::string_view what);
std::int64_t integer(const Context& ctx, const YamlNode& node, std::string_view what, IntRange allowed = {});
std::vector<std::int64_t> integer_list(const Context& ctx, const YamlNode& node, std::string_view what,
                                       IntRange allowed = {});
std::pair<std::int64_t, std::int64_t> integer_pair(const Context& ctx, const YamlNode& node, std::string_view what,
                                                   IntRange allowed = {});
std::vector<std::string> text_list(const Context& ctx, const YamlNode& node, std::string_view what);
/// The scalar in lower case, which must be one of `choices`.
std::string choice(const Context& ctx, const YamlNode& node, std::string_view what,
                   const std::vector<std::string>& choices);
DataFormat format(const Context& ctx, const YamlNode& node, std::string_view what);
TileDim tile_dim(const Context& ctx, const YamlNode& node);
UblockOrder ublock_order(const Context& ctx, const YamlNode& node);
std::vector<std::int64_t> devices(const Context& ctx, const YamlNode& node);
/// An integer or $variable. With `boolean`, true and false are 1 and 0.
Operand operand(const Context& ctx, const YamlNode& node, std::string_view what, bool boolean);

/// Maximum inputs of an op, including fused ops.
inline constexpr int max_inputs = 64;
inline constexpr IntRange block_range{1, 1 << 20};
inline constexpr IntRange grid_range{1, 64};
inline constexpr std::int64_t max_tiles = std::int64_t{1} << 31;
void read_grid(const Context& ctx, const YamlNode& node, Blocking& into);
void read_mblock(const Context& ctx, const YamlNode& node, Blocking& into);
void read_ublock(const Context& ctx, const YamlNode& node, Blocking& into);
void read_t(const Context& ctx, const YamlNode& node, Blocking& into);
/// a*b*c..., or -1 if it exceeds max_tiles.
std::int64_t bounded_product(std::initializer_list<std::int64_t> factors);
/// Checks that the tiles of one entry stay within max_tiles.
void check_sizes(Context& ctx, const SourceLoc& loc, const std::string& what, const Blocking& blocking);

void append_tms(Context& ctx, const YamlNode& node, std::string_view what, std::vector<Tm>& into);

/// A field of a map: its name and the function that reads its value.
template <class T>
struct Field {
    std::string_view name;
    void (*read)(Context&, const YamlNode&, T&);
    bool required = false;
};

/// Reads every pair in file order. `other(key, value)` handles pairs that are not in the table; returns false for
/// unknown ones.
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

/// Reads attributes by the definitions of the op table: those of the op and the common ones. A sub-op of a fused op may
/// have the attributes of any fusable op.
void read_attributes(Context& ctx, const YamlNode& node, const OpDef& def, const std::string& what, OpAttributes& into,
                     bool sub_op = false);

void read_queues(Context& ctx, const YamlNode& node, Netlist& into);
void read_graphs(Context& ctx, const YamlNode& node, Netlist& into);
void read_programs(Context& ctx, const YamlNode& node, Netlist& into);
void read_fused_ops(Context& ctx, const YamlNode& node, Netlist& into);
void read_test_config(Context& ctx, const YamlNode& node, TestConfig& into);
void read_performance_check(Context& ctx, const YamlNode& node, std::vector<PerformanceCheck>& into);

}  // namespace ttsim::impl::reading
