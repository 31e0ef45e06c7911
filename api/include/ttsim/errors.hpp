// Errors of ttsim. Functions of these headers throw ttsim::Error and std::bad_alloc only.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <ttsim/export.hpp>

namespace ttsim {

enum class ErrorKind {
    Input,        ///< a given file, name or value is invalid
    Unsupported,  ///< the input is valid, but ttsim does not support it
    Hang,         ///< the simulated machine is blocked; the message contains the wait-for chain
    Interrupted,  ///< a signal requested to stop
    Internal,     ///< a bug in ttsim
    Resource,     ///< threads, file descriptors or another resource of the process ran out
};

/// One problem of an error.
struct Problem {
    ErrorKind kind = ErrorKind::Internal;
    /// What is wrong, as a word for programs. Released words keep their meaning: no-such-file, unreadable-file, syntax,
    /// wrong-value, unknown-name, duplicate-name, wrong-shape, cannot-stream, cannot-split, too-few-epochs,
    /// no-fitting-grid, unsupported-op, needs-recompilation, out-of-memory, not-allocated, resource-limit. Other
    /// problems have a word of their kind: invalid-input, unsupported, hang, interrupted, internal.
    std::string code;
    std::string message;           ///< without the place, with the remedy
    std::string remedy;            ///< what helps; "": the message has no separate remedy
    std::string file;              ///< "": no file is concerned
    int line = 0, column = 0;      ///< from 1; 0: unknown
    std::vector<std::string> ops;  ///< names of the ops, queues or nodes of the model concerned
};

/// The exception of all functions. what() has one line per problem, "file:12:5: error: text".
class TTSIM_API Error : public std::runtime_error {
public:
    Error(ErrorKind kind, const std::string& what, std::string file, int line, int column);
    /// `problems`: at least one.
    Error(ErrorKind kind, const std::string& what, std::vector<Problem> problems);
    ~Error() override;

    ErrorKind kind() const { return kind_; }
    const std::vector<Problem>& problems() const { return problems_; }  ///< at least one, in file order
    const std::string& code() const { return problems_.front().code; }
    const std::string& file() const { return problems_.front().file; }  ///< file of the first problem; "": none
    int line() const { return problems_.front().line; }                 ///< from 1; 0: unknown
    int column() const { return problems_.front().column; }             ///< from 1; 0: unknown
    std::vector<std::string> ops() const;                               ///< names of all problems, each once, in order
    int exit_code() const;  ///< exit code of the command line tools for this kind

private:
    ErrorKind kind_;
    std::vector<Problem> problems_;
};

}  // namespace ttsim
