// Spans of time that a resource has reserved, in ascending order. Most are appended, and most lists are short.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/units.hpp"
#include "sim/machine/state_walk.hpp"

namespace ttsim::impl::sim {

struct Span {
    Cycle start, end;
};

/// A list of few spans is a line of the processor's cache.
class alignas(64) SpanList {
public:
    SpanList() = default;
    SpanList(const SpanList&) = delete;
    SpanList& operator=(const SpanList&) = delete;

    Span* begin() { return more_ ? more_.get() : few_.data(); }
    Span* end() { return begin() + size_; }
    Span& back() { return end()[-1]; }
    bool empty() const { return size_ == 0; }
    bool full() const { return size_ == capacity_; }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }

    void clear() { size_ = 0; }
    /// The list is not full.
    void add(const Span& span) { begin()[size_++] = span; }
    void push_back(const Span& span) {
        if (full()) reserve(2 * capacity());
        add(span);
    }
    void pop_back() { --size_; }
    void insert(Span* at, const Span& span) {
        const auto place = at - begin();
        push_back(span);
        std::rotate(begin() + place, end() - 1, end());
    }
    void erase(Span* first, Span* last) {
        std::copy(last, end(), first);
        size_ -= static_cast<std::uint32_t>(last - first);
    }
    void reserve(std::size_t capacity) {
        auto larger = std::make_unique<Span[]>(capacity);
        std::copy(begin(), end(), larger.get());
        more_ = std::move(larger);
        capacity_ = static_cast<std::uint32_t>(capacity);
    }

private:
    static constexpr std::uint32_t few = 3;
    std::unique_ptr<Span[]> more_;  // instead of few_
    std::uint32_t size_ = 0, capacity_ = few;
    std::array<Span, few> few_{};
};

}  // namespace ttsim::impl::sim
