// tt-smi: monitors simulated chips, with the options and screens of the vendor's tool.
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "netlist/device/device.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/run_tool.hpp"
#include "tools/common/stop_signals.hpp"
#include "tools/common/usage.hpp"
#include "tools/tt-smi/live.hpp"
#include "tools/tt-smi/log_files.hpp"

namespace ttsim::impl::cli {

namespace {

struct Flags {
    std::string run, trace, device, theme = "default", file, folder;
    std::optional<double> duration, interval, speed;
    std::vector<std::string> targets;  ///< of -r
    bool snapshot = false, dump = false, no_colour = false, warm_reset = false, mobo_reset = false, list = false;
    bool reset_given = false, file_given = false;
};

std::unique_ptr<smi::Source> open_source(const Flags& flags) {
    if (!flags.trace.empty()) {
        require_kind(InputKind::Trace, flags.trace, "tt-smi --trace");
        return smi::trace_source(flags.trace);
    }
    if (!flags.device.empty()) return smi::idle_source(flags.device);
    if (kind_of(flags.run) == InputKind::Trace) return smi::trace_source(flags.run);
    return smi::run_source(flags.run);
}

/// Waits at most that long for Enter; returns whether it was pressed.
bool enter_pressed(std::chrono::milliseconds most) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, static_cast<int>(most.count())) <= 0) return false;
    char letter = 0;
    return ::read(STDIN_FILENO, &letter, 1) <= 0 || letter == '\n';
}

/// Reads a trace to its end without waiting; a run or idle chips until Enter, a signal or the end of the duration.
void dump(const Flags& flags, smi::Source& source) {
    using Clock = std::chrono::steady_clock;
    const double interval = flags.interval.value_or(source.replays() ? 1e-6 : 0.5);
    smi::Dump dump;
    const Clock::time_point start = Clock::now();
    const StopSignals signals;
    for (bool on = true; on;) {
        const smi::Sample sample = source.next(interval);
        const double passed =
            source.replays() ? sample.seconds : std::chrono::duration<double>(Clock::now() - start).count();
        dump.add(passed, sample);
        on = StopSignals::caught()->load() == 0 && (!flags.duration || passed < *flags.duration);
        if (source.replays()) {
            on = on && !sample.last && dump.rows() < 1'000'000;
            continue;
        }
        on = on && !(sample.last && sample.status != "idle");
        const std::chrono::milliseconds wait(static_cast<std::int64_t>(interval * 1000));
        if (on && !flags.duration) on = !enter_pressed(wait);
        if (on && flags.duration) std::this_thread::sleep_for(wait);
    }
    print_text(fmt::format("{} rows in {}\n", dump.rows(), write_dump(dump, flags.folder)));
}

/// Lists the chips that `targets` name, all without any; there is nothing to reset.
void reset(smi::Source& source, const std::vector<std::string>& targets) {
    const smi::Sample sample = source.next(0);
    std::vector<std::string> known{"all"};
    for (const smi::ChipSample& chip : sample.chips) known.push_back(fmt::format("{}", chip.chip));
    for (const std::string& target : targets)
        if (std::find(known.begin(), known.end(), target) == known.end())
            fail_input({}, "-r: there is no chip '{}'; give numbers of 'tt-smi -ls', or all", target);
    const bool all = targets.empty() || std::find(targets.begin(), targets.end(), "all") != targets.end();
    std::string text;
    for (const smi::ChipSample& chip : sample.chips)
        if (all || std::find(targets.begin(), targets.end(), fmt::format("{}", chip.chip)) != targets.end())
            text += fmt::format("device {}: {}, {} cores\n", chip.chip, chip.board_type, chip.workers);
    print_text(text + "simulated chips keep no state between runs: there is nothing to reset\n");
}

/// The columns of the original's -ls; a simulated chip is on no PCI bus.
void list(smi::Source& source) {
    const std::string form = "{:>11} {:8} {:10} {:12} {:14} {}\n";
    std::string text = fmt::format(fmt::runtime(form), "UMD Chip ID", "PCI BDF", "PCI Dev ID", "Board Type",
                                   "Device Series", "Board Number");
    for (const smi::ChipSample& chip : source.next(0).chips)
        text += fmt::format(fmt::runtime(form), chip.chip, "N/A", "N/A", chip.board_type, "simulated",
                            chip.board ? chip.board->id() : "N/A");
    print_text(text);
}

std::string product_names() {
    std::string names;
    for (const ProductInfo& product : products()) names += (names.empty() ? "" : ", ") + product.name;
    return names;
}

void check_sources(const Flags& flags) {
    const int given = static_cast<int>(!flags.run.empty()) + static_cast<int>(!flags.trace.empty()) +
                      static_cast<int>(!flags.device.empty());
    if (given == 1) return;
    throw CLI::ValidationError(
        "tt-smi", given == 0
                      ? "there is nothing to watch. Start a run with 'ttsim run NETLIST --telemetry run.json' and give "
                        "run.json, replay a trace with --trace FILE, or show idle chips with --device and one of " +
                            product_names()
                      : "give only one of a run, --trace and --device");
}

