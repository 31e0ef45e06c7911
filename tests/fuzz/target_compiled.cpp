// Compiled models, as device images and as folders: those of a small model, changed as the bytes say, with new
// checksums that hide nothing from the reader, then run for a short time if they can be read. The first byte's lowest
// bit: the folder. Then commands:
//   0 member place(2) value            a byte
//   1 member size(2)                   the member is cut
//   2 member number(1) kind value(8)   a number in a text becomes another
//   3 member other                     the bytes of another member in its place
//   4 member                           the member is removed
//   5 member line other                a line of a text in place of another
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include "compiler/files/result_folder.hpp"
#include "compiler/model/compile.hpp"
#include "runtime/image/image.hpp"
#include "runtime/image/member_list.hpp"
#include "runtime/model.hpp"
#include "tests/fuzz/command_bytes.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/netlist/temp_folder.hpp"

namespace ttsim::impl::fuzz {

namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

const ir::CompiledModel& small_model() {
    static const ir::CompiledModel model = [] {
        ir::CompileOptions options;
        options.device = "wh_n150";
        options.threads = 1;
        return compile(ir::parse_graph("%x = input : f32[4, 8]\n%w = constant [0.5, 0.25, -1, 2, 1, 0, -0.5, 1.5] : "
                                       "f32[8, 1]\n%b = constant [1] : f32[1]\n%p = matmul %x, %w\n%y = add %p, %b\n"
                                       "output \"y\" = %y\n",
                                       "small.tg"),
                       options);
    }();
    return model;
}

const image::Members& whole_image() {
    static const image::Members members = [] {
        const std::string file = (temp_folder() / "whole.tti").string();
        image::write_image(small_model(), file, {});
        return image::read_archive(file);
    }();
    return members;
}

const Files& whole_folder() {
    static const Files files = [] {
        const fs::path folder = temp_folder() / "whole";
        ir::write_folder(small_model(), folder.string(), 1);
        Files all;
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (!entry.is_regular_file()) continue;
            std::ifstream in(entry.path(), std::ios::binary);
            all[entry.path().lexically_relative(folder).string()] = {std::istreambuf_iterator<char>(in), {}};
        }
        return all;
    }();
    return files;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string other_number(CommandBytes& bytes) {
    const std::uint64_t kind = bytes.next(1) % 6, value = bytes.next(8);
    switch (kind) {
        case 0:
            return std::to_string(value % 16);
        case 1:
            return std::to_string(static_cast<std::int64_t>(value));
        case 2:
            return std::to_string(std::uint64_t{1} << value % 64);
        case 3:
            return "-" + std::to_string(value % 64);
        case 4:
            return "1e999";
        default:
            return "\"x\"";
    }
}

void change_number(std::string& text, std::uint64_t number, const std::string& value) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!is_digit(text[at])) continue;
        std::size_t end = at;
        while (end < text.size() && is_digit(text[end])) ++end;
        if (number-- == 0) {
            text.replace(at, end - at, value);
            return;
        }
        at = end;
    }
}

std::pair<std::size_t, std::size_t> line_of(const std::string& text, std::uint64_t number) {
    std::size_t at = 0;
    for (; number > 0 && text.find('\n', at) != std::string::npos; --number) at = text.find('\n', at) + 1;
    return {at, std::min(text.find('\n', at), text.size()) - at};
}

void change(Files& files, CommandBytes& bytes) {
    const std::uint64_t command = bytes.next(1) % 6;
    const auto some = [&] {
        return std::next(files.begin(), static_cast<std::ptrdiff_t>(bytes.next(1) % files.size()));
    };
    const auto file = some();
    std::string& text = file->second;
    switch (command) {
        case 0:
            if (const std::uint64_t at = bytes.next(2), value = bytes.next(1); !text.empty())
                text[at % text.size()] = static_cast<char>(value);
            break;
        case 1:
            text.resize(bytes.next(2) % (text.size() + 1));
            break;
        case 2: {
            const std::uint64_t number = bytes.next(1);
            change_number(text, number, other_number(bytes));
            break;
        }
        case 3:
            text = some()->second;
            break;
        case 4:
            if (files.size() > 1) files.erase(file);
            break;
        default: {
            const auto [at, size] = line_of(text, bytes.next(1));
            const auto [from, length] = line_of(text, bytes.next(1));
            text.replace(at, size, std::string(text, from, length));
        }
    }
}

/// Asks a run to stop after some real time.
class Watchdog {
public:
    Watchdog() : thread_([this] { watch(); }) {}
    ~Watchdog() {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }
    const std::atomic<int>* stop() const { return &stop_; }

private:
    void watch() {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, std::chrono::milliseconds(200), [this] { return over_; })) stop_ = 2;
    }
    std::atomic<int> stop_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::thread thread_;  ///< last: uses all others
};

/// Skips models that need much time or memory only because of their size.
bool is_small(const Netlist& netlist) {
    constexpr std::int64_t most_tiles = 1 << 12;
    std::int64_t tiles = 0;
    for (const Queue& queue : netlist.queues)
        tiles += std::min(queue.shape().tiles(), most_tiles) * std::min<std::int64_t>(queue.entries, most_tiles);
    for (const Graph& graph : netlist.graphs) {
        if (graph.input_count > 64) return false;
        for (const Op& op : graph.ops) tiles += std::min(op.shape().tiles(), most_tiles);
    }
    return tiles <= most_tiles;
}

void run(ir::CompiledModel model, std::optional<Machine> machine) {
    if (!is_small(model.netlist)) return;
    for (const auto& [name, value] : model.inputs)
        if (value.size() > 1 << 14) return;
    const ir::Values inputs = model.inputs;
    const Watchdog watchdog;
    runtime::ModelOptions options;
    options.session.threads = 1;
    options.session.stop = watchdog.stop();
    options.machine = std::move(machine);
    runtime::Model made(std::move(model), options);
    (void)made.run(inputs);
}

void run_image(const Files& files) {
    image::Members members;
    members.file = "fuzz.tti";
    members.folders = whole_image().folders;
    for (const auto& [name, text] : files) members.bytes.emplace(name, std::string(text));
    image::update_checksums(members);
    image::Image read = image::read_image(members);
    run(std::move(read.model), std::move(read.machine));
}

void run_folder(const Files& files) {
    const fs::path folder = temp_folder() / "fuzzed_folder";
    fs::remove_all(folder);
    for (const auto& [name, text] : files) {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name, std::ios::binary) << text;
    }
    run(ir::read_folder(folder.string()), std::nullopt);
}

}  // namespace

void compiled(const std::string& bytes) {
    CommandBytes commands(bytes);
    const bool as_folder = commands.next(1) % 2 == 1;
    Files files;
    if (as_folder)
        files = whole_folder();
    else
        for (const auto& [name, data] : whole_image().bytes) files[name] = std::string(data.view());
    while (commands.more()) change(files, commands);
    answer([&] { as_folder ? run_folder(files) : run_image(files); });
}

}  // namespace ttsim::impl::fuzz
