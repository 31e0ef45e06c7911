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

/// What an error concerns.
struct Subject {
    SourceLoc loc;
    std::string code{};              ///< of base/error_codes.hpp; "": the code of the fault
    std::vector<std::string> ops{};  ///< names of the ops, queues or nodes concerned
    std::string remedy{};            ///< appended to the message: "message; remedy"
};

/// One reported error.
struct Problem {
    Fault fault;
    SourceLoc loc;
    std::string message;  ///< with the remedy
    std::string code{};   ///< the same for all errors of one kind, for programs; "": the code of the fault
    std::vector<std::string> ops{};
    std::string remedy{};
};
Problem make_problem(Fault fault, Subject subject, std::string message);
/// The code of a problem, or of its fault: "invalid-input", "unsupported", "hang", "interrupted", "internal".
std::string code_of(const Problem& problem);
/// The prefix of message lines: "error", "unsupported", "hang", "interrupted" or "internal error".
const char* fault_name(Fault fault);

/// The only exception type that crosses library boundaries. what() holds one line per problem: "file:12:5: error:
/// text". Names in messages come from files, so control characters are escaped, see printable().
class Error : public std::runtime_error {
public:
    Error(Fault fault, SourceLoc loc, std::string message);
    Error(Fault fault, std::string lines,
          std::vector<Problem> problems);  ///< several formatted lines (see Diagnostics)
    explicit Error(const Problem& problem);
    Fault fault() const { return fault_; }
    int exit_code() const { return ttsim::impl::exit_code(fault_); }
    const SourceLoc& where() const { return loc_; }
    const std::string& message() const { return message_; }             // without the source location
    const std::vector<Problem>& problems() const { return problems_; }  ///< at least one, in file order
    std::string code() const { return code_of(problems_.front()); }     ///< of the first problem
    std::vector<std::string> ops() const;                               ///< of all problems, each name once, in order

protected:
    /// Sets code and ops of problems that have none.
    void complete_problems(const std::string& code, const std::vector<std::string>& ops);

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

/// An error with a code, names of ops or a remedy.
template <class... Args>
[[noreturn]] void fail(Fault fault, Subject subject, fmt::format_string<Args...> text, Args&&... args) {
    throw Error(make_problem(fault, std::move(subject), fmt::format(text, std::forward<Args>(args)...)));
}
/// Invalid input with a code of base/error_codes.hpp.
template <class... Args>
[[noreturn]] void fail_input_as(const char* code, const SourceLoc& loc, fmt::format_string<Args...> text,
                                Args&&... args) {
    throw Error(make_problem(Fault::Input, {loc, code}, fmt::format(text, std::forward<Args>(args)...)));
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
    void add(Problem problem) { items_.push_back(std::move(problem)); }
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
