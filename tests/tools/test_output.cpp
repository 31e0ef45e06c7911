#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "tools/common/output.hpp"

namespace {

namespace fs = std::filesystem;

/// An empty folder that goes away with the test.
class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "ttsim_output_XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~Folder() { fs::remove_all(path_); }
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
    }

private:
    fs::path path_;
};

std::string content(const std::string& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("an output file appears only when it is written, and nothing else is left") {
    const Folder folder;
    const ttsim::impl::cli::OutputFile out(folder.file("a.json"), ttsim::impl::FileKind::Json);
    CHECK(folder.entries() == 0);
    out.write("{}\n");
    CHECK(content(folder.file("a.json")) == "{}\n");
    CHECK(folder.entries() == 1);
}

TEST_CASE("an output file replaces the old one as a whole") {
    const Folder folder;
    std::ofstream(folder.file("a.json")) << R"({"a": "much longer old text"})";
    ttsim::impl::cli::OutputFile(folder.file("a.json"), ttsim::impl::FileKind::Json).write("new");
    CHECK(content(folder.file("a.json")) == "new");
}

TEST_CASE("a folder that does not exist is reported before the run") {
    const Folder folder;
    CHECK_THROWS_WITH(ttsim::impl::cli::OutputFile(folder.file("no/a.json"), ttsim::impl::FileKind::Json),
                      folder.file("no/a.json") + ": error: cannot be written: No such file or directory");
}

TEST_CASE("a folder is not an output file") {
    const Folder folder;
    CHECK_THROWS_AS(ttsim::impl::cli::OutputFile(folder.file(""), ttsim::impl::FileKind::Json), ttsim::impl::Error);
}

TEST_CASE("a full device is an error, not a short file") {
    const ttsim::impl::cli::OutputFile out("/dev/full", ttsim::impl::FileKind::Json);
    CHECK_THROWS_WITH(out.write("text"), "/dev/full: error: cannot be written: No space left on device");
}
