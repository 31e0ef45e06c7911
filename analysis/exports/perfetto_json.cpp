// Events as JSON ("Trace Event Format").
#include <fmt/format.h>

#include <cstdlib>

#include "analysis/exports/perfetto_events.hpp"

namespace ttsim::impl::trace {

namespace {

class PerfettoJson final : public PerfettoWriter {
public:
    PerfettoJson(const Reader& trace, const PerfettoOptions& options, PerfettoSink sink)
        : PerfettoWriter(trace, options), sink_(std::move(sink)) {}

    void begin(const std::string& other_data) override {
        text_ = fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{{}}},\"traceEvents\":[\n", other_data);
    }

    void end() override {
        text_ += "\n]}\n";
        sink_(text_);
        text_.clear();
    }

    void name_process(std::int64_t process, const std::string& name) override {
        event(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})", process, quoted(name));
        event(R"({{"ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}}}})", process,
              process);
    }

    void name_track(std::int64_t process, std::int64_t track, const std::string& name) override {
        event(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", process, track,
              quoted(name));
        event(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})", process, track,
              track);
    }

    void slice(std::string_view name, const char* kind, std::int64_t process, std::int64_t track, std::int64_t start,
               std::int64_t end, std::string_view args) override {
        const std::int64_t length = nanoseconds(end) - nanoseconds(start);
        event(R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
              quoted(std::string(name)), kind, process, track, moment(start), microseconds(length), args);
    }

    void counter(const std::string& name, std::int64_t process, std::int64_t cycle, const char* unit,
                 double value) override {
        event(R"({{"ph":"C","name":{},"pid":{},"tid":0,"ts":{},"args":{{"{}":{:.2f}}}}})", quoted(name), process,
              moment(cycle), unit, value);
    }

    void arrow(std::int64_t from_process, std::int64_t from_track, std::int64_t from_cycle, std::int64_t to_process,
               std::int64_t to_track, std::int64_t to_cycle) override {
        const std::int64_t id = arrows_++;
        event(R"({{"ph":"s","name":"tiles","cat":"transfer","id":{},"pid":{},"tid":{},"ts":{}}})", id, from_process,
              from_track, moment(from_cycle));
        event(R"({{"ph":"f","bp":"e","name":"tiles","cat":"transfer","id":{},"pid":{},"tid":{},"ts":{}}})", id,
              to_process, to_track, moment(to_cycle));
    }

private:
    /// Time in microseconds for the format, rounded down to nanoseconds.
    std::string moment(std::int64_t cycle) const { return microseconds(nanoseconds(cycle)); }
    static std::string microseconds(std::int64_t ns) {
        return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns / 1000), std::abs(ns % 1000));
    }
    template <class... Args>
    void event(fmt::format_string<Args...> format, Args&&... args) {
        if (!first_) text_ += ",\n";
        first_ = false;
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
        if (text_.size() < 1 << 20) return;
        sink_(text_);
        text_.clear();
    }

    PerfettoSink sink_;
    std::string text_;
    bool first_ = true;
    std::int64_t arrows_ = 0;
};

}  // namespace

std::unique_ptr<PerfettoWriter> perfetto_json(const Reader& trace, const PerfettoOptions& options,
                                              const PerfettoSink& sink) {
    return std::make_unique<PerfettoJson>(trace, options, sink);
}

}  // namespace ttsim::impl::trace
