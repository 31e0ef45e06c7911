// How this project fails: who is at fault, where in the input, and what to do.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace ttsim::impl {

/// A place in an input file. line and column count from 1; 0 means unknown.
struct SourceLoc {
    std::string file;
    int line = 0;
    int column = 0;
    friend bool operator==(const SourceLoc&, const SourceLoc&) = default;
};
std::string to_string(const SourceLoc& loc);  // "encoder.yaml:12:5"

enum class Fault {
    Input,        ///< the user's file or flag is wrong               -> exit 2
    Unsupported,  ///< the input is valid, the model has no such      -> exit 4
    Hang,         ///< the modelled machine can no longer move        -> exit 3
    Interrupted,  ///< a signal asked to stop                         -> exit 130
    Internal,     ///< a bug here                                     -> exit 70
};
int exit_code(Fault fault);

/// One thing that is wrong.
struct Problem {
    Fault fault;
    SourceLoc loc;
    std::string message;
};
/// "error", "unsupported", "hang", "interrupted" or "internal error": as lines of messages name it.
const char* fault_name(Fault fault);

/// The one exception type that crosses library borders. what() holds one line per problem:
/// "file:12:5: error: text". Names in it come from files: control characters are escaped, see printable().
class Error : public std::runtime_error {
public:
    Error(Fault fault, SourceLoc loc, std::string message);
    Error(Fault fault, std::string lines, std::vector<Problem> problems);  ///< several finished lines (see Diagnostics)
    Fault fault() const { return fault_; }
    int exit_code() const { return ttsim::impl::exit_code(fault_); }
    const SourceLoc& where() const { return loc_; }
    const std::string& message() const { return message_; }             // without the place
    const std::vector<Problem>& problems() const { return problems_; }  ///< one or more, in the order of the file

private:
    Fault fault_;
    SourceLoc loc_;
    std::string message_;
    std::vector<Problem> problems_;
};

template <class... Args>
[[noreturn]] void fail_input(const SourceLoc& loc, fmt::format_string<Args...> text, Args&&... args) {
    throw Error(Fault::Input, loc, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
[[noreturn]] void fail_unsupported(const SourceLoc& loc, fmt::format_string<Args...> text, Args&&... args) {
    throw Error(Fault::Unsupported, loc, fmt::format(text, std::forward<Args>(args)...));
}

/// Collects the problems of one stage, so that all are shown at once.
class Diagnostics {
public:
    template <class... Args>
    void error(const SourceLoc& loc, fmt::format_string<Args...> text, Args&&... args) {
        add(Fault::Input, loc, fmt::format(text, std::forward<Args>(args)...));
    }
    template <class... Args>
    void unsupported(const SourceLoc& loc, fmt::format_string<Args...> text, Args&&... args) {
        add(Fault::Unsupported, loc, fmt::format(text, std::forward<Args>(args)...));
    }
    void add(Fault fault, SourceLoc loc, std::string message);
    void add(const Error& error);
    bool empty() const { return items_.empty(); }
    std::size_t size() const { return items_.size(); }
    /// Throws one Error with every problem, in the order of the file; does nothing when there is none.
    void throw_if_any() const;
    const std::vector<Problem>& items() const { return items_; }

private:
    std::vector<Problem> items_;
};

/// An invariant of ours. Not for checking input. Names its file without the folder, so that a cache of objects serves
/// every copy of the tree.
#define TT_CHECK(condition, ...)                                                                 \
    do {                                                                                         \
        if (!(condition)) [[unlikely]]                                                           \
            throw ttsim::impl::Error(ttsim::impl::Fault::Internal, {__FILE_NAME__, __LINE__, 0}, \
                                     #condition " is false: " + fmt::format(__VA_ARGS__));       \
    } while (false)

}  // namespace ttsim::impl
