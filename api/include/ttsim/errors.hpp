// Errors of ttsim. Functions of these headers throw ttsim::Error and std::bad_alloc only.
#pragma once

#include <stdexcept>
#include <string>

#include <ttsim/export.hpp>

namespace ttsim {

enum class ErrorKind {
    Input,        ///< a given file, name or value is invalid
    Unsupported,  ///< the input is valid, but ttsim does not support it
    Hang,         ///< the simulated machine is blocked; the message contains the wait-for chain
    Interrupted,  ///< a signal requested to stop
    Internal,     ///< a bug in ttsim
};

/// The exception of all functions. what() has one line per problem, "file:12:5: error: text".
class TTSIM_API Error : public std::runtime_error {
public:
    Error(ErrorKind kind, const std::string& what, std::string file, int line, int column);
    ~Error() override;

    ErrorKind kind() const { return kind_; }
    const std::string& file() const { return file_; }  ///< file of the first problem; "" when it has none
    int line() const { return line_; }                 ///< from 1; 0: unknown
    int column() const { return column_; }             ///< from 1; 0: unknown
    int exit_code() const;                             ///< exit code of the command line tools for this kind

private:
    ErrorKind kind_;
    std::string file_;
    int line_, column_;
};

}  // namespace ttsim
