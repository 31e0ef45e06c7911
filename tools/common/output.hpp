// Where results go: a file that appears whole or not at all, and a standard output whose failures are noticed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_kind.hpp"

namespace ttsim::impl::cli {

/// A file written to a temporary beside it and renamed at the end. '-' and /dev/stdout are standard output; devices,
/// pipes and open descriptors (/dev/fd/3) are written directly.
class OutputFile {
public:
    /// Throws Error(Input) when the file could not be written or is not to be replaced, before any work is done.
    OutputFile(std::string path, FileKind kind);
    bool is_stdout() const;
    /// Throws Error(Input) and leaves the old file, if any, as it was.
    void write(std::string_view text) const;
    /// The same piece by piece: `pieces` calls what it is given with each.
    using Sink = std::function<void(std::string_view)>;
    void write_pieces(const std::function<void(const Sink&)>& pieces) const;

private:
    bool direct() const;

    std::string path_;
    FileKind kind_;
    int descriptor_ = -1;  ///< open already
};

/// To standard output, as printable() has it: text holds names out of files. Throws Error(Input) when standard output
/// is closed or full.
void print_text(std::string_view text);

/// The same, with verdicts painted where standard output shows colours.
void print_report(std::string_view text);
/// Columns that tables may take on standard output; none when it is no terminal.
std::optional<std::size_t> report_width();

}  // namespace ttsim::impl::cli
