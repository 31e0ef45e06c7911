// Threads and memory that the system does not give, and folders that lead out of themselves.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/error.hpp"
#include "base/file_set.hpp"
#include "base/parallel.hpp"
#include "base/thread_pool.hpp"
#include "tests/netlist/temp_folder.hpp"

using namespace ttsim::impl;
namespace fs = std::filesystem;

namespace {

/// Runs `work` in a process of its own that may start no thread, or hardly any memory. 0: it was right.
int limited(int what, rlim_t most, const std::function<bool()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (::geteuid() == 0 && what == RLIMIT_NPROC && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(3);
        rlimit limit{};
        ::getrlimit(static_cast<__rlimit_resource>(what), &limit);
        limit.rlim_cur = most;
        ::setrlimit(static_cast<__rlimit_resource>(what), &limit);
        int code = 2;
        try {
            code = work() ? 0 : 1;
        } catch (...) {
        }
        ::_exit(code);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool pool_works(unsigned wanted, unsigned most) {
    ThreadPool pool(wanted);
    if (pool.threads() < 1 || pool.threads() > most) return false;
    std::atomic<int> sum = 0;
    pool.parallel_for(100, [&](std::size_t i) { sum += static_cast<int>(i); });
    const Task first = pool.submit([&] { ++sum; });
    pool.wait(pool.submit([&] { ++sum; }, {first, first}));
    return sum == 4952 && pool.pending() == 0;
}

}  // namespace

TEST_CASE("where no thread can be started the caller does the work") {
    CHECK(limited(RLIMIT_NPROC, 0, [] { return pool_works(8, 1); }) == 0);
    CHECK(limited(RLIMIT_NPROC, 0, [] {
              std::atomic<int> sum = 0;
              parallel_for(8, 100, [&](std::size_t i) { sum += static_cast<int>(i); });
              return sum == 4950;
          }) == 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("where memory ends before all threads start, those started do the work") {
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    const rlim_t used = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
    for (const rlim_t more : {rlim_t{1} << 20, rlim_t{20} << 20, rlim_t{50} << 20, rlim_t{200} << 20}) {
        INFO(more);
        CHECK(limited(RLIMIT_AS, used + more, [] { return pool_works(500, 499); }) == 0);
    }
}
#endif

TEST_CASE("an unpacked folder contains no links out of it") {
    const fs::path outside = temp_folder() / "outside", folder = temp_folder() / "inside";
    fs::create_directories(outside);
    fs::create_directories(folder);
    std::ofstream(outside / "secret") << "secret";
    std::ofstream(folder / "file") << "own";
    fs::create_directory(folder / "below");
    fs::create_symlink(outside / "secret", folder / "link");
    fs::create_symlink("link", folder / "link_of_link");
    fs::create_symlink(outside, folder / "folder");
    fs::create_symlink("../file", folder / "below/inner");
    fs::create_symlink(outside / "none", folder / "dangling");
    const std::string top = folder.string();
    const FolderFiles files(top);
    CHECK(files.read("file", 100).text() == "own");
    CHECK(files.read("below/inner", 100).text() == "own");  // stays below
    for (const std::string name : {"link", "link_of_link", "folder/secret"}) {
        INFO(name);
        CHECK_THROWS_WITH(files.read(name, 100), Catch::Contains("a link that leads out of the folder"));
        CHECK_THROWS_WITH(resolve_inside(top, name), Catch::Contains("a link that leads out of the folder"));
    }
    for (const std::string& name : {std::string("../x"), std::string("/etc/passwd"), std::string("below/../../x")})
        CHECK_THROWS_WITH(resolve_inside(top, name), Catch::Contains("lies outside of the folder"));
    CHECK_THROWS_AS(files.read("dangling", 100), Error);
    CHECK(resolve_inside(top + "/none", "file") == top + "/none/file");
    fs::create_directory_symlink(top, outside / "to_folder");
    CHECK(FolderFiles((outside / "to_folder").string()).read("file", 100).text() ==
          "own");  // the folder itself is the user's word
}
