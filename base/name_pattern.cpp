#include "base/name_pattern.hpp"

#include <re2/re2.h>

namespace ttsim::impl {

std::shared_ptr<const re2::RE2> NamePattern::compile(std::string_view text) {
    re2::RE2::Options options(re2::RE2::Quiet);
    options.set_encoding(re2::RE2::Options::EncodingLatin1);  // names may be any bytes
    return std::make_shared<re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
}

NamePattern::NamePattern(std::string_view text, const SourceLoc& loc, std::string_view what)
    : compiled_(compile(text)) {
    if (!compiled_->ok())
        fail_input(loc, "{}'{}' is not a regular expression: {}", what.empty() ? "" : std::string(what) + " ", text,
                   compiled_->error());
}

std::optional<NamePattern> NamePattern::parse(std::string_view text) {
    std::shared_ptr<const re2::RE2> compiled = compile(text);
    if (!compiled->ok()) return std::nullopt;
    return NamePattern(std::move(compiled));
}

bool NamePattern::matches(std::string_view name) const {
    return re2::RE2::FullMatch(re2::StringPiece(name.data(), name.size()), *compiled_);
}

}  // namespace ttsim::impl
