// What the machine tells someone who traces it. Every part holds a pointer to its probe, null when nobody traces, and
// calls it where it starts, waits, sends or ends. Probes only count: nothing the machine does depends on them.
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

/// Relative times of the events of one input, each a few numbers; empty when single events are not wanted.
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

/// What a transfer takes of one NoC: from a tile to a tile, or to the Tensix tiles of a rectangle. One to another chip
/// has several legs, with Ethernet or PCIe between them.
struct NocLeg {
    std::int64_t chip = 0;
    int noc = 0;
    NocCoord from, low, high;
};

/// What one chunk sends over one leg. Those of the first (leg 0) come from different sources.
struct RoutePart {
    std::int64_t chunk = 0;  ///< within the input, as the events of an input are counted
    std::int64_t leg = 0;
    NocLeg way;
    std::uint64_t bytes = 0;
};

/// A pipe, or the writer of a core: chunks wait for their source, then for room, then are in flight.
class FlowProbe {
public:
    /// Block: the source has made it, but not the whole block it hands over; Lockstep: another fork of the source still
    /// sends the block before.
    enum class Wait : std::uint8_t { None, Source, Room, Block, Lockstep };
    struct Input {
        std::int64_t input = 0;
        Cycle start = 0;  ///< first chunk sent
        Events events;    ///< sent, arrived
        bool same_as(const Input& other) const { return events == other.events; }
        void move_by(Cycle cycles) { start += cycles; }
    };

    void waits(Cycle now, Wait why) {
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
    /// Whether the ways of an input's chunks are to be told: of the first that is sent, all others take the same.
    bool wants_ways(std::int64_t input) {
        if (!events) return false;
        if (!events->parts_of) events->parts_of = input;
        return *events->parts_of == input;
    }
    void sends(std::int64_t chunk, const std::vector<NocLeg>& legs, std::uint64_t bytes) {
        for (std::size_t leg = 0; leg < legs.size(); ++leg)
            events->parts.push_back({chunk, static_cast<std::int64_t>(leg), legs[leg], bytes});
    }
    /// A chunk that nobody wants is dropped where it is.
    void skipped(Cycle now) {
        charge(now);
        why_ = Wait::None;
    }
    void arrived(Cycle now, Cycle flight) {
        last_sent_ = now - flight;
        last_arrival_ = now;
    }
    /// When what has just arrived had been sent.
    Cycle last_sent() const { return last_sent_; }
    Cycle last_arrival() const { return last_arrival_; }
    void begin(Cycle now) { since_ = now; }
    void close();  ///< the epoch is over
    void walk(StateWalk& walk, const StateWalk::Scope& scope);

    std::uint64_t chunks = 0;
    Cycle first_sent = 0, in_flight = 0;
    std::array<Cycle, 5> waited{};  ///< by Wait
    bool memory = false;            ///< what it carries comes from a queue
    struct EventLog {
        Series<Input> inputs;
        Input open;
        std::int64_t inputs_over = 0;  ///< appended to `inputs`
        std::vector<RoutePart> parts;  ///< of the first input that is sent: all take the same way
        std::optional<std::int64_t> parts_of;
        void finish_input();
    };
    std::unique_ptr<EventLog> events;  ///< null: single transfers are not wanted

private:
    void add_event(Cycle now, Cycle arrival, std::int64_t input);
    void charge(Cycle now) {
        waited[static_cast<std::size_t>(why_)] += now - since_;
        since_ = now;
    }
    Wait why_ = Wait::None;
    Cycle since_ = 0, last_sent_ = 0, last_arrival_ = 0;
};

/// How long a transfer is under way, as an event's `what` can hold it.
inline std::uint32_t flight_time(Cycle sent, Cycle arrival) {
    return static_cast<std::uint32_t>(std::min<Cycle>(arrival - sent, ~std::uint32_t{0} - 1));
}

/// One core of an op. What it does is cut into inputs: an input lasts from the end of the one before (the first: from
/// its first unpack) to the cycle in which its last step makes way for the next (the last: to its last pack).
class CoreProbe {
public:
    enum Part : std::uint8_t { MathBound, UnpackBound, Source, Noc, Dram, Room, Output, Dst, Pack, Drain, parts };
    struct Input {
        std::int64_t input = 0;
        Cycle start = 0, end = 0, first_unpack = 0, last_pack = 0;
        std::array<Cycle, parts> spent{};  ///< sums to end - start
        std::int64_t tiles = 0, steps = 0;
        Cycle math = 0;  ///< cycles in which FPU or SFPU work
        Events events;   ///< start, busy, wait for pack, packed
        bool same_as(const Input& other) const;
        void move_by(Cycle cycles) {
            for (Cycle* at : {&start, &end, &first_unpack, &last_pack}) *at += cycles;
        }
    };

