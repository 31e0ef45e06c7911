// Folders that processes share: a process that replaces one waits for its readers.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/folder_lock.hpp"
#include "tests/netlist/temp_folder.hpp"

using namespace ttsim::impl;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

/// A folder of one test's own.
class TestFolder {
public:
    TestFolder() {
        std::string pattern = (temp_folder() / "hold_XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

/// A process that does the work, says so, and ends when it is let.
class Other {
public:
    explicit Other(const std::function<void()>& work) {
        REQUIRE(::pipe(said_.data()) == 0);
        REQUIRE(::pipe(let_.data()) == 0);
        child_ = ::fork();
        if (child_ == 0) {
            work();
            char byte = 'x';
            if (::write(said_[1], &byte, 1) == 1) (void)!::read(let_[0], &byte, 1);
            ::_exit(0);
        }
        char byte = 0;
        REQUIRE(::read(said_[0], &byte, 1) == 1);
    }
    Other(const Other&) = delete;
    Other& operator=(const Other&) = delete;
    ~Other() { end(); }
    void end() {
        if (child_ == 0) return;
        (void)!::write(let_[1], "x", 1);
        ::waitpid(child_, nullptr, 0);
        child_ = 0;
        for (const int descriptor : {said_[0], said_[1], let_[0], let_[1]}) ::close(descriptor);
    }

private:
    std::array<int, 2> said_{}, let_{};
    pid_t child_ = 0;
};

}  // namespace

TEST_CASE("a folder is held alone when no other process holds it") {
    const TestFolder folder;
    const std::string path = folder / "held";
    CHECK(lock_folder(path) == nullptr);
    CHECK(lock_folder_exclusively(path, 0ms) == nullptr);
    fs::create_directory(path);
    const FolderLockPtr own = lock_folder(path);
    CHECK(lock_folder(path) == own);
    CHECK(lock_folder_exclusively(path, 0ms) != nullptr);  // this process's own holds do not count
    FolderLockPtr kept;
    Other other([&] { kept = lock_folder(path); });
    CHECK(lock_folder_exclusively(path, 50ms) == nullptr);
    CHECK(lock_folder(path) == own);
    other.end();
    CHECK(lock_folder_exclusively(path, 0ms) != nullptr);
}

TEST_CASE("a hold is of the folder as it was, whatever has its name") {
    const TestFolder folder;
    const std::string path = folder / "held";
    fs::create_directory(path);
    std::ofstream(path + "/first") << "1";
    const FolderLockPtr hold = lock_folder(path);
    fs::rename(path, folder / "old");
    fs::create_directory(path);
    CHECK(fs::exists(hold->path() + "/first"));
    CHECK_FALSE(fs::exists(lock_folder(path)->path() + "/first"));
    Other other([&] { (void)lock_folder(path); });  // held no more
    CHECK(lock_folder_exclusively(path, 0ms) != nullptr);
}

TEST_CASE("places are held by one process at a time") {
    const TestFolder folder;
    FolderLockPtr kept = lock_parent_folder(folder / "made");
    REQUIRE(kept);
    const pid_t child = ::fork();
    if (child == 0) {
        (void)lock_parent_folder(folder / "other");
        ::_exit(fs::exists(folder / "let") ? 0 : 1);
    }
    ::usleep(50'000);
    std::ofstream(folder / "let") << "1";
    kept.reset();
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}
