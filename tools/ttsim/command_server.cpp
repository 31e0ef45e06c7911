#include "tools/ttsim/command_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "base/error.hpp"
#include "sim/systemc/systemc_functions.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/run_tool.hpp"
#include "tools/ttsim/preloaded_netlists.hpp"

namespace ttsim::impl::cli {

namespace {

using nlohmann::json;

constexpr std::size_t output_limit = std::size_t{256} << 20;  // bytes of a command's output that an answer has

/// Loads SystemC and reads the netlist of a request before the fork, so that later requests share them. The process of
/// the request reports what fails.
void preload(const std::vector<std::string>& words) {
    if (words.size() < 2 || words[0] != "run") return;
    try {
        sim::systemc();
        if (kind_of(words[1]) == InputKind::Netlist) preload_netlist(words[1]);
    } catch (const std::exception&) {
        return;
    }
}

class MemoryFile {
public:
    explicit MemoryFile(const char* name) : fd_(::memfd_create(name, MFD_CLOEXEC)) {
        if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    }
    ~MemoryFile() { ::close(fd_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    int fd() const { return fd_; }
    std::string text() const {
        struct stat found {};
        if (::fstat(fd_, &found) != 0) return {};
        std::string text(std::min<std::size_t>(static_cast<std::size_t>(found.st_size), output_limit), '\0');
        const ssize_t got = ::pread(fd_, text.data(), text.size(), 0);
        text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
        return text;
    }

private:
    int fd_;
};

struct Request {
    std::vector<std::string> words;
    double seconds = 0;        ///< limit; 0: none
    std::uint64_t memory = 0;  ///< limit of resident memory in bytes; 0: none
};

Request parsed(const std::string& line) {
    const json given = json::parse(line);
    Request request;
    request.words = given.at("command").get<std::vector<std::string>>();
    request.seconds = given.value("seconds", 0.0);
    request.memory = given.value("memory_bytes", std::uint64_t{0});
    if (request.words.empty()) throw std::invalid_argument("'command' is empty");
    if (request.words[0] == "batch") throw std::invalid_argument("'batch' cannot run itself");
    return request;
}

[[noreturn]] void run_in_child(const Command& command, const Request& request, const MemoryFile& out,
                               const MemoryFile& err) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a command does not outlive its server
    ::setpgid(0, 0);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    if (!std::freopen("/dev/null", "r", stdin)) ::_exit(71);  // without the requests that the server has read ahead
    ::dup2(out.fd(), STDOUT_FILENO);
    ::dup2(err.fd(), STDERR_FILENO);
    std::vector<std::string> words{"ttsim"};
    words.insert(words.end(), request.words.begin(), request.words.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const int status = run_tool([&] { return command(static_cast<int>(words.size()), argv.data()); });
    std::fflush(nullptr);
    ::_exit(status);
}

enum class End : std::uint8_t { Itself, Time, Memory };

std::uint64_t resident_bytes(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/statm", process));
    std::uint64_t all = 0, resident = 0;
    file >> all >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Waits until the process ends or exceeds a limit; kills it and its processes then. Resident memory is watched, since
/// the allocator reserves address space that it does not use.
End waited_for(pid_t child, const Request& request) {
    using clock = std::chrono::steady_clock;
    const int fd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    if (fd < 0) return End::Itself;  // an old kernel: without limits
    const auto end =
        request.seconds > 0
            ? clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(request.seconds))
            : clock::time_point::max();
    End how = End::Itself;
    pollfd waited{fd, POLLIN, 0};
    while (true) {
        const auto left = end == clock::time_point::max() ? std::chrono::hours(1) : end - clock::now();
        const auto step = request.memory != 0 ? std::min<clock::duration>(left, std::chrono::milliseconds(20)) : left;
        const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(step).count() + 1;
        const int ready = ::poll(&waited, 1, static_cast<int>(std::clamp<std::int64_t>(wait, 0, 3'600'000)));
        if (ready > 0) break;
        if (request.memory != 0 && resident_bytes(child) > request.memory) how = End::Memory;
        if (clock::now() >= end) how = End::Time;
        if (how != End::Itself) break;
    }
    ::close(fd);
    if (how != End::Itself) {
        ::kill(-child, SIGKILL);
        ::kill(child, SIGKILL);
    }
    return how;
}

double seconds_of(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

json answer(const Command& command, const Request& request) {
    const MemoryFile out("stdout"), err("stderr");
    preload(request.words);
    const auto begin = std::chrono::steady_clock::now();
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0) run_in_child(command, request, out, err);
    const End how = waited_for(child, request);
    int status = 0;
    rusage used{};
    while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    json result;
    result["status"] = WIFEXITED(status) ? json(WEXITSTATUS(status)) : json(nullptr);
    result["signal"] = WIFSIGNALED(status) ? json(WTERMSIG(status)) : json(nullptr);
    result["timed_out"] = how == End::Time;
    result["out_of_memory"] = how == End::Memory;
    result["seconds"] = wall.count();
    result["cpu_seconds"] = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    result["peak_bytes"] = static_cast<std::int64_t>(used.ru_maxrss) * 1024;
    result["stdout"] = out.text();
    result["stderr"] = err.text();
    return result;
}

}  // namespace

void serve_commands(const Command& command, std::istream& in, std::ostream& out) {
    std::string line;
    while (std::getline(in, line)) {
        json result;
        try {
            result = answer(command, parsed(line));
        } catch (const std::exception& e) {
            result = {{"error", e.what()}};
        }
        out << result.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
    }
}

}  // namespace ttsim::impl::cli
