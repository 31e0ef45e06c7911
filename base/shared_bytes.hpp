// SharedBytes that are read and never changed: shared, of a text or part of a larger buffer that lives as long as they
// do.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace ttsim::impl {

class SharedBytes {
public:
    SharedBytes() = default;
    SharedBytes(std::string text) {  // NOLINT: a text is bytes
        const auto kept = std::make_shared<const std::string>(std::move(text));
        view_ = *kept;
        owner_ = kept;
    }
    SharedBytes(const char* text) : SharedBytes(std::string(text)) {}  // NOLINT
    /// A part of what `owner` keeps.
    SharedBytes(std::shared_ptr<const void> owner, std::string_view view) : owner_(std::move(owner)), view_(view) {}

    /// A part of these; `view` lies within.
    SharedBytes part(std::string_view view) const { return {owner_, view}; }

    std::string_view view() const { return view_; }
    operator std::string_view() const { return view_; }  // NOLINT
    std::size_t size() const { return view_.size(); }
    std::string text() const { return std::string(view_); }

private:
    std::shared_ptr<const void> owner_;
    std::string_view view_;
};

}  // namespace ttsim::impl
