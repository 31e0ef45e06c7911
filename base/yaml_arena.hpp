// Memory of a YAML tree: its nodes, their lists and texts that are not part of the file. It is freed at once.
#pragma once

#include <algorithm>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/yaml_tree.hpp"

namespace ttsim::impl {

class YamlArena {
public:
    YamlNode* add(const YamlNode& node) {
        return new (memory_.allocate(sizeof(YamlNode), alignof(YamlNode))) YamlNode(node);
    }
    /// Uninitialized elements.
    template <class T>
    T* reserve(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        return static_cast<T*>(memory_.allocate(count * sizeof(T), alignof(T)));
    }
    template <class T>
    std::span<const T> copy(std::span<const T> list) {
        T* const to = reserve<T>(list.size());
        std::uninitialized_copy(list.begin(), list.end(), to);
        return {to, list.size()};
    }
    std::string_view copy(std::string_view text) {
        const std::span<const char> made = copy(std::span<const char>(text));
        return {made.data(), made.size()};
    }
    /// Keeps what nodes refer to: the text of the file, other trees.
    void keep(std::shared_ptr<const void> owner) { kept_.push_back(std::move(owner)); }

private:
    static_assert(std::is_trivially_destructible_v<YamlNode>);
    static constexpr std::size_t first_bytes = std::size_t{16} << 10;  // further blocks are larger

    std::pmr::monotonic_buffer_resource memory_{first_bytes, std::pmr::new_delete_resource()};
    std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace ttsim::impl
