#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "base/command_files.hpp"
#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/read_file.hpp"
#include "tests/netlist/temp_folder.hpp"

using namespace ttsim::impl;
namespace fs = std::filesystem;

namespace {

std::string content(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string written(const std::string& path, FileKind kind) {
    try {
        write_new_file(path, kind, [](std::ostream& out) { out << "new"; });
    } catch (const Error& error) {
        return error.what();
    }
    return content(path);
}

/// What a test notes is forgotten with its end.
struct Command {
    ~Command() { reset_command(); }
};

/// What fsync() does and sees, while a test looks.
struct Disk {
    std::function<void(const std::string& path)> seen;
    int error = 0;
};
Disk* disk = nullptr;

}  // namespace

/// In the place of the library's.
extern "C" int fsync(int descriptor) {
    if (!disk) return 0;
    if (disk->error != 0) {
        errno = disk->error;
        return -1;
    }
    disk->seen(fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor)).string());
    return 0;
}

TEST_CASE("files are recognized by their content") {
    struct Case {
        std::string text;
        FileKind kind;
    };
    const std::string trace =
        std::string("SQLite format 3\0", 16) + std::string(52, '\0') + "ttpf" + std::string(40, '\0');
    const Case cases[] = {{"{\"a\": [1, 2]}\n", FileKind::Json},
                          {"[" + std::string(2 << 20, ' '), FileKind::Json},  // right as far as it is looked at
                          {"a,b\n1,2\n3,\"4,5\"\n", FileKind::Csv},
                          {"a,b", FileKind::Csv},
                          {trace, FileKind::Trace},
                          {"\x93NUMPY\x01", FileKind::Npy}};
    for (const Case& one : cases)
        for (const FileKind kind : {FileKind::Json, FileKind::Csv, FileKind::Trace, FileKind::Npy, FileKind::Text}) {
            INFO(one.text.substr(0, 40) << " " << to_string(kind));
            CHECK(looks_like(write_temp("kind", one.text), kind) == (kind == one.kind));
        }
    for (const std::string text : {"{devices: {arch: grayskull}}", "a text, with commas\nand without\n", "\n",
                                   "{\"a\": 1} and more", "SQLite format 3", "\"text\""})
        for (const FileKind kind : {FileKind::Json, FileKind::Csv, FileKind::Trace, FileKind::Npy}) {
            INFO(text << " " << to_string(kind));
            CHECK_FALSE(looks_like(write_temp("kind", text), kind));
        }
    CHECK(looks_like(write_temp("kind", ""), FileKind::Text));
}

TEST_CASE("a file is replaced only by its own kind, and an input never") {
    const Command command;
    const std::string json = write_temp("old.json", "{}"), text = write_temp("old.txt", "mine");
    CHECK(written(text, FileKind::Json) ==
          text + ": error: exists and is not JSON; it is left as it is (--force replaces it)");
    CHECK(content(text) == "mine");
    register_input(json);
    const fs::path link = temp_folder() / "link.json", hard = temp_folder() / "hard.json";
    fs::create_symlink("old.json", link);
    fs::create_hard_link(json, hard);
    for (const std::string& name : {json, link.string(), hard.string(), (temp_folder() / "." / "old.json").string()})
        CHECK(written(name, FileKind::Json) ==
              name + ": error: is an input of this command; name another file for the result, or add --force");
    CHECK(content(json) == "{}");
    force_outputs(true);
    CHECK(written(link.string(), FileKind::Json) == "new");
    CHECK(fs::is_symlink(link));  // what it leads to is replaced
    CHECK(content(json) == "new");
    CHECK(content(hard) == "{}");
    CHECK(holds_whole_files(temp_folder()));
}

TEST_CASE("files of a folder that is read are inputs, others in it are not") {
    const Command command;
    const fs::path folder = temp_folder() / "io";
    fs::create_directories(folder / "inputs");
    for (const char* name : {"manifest.json", "report.json"}) std::ofstream(folder / name) << "{}";
    register_input(folder.string());
    CHECK_THROWS_WITH(check_replaceable((folder / "manifest.json").string(), FileKind::Json),
                      Catch::Contains("is an input"));
    CHECK_NOTHROW(check_replaceable((folder / "report.json").string(), FileKind::Json));
}

TEST_CASE("results beside a compiled model are replaced, its own arrays and those of a dump are not") {
    const Command command;
    const auto folder_with = [](const char* called, std::initializer_list<const char*> files) {
        const fs::path folder = temp_folder() / called;
        for (const char* file : files) {
            fs::create_directories((folder / file).parent_path());
            std::ofstream(folder / file) << "\x93NUMPY";
        }
        register_input(folder.string());
        return folder;
    };
    const auto check = [](const fs::path& file) { check_replaceable(file.string(), FileKind::Npy); };
    const fs::path compiled =
        folder_with("model", {"netlist.yaml", "manifest.json", "host_steps.json", "weight.npy", "outputs/y.npy"});
    CHECK_NOTHROW(check(compiled / "outputs" / "y.npy"));
    CHECK_THROWS_WITH(check(compiled / "weight.npy"), Catch::Contains("is an input"));
    const fs::path dump = folder_with("dumped", {"manifest.json", "inputs/x.npy", "outputs/y.npy"});
    for (const char* name : {"inputs/x.npy", "outputs/y.npy"})
        CHECK_THROWS_WITH(check(dump / name), Catch::Contains("is an input"));
}

