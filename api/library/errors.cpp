#include <charconv>

#include <ttsim/errors.hpp>

#include "api/library/internal.hpp"

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
            return impl::Fault::Internal;
    }
    return impl::Fault::Internal;
}

/// Location of the first of several problems, from its line "file:12:5: error: text".
impl::SourceLoc first_place(std::string_view lines) {
    const std::string_view place = lines.substr(0, lines.find(": error: "));
    const std::size_t column = place.rfind(':'), line = column == 0 ? column : place.rfind(':', column - 1);
    impl::SourceLoc at;
    if (place.size() == lines.size() || column == place.npos || line == place.npos) return at;
    const auto read = [&](std::size_t from, std::size_t to, int& number) {
        const auto [end, code] = std::from_chars(place.data() + from, place.data() + to, number);
        return code == std::errc() && end == place.data() + to;
    };
    if (read(line + 1, column, at.line) && read(column + 1, place.size(), at.column)) at.file = place.substr(0, line);
    return at;
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& what, std::string file, int line, int column)
    : std::runtime_error(what), kind_(kind), file_(std::move(file)), line_(line), column_(column) {}

Error::~Error() = default;

int Error::exit_code() const { return impl::exit_code(fault_of(kind_)); }

void rethrow(const impl::Error& error) {
    const impl::SourceLoc at = error.where().file.empty() ? first_place(error.what()) : error.where();
    throw Error(kind_of(error.fault()), error.what(), at.file, at.line, at.column);
}

}  // namespace ttsim
