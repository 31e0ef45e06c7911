// How ttsim fails. Every function of these headers throws nothing but ttsim::Error and std::bad_alloc.
#pragma once

#include <stdexcept>
#include <string>

#include <ttsim/export.hpp>

namespace ttsim {

enum class ErrorKind {
    Input,        ///< a file, name or value given is wrong
    Unsupported,  ///< it is valid, and the model lacks it
    Hang,         ///< the modelled machine can no longer move; the message holds the chain of who waits for whom
    Interrupted,  ///< a signal asked to stop
    Internal,     ///< a bug in ttsim
};

class TTSIM_API Error : public std::runtime_error {
public:
    Error(ErrorKind kind, const std::string& what, std::string file, int line, int column);
    ~Error() override;

    // what(): one line per problem, "file:12:5: error: text"
    ErrorKind kind() const { return kind_; }
    const std::string& file() const { return file_; }  ///< of the first problem; "" when it has no place
    int line() const { return line_; }                 ///< from 1; 0: unknown
    int column() const { return column_; }             ///< from 1; 0: unknown
    int exit_code() const;                             ///< what the command line tools end with

private:
    ErrorKind kind_;
    std::string file_;
    int line_, column_;
};

}  // namespace ttsim
