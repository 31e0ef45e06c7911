// Regular expressions that users write for names. They are matched in time linear in the name, on a bounded stack
// (RE2), so that none of them can hang or crash a run; back references and looks ahead are left out for that.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace re2 {
class RE2;
}

namespace ttsim::impl {

class NamePattern {
public:
    /// Throws Error(Input) at `loc` for what is no regular expression; `what` begins the message.
    explicit NamePattern(std::string_view text, const SourceLoc& loc = {}, std::string_view what = "");
    /// Nothing when the text is no such pattern (it may still be a plain name).
    static std::optional<NamePattern> parse(std::string_view text);

    bool matches(std::string_view name) const;  ///< the whole name

private:
    explicit NamePattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
    static std::shared_ptr<const re2::RE2> compile(std::string_view text);

    std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace ttsim::impl