TEST_CASE("a folder appears whole, in place of an old one of its kind only") {
    const Command command;
    const fs::path folder = temp_folder() / "above" / "dump";
    const auto make = [&](const std::string& text, bool whole) {
        NewFolder fresh(folder.string() + "/", dump_folder());
        for (const char* part : {"inputs", "outputs"}) fs::create_directory(fs::path(fresh.temporary()) / part);
        std::ofstream(fs::path(fresh.temporary()) / "manifest.json") << text;
        if (whole) fresh.commit();
    };
    make("first", false);
    CHECK_FALSE(fs::exists(folder.parent_path()));
    make("first", true);
    make("second", false);
    CHECK(content(folder / "manifest.json") == "first");
    make("second", true);
    CHECK(content(folder / "manifest.json") == "second");
    CHECK(holds_whole_files(folder.parent_path()));
    std::ofstream(folder / "inputs" / "x.npy") << "no array";
    CHECK_THROWS_WITH(make("third", true),
                      Catch::Contains("'inputs/x.npy' is not one of its parts; it is left as it is"));
    fs::remove(folder / "inputs" / "x.npy");
    register_input((folder / "inputs").string());
    CHECK_THROWS_WITH(make("third", true), Catch::Contains("holds inputs of this command"));
    reset_command();
    fs::remove(folder / "manifest.json");
    force_outputs(true);
    CHECK_THROWS_WITH(make("third", true), Catch::Contains("it has no 'manifest.json'"));
}

TEST_CASE("devices, pipes and folders are not read as files") {
    CHECK_THROWS_WITH(read_file("/dev/zero", 1000), "/dev/zero: error: is a device or a pipe; a file is wanted");
    CHECK_THROWS_WITH(read_file(temp_folder().string(), 1000), Catch::Contains("is a folder; a file is wanted"));
}

TEST_CASE("a file's content is on disk before its final name") {
    const fs::path folder = temp_folder() / "disk";
    fs::create_directories(folder);
    const std::string path = (folder / "report.json").string();
    std::vector<std::string> order;
    Disk looked{
        [&](const std::string& seen) {
            order.push_back((seen == folder ? "folder" : "file") + std::string(fs::exists(path) ? ", named" : ""));
        },
        0};
    disk = &looked;
    CHECK(written(path, FileKind::Json) == "new");
    CHECK(order == std::vector<std::string>{"file", "folder, named"});
    fs::remove(path);
    write_new_file(
        path, FileKind::Json, [](std::ostream& out) { out << "{}"; }, Durability::No);
    CHECK(order.size() == 2);
    looked.error = ENOSPC;  // some file systems notice only now
    CHECK_THAT(written(path, FileKind::Json), Catch::Contains("No space left"));
    CHECK(content(path) == "{}");
    CHECK(holds_whole_files(folder));
    looked.error = EINVAL;  // others have nothing to wait for
    fs::remove(path);
    CHECK(written(path, FileKind::Json) == "new");
    disk = nullptr;
}

TEST_CASE("a folder's content is on disk before its final name") {
    const fs::path folder = temp_folder() / "disk_of_folder";
    std::size_t before = 0, after = 0;
    Disk looked{[&](const std::string&) { ++(fs::exists(folder) ? after : before); }, 0};
    NewFolder made(folder.string(), dump_folder());
    fs::create_directory(made.temporary() + "/inputs");
    std::ofstream(made.temporary() + "/manifest.json") << "{}";
    disk = &looked;
    write_new_file(made.temporary() + "/inputs/x.npy", FileKind::Npy, [](std::ostream& out) { out << "x"; });
    CHECK(before == 0);  // all at once, at the end
    made.commit();
    disk = nullptr;
    CHECK(before == 4);  // both files, both folders
    CHECK(after == 1);   // the folder above
}

TEST_CASE("a result is not written through the link of another user") {
    CHECK(may_follow(1000, 1000));
    CHECK(may_follow(0, 1000));
    CHECK_FALSE(may_follow(1001, 1000));
    CHECK_FALSE(may_follow(1001, 0));
    const fs::path folder = temp_folder() / "shared", mine = temp_folder() / "mine.json";
    fs::create_directories(folder);
    fs::permissions(folder, fs::perms::all | fs::perms::sticky_bit);
    std::ofstream(mine) << "{}";
    fs::create_symlink(mine, folder / "there.json");
    fs::create_symlink(temp_folder() / "nothing.json", folder / "dangling.json");
    fs::create_symlink(temp_folder(), folder / "way");
    CHECK(written((folder / "dangling.json").string(), FileKind::Json) == "new");  // one's own
    fs::remove(temp_folder() / "nothing.json");
    if (::geteuid() != 0) {
        WARN("links of another user: only user 0 can make them");
        return;
    }
    for (const char* name : {"there.json", "dangling.json", "way"})
        REQUIRE(::lchown((folder / name).c_str(), 65534, 65534) == 0);
    for (const char* name : {"there.json", "dangling.json", "way/out.json"}) {
        const std::string path = (folder / name).string();
        CHECK_THAT(written(path, FileKind::Json), Catch::StartsWith(path + ": error: cannot be written: '") &&
                                                      Catch::Contains("' is a symbolic link of another user"));
    }
    for (const char* name : {"dangling.json", "way/out"})
        CHECK_THROWS_WITH(NewFolder((folder / name).string(), compiled_folder()),
                          Catch::Contains("is a symbolic link of another user"));
    CHECK(content(mine) == "{}");
    CHECK_FALSE(fs::exists(temp_folder() / "nothing.json"));
    CHECK_FALSE(fs::exists(temp_folder() / "out.json"));
}
