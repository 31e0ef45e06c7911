// Output files that are replaced atomically, and standard output with its failures reported.
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
    /// Checks before any work: throws Error(Input) when the file cannot be written or must not be replaced.
    OutputFile(std::string path, FileKind kind);
    bool is_stdout() const;
    /// On failure throws Error(Input) and leaves an old file unchanged.
    void write(std::string_view text) const;
    /// The same piece by piece: `pieces` passes each piece to the sink.
    using Sink = std::function<void(std::string_view)>;
    void write_pieces(const std::function<void(const Sink&)>& pieces) const;

private:
    bool writes_in_place() const;

    std::string path_;
    FileKind kind_;
    int descriptor_ = -1;  ///< of a path that names an open descriptor, else -1
};

/// Prints to standard output through printable(), since text may contain names from files. Throws Error(Input) when
/// standard output is closed or full.
void print_text(std::string_view text);

/// The same, with verdicts coloured if standard output shows colours.
void print_report(std::string_view text);
/// Columns available to tables on standard output; nullopt if it is not a terminal.
std::optional<std::size_t> report_width();

}  // namespace ttsim::impl::cli
