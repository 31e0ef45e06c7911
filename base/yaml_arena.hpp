// Memory of a YAML tree: its nodes, their lists and texts that are not part of the file. It is freed at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/yaml_tree.hpp"

namespace ttsim::impl {

class YamlArena {
public:
    YamlNode* add(const YamlNode& node) { return new (take(sizeof(YamlNode), alignof(YamlNode))) YamlNode(node); }
    /// Uninitialized elements.
    template <class T>
    T* reserve(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        return static_cast<T*>(take(count * sizeof(T), alignof(T)));
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
    /// The allocator has 512 KiB of its own for each size above 16 KiB.
    static constexpr std::size_t shortest = 16000;

    void* take(std::size_t bytes, std::size_t alignment) {
        void* at = free_;
        if (std::align(alignment, bytes, at, left_) == nullptr) at = take_from_new_block(bytes);
        free_ = static_cast<std::byte*>(at) + bytes;
        left_ -= bytes;
        return at;
    }
    /// Blocks are aligned for any type. Those of a large tree are long.
    void* take_from_new_block(std::size_t bytes) {
        const std::size_t length = std::max({bytes, shortest, total_ / 64});
        std::byte* const block = blocks_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(length)).get();
        left_ = length;
        total_ += length;
        return block;
    }

    std::byte* free_ = nullptr;  // of the last block
    std::size_t left_ = 0, total_ = 0;
    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace ttsim::impl
