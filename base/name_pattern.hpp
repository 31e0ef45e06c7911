// Regular expressions that users write for names. RE2 matches in linear time with bounded stack, so no pattern can hang
// or crash a run. It does not support back references and lookahead.
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
    /// Throws Error(Input) at `loc` if the text is not a valid regular expression; `what` prefixes the message.
    explicit NamePattern(std::string_view text, const SourceLoc& loc = {}, std::string_view what = "");
    /// nullopt if the text is not a valid pattern (it may still be a plain name).
    static std::optional<NamePattern> parse(std::string_view text);

    bool matches(std::string_view name) const;  ///< matches the complete name

private:
    explicit NamePattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
    static std::shared_ptr<const re2::RE2> compile(std::string_view text);

    std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace ttsim::impl
