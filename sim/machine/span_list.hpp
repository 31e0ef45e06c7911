// Spans of time that a resource has reserved, in ascending order. Most are appended, and most lists are short.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include "base/units.hpp"
#include "sim/machine/state_walk.hpp"

namespace ttsim::impl::sim {

struct Span {
    Cycle start, end;
};

class SpanList {
public:
    SpanList() = default;
    SpanList(const SpanList&) = delete;
    SpanList& operator=(const SpanList&) = delete;

    Span* begin() { return begin_; }
    Span* end() { return end_; }
    Span& back() { return end_[-1]; }
    bool empty() const { return begin_ == end_; }
    bool full() const { return end_ == limit_; }
    std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
    std::size_t capacity() const { return static_cast<std::size_t>(limit_ - begin_); }

    void clear() { end_ = begin_; }
    void push_back(const Span& span) {
        if (full()) reserve(2 * capacity());
        *end_++ = span;
    }
    void pop_back() { --end_; }
    void insert(Span* at, const Span& span) {
        const auto place = at - begin_;
        push_back(span);
        std::rotate(begin_ + place, end_ - 1, end_);
    }
    void erase(Span* first, Span* last) {
        if (first != last) end_ = std::copy(last, end_, first);
    }
    void reserve(std::size_t capacity) {
        auto larger = std::make_unique<Span[]>(capacity);
        end_ = std::copy(begin_, end_, larger.get());
        begin_ = larger.get();
        limit_ = begin_ + capacity;
        more_ = std::move(larger);
    }

private:
    static constexpr std::size_t few = 4;
    std::array<Span, few> few_{};
    Span *begin_ = few_.data(), *end_ = begin_, *limit_ = begin_ + few;
    std::unique_ptr<Span[]> more_;  // instead of few_
};

}  // namespace ttsim::impl::sim