    /// `arrived`: chunks it has had from the pipe.
    void waits_for_operand(Cycle now, const FlowProbe* pipe, std::int64_t arrived) {
        if (pipe == pipe_ && arrived == arrived_) return;
        charge(now);
        pipe_ = pipe;
        arrived_ = arrived;
        for_room_ = false;
    }
    void waits_for_room(Cycle now) {
        if (for_room_) return;
        charge(now);
        for_room_ = true;
        pipe_ = nullptr;
    }
    /// Its output buffer has room again, thanks to what has just arrived there.
    void released(const FlowProbe* by) { released_by_ = by; }

    struct Step {
        std::int64_t input;
        bool first;  ///< of its input
        Cycle start, work_end, next_start, pack_end;
        Cycle unpack, math, engaged;
        std::int64_t tiles;  ///< packed
    };
    void step(const Step& step);
    void close();  ///< the epoch is over
    void walk(StateWalk& walk, const StateWalk::Scope& scope);
    /// What has been accounted for until now: `spent`, `math`, `tiles` and `steps` over all inputs.
    Input totals() const;
    /// Of a core that waits: since when; of one that works: when it will be ready for its next step.
    Cycle since() const { return since_; }

    bool wants_events = false;
    Series<Input> inputs;

private:
    void charge(Cycle now);
    void finish_input();

    Cycle since_ = 0;   // everything before is accounted for
    Cycle packed_ = 0;  // end of the last pack
    bool for_room_ = false;
    bool has_waited_ = false;
    std::int64_t arrived_ = 0;
    const FlowProbe* pipe_ = nullptr;
    const FlowProbe* released_by_ = nullptr;
    bool open_ = false;
    std::int64_t inputs_over_ = 0;       // appended to `inputs`
    std::array<Cycle, parts> waited_{};  // since the last step
    Input now_;
};

/// Something that carries bytes: a NoC link, a DRAM channel, an Ethernet link, PCIe. Busy cycles are kept in time
/// buckets, which grow with the run.
class alignas(64) Load {
public:
    static constexpr std::size_t buckets_at_most = 128;

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
    /// It is busy: with a transfer, or with a piece of one.
    void occupy(Cycle start, Cycle length) {
        if (start >= from_ && start + length <= to_)
            busy_ += length;
        else
            add_elsewhere(start, length);
    }
    std::uint64_t transfers = 0, bytes_passed = 0;
    Cycle queueing = 0;
    /// Busy cycles in buckets of 2^shift cycles, up to `cycles`.
    std::vector<Cycle> busy_in(unsigned shift, Cycle cycles) const;
    unsigned shift() const { return shift_; }
    Cycle busy() const { return elsewhere_ + busy_; }
    void walk(StateWalk& walk);

private:
    void flush();
    void add_elsewhere(Cycle start, Cycle length);
    void add_evenly(Cycle start, Cycle cycles, Cycle busy);
    void fold();

    Cycle from_ = 0, to_ = 0, busy_ = 0;  // the bucket of the last transfer, and what is not yet in busy_in_
    Cycle elsewhere_ = 0;                 // sum of busy_in_
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
    const char* part = "";  ///< of what the others name, where there are several
};

std::string kind_name(ResourceName::Kind kind);       ///< "noc", "dram", "pcie", "ethernet"
std::string direction(const ResourceName& name);      ///< of a NoC link
std::string resource_text(const ResourceName& name);  ///< "chip 0 noc0 1-2 right", "chip 0 dram 3"

/// The probes of one epoch in flight.
class EpochProbe {
public:
    virtual ~EpochProbe() = default;
    virtual CoreProbe* core(std::size_t op, std::size_t index) = 0;
    /// Pipes are asked for in the order of the plan, then writers by op, queue and core.
    virtual FlowProbe* next_flow() = 0;
    virtual void begins(Cycle now) = 0;  ///< kernels are loaded
};

/// The whole machine's.
class Probe {
public:
    virtual ~Probe() = default;
    virtual Load* resource(const ResourceName& name) = 0;
    virtual EpochProbe* launch(const Plan& plan, const EpochLaunch& launch, Cycle now) = 0;
    /// The state of what outlives epochs, wherever the machine's is walked.
    virtual void walk(StateWalk& walk) = 0;
    /// The epoch is over; its probe is gone afterwards.
    virtual void over(EpochProbe* epoch, Cycle now, double inputs_per_second) = 0;
};

}  // namespace ttsim::impl::sim
