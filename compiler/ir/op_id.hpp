// The id of an op: an index into the op table (op_table.hpp). Constants of the ops in compiler/ops/ops.toml are
// op::NAME and, for ops of the device, op::buda::NAME. Texts are for files and messages only.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ttsim::impl::ir {

class OpId {
public:
    constexpr OpId() = default;  ///< no op
    constexpr explicit OpId(std::uint16_t index) : index_(index) {}

    constexpr std::uint16_t index() const { return index_; }
    std::string_view name() const;       ///< in the text of a graph, such as op::buda::matmul; "" for no op
    std::string_view base_name() const;  ///< the same without the prefix of device ops, such as "matmul"
    std::string text() const { return std::string(name()); }
    bool on_device() const;  ///< an op of a netlist
    constexpr bool is_any_of(std::initializer_list<OpId> ops) const {
        return std::find(ops.begin(), ops.end(), *this) != ops.end();
    }

    friend constexpr bool operator==(OpId, OpId) = default;
    friend constexpr auto operator<=>(OpId, OpId) = default;

private:
    std::uint16_t index_ = 0;
};

}  // namespace ttsim::impl::ir

template <>
struct fmt::formatter<ttsim::impl::ir::OpId> : fmt::formatter<std::string_view> {
    auto format(ttsim::impl::ir::OpId op, fmt::format_context& context) const {
        return fmt::formatter<std::string_view>::format(op.name(), context);
    }
};
