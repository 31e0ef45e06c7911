// Errors and diagnostics: the kind of fault, the place in the input, and the message.
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
    Unsupported,  ///< the input is valid, but the simulator does not support it -> exit 4
    Hang,         ///< the simulated machine cannot go on -> exit 3
    Interrupted,  ///< a signal asked to stop                         -> exit 130
    Internal,     ///< a bug in ttsim -> exit 70
};
int exit_code(Fault fault);

/// One reported error.
struct Problem {
    Fault fault;
    SourceLoc loc;
    std::string message;
};
/// The prefix of message lines: "error", "unsupported", "hang", "interrupted" or "internal error".
const char* fault_name(Fault fault);

/// The only exception type that crosses library boundaries. what() holds one line per problem: "file:12:5: error:
/// text". Names in messages come from files, so control characters are escaped, see printable().
class Error : public std::runtime_error {
public:
    Error(Fault fault, SourceLoc loc, std::string message);
    Error(Fault fault, std::string lines,
          std::vector<Problem> problems);  ///< several formatted lines (see Diagnostics)
    Fault fault() const { return fault_; }
    int exit_code() const { return ttsim::impl::exit_code(fault_); }
    const SourceLoc& where() const { return loc_; }
    const std::string& message() const { return message_; }             // without the source location
    const std::vector<Problem>& problems() const { return problems_; }  ///< at least one, in file order

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

/// Collects the problems of one stage, to report all of them at once.
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
    /// Throws one Error with all problems in file order; returns if there are none.
    void throw_if_any() const;
    const std::vector<Problem>& items() const { return items_; }

private:
    std::vector<Problem> items_;
};

/// Checks an internal invariant; not for input errors. Uses the file name without its folder, so that a compiler cache
/// works for every copy of the source tree.
#define TT_CHECK(condition, ...)                                                                 \
    do {                                                                                         \
        if (!(condition)) [[unlikely]]                                                           \
            throw ttsim::impl::Error(ttsim::impl::Fault::Internal, {__FILE_NAME__, __LINE__, 0}, \
                                     #condition " is false: " + fmt::format(__VA_ARGS__));       \
    } while (false)

}  // namespace ttsim::impl
