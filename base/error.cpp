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

Problem make_problem(Fault fault, Subject subject, std::string message) {
    if (!subject.remedy.empty()) message += "; " + subject.remedy;
    return {fault,
            std::move(subject.loc),
            std::move(message),
            std::move(subject.code),
            std::move(subject.ops),
            std::move(subject.remedy)};
}

std::string code_of(const Problem& problem) {
    if (!problem.code.empty()) return problem.code;
    switch (problem.fault) {
        case Fault::Input:
            return "invalid-input";
        case Fault::Unsupported:
            return "unsupported";
        case Fault::Hang:
            return "hang";
        case Fault::Interrupted:
            return "interrupted";
        case Fault::Internal:
            break;
    }
    return "internal";
}

Error::Error(Fault fault, SourceLoc loc, std::string message)
    : Error(Problem{fault, std::move(loc), std::move(message)}) {}

Error::Error(const Problem& problem)
    : std::runtime_error(printable(format_problem(problem.fault, problem.loc, problem.message))),
      fault_(problem.fault),
      loc_(problem.loc),
      message_(printable(problem.message)),
      problems_{problem} {
    problems_.front().message = message_;
}

Error::Error(Fault fault, std::string lines, std::vector<Problem> problems)
    : std::runtime_error(printable(lines)), fault_(fault), message_(printable(lines)), problems_(std::move(problems)) {}

std::vector<std::string> Error::ops() const {
    std::vector<std::string> names;
    for (const Problem& problem : problems_)
        for (const std::string& op : problem.ops)
            if (std::find(names.begin(), names.end(), op) == names.end()) names.push_back(op);
    return names;
}

void Error::complete_problems(const std::string& code, const std::vector<std::string>& ops) {
    for (Problem& problem : problems_) {
        if (problem.code.empty()) problem.code = code;
        if (problem.ops.empty()) problem.ops = ops;
    }
}

void Diagnostics::add(Fault fault, SourceLoc loc, std::string message) {
    items_.push_back({fault, std::move(loc), std::move(message)});
}

void Diagnostics::add(const Error& error) {
    if (error.problems().size() == 1)
        add(error.problems().front());
    else
        add(error.fault(), error.where(), error.message());
}

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
