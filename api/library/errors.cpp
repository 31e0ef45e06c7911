#include <algorithm>

#include <ttsim/errors.hpp>

#include "api/library/internal.hpp"
#include "base/error_codes.hpp"

namespace ttsim {

namespace {

ErrorKind kind_of(impl::Fault fault) {
    switch (fault) {
        case impl::Fault::Input:
            return ErrorKind::Input;
        case impl::Fault::Unsupported:
            return ErrorKind::Unsupported;
        case impl::Fault::Hang:
            return ErrorKind::Hang;
        case impl::Fault::Interrupted:
            return ErrorKind::Interrupted;
        case impl::Fault::Internal:
            return ErrorKind::Internal;
    }
    return ErrorKind::Internal;
}

impl::Fault fault_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::Input:
            return impl::Fault::Input;
        case ErrorKind::Unsupported:
            return impl::Fault::Unsupported;
        case ErrorKind::Hang:
            return impl::Fault::Hang;
        case ErrorKind::Interrupted:
            return impl::Fault::Interrupted;
        case ErrorKind::Internal:
        case ErrorKind::Resource:
            return impl::Fault::Internal;
    }
    return impl::Fault::Internal;
}

/// The code of an error without problems of its own.
std::string code_of_kind(ErrorKind kind) {
    if (kind == ErrorKind::Resource) return impl::error_code::resource_limit;
    return impl::code_of(impl::Problem{fault_of(kind), {}, {}});
}

Problem public_problem(const impl::Problem& problem) {
    return {kind_of(problem.fault), impl::code_of(problem), problem.message,    problem.remedy,
            problem.loc.file,       problem.loc.line,       problem.loc.column, problem.ops};
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& what, std::string file, int line, int column)
    : Error(kind, what, {{kind, code_of_kind(kind), what, {}, std::move(file), line, column, {}}}) {}

Error::Error(ErrorKind kind, const std::string& what, std::vector<Problem> problems)
    : std::runtime_error(what), kind_(kind), problems_(std::move(problems)) {}

Error::~Error() = default;

std::vector<std::string> Error::ops() const {
    std::vector<std::string> names;
    for (const Problem& problem : problems_)
        for (const std::string& op : problem.ops)
            if (std::find(names.begin(), names.end(), op) == names.end()) names.push_back(op);
    return names;
}

int Error::exit_code() const {
    constexpr int resource_limit = 71;
    return kind_ == ErrorKind::Resource ? resource_limit : impl::exit_code(fault_of(kind_));
}

void rethrow(const impl::Error& error) {
    std::vector<Problem> problems;
    for (const impl::Problem& problem : error.problems()) problems.push_back(public_problem(problem));
    throw Error(kind_of(error.fault()), error.what(), std::move(problems));
}

}  // namespace ttsim
