#include "tools/common/run_tool.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "base/error.hpp"
#include "base/temporaries.hpp"
#include "tools/common/terminal.hpp"

namespace tt::cli {

static int fail(int status, const std::string& text) {
    std::fflush(stdout);
    fmt::print(stderr, "{}\n", painted_message(text));
    return status;
}

int run_tool(const std::function<int()>& tool) {
    remove_temporaries_on_signals();
    try {
        return tool();
    } catch (const Error& e) {
        return fail(e.exit_code(), e.what());
    } catch (const std::bad_alloc&) {
        return fail(our_bug, "error: out of memory");
    } catch (const std::exception& e) {
        return fail(our_bug, fmt::format("error: internal: {}", e.what()));
    } catch (...) {
        return fail(our_bug, "error: internal: unknown exception");
    }
}

}  // namespace tt::cli
