// Events as protocol buffers (perfetto/trace/trace_packet.proto, track_event.proto, track_descriptor.proto). Packets
// are written in compressed groups, and names once.
#include <algorithm>
#include <bit>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

#include "analysis/exports/perfetto_events.hpp"
#include "base/deflate.hpp"

namespace ttsim::impl::trace {

namespace {

/// A message in the wire format.
class Message {
public:
    const std::string& bytes() const { return bytes_; }
    void clear() { bytes_.clear(); }

    Message& integer(unsigned field, std::uint64_t value) {
        tag(field, 0);
        varint(value);
        return *this;
    }
    Message& real(unsigned field, double value) { return fixed(field, std::bit_cast<std::uint64_t>(value)); }
    Message& fixed(unsigned field, std::uint64_t value) {
        tag(field, 1);
        for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte));
        return *this;
    }
    Message& text(unsigned field, std::string_view value) {
        tag(field, 2);
        varint(value.size());
        bytes_ += value;
        return *this;
    }
    Message& message(unsigned field, const Message& value) { return text(field, value.bytes()); }

private:
    void tag(unsigned field, unsigned type) { varint(field << 3 | type); }
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
        bytes_ += static_cast<char>(value);
    }
    std::string bytes_;
};

/// Field numbers of Perfetto's messages.
namespace field {
constexpr unsigned trace_packet = 1;
constexpr unsigned timestamp = 8, sequence = 10, track_event = 11, interned = 12, flags = 13, compressed = 50,
                   descriptor = 60;
constexpr unsigned track_uuid = 1, track_name = 2, process = 3, parent = 5, counter = 8, ordering = 11, rank = 12;
constexpr unsigned pid = 1, process_name = 6, unit_name = 6;
constexpr unsigned category_iid = 3, annotation = 4, type = 9, name_iid = 10, event_track = 11, counter_real = 44,
                   flow = 47, flow_end = 48;
constexpr unsigned annotation_name_iid = 1, annotation_integer = 4, annotation_real = 5, annotation_text = 6;
constexpr unsigned interned_category = 1, interned_name = 2, interned_annotation = 3, iid = 1, iid_name = 2;
}  // namespace field

enum EventType : std::uint8_t { SliceBegin = 1, SliceEnd = 2, Instant = 3, Counter = 4 };
constexpr std::uint64_t explicit_ordering = 3;
constexpr std::uint64_t state_cleared = 1, needs_state = 2;

class PerfettoProtobuf final : public PerfettoWriter {
public:
    PerfettoProtobuf(const Reader& trace, const PerfettoOptions& options, PerfettoSink sink)
        : PerfettoWriter(trace, options), sink_(std::move(sink)) {}

    void begin(const std::string&) override {}
    void end() override {
        write_slices();
        flush();
    }

