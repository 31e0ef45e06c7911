// Attributes of nodes and their typed keys. Constants attr::KEY are generated from compiler/ops/ops.toml, which also
// holds the defaults. Only the text form and code for all attributes alike use keys as texts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/ir/op_id.hpp"

namespace ttsim::impl::ir {

using Attr = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>;
using Attrs = std::map<std::string, Attr, std::less<>>;
std::string to_string(const Attr& attr);  ///< as in the text of a graph

/// The key of an attribute whose values are of type T: bool, std::int64_t, double, std::string, or a vector of
/// integers.
template <class T>
struct Attribute {
    std::string_view key;

    /// An entry of Attrs: Attrs{attr::axis(1), attr::epsilon(1e-5)}.
    Attrs::value_type operator()(T value) const {
        if constexpr (std::is_same_v<T, bool>)
            return {std::string(key), std::int64_t{value ? 1 : 0}};
        else
            return {std::string(key), std::move(value)};
    }
};

/// What holds on an op for a key that a node does not have: the default of the op, of the common attributes, or of the
/// device's record; otherwise 0 or empty.
void read_default(OpId op, std::string_view key, bool& into);
void read_default(OpId op, std::string_view key, std::int64_t& into);
void read_default(OpId op, std::string_view key, double& into);
void read_default(OpId op, std::string_view key, std::string& into);
void read_default(OpId op, std::string_view key, std::vector<std::int64_t>& into);

/// The value of an attribute, or its default.
template <class T>
T value_of(const Attrs& attrs, OpId op, Attribute<T> attribute) {
    if (const auto found = attrs.find(attribute.key); found != attrs.end()) {
        const Attr& attr = found->second;
        if constexpr (std::is_same_v<T, bool>) {
            if (const auto* integer = std::get_if<std::int64_t>(&attr)) return *integer != 0;
        } else if constexpr (std::is_same_v<T, double>) {
            if (const auto* integer = std::get_if<std::int64_t>(&attr)) return static_cast<double>(*integer);
            if (const auto* number = std::get_if<double>(&attr)) return *number;
        } else {
            if (const auto* value = std::get_if<T>(&attr)) return *value;
        }
    }
    T value{};
    read_default(op, attribute.key, value);
    return value;
}

template <class T>
void set(Attrs& attrs, Attribute<T> attribute, std::type_identity_t<T> value) {
    auto [key, attr] = attribute(std::move(value));
    attrs.insert_or_assign(key, std::move(attr));
}
template <class T>
bool has(const Attrs& attrs, Attribute<T> attribute) {
    return attrs.contains(attribute.key);
}
template <class T>
void erase(Attrs& attrs, Attribute<T> attribute) {
    if (const auto found = attrs.find(attribute.key); found != attrs.end()) attrs.erase(found);
}
/// Copies an attribute that `from` has.
template <class T>
void copy(Attribute<T> attribute, const Attrs& from, Attrs& to) {
    if (const auto found = from.find(attribute.key); found != from.end())
        to.insert_or_assign(found->first, found->second);
}

}  // namespace ttsim::impl::ir
