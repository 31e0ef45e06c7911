// Immutable, shared bytes: a text, or a part of a larger buffer that they keep alive.
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
        const auto shared_text = std::make_shared<const std::string>(std::move(text));
        view_ = *shared_text;
        owner_ = shared_text;
    }
    SharedBytes(const char* text) : SharedBytes(std::string(text)) {}  // NOLINT
    /// A part of a buffer that `owner` keeps alive.
    SharedBytes(std::shared_ptr<const void> owner, std::string_view view) : owner_(std::move(owner)), view_(view) {}

    /// A part of these bytes; `view` must lie within them.
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
