// Hostile processes: of another user, who must not stop a device, and of the same one, who must not stop the
// process that has it.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/api/embedded/processes.hpp"

using namespace embedded_test;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// Sockets lie in a folder of the test's own.
class RuntimeFolder {
public:
    RuntimeFolder() {
        fs::permissions(path(), fs::perms::owner_all);
        ::setenv("XDG_RUNTIME_DIR", path().c_str(), 1);
    }
    ~RuntimeFolder() { ::unsetenv("XDG_RUNTIME_DIR"); }
    RuntimeFolder(const RuntimeFolder&) = delete;
    RuntimeFolder& operator=(const RuntimeFolder&) = delete;
    std::string path() const { return folder_ / ""; }
    std::vector<fs::path> sockets() const {
        std::vector<fs::path> all;
        std::error_code none;
        for (const auto& entry : fs::directory_iterator(path() + "ttsim", none)) all.push_back(entry.path());
        return all;
    }

private:
    Folder folder_;
};

std::size_t count_of(const char* folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}
std::size_t descriptors() { return count_of("/proc/self/fd"); }
std::size_t threads() { return count_of("/proc/self/task"); }

/// Until it is so, 5 s at most.
bool soon(const std::function<bool()>& so) {
    for (int k = 0; k < 500; ++k) {
        if (so()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return so();
}

double processor_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// A connection that speaks for itself.
class Raw {
public:
    explicit Raw(const fs::path& socket) : number_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::snprintf(address.sun_path, sizeof address.sun_path, "%s", socket.c_str());
        if (::connect(number_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            throw std::runtime_error("connect: " + std::string(std::strerror(errno)));
        const timeval seconds{20, 0};
        ::setsockopt(number_, SOL_SOCKET, SO_RCVTIMEO, &seconds, sizeof seconds);
    }
    ~Raw() { ::close(number_); }
    Raw(const Raw&) = delete;
    Raw& operator=(const Raw&) = delete;

    void bytes(const std::string& text) const { (void)!::send(number_, text.data(), text.size(), MSG_NOSIGNAL); }
    void message(const std::string& body) const {
        const std::uint64_t size = body.size();
        bytes(std::string(reinterpret_cast<const char*>(&size), sizeof size) + body);
    }
    void message(const json& call) const {
        const auto body = json::to_cbor(call);
        message(std::string(body.begin(), body.end()));
    }
    /// Null where the connection has ended.
    json answer() const {
        std::uint64_t size = 0;
        if (!whole(&size, sizeof size)) return nullptr;
        std::vector<std::uint8_t> body(size);
        return whole(body.data(), body.size()) ? json::from_cbor(body) : json();
    }
    std::string error() const {
        const json got = answer();
        return got.is_object() && got.contains("error") ? got["error"].get<std::string>() : "no error: " + got.dump();
    }

private:
    bool whole(void* to, std::size_t size) const {
        for (std::size_t done = 0; done < size;) {
            const ssize_t got = ::recv(number_, static_cast<char*>(to) + done, size - done, 0);
            if (got <= 0) return false;
            done += static_cast<std::size_t>(got);
        }
        return true;
    }
    int number_;
};

/// Another process pushes, the device runs, the process gets and pops: all as ever.
void works_still(const Opened& device, const Identity& o) {
    const pid_t pusher = forked([&] {
        return backend::initialize_child_process(device.folder / "out") == Success && push(device.queue("x"), o, 3, 5);
    });
    REQUIRE(ended(pusher) == 0);
    REQUIRE(device.run() == Success);
    const pid_t popper = forked([&] {
        tt_PytorchTensorDesc got;
        return backend::initialize_child_process(device.folder / "out") == Success &&
               backend::get_output(device.queue("y"), got, false, 5) == Success &&
               first_of(values_of<std::uint16_t>(got)) == 3 &&
               backend::pop_output(device.queue("y"), false, 5) == Success;
    });
    REQUIRE(ended(popper) == 0);
}

constexpr uid_t victim = 65534, neighbour = 65533;

void become(uid_t user) {
    if (::setgid(user) != 0 || ::setuid(user) != 0) throw std::runtime_error("no such user can be");
}

bool is_root() {
    if (::geteuid() == 0) return true;
    WARN("SKIPPED: two users share a machine only where the tests run as root");
    return false;
}

}  // namespace

TEST_CASE("another user who takes the names first does not stop a device") {
    if (!is_root()) return;
    const std::string taken = (fs::path("/tmp") / ("ttsim-" + std::to_string(victim))).string();
    const auto clean = [&] {
        for (const auto& entry : fs::directory_iterator("/tmp"))
            if (entry.path().string().starts_with(taken)) fs::remove_all(entry.path());
    };
    clean();
    const std::string how = GENERATE("a folder open to all", "a private folder", "a link", "a file", "nothing");
    INFO(how);
    const pid_t other = forked([&] {
        become(neighbour);
        ::umask(0);
        if (how == "a folder open to all") return ::mkdir(taken.c_str(), 0777) == 0;
        if (how == "a private folder") return ::mkdir(taken.c_str(), 0700) == 0;
        if (how == "a link") return ::symlink("/tmp", taken.c_str()) == 0;
        if (how == "a file") return static_cast<bool>(std::ofstream(taken));
        return true;
    });
    REQUIRE(ended(other) == 0);
    const pid_t owner = forked([&] {
        become(victim);
        const Identity o;
        const Opened device(text_of(o));
        const pid_t pusher = forked([&] {
            return backend::initialize_child_process(device.folder / "out") == Success &&
                   push(device.queue("x"), o, 3, 5) && backend::finish_child_process() == Success;
        });
        const bool pushed = ended(pusher) == 0;
        // no other process reaches the socket
        bool found = false;
        for (const auto& entry : fs::directory_iterator("/tmp")) {
            struct stat status {};
            if (!entry.path().string().starts_with(taken) || ::lstat(entry.path().c_str(), &status) != 0 ||
                status.st_uid != victim)
                continue;
            if ((status.st_mode & 07777) != 0700) return false;
            found = found || !fs::is_empty(entry.path());
        }
        return pushed && found && device.run() == Success;
    });
    CHECK(ended(owner) == 0);
    clean();
}

TEST_CASE("sockets lie where this user alone can enter, however long the path is") {
    const Folder base;
    const Identity o;
    const std::string runtime = base / std::string(200, 'r');  // longer than the name of a socket
    fs::create_directory(runtime);
    ::setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
    const bool open_to_others = GENERATE(false, true);
    fs::permissions(runtime, open_to_others ? fs::perms::all : fs::perms::owner_all);
    const std::size_t before = count_of(runtime.c_str());
    {
        const Opened device(text_of(o));
        CHECK(count_of(runtime.c_str()) == before + (open_to_others ? 0 : 1));
        if (!open_to_others) CHECK(count_of((runtime + "/ttsim").c_str()) == 1);
        works_still(device, o);
    }
    if (!open_to_others) CHECK(count_of((runtime + "/ttsim").c_str()) == 0);
    ::unsetenv("XDG_RUNTIME_DIR");
}

TEST_CASE("a device that does not answer is left out in time, and others are found") {
    const RuntimeFolder runtime;
    const Identity o;
    const Opened device(text_of(o));
    const std::string out = device.folder / "out";
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t stopped = forked([&] {
        const auto second = tt_backend::create(device.folder.write("second.yaml", text_of(o)),
                                               config_for(DEVICE::Silicon, device.folder));
        const bool open = second->initialize() == Success;
        (void)!::write(ready[1], "g", 1);
        while (open) ::pause();
        return false;
    });
    char go = 0;
    REQUIRE(::read(ready[0], &go, 1) == 1);
    REQUIRE(runtime.sockets().size() == 2);
    REQUIRE(::kill(stopped, SIGSTOP) == 0);
    const pid_t client = forked([&] {
        const auto begun = std::chrono::steady_clock::now();
        const bool found = backend::initialize_child_process(out) == Success && push(device.queue("x"), o, 3, 5);
        return found && std::chrono::steady_clock::now() - begun < std::chrono::seconds(9);
    });
    CHECK(ended(client) == 0);
    REQUIRE(::kill(stopped, SIGKILL) == 0);
    CHECK(ended(stopped) == 128 + SIGKILL);
    works_still(device, o);
    CHECK(runtime.sockets().size() == 1);  // the killed process's leftovers are removed
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_CASE("1,500 ended connections leave no resources behind") {
    const RuntimeFolder runtime;
    const Identity o;
    const Opened device(text_of(o));
    REQUIRE(runtime.sockets().size() == 1);
    const fs::path socket = runtime.sockets().front();
    const std::size_t before = descriptors(), threads_before = threads();
    const pid_t client = forked([&] {
        int answered = 0;
        for (int k = 0; k < 1500; ++k) {
            const Raw one(socket);
            if (k % 2 == 0) answered += one.answer().is_array() ? 1 : 0;
        }
        return answered > 700;  // of 750; a busy machine may have too many open for a moment
    });
    CHECK(ended(client) == 0);
    CHECK(soon([&] { return descriptors() <= before && threads() <= threads_before; }));
    works_still(device, o);
}

TEST_CASE("more connections than there can be are refused, and room comes back") {
    const RuntimeFolder runtime;
    const Identity o;
    const Opened device(text_of(o));
    const fs::path socket = runtime.sockets().front();
    const std::size_t before = threads();
    const pid_t client = forked([&] {
        std::vector<std::unique_ptr<Raw>> silent;
        for (int k = 0; k < 256; ++k) {
            silent.push_back(std::make_unique<Raw>(socket));
            if (!silent.back()->answer().is_array()) return false;
        }
        const Raw refused(socket);
        return refused.error().find("256 connections to the device are open already") != std::string::npos &&
               backend::initialize_child_process(device.folder / "out") == RuntimeError &&
               backend::last_error().find("256 connections") != std::string::npos;
    });
    CHECK(ended(client) == 0);
    CHECK(soon([&] { return threads() == before; }));
    works_still(device, o);
}

TEST_CASE("a process without descriptors refuses callers, rests, and goes on when it has some") {
    const RuntimeFolder runtime;
    const pid_t owner = forked([&] {
        const Identity o;
        const Opened device(text_of(o));
        const fs::path socket = runtime.sockets().front();
        int answer[2];
        if (::pipe(answer) != 0) return false;
        rlimit usual{};
        ::getrlimit(RLIMIT_NOFILE, &usual);
        const pid_t client = forked([&] {
            char go = 0;
            (void)!::read(answer[0], &go, 1);
            const std::string said = Raw(socket).error();
            std::vector<std::unique_ptr<Raw>> many;
            for (int k = 0; k < 30; ++k) many.push_back(std::make_unique<Raw>(socket));
            std::this_thread::sleep_for(std::chrono::milliseconds(700));
            return said.find("no file descriptor left") != std::string::npos;
        });
        // every number below the highest is taken
        const int highest = ::fcntl(0, F_DUPFD, 100);
        while (::dup(0) < highest) continue;
        const rlimit none{static_cast<rlim_t>(highest) + 1, usual.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &none);
        (void)!::write(answer[1], "g", 1);
        const double before = processor_seconds();
        if (ended(client) != 0) return false;
        const double used = processor_seconds() - before;
        ::setrlimit(RLIMIT_NOFILE, &usual);
        const pid_t later = forked([&] {
            return backend::initialize_child_process(device.folder / "out") == Success &&
                   push(device.queue("x"), o, 1, 5);
        });
        if (used > 0.4) ::dprintf(STDERR_FILENO, "%g s of a processor at the limit\n", used);
        return used <= 0.4 && ended(later) == 0 && device.run() == Success;
    });
    CHECK(ended(owner) == 0);
}

TEST_CASE("a process that waits for ever and dies leaves no thread behind") {
    const RuntimeFolder runtime;
    const Identity o;
    const Opened device(text_of(o));
    const std::size_t before = threads();
    std::vector<pid_t> waiting;
    for (int k = 0; k < 8; ++k)
        waiting.push_back(forked([&] {
            return backend::initialize_child_process(device.folder / "out") == Success &&
                   backend::pop_output(device.queue("y"), false, 100000) == Success;
        }));
    CHECK(soon([&] { return threads() == before + 8; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (const pid_t child : waiting) ::kill(child, SIGKILL);
    for (const pid_t child : waiting) CHECK(ended(child) == 128 + SIGKILL);
    CHECK(soon([&] { return threads() == before; }));
    works_still(device, o);
}

TEST_CASE("bytes that are not a message end only their own connection") {
    const RuntimeFolder runtime;
    const Identity o;
    const Opened device(text_of(o));
    const fs::path socket = runtime.sockets().front();
    constexpr std::size_t many = 3 << 20;
    const std::string head =
        "\xa1\x64"
        "call";
    struct Case {
        std::string body, error;
    };
    const auto [body, error] = GENERATE_COPY(values<Case>({
        {std::string(many, '\x81'), "nested too deeply"},
        {std::string(many, '\xa1'), "a message"},
        {std::string(many, '\x7f'), "what no message of ours has"},
        {std::string(many, '\x5f'), "what no message of ours has"},
        {std::string(many, '\x9f'), "what no message of ours has"},
        {std::string(many, '\xc6'), "what no message of ours has"},
        {head + std::string(many, '\x81'), "nested too deeply"},
        {"\x9a\xff\xff\xff\xff" + std::string(many, '\x80'), "too many items"},
        {"\x82\x99\xff\xff" + std::string(many, '\x80'), "too many items"},
        {"\x5b\xff\xff\xff\xff\xff\xff\xff\xff", "cut off"},
        {"\xa1\x01\x02", "parse error"},
        {"", "cut off"},
        {"\x80\x80", "behind a message"},
    }));
    const Raw one(socket);
    REQUIRE(one.answer().is_array());
    one.message(body);
    CHECK_THAT(one.error(), Catch::Contains(error));
    CHECK(one.answer().is_null());
    works_still(device, o);
}

TEST_CASE("half a message, and one of impossible length, block no other connection") {
    const RuntimeFolder runtime;
    const Identity o;
    const Opened device(text_of(o));
    const fs::path socket = runtime.sockets().front();
    const Raw silent(socket), half(socket), long_one(socket), large(socket);
    for (const Raw* one : {&silent, &half, &long_one, &large}) REQUIRE(one->answer().is_array());
    half.bytes("\x10");
    const std::uint64_t size = std::uint64_t{1} << 60, gigabytes = std::uint64_t{3} << 30;
    long_one.bytes(std::string(reinterpret_cast<const char*>(&size), sizeof size));
    CHECK_THAT(long_one.error(), Catch::Contains("a message of 1152921504606846976 bytes; at most"));
    large.bytes(std::string(reinterpret_cast<const char*>(&gigabytes), sizeof gigabytes) + "x");
    works_still(device, o);
}

TEST_CASE("a call with wrong values is answered with the error, and the connection continues") {
    const RuntimeFolder runtime;
    const Identity o;
    const Opened device(text_of(o));
    const Raw one(runtime.sockets().front());
    REQUIRE(one.answer().is_array());
    const auto numbers = json::binary(std::vector<std::uint8_t>(64));
    const auto tensor = [&](const json& itemsize, const json& shape, int stride = -1,
                            const json& offsets = json::array(), const std::string& format = "Float32") {
        return json{{"call", "push"},
                    {"queue", "x"},
                    {"wait", {0.0, false}},
                    {"slot", 0},
                    {"tensor", {format, itemsize, shape, stride, offsets, true, numbers}}};
    };
    const json two_to_31 = 1U << 31, pairs = {{-1, 0}, {0, -1000000}};
    const auto pop = [](const json& seconds, const json& count = 2) {
        return json{{"call", "pop"}, {"queue", "y"}, {"count", count}, {"wait", {seconds, false}}};
    };
    const auto get = [](const json& count, const json& h = 1) {
        return json{{"call", "get"}, {"queue", "y"},         {"count", count},
                    {"slot", 0},     {"wait", {0.0, false}}, {"stacking", {h, 1, true}}};
    };
    const double none = std::numeric_limits<double>::quiet_NaN(), all = std::numeric_limits<double>::infinity();
    const std::vector<std::pair<json, std::string>> calls{
        {pop(none), "a wait of nan s"},
        {pop(all), "a wait of inf s"},
        {pop(-all), "a wait of -inf s"},
        {pop(-1.0), "a wait of -1 s"},
        {pop("soon"), "type must be number"},
        {pop(0.0, 4000000000U), ""},
        {get(4000000000U), "can never be there together"},
        {get(2, 0), "hstack_factor"},
        {get(2, 4000000000U), "hstack_factor"},
        {tensor(4, {two_to_31, two_to_31, 4, 1}), "larger than any message"},
        {tensor(4, {65536, 65536, 65536, 65536}), "larger than any message"},
        {tensor(4, {16, 0, 1, 1}), "another size than its shape"},
        {tensor(1, {1, 1, 1, 64}), "itemsize"},
        {tensor(4, {1, 1, 4, 4}, 2, pairs), "offsets count from 0"},
        {tensor(4, {1, 1, 1, 16}), "shape"},
        {tensor("many", {1, 1, 1, 16}), "type must be number"},
        {tensor(4, {1, 1, 1, 16}, -1, json::array(), "Float1"), "Float1"},
        {json::array({1, 2}), "at()"},
        {"hello", "at()"},
        {json{{"call", "format_disk"}}, "at"},
        {json{{"call", {{"call", "pop"}}}}, "type must be string"},
        {json{{"call", "queue"}, {"queue", "\xff\xfe"}}, "no queue"},
        {json{{"call", "tilized"}, {"queue", "x"}, {"tensor", json::array()}}, "array index"},
    };
    for (const auto& [call, error] : calls) {
        INFO(call.dump(-1, ' ', true, json::error_handler_t::replace));
        one.message(call);
        const std::string said = one.error();
        CHECK_THAT(said, Catch::Contains(error) && !Catch::StartsWith("no error"));
    }
    works_still(device, o);
}

TEST_CASE("a process that cannot start a thread runs its device, and tells its callers") {
    const std::string sockets = (fs::path("/tmp") / ("ttsim-" + std::to_string(victim))).string();
    const pid_t owner = forked([&] {
        if (::geteuid() == 0) become(victim);
        const Identity o;
        Folder folder;
        tt_backend_config config = config_for(DEVICE::Silicon, folder);
        config.runtime_args = "--threads 4";
        const std::string netlist = folder.write("netlist.yaml", text_of(o));
        const auto before = tt_backend::create(netlist, config);
        if (before->initialize() != Success) return false;
        const pid_t client = forked([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            return backend::initialize_child_process(folder / "out") == RuntimeError &&
                   backend::last_error().find("cannot start a thread") != std::string::npos;
        });
        rlimit none{};
        ::getrlimit(RLIMIT_NPROC, &none);
        none.rlim_cur = 0;
        ::setrlimit(RLIMIT_NPROC, &none);
        if (ended(client) != 0) return false;
        const auto after = tt_backend::create(netlist, config);
        if (after->initialize() != Success) return false;
        const tt_dram_io_desc x = io::utils::get_queue_descriptor(after, "x");
        return push(x, o, 3, 5) && after->run_program("run_fwd_0", {{"$p_loop_count", "1"}}) == Success &&
               first_of(take<std::uint16_t>(io::utils::get_queue_descriptor(after, "y"))) == 3;
    });
    CHECK(ended(owner) == 0);
    if (::geteuid() == 0) fs::remove_all(sockets);
}
