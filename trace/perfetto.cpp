#include "trace/perfetto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace tt::trace {

namespace {

std::string quoted(const std::string& text) {
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
    if (!plain) return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += fmt::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out + '"';
}

/// Events one after the other, in pieces of some size.
class Export {
public:
    Export(Reader& trace, const std::function<void(std::string_view)>& sink)
        : trace_(trace),
          sink_(sink),
          mhz_(trace.run().clock_mhz > 0 ? static_cast<double>(trace.run().clock_mhz) : 1) {}

    void run() {
        text_ = fmt::format(
            "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"netlist\":{},\"command\":{}}},\"traceEvents\":[\n",
            quoted(trace_.run().netlist), quoted(trace_.run().command));
        epochs();
        cores();
        if (trace_.run().level >= 2) steps();
        counters();
        text_ += "\n]}\n";
        sink_(text_);
    }

private:
    static constexpr std::int64_t epoch_process = 0;  // chips follow
    static std::int64_t chip_process(std::int64_t chip) { return chip + 1; }

    double microseconds(std::int64_t cycles) const { return static_cast<double>(cycles) / mhz_; }

    template <class... Args>
    void event(fmt::format_string<Args...> format, Args&&... args) {
        if (!first_) text_ += ",\n";
        first_ = false;
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
        if (text_.size() < 1 << 20) return;
        sink_(text_);
        text_.clear();
    }
    void name_process(std::int64_t process, const std::string& name) {
        event(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})", process, quoted(name));
        event(R"({{"ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}}}})", process,
              process);
    }
    void name_track(std::int64_t process, std::int64_t track, const std::string& name) {
        event(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", process, track,
              quoted(name));
    }
    /// A slice without its arguments, to be closed by the caller's.
    void slice(const std::string& name, const char* kind, std::int64_t process, std::int64_t track, std::int64_t start,
               std::int64_t end, const std::string& args) {
        event(R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{:.4f},"dur":{:.4f},"args":{{{}}}}})",
              quoted(name), kind, process, track, microseconds(start), microseconds(end - start), args);
    }

    void epochs() {
        name_process(epoch_process, "epochs");
        Statement query(trace_.database(),
                        "SELECT e.id, e.graphs, e.start, e.cycles, e.inputs, c.value FROM epoch e JOIN "
                        "json_each(e.chips) c ORDER BY e.id, c.value");
        std::map<std::int64_t, bool> named;
        while (query.step()) {
            const std::int64_t chip = query.whole(5), start = query.whole(2);
            if (!named[chip]) name_track(epoch_process, chip + 1, fmt::format("chip {}", chip));
            named[chip] = true;
            slice(fmt::format("epoch {}: {}", query.whole(0), query.text(1)), "epoch", epoch_process, chip + 1, start,
                  start + query.whole(3), fmt::format(R"("inputs":{},"cycles":{})", query.whole(4), query.whole(3)));
        }
    }

    /// Tracks are numbered by place, so that ops of several epochs share the track of their core.
    void cores() {
        Statement chips(trace_.database(), "SELECT id, arch FROM chip ORDER BY id");
        while (chips.step())
            name_process(chip_process(chips.whole(0)), fmt::format("chip {} ({})", chips.whole(0), chips.text(1)));
        Statement places(trace_.database(),
                         "SELECT DISTINCT o.chip, c.x, c.y FROM core c JOIN op o ON o.id = c.op ORDER BY 1, 3, 2");
        while (places.step())
            name_track(chip_process(places.whole(0)), track(places.whole(1), places.whole(2)),
                       fmt::format("core {}-{}", places.whole(1), places.whole(2)));
        Statement query(
            trace_.database(),
            "SELECT o.chip, c.x, c.y, o.name, i.input, i.start, i.end, o.type, i.epoch, i.busy, "
            "i.wait_source, i.wait_noc, i.wait_dram, i.wait_room, i.wait_output, i.wait_dst, i.wait_pack, i.drain, "
            "i.tiles, i.math FROM core_input i JOIN core c ON c.id = i.core JOIN op o ON o.id = c.op");
        static constexpr std::array names{"epoch",     "busy",      "wait_source", "wait_noc",
                                          "wait_dram", "wait_room", "wait_output", "wait_dst",
                                          "wait_pack", "drain",     "tiles",       "math"};
        while (query.step()) {
            std::string args = fmt::format(R"("type":{})", quoted(query.text(7)));
            for (std::size_t i = 0; i < names.size(); ++i)
                args += fmt::format(R"(,"{}":{})", names[i], query.whole(8 + static_cast<int>(i)));
            slice(fmt::format("{} [{}]", query.text(3), query.whole(4)), "input", chip_process(query.whole(0)),
                  track(query.whole(1), query.whole(2)), query.whole(5), query.whole(6), args);
        }
    }
    static std::int64_t track(std::int64_t x, std::int64_t y) { return y * 1000 + x + 1; }

    void steps() {
        Statement query(
            trace_.database(),
            "SELECT o.chip, c.x, c.y, s.step, s.start, s.busy, s.wait_dst, s.packed FROM step s JOIN core c "
            "ON c.id = s.core JOIN op o ON o.id = c.op");
        while (query.step())
            slice(fmt::format("step {}", query.whole(3)), "step", chip_process(query.whole(0)),
                  track(query.whole(1), query.whole(2)), query.whole(4),
                  query.whole(4) + query.whole(5) + query.whole(6),
                  fmt::format(R"("busy":{},"wait_dst":{})", query.whole(5), query.whole(6)));
    }

    void counters() {
        Statement query(trace_.database(),
                        "SELECT r.chip, r.name, l.start, 100.0 * l.utilization FROM load l JOIN resource r ON "
                        "r.id = l.resource WHERE r.transfers > 0 ORDER BY r.id, l.bucket");
        while (query.step())
            event(R"({{"ph":"C","name":{},"pid":{},"tid":0,"ts":{:.4f},"args":{{"percent":{:.2f}}}}})",
                  quoted(query.text(1)), chip_process(query.whole(0)), microseconds(query.whole(2)), query.real(3));
    }

    Reader& trace_;
    const std::function<void(std::string_view)>& sink_;
    double mhz_;
    std::string text_;
    bool first_ = true;
};

}  // namespace

void export_perfetto(Reader& trace, const std::function<void(std::string_view)>& sink) { Export(trace, sink).run(); }

}  // namespace tt::trace