    void name_process(std::int64_t process, const std::string& name) override {
        Message named, track;
        // process 0 is the idle process of Linux
        named.integer(field::pid, static_cast<std::uint64_t>(process + 1)).text(field::process_name, name);
        track.integer(field::track_uuid, uuid(process, 0, "")).message(field::process, named);
        track.integer(field::ordering, explicit_ordering);
        describe(track);
    }
    void name_track(std::int64_t process, std::int64_t track, const std::string& name) override {
        Message described;
        described.integer(field::track_uuid, uuid(process, track, "")).text(field::track_name, name);
        described.integer(field::parent, uuid(process, 0, "")).integer(field::rank, static_cast<std::uint64_t>(track));
        describe(described);
    }
    void slice(std::string_view name, const char* kind, std::int64_t process, std::int64_t track, std::int64_t start,
               std::int64_t end, std::string_view args) override {
        const std::uint64_t on = uuid(process, track, "");
        if (on != track_) write_slices();
        track_ = on;
        Slice& one = slices_.emplace_back(Slice{nanoseconds(start), nanoseconds(end), {}});
        one.begin.integer(field::type, SliceBegin).integer(field::event_track, on);
        one.begin.integer(field::name_iid, intern(field::interned_name, std::string(name)));
        one.begin.integer(field::category_iid, intern(field::interned_category, kind));
        annotate(one.begin, args);
    }
    void counter(const std::string& name, std::int64_t process, std::int64_t cycle, const char* unit,
                 double value) override {
        const bool known = tracks_.contains({process, 0, name});
        const std::uint64_t on = uuid(process, 0, name);
        if (!known) {
            Message kind, track;
            kind.text(field::unit_name, unit);
            track.integer(field::track_uuid, on).text(field::track_name, name).message(field::counter, kind);
            describe(track.integer(field::parent, uuid(process, 0, "")));
        }
        Message event;
        event.integer(field::type, Counter).integer(field::event_track, on).real(field::counter_real, value);
        add(nanoseconds(cycle), event);
    }
    void arrow(std::int64_t from_process, std::int64_t from_track, std::int64_t from_cycle, std::int64_t to_process,
               std::int64_t to_track, std::int64_t to_cycle) override {
        const std::uint64_t id = ++arrows_;
        const auto tip = [&](std::int64_t process, std::int64_t track, std::int64_t cycle, unsigned flow) {
            Message event;
            event.integer(field::type, Instant).integer(field::event_track, uuid(process, track, ""));
            event.integer(field::name_iid, intern(field::interned_name, "tiles")).fixed(flow, id);
            add(nanoseconds(cycle), event);
        };
        tip(from_process, from_track, from_cycle, field::flow);
        tip(to_process, to_track, to_cycle, field::flow_end);
    }

private:
    /// A number for a track; that of a process has number 0 and no name, a counter its name.
    std::uint64_t uuid(std::int64_t process, std::int64_t track, const std::string& name) {
        return tracks_.try_emplace({process, track, name}, tracks_.size() + 1).first->second;
    }
    /// The number of a name, which the next packet defines when it is new.
    std::uint64_t intern(unsigned kind, const std::string& name) {
        auto& names = interned_[kind];
        const auto [found, added] = names.try_emplace(name, names.size() + 1);
        if (added) {
            Message entry;
            new_names_.message(kind, entry.integer(field::iid, found->second).text(field::iid_name, name));
        }
        return found->second;
    }
    void annotate(Message& event, std::string_view args) {
        const nlohmann::json members = nlohmann::json::parse("{" + std::string(args) + "}", nullptr, false);
        for (const auto& [name, value] : members.items()) {
            Message one;
            one.integer(field::annotation_name_iid, intern(field::interned_annotation, name));
            if (value.is_number_integer())
                one.integer(field::annotation_integer, static_cast<std::uint64_t>(value.get<std::int64_t>()));
            else if (value.is_number())
                one.real(field::annotation_real, value.get<double>());
            else
                one.text(field::annotation_text, value.is_string() ? value.get<std::string>() : value.dump());
            event.message(field::annotation, one);
        }
    }
    void describe(const Message& track) { packet(Message().message(field::descriptor, track)); }
    void add(std::int64_t ns, const Message& event) {
        packet(Message().integer(field::timestamp, static_cast<std::uint64_t>(ns)).message(field::track_event, event));
    }
    /// Writes the slices of a track. Of events at one time those that end come first, and outer slices begin first,
    /// since a reader closes the slice that began last.
    void write_slices() {
        struct Event {
            std::int64_t ns;
            bool begins;
            std::int64_t length;
            const Slice* slice;
        };
        std::vector<Event> events;
        for (const Slice& one : slices_) {
            events.push_back({one.start, true, one.end - one.start, &one});
            if (one.end > one.start) events.push_back({one.end, false, 0, &one});
        }
        std::ranges::stable_sort(events, {},
                                 [](const Event& one) { return std::tuple(one.ns, one.begins, -one.length); });
        Message end;
        end.integer(field::type, SliceEnd).integer(field::event_track, track_);
        for (const Event& one : events) {
            if (one.begins) add(one.ns, one.slice->begin);
            if (!one.begins || one.length == 0) add(one.ns, end);
        }
        slices_.clear();
    }
    void packet(Message content) {
        content.integer(field::sequence, 1);
        content.integer(field::flags, first_ ? state_cleared | needs_state : needs_state);
        first_ = false;
        if (!new_names_.bytes().empty()) content.message(field::interned, new_names_);
        new_names_.clear();
        packets_.message(field::trace_packet, content);
        if (packets_.bytes().size() >= 1 << 20) flush();
    }
    void flush() {
        Message group, trace;
        group.text(field::compressed, zlib_compress(packets_.bytes()));
        sink_(trace.message(field::trace_packet, group).bytes());
        packets_.clear();
    }

    struct Slice {
        std::int64_t start, end;
        Message begin;
    };

    PerfettoSink sink_;
    std::vector<Slice> slices_;  ///< not yet written, of one track
    std::uint64_t track_ = 0;
    Message packets_, new_names_;
    bool first_ = true;
    std::uint64_t arrows_ = 0;
    std::map<std::tuple<std::int64_t, std::int64_t, std::string>, std::uint64_t> tracks_;
    std::map<unsigned, std::unordered_map<std::string, std::uint64_t>> interned_;
};

}  // namespace

std::unique_ptr<PerfettoWriter> perfetto_protobuf(const Reader& trace, const PerfettoOptions& options,
                                                  const PerfettoSink& sink) {
    return std::make_unique<PerfettoProtobuf>(trace, options, sink);
}

}  // namespace ttsim::impl::trace
