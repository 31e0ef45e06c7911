#include "compiler/backend/slices.hpp"

#include <algorithm>

namespace ttsim::impl::ir {

namespace {

/// First and last producer slice that a slice depends on.
using Span = std::pair<std::int64_t, std::int64_t>;

std::vector<Span> merged(const std::vector<Span>& spans, std::int64_t n) {
    std::vector<Span> out;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (i % static_cast<std::size_t>(n) == 0) out.push_back(spans[i]);
        out.back() = {std::min(out.back().first, spans[i].first), std::max(out.back().second, spans[i].second)};
    }
    return out;
}

std::vector<Span> after(std::vector<Span> spans, const Tm& tm) {
    std::vector<Span> out;
    switch (tm.kind) {
        case Tm::Kind::HSlice:
        case Tm::Kind::VSlice:
            for (const Span& span : spans) out.insert(out.end(), static_cast<std::size_t>(tm.n), span);
            return out;
        case Tm::Kind::HStack:
        case Tm::Kind::VStack:
            return merged(spans, tm.n == 0 ? static_cast<std::int64_t>(spans.size()) : tm.n);
        case Tm::Kind::BroadcastZ:
            for (std::int64_t k = 0; k < tm.n; ++k) out.insert(out.end(), spans.begin(), spans.end());
            return out;
        case Tm::Kind::BroadcastR:
        case Tm::Kind::BroadcastC:
        case Tm::Kind::Transpose:
        case Tm::Kind::Pad:
            break;
    }
    return spans;
}

}  // namespace

std::int64_t slice_window(std::int64_t slices, const std::vector<Tm>& tms, std::int64_t group) {
    std::vector<Span> spans;
    for (std::int64_t s = 0; s < slices; ++s) spans.emplace_back(s, s);
    for (const Tm& tm : tms) spans = after(std::move(spans), tm);
    spans = merged(spans, std::max<std::int64_t>(group, 1));
    std::int64_t window = 1, first_later = slices - 1, last_so_far = 0;
    std::vector<std::int64_t> first(spans.size());
    for (std::size_t i = spans.size(); i-- > 0;) first[i] = first_later = std::min(first_later, spans[i].first);
    for (std::size_t i = 0; i < spans.size(); ++i) {
        last_so_far = std::max(last_so_far, spans[i].second);
        window = std::max(window, last_so_far - first[i] + 1);
    }
    return window;
}

}  // namespace ttsim::impl::ir
