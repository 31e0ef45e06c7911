// Probes of the machine for trace and debugger. Every component has a pointer to its probe, null without either, and
// calls it when it starts, waits, sends or ends. Probes only count; the simulation does not depend on them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "isa/arch.hpp"
#include "sim/machine/calendar.hpp"
#include "sim/machine/series.hpp"
#include "sim/machine/state_walk.hpp"

namespace ttsim::impl {
struct Plan;
struct PlanOp;
struct Pipe;
struct EpochLaunch;
}  // namespace ttsim::impl

namespace ttsim::impl::sim {

/// Events of one input, each with up to four times relative to the input's start; empty when events are not recorded.
class Events {
public:
    void add(const std::array<Cycle, 4>& event);
    bool empty() const { return list_.empty(); }
    std::uint64_t hash() const { return hash_; }
    auto begin() const { return list_.begin(); }
    auto end() const { return list_.end(); }
    friend bool operator==(const Events& a, const Events& b) { return a.hash_ == b.hash_ && a.list_ == b.list_; }

private:
    std::vector<std::array<Cycle, 4>> list_;
    std::uint64_t hash_ = 0;
};

/// The part of a transfer on one NoC: from a node to a node, or to the Tensix nodes of a rectangle. A transfer to
/// another chip has several legs, with Ethernet or PCIe between them.
struct NocLeg {
    std::int64_t chip = 0;
    int noc = 0;
    NocCoord from, low, high;
};

/// The bytes of one chunk on one leg. A chunk has several parts with leg 0 when it has several sources.
struct RoutePart {
    std::int64_t chunk = 0;  ///< index within the input, as for Events
    std::int64_t leg = 0;
    NocLeg route;
    std::uint64_t bytes = 0;
};

/// Probe of a pipe or writer: chunks wait for their source, then for room, then are in flight.
class FlowProbe {
public:
    /// Block: the source has computed the tiles, but not the whole block they are sent in. Lockstep: another reader of
    /// the source is still receiving the previous block.
    enum class Wait : std::uint8_t { None, Source, Room, Block, Lockstep };
    struct Input {
        std::int64_t input = 0;
        Cycle start = 0;  ///< first chunk sent
        Events events;    ///< sent, arrived
        bool same_as(const Input& other) const { return events == other.events; }
        std::uint64_t digest() const { return events.hash(); }
        void move_by(Cycle cycles) { start += cycles; }
    };

    void blocked(Cycle now, Wait why) {
        if (why == why_) return;
        charge(now);
        why_ = why;
    }
    void sent(Cycle now, Cycle arrival, std::int64_t input) {
        charge(now);
        why_ = Wait::None;
        if (chunks++ == 0) first_sent = now;
        in_flight += arrival - now;
        if (events) add_event(now, arrival, input);
    }
    /// Whether the routes of this input's chunks are recorded. Only those of the first input are, since all inputs use
    /// the same routes.
    bool wants_routes(std::int64_t input) {
        if (!events) return false;
        if (!events->parts_of) events->parts_of = input;
        return *events->parts_of == input;
    }
    void record_route(std::int64_t chunk, const std::vector<NocLeg>& legs, std::uint64_t bytes) {
        for (std::size_t leg = 0; leg < legs.size(); ++leg)
            events->parts.push_back({chunk, static_cast<std::int64_t>(leg), legs[leg], bytes});
    }
    /// A chunk without a receiver was dropped at its source.
    void skipped(Cycle now) {
        charge(now);
        why_ = Wait::None;
    }
    void arrived(Cycle now, Cycle flight) {
        last_sent_ = now - flight;
        last_arrival_ = now;
    }
    /// Cycle in which the last arrived chunk was sent.
    Cycle last_send() const { return last_sent_; }
    Cycle last_arrival() const { return last_arrival_; }
    void begin(Cycle now) { since_ = now; }
    void close();  ///< the epoch is over
    void walk(StateWalk& walk, const StateWalk::Scope& scope);

    std::uint64_t chunks = 0;
    Cycle first_sent = 0, in_flight = 0;
    std::array<Cycle, 5> waited{};  ///< waiting cycles, indexed by Wait
    bool memory = false;            ///< its source is a queue
    struct EventLog {
        Series<Input> inputs;
        Input open;
        std::int64_t inputs_over = 0;  ///< number of inputs appended to `inputs`
        std::vector<RoutePart> parts;  ///< routes of the first input; all inputs use the same
        std::optional<std::int64_t> parts_of;
        void finish_input();
    };
    std::unique_ptr<EventLog> events;  ///< null: single transfers are not recorded

private:
    void add_event(Cycle now, Cycle arrival, std::int64_t input);
    void charge(Cycle now) {
        waited[static_cast<std::size_t>(why_)] += now - since_;
        since_ = now;
    }
    Wait why_ = Wait::None;
    Cycle since_ = 0, last_sent_ = 0, last_arrival_ = 0;
};

/// Cycles of a transfer in flight, limited to the range of an event's `what`.
inline std::uint32_t flight_time(Cycle sent, Cycle arrival) {
    return static_cast<std::uint32_t>(std::min<Cycle>(arrival - sent, ~std::uint32_t{0} - 1));
}

/// Probe of one core of an op. Its time is divided into inputs. An input lasts from the end of the previous input (the
/// first: from its first unpack) to the cycle in which the step after its last may start (the last: to its last pack).
class CoreProbe {
public:
    enum Part : std::uint8_t { MathBound, UnpackBound, Source, Noc, Dram, Room, Output, Dst, Pack, Drain, parts };
    struct Input {
        std::int64_t input = 0;
        Cycle start = 0, end = 0, first_unpack = 0, last_pack = 0;
        std::array<Cycle, parts> spent{};  ///< cycles by Part; the sum is end - start
        std::int64_t tiles = 0, steps = 0;
        Cycle math = 0;  ///< cycles in which FPU or SFPU is busy
        Events events;   ///< step start, busy cycles, wait for the packer, step packed
        bool same_as(const Input& other) const;
        std::uint64_t digest() const;
        void move_by(Cycle cycles) {
            for (Cycle* at : {&start, &end, &first_unpack, &last_pack}) *at += cycles;
        }
    };

