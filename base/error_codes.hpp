// Codes of errors, for programs that branch on the kind of an error. They are part of the public interface
// (api/include/ttsim/errors.hpp, docs/python.md): a released code keeps its meaning.
#pragma once

namespace ttsim::impl::error_code {

inline constexpr const char* no_such_file = "no-such-file";        ///< a file or folder does not exist
inline constexpr const char* unreadable_file = "unreadable-file";  ///< a file exists and cannot be read
inline constexpr const char* syntax = "syntax";                    ///< text that is not YAML, JSON or the like
inline constexpr const char* wrong_value = "wrong-value";          ///< a key of a file has a value of another kind
inline constexpr const char* unknown_name = "unknown-name";        ///< a name that nothing has
inline constexpr const char* duplicate_name = "duplicate-name";    ///< two things of one name
inline constexpr const char* wrong_shape = "wrong-shape";          ///< values whose shape does not fit
inline constexpr const char* cannot_stream = "cannot-stream";    ///< an override requests slices that an op cannot have
inline constexpr const char* cannot_split = "cannot-split";      ///< an override requests parts that an op cannot have
inline constexpr const char* too_few_epochs = "too-few-epochs";  ///< fewer epochs than chips
inline constexpr const char* no_fitting_grid = "no-fitting-grid";          ///< an op is too large for the chip
inline constexpr const char* unsupported_op = "unsupported-op";            ///< an op that the compiler lacks
inline constexpr const char* needs_recompilation = "needs-recompilation";  ///< a constant that the compiler used
inline constexpr const char* out_of_memory = "out-of-memory";    ///< no hole of a device's memory is large enough
inline constexpr const char* not_allocated = "not-allocated";    ///< a buffer of a device was deallocated
inline constexpr const char* resource_limit = "resource-limit";  ///< threads or file descriptors ran out

}  // namespace ttsim::impl::error_code
