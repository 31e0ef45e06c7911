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
#include "base/machine_limit.hpp"
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

/// Writes to standard error without allocating memory.
void write_stderr(std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
        if (n <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

int out_of_memory() {
    write_stderr(
        "error: out of memory: raise the limit ('ulimit -v', or that of the container), or use a smaller input or "
        "fewer --threads\n");
    return resource_limit;
}

int exit_status_of(const std::function<int()>& tool) {
    try {
        return tool();
    } catch (const Error& e) {
        return fail(e.exit_code(), e.what());
    } catch (const std::bad_alloc&) {
        std::fflush(stdout);
        return out_of_memory();
    } catch (const std::system_error& e) {
        if (!is_resource_limit(e.code())) return fail(internal_error, fmt::format("error: internal: {}", e.what()));
        return fail(resource_limit,
                    fmt::format("error: {}: a resource limit was reached; 'ulimit -a' lists the limits of the process",
                                e.what()));
    } catch (const std::exception& e) {
        return fail(internal_error, fmt::format("error: internal: {}", e.what()));
    } catch (...) {
        return fail(internal_error, "error: internal: unknown exception");
    }
}

/// Handles uncaught exceptions: of constructors of globals before main(), and of noexcept functions.
[[noreturn]] void on_terminate() {
    remove_temporaries();
    if (!std::current_exception()) {
        if (allocation_failed) ::_exit(out_of_memory());  // too little even for the exception object
        write_stderr("error: internal: std::terminate()\n");
        ::_exit(internal_error);
    }
    try {
        throw;
    } catch (const std::bad_alloc&) {
        ::_exit(out_of_memory());
    } catch (const std::exception& e) {
        write_stderr("error: internal: ");
        write_stderr(e.what());
        write_stderr("\n");
    } catch (...) {
        write_stderr("error: internal: unknown exception\n");
    }
    ::_exit(internal_error);
}

void install_handler() { std::set_terminate(on_terminate); }

// Runs before the constructors of globals, including those of shared libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*const install_first)() = install_handler;

}  // namespace

int run_tool(const std::function<int()>& tool) {
    std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit is then a write error, like a full disk
    remove_temporaries_on_signals();
    try {
        return exit_status_of(tool);
    } catch (const std::bad_alloc&) {  // no memory for the message
        return out_of_memory();
    }
}

}  // namespace ttsim::impl::cli
