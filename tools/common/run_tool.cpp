#include "tools/common/run_tool.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/temporaries.hpp"
#include "tools/common/terminal.hpp"
#include "tools/common/throwing_new.hpp"

namespace ttsim::impl::cli {

namespace {

int fail(int status, const std::string& text) {
    std::fflush(stdout);
    fmt::print(stderr, "{}\n", painted_message(text));
    return status;
}

/// Takes no memory.
void tell(std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
        if (n <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

int out_of_memory() {
    tell(
        "error: out of memory: raise the limit ('ulimit -v', or that of the container), or take a smaller input or "
        "fewer --threads\n");
    return machine_limit;
}

bool is_limit(const std::error_code& code) {
    for (const std::errc limit : {std::errc::not_enough_memory, std::errc::resource_unavailable_try_again,
                                  std::errc::too_many_files_open, std::errc::too_many_files_open_in_system})
        if (code == limit) return true;
    return false;
}

int status_of(const std::function<int()>& tool) {
    try {
        return tool();
    } catch (const Error& e) {
        return fail(e.exit_code(), e.what());
    } catch (const std::bad_alloc&) {
        std::fflush(stdout);
        return out_of_memory();
    } catch (const std::system_error& e) {
        if (!is_limit(e.code())) return fail(our_bug, fmt::format("error: internal: {}", e.what()));
        return fail(
            machine_limit,
            fmt::format("error: {}: a limit of this machine; 'ulimit -a' lists those of the process", e.what()));
    } catch (const std::exception& e) {
        return fail(our_bug, fmt::format("error: internal: {}", e.what()));
    } catch (...) {
        return fail(our_bug, "error: internal: unknown exception");
    }
}

/// What nobody could catch: memory that ran out before main() or in a function that may not throw.
[[noreturn]] void end_in_order() {
    remove_temporaries();
    if (!std::current_exception()) {
        if (lacked_memory) ::_exit(out_of_memory());  // not even for the exception
        tell("error: internal: std::terminate()\n");
        ::_exit(our_bug);
    }
    try {
        throw;
    } catch (const std::bad_alloc&) {
        ::_exit(out_of_memory());
    } catch (const std::exception& e) {
        tell("error: internal: ");
        tell(e.what());
        tell("\n");
    } catch (...) {
        tell("error: internal: unknown exception\n");
    }
    ::_exit(our_bug);
}

void prepare() { std::set_terminate(end_in_order); }

// Before the constructors of globals, also of those of shared libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*const prepare_first)() = prepare;

}  // namespace

int run_tool(const std::function<int()>& tool) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a write error like a full disk
    remove_temporaries_on_signals();
    try {
        return status_of(tool);
    } catch (const std::bad_alloc&) {  // no memory for the message
        return out_of_memory();
    }
}

}  // namespace ttsim::impl::cli