void run(const Flags& flags) {
    const std::unique_ptr<smi::Source> source = open_source(flags);
    if (flags.list) return list(*source);
    if (flags.warm_reset || flags.mobo_reset || flags.reset_given) return reset(*source, flags.targets);
    if (flags.dump) return dump(flags, *source);
    if (flags.snapshot) {
        // as the original: to standard output, unless -f asks for a file
        const std::string file =
            write_snapshot(source->next(source->replays() ? 1e9 : 0), flags.file_given ? flags.file : "-");
        if (file != "-") print_text(file + "\n");
        return;
    }
    constexpr double replay_readings = 0.1, replay_seconds = 10;
    LiveOptions live{.interval = source->replays() ? replay_readings : flags.interval.value_or(0.5)};
    if (source->replays() && flags.interval)
        live.speed = *flags.interval / live.interval;
    else
        live.speed = flags.speed.value_or(source->length() / replay_seconds);
    live.theme =
        flags.no_colour ? ScreenTheme::NoColour : (flags.theme == "dark" ? ScreenTheme::Dark : ScreenTheme::Default);
    watch(*source, live);
}

/// Accepts the vendor tool's options of several letters with one dash.
std::vector<std::string> with_two_dashes(int argc, char** argv) {
    std::vector<std::string> words(argv, argv + argc);
    for (std::string& word : words)
        for (const char* name : {"-dir", "-dur", "-nc", "-wr", "-mr", "-ls"})
            if (word == name) word = "-" + word;
    return words;
}

int parse_and_run(int argc, char** argv) {
    Flags flags;
    CLI::App app{
        "Monitors simulated chips: of a running simulation, of a trace, or idle.\n"
        "Without -s or -d it shows a live display. Values without a model (volts, watts, degrees) show N/A."};
    app.name("tt-smi");
    app.set_version_flag("-v,--version", "tt-smi (ttsim) " TTSIM_VERSION);
    app.add_option("run", flags.run, "File written by 'ttsim run NETLIST --telemetry FILE'")->type_name("FILE");
    app.add_option("--trace", flags.trace, "Replay a trace written by 'ttsim run --trace'")
        ->check(existing_path())
        ->type_name("FILE");
    app.add_option("--device", flags.device, "Idle chips of this product; see 'ttsim devices'")->type_name("NAME");
    CLI::Option* snapshot = app.add_flag("-s,--snapshot", flags.snapshot, "Write one reading as JSON, and exit");
    CLI::Option* file =
        app.add_option("-f,--filename,--file", flags.file,
                       "Write the snapshot to this file, without a name to ./tt-smi-logs/tt-smi-snapshot_<time>.json; "
                       "'-' = standard output, the default without -f")
            ->needs(snapshot)
            ->expected(0, 1)
            ->type_name("FILE");
    app.add_flag("--snapshot_no_tty", flags.snapshot,
                 "The same as -s: a snapshot is plain text on standard output wherever that leads");
    app.add_flag("--ls,--list", flags.list, "List the chips (also -ls)");
    CLI::Option* resets = app.add_option("-r,--reset", flags.targets,
                                         "Reset chips: numbers of -ls, or all; a simulated chip needs no reset")
                              ->delimiter(',')
                              ->expected(0, 1)
                              ->type_name("N,...");
    CLI::Option* dump = app.add_flag("-d,--dump", flags.dump, "Write readings as .csv and .xlsx until Enter, and exit")
                            ->excludes(snapshot);
    app.add_option("--dir", flags.folder, "Folder of the dump (also -dir). Default: ./tt-smi-logs/tt-smi-dump_<time>/")
        ->needs(dump)
        ->type_name("DIR");
    app.add_option("--dur", flags.duration, "Duration of the dump (also -dur); of a trace: in simulated seconds")
        ->check(in_range(1e-9, 1e9))
        ->needs(dump)
        ->type_name("SECONDS");
    app.add_option("-i,--interval", flags.interval,
                   "Time between readings. Default: 0.5; of a trace: 0.000001 simulated seconds")
        ->check(in_range(1e-9, 1e6))
        ->type_name("SECONDS");
    app.add_option("--speed", flags.speed,
                   "Simulated seconds of a trace per second of the display. Default: the trace takes 10 s")
        ->check(in_range(1e-12, 1e6))
        ->type_name("X");
    app.add_option("-t,--theme", flags.theme, "Colours of the display. Default: default")
        ->check(one_of({"default", "dark"}))
        ->type_name("default|dark");
    app.add_flag("--nc", flags.no_colour, "No colours in the display (also -nc)");
    app.add_flag("--wr", flags.warm_reset, "Warm reset (also -wr): lists the chips; a simulated chip needs no reset");
    app.add_flag("--mr", flags.mobo_reset, "Reset of a motherboard (also -mr): the same as --wr");
    app.footer(
        "Keys: 1 information, 2 telemetry, 3 firmware, t side bar, w limits, v averages, s snapshot, d dump, h help, "
        "q quit; of a trace: space pause, < > speed, left and right seek.\n\n"
        "Exit codes: 0 success, 2 wrong input, 70 a bug in tt-smi, 71 out of memory\n\n"
        "Examples:\n"
        "  ttsim run examples/bert_encoder.yaml --telemetry run.json & tt-smi run.json\n"
        "  tt-smi --device wh_n300 -s\n"
        "  tt-smi --trace encoder.ttperf --speed 0.0001\n"
        "  tt-smi --trace encoder.ttperf -d -dir readings -i 0.00001");
    add_colour_flag(app);
    app.callback([&flags, file, resets] {
        flags.file_given = file->count() > 0;
        flags.reset_given = resets->count() > 0;
        check_sources(flags);
    });
    const std::vector<std::string> words = with_two_dashes(argc, argv);
    std::vector<const char*> given;
    for (const std::string& word : words) given.push_back(word.c_str());
    if (const auto done = parse(app, static_cast<int>(given.size()), given.data())) return *done;
    run(flags);
    return 0;
}

}  // namespace

}  // namespace ttsim::impl::cli

int main(int argc, char** argv) {
    return ttsim::impl::cli::run_tool([&] { return ttsim::impl::cli::parse_and_run(argc, argv); });
}
