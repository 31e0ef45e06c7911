#include "base/error.hpp"

#include <algorithm>
#include <tuple>

#include "base/utf8.hpp"

namespace ttsim::impl {

std::string to_string(const SourceLoc& loc) {
    if (loc.line == 0) return loc.file;
    if (loc.column == 0) return fmt::format("{}:{}", loc.file, loc.line);
    return fmt::format("{}:{}:{}", loc.file, loc.line, loc.column);
}

int exit_code(Fault fault) {
    switch (fault) {
        case Fault::Input:
            return 2;
        case Fault::Hang:
            return 3;
        case Fault::Interrupted:
            return 130;
        case Fault::Unsupported:
            return 4;
        case Fault::Internal:
            return 70;
    }
    return 70;
}

const char* fault_name(Fault fault) {
    switch (fault) {
        case Fault::Input:
            return "error";
        case Fault::Unsupported:
            return "unsupported";
        case Fault::Hang:
            return "hang";
        case Fault::Interrupted:
            return "interrupted";
        case Fault::Internal:
            break;
    }
    return "internal error";
}

static std::string format_problem(Fault fault, const SourceLoc& loc, const std::string& message) {
    const char* const kind = fault_name(fault);
    return loc.file.empty() ? fmt::format("{}: {}", kind, message)
                            : fmt::format("{}: {}: {}", to_string(loc), kind, message);
}

Error::Error(Fault fault, SourceLoc loc, std::string message)
    : std::runtime_error(printable(format_problem(fault, loc, message))),
      fault_(fault),
      loc_(std::move(loc)),
      message_(printable(message)),
      problems_{{fault, loc_, message_}} {}

Error::Error(Fault fault, std::string lines, std::vector<Problem> problems)
    : std::runtime_error(printable(lines)), fault_(fault), message_(printable(lines)), problems_(std::move(problems)) {}

void Diagnostics::add(Fault fault, SourceLoc loc, std::string message) {
    items_.push_back({fault, std::move(loc), std::move(message)});
}

void Diagnostics::add(const Error& error) { add(error.fault(), error.where(), error.message()); }

void Diagnostics::throw_if_any() const {
    if (items_.empty()) return;
    std::vector<Problem> sorted = items_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Problem& a, const Problem& b) {
        return std::tie(a.loc.line, a.loc.column) < std::tie(b.loc.line, b.loc.column);
    });
    // Invalid input takes precedence over unsupported input.
    Fault worst = Fault::Unsupported;
    std::string lines;
    for (const Problem& problem : sorted) {
        if (problem.fault != Fault::Unsupported) worst = problem.fault;
        lines += (lines.empty() ? "" : "\n") + format_problem(problem.fault, problem.loc, problem.message);
    }
    throw Error(worst, lines, std::move(sorted));
}

}  // namespace ttsim::impl