    /// `arrived`: chunks received from the pipe.
    void blocked_on_input(Cycle now, const FlowProbe* pipe, std::int64_t arrived) {
        if (pipe == pipe_ && arrived == arrived_) return;
        charge(now);
        pipe_ = pipe;
        arrived_ = arrived;
        output_blocked_ = false;
    }
    void blocked_on_output(Cycle now) {
        if (output_blocked_) return;
        charge(now);
        output_blocked_ = true;
        pipe_ = nullptr;
    }
    /// Its output buffer has room again, because the flow `by` has delivered tiles.
    void released(const FlowProbe* by) { released_by_ = by; }

    struct Step {
        std::int64_t input;
        bool first;  ///< first step of its input
        Cycle start, work_end, next_start, pack_end;
        Cycle unpack, math, math_busy;
        std::int64_t tiles;  ///< packed
    };
    void step(const Step& step);
    void close();  ///< the epoch is over
    void walk(StateWalk& walk, const StateWalk::Scope& scope);
    /// Sums over all inputs up to now: `spent`, `math`, `tiles` and `steps`.
    Input totals() const;
    /// Blocked core: start of the wait. Busy core: cycle in which it is ready for its next step.
    Cycle since() const { return since_; }

    bool wants_events = false;
    Series<Input> inputs;

private:
    void charge(Cycle now);
    void finish_input();

    Cycle since_ = 0;   // cycles before it are accounted for
    Cycle packed_ = 0;  // end of the last pack
    bool output_blocked_ = false;
    bool has_waited_ = false;
    std::int64_t arrived_ = 0;
    const FlowProbe* pipe_ = nullptr;
    const FlowProbe* released_by_ = nullptr;
    bool open_ = false;
    std::int64_t inputs_over_ = 0;       // appended to `inputs`
    std::array<Cycle, parts> waited_{};  // cycles since the last step, by Part
    Input now_;
};

/// Load of a resource that carries bytes: a NoC link, a DRAM channel, an Ethernet link, PCIe. Busy cycles are counted
/// per time bucket; the buckets get longer as the run does.
class alignas(64) Load {
public:
    static constexpr std::size_t max_buckets = 128;

    /// A transfer that could have started `queued` cycles earlier.
    void add(Cycle start, Cycle length, std::uint64_t bytes, Cycle queued) {
        count(bytes, queued);
        occupy(start, length);
    }
    void count(std::uint64_t bytes, Cycle queued) {
        ++transfers;
        bytes_passed += bytes;
        queueing += queued;
    }
    /// Adds busy cycles of a transfer or a piece of it.
    void occupy(Cycle start, Cycle length) {
        if (start >= from_ && start + length <= to_)
            busy_ += length;
        else
            add_to_buckets(start, length);
    }
    std::uint64_t transfers = 0, bytes_passed = 0;
    Cycle queueing = 0;
    /// Busy cycles per bucket of 2^shift cycles, up to cycle `cycles`.
    std::vector<Cycle> busy_in(unsigned shift, Cycle cycles) const;
    unsigned shift() const { return shift_; }
    Cycle busy() const { return flushed_ + busy_; }
    void walk(StateWalk& walk);

private:
    void flush();
    void add_to_buckets(Cycle start, Cycle length);
    void add_evenly(Cycle start, Cycle cycles, Cycle busy);
    void fold();

    Cycle from_ = 0, to_ = 0, busy_ = 0;  // bounds of the current bucket, and its cycles that are not yet in busy_in_
    Cycle flushed_ = 0;                   // sum of busy_in_
    unsigned shift_ = 12;
    std::vector<Cycle> busy_in_;
};

struct ResourceName {
    enum class Kind : std::uint8_t { NocLink, Dram, Pcie, Ethernet } kind = Kind::NocLink;
    std::int64_t chip = 0;
    int noc = 0, x = 0, y = 0;
    bool vertical = false;
    std::int64_t channel = 0, to_chip = 0;
    double bytes_per_cycle = 0;
    const char* part = "";  ///< part of the resource, when it has several
};

std::string kind_name(ResourceName::Kind kind);       ///< "noc", "dram", "pcie", "ethernet"
std::string direction(const ResourceName& name);      ///< of a NoC link
std::string resource_text(const ResourceName& name);  ///< "chip 0 noc0 1-2 right", "chip 0 dram 3"

/// The probes of one epoch in flight.
class EpochProbe {
public:
    virtual ~EpochProbe() = default;
    virtual CoreProbe* core(std::size_t op, std::size_t index) = 0;
    /// Called for pipes in the order of the plan, then for writers by op, queue and core.
    virtual FlowProbe* next_flow() = 0;
    virtual void begins(Cycle now) = 0;  ///< kernels are loaded
};

/// Probe of the whole machine.
class Probe {
public:
    virtual ~Probe() = default;
    virtual Load* resource(const ResourceName& name) = 0;
    virtual EpochProbe* launch(const Plan& plan, const EpochLaunch& launch, Cycle now) = 0;
    /// Walks the state that outlives epochs.
    virtual void walk(StateWalk& walk) = 0;
    /// The epoch has ended; its probe is destroyed.
    virtual void over(EpochProbe* epoch, Cycle now, double inputs_per_second) = 0;
};

}  // namespace ttsim::impl::sim
