// Templates of other libraries that their shared libraries have in compiled form. Precompiled headers include this
// file; without it, each object would compile them again: 50 KB of machine code in four seconds.
#pragma once

#include <fmt/format.h>

// fmt 9 exports the function and does not declare it, since Clang and GCC want different attributes.
#if defined(__GNUC__) && !defined(__clang__) && !defined(FMT_HEADER_ONLY) && FMT_VERSION / 10000 == 9
namespace fmt::detail {
extern template FMT_API void vformat_to(buffer<char>& out, string_view text,
                                        basic_format_args<FMT_BUFFER_CONTEXT(char)> arguments, locale_ref locale);
}  // namespace fmt::detail
#endif
