#include "runtime/session.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/error_codes.hpp"
#include "base/text.hpp"
#include "netlist/program/parameters.hpp"
#include "sim/live.hpp"

namespace ttsim::impl::runtime {

struct Session::Impl {
    sim::LiveNetlist live;
    SessionOptions options;
    mutable std::mutex mutex;
    std::condition_variable changed;  // signalled by calls of other threads
    std::uint64_t calls = 0;

    Impl(Netlist netlist, Machine machine, const SessionOptions& o)
        : live(std::move(netlist), std::move(machine), settings_of(o),
               o.golden ? sim::Evaluator::Golden : sim::Evaluator::Chips),
          options(o) {}

    static sim::MachineSettings settings_of(const SessionOptions& o) {
        sim::MachineSettings settings;
        check_values(o);
        check_values(o.trace);
        static_cast<sim::MachineValues&>(settings) = o;
        settings.inputs_count.reset();
        settings.pipes = o.pipes;
        settings.trace = o.trace;
        settings.idealized = o.idealized;
        settings.stop = o.stop;
        return settings;
    }

    sim::Engine& engine() { return live.engine(); }

    const Queue& find(const std::string& name) const {
        const Queue* queue = live.netlist().find_queue(name);
        if (queue) return *queue;
        std::vector<std::string> names;
        for (const Queue& known : live.netlist().queues) names.push_back(known.name);
        fail(Fault::Input, {{live.netlist().file, 0, 0}, error_code::unknown_name, {name}},
             "the netlist has no queue '{}'{}", name, did_you_mean(name, names));
    }
    const Queue& fifo(const std::string& name, bool host_fills) const {
        const Queue& queue = find(name);
        if (queue.type == QueueType::Ram)
            fail_input(queue.loc, "'{}' is a ram: use {} with a slot", name, host_fills ? "write()" : "read()");
        if (queue.host_fed() != host_fills)
            fail_input(queue.loc, "queue '{}' is filled by {}; the host can only {} it", name,
                       host_fills ? "op '" + queue.input + "'" : "the host", host_fills ? "get and pop" : "push to");
        if (!host_fills && live.read_by_graph(queue))
            fail_input(queue.loc, "queue '{}' is emptied by a graph; the host cannot get or pop its entries", name);
        return queue;
    }
    const Queue& ram(const std::string& name, std::int64_t slot) const {
        const Queue& queue = find(name);
        if (queue.type != QueueType::Ram) fail_input(queue.loc, "'{}' is a queue and has no slots", name);
        if (slot < 0 || slot >= queue.entries)
            fail_input(queue.loc, "ram '{}' has slots 0..{}, not {}", name, queue.entries - 1, slot);
        return queue;
    }
    sim::EntryPtr pack(const Queue& queue, const Tensor& entry) const {
        const Tensor shape(TileShape{0, queue.shape().rt, queue.shape().ct}, queue.tile);
        if (entry.z != queue.shape().z || entry.rows != shape.rows || entry.cols != shape.cols)
            fail(Fault::Input, {queue.loc, error_code::wrong_shape, {queue.name}},
                 "an entry of '{}' is [{}, {}, {}], not [{}, {}, {}]", queue.name, queue.shape().z, shape.rows,
                 shape.cols, entry.z, entry.rows, entry.cols);
        if (entry.data.size() != static_cast<std::size_t>(entry.size()))
            fail(Fault::Input, {queue.loc, error_code::wrong_shape, {queue.name}},
                 "the entry for '{}' holds {} elements, its shape says {}", queue.name, entry.data.size(),
                 entry.size());
        const bool as_given = options.golden && options.numerics == Numerics::Float32 && queue.df != DataFormat::Int32;
        return as_given ? sim::pack_entry(entry, queue, Numerics::Float32) : sim::pack_host_entry(entry, queue);
    }
    bool has_values() const { return options.mode != sim::Mode::Timing || options.golden; }
    void needs_values(const char* what) const {
        if (!has_values()) fail_input({live.netlist().file, 0, 0}, "{}: a session in timing mode has no values", what);
    }

    /// Advances until `until` holds; otherwise throws with the text of `what` and the wait-for chain.
    template <class What>
    void advance_until(std::unique_lock<std::mutex>& lock, const sim::Until& until, Timeout timeout, What&& what) {
        const std::uint64_t start = engine().now();
        const std::uint64_t deadline =
            timeout.cycles > Timeout::sim_forever - start ? Timeout::sim_forever : start + timeout.cycles;
        std::chrono::nanoseconds others = timeout.others.value_or(options.other_threads);
        while (!engine().advance(until, deadline)) {
            const std::uint64_t seen = calls;
            const bool timed_out = engine().now() >= deadline;
            if (!timed_out && others.count() > 0) {
                const auto wait_start = std::chrono::steady_clock::now();
                const bool called = changed.wait_until(lock, wait_start + others, [&] { return calls != seen; });
                others -= std::chrono::steady_clock::now() - wait_start;
                if (called) continue;
            }
            const std::string reason = timed_out ? fmt::format("within {} cycles", timeout.cycles) : engine().waits();
            throw Error(Fault::Hang, {live.netlist().file, 0, 0},
                        fmt::format("{} at cycle {}: {}", what(), engine().now(), reason));
        }
    }
    void push(std::unique_lock<std::mutex>& lock, const Queue& queue, std::vector<sim::EntryPtr> entries,
              Timeout timeout) {
        const std::int64_t count = std::ssize(entries);
        advance_until(
            lock, [&] { return engine().room(queue) >= count; }, timeout,
            [&] { return fmt::format("queue '{}' has no room for {} more", queue.name, count); });
        for (sim::EntryPtr& entry : entries) engine().push(queue, std::move(entry));
        notify_others();
    }
    void notify_others() {
        ++calls;
        changed.notify_all();
    }
};

Session::Session(Netlist netlist, Machine machine, SessionOptions options)
    : impl_(std::make_unique<Impl>(std::move(netlist), std::move(machine), options)) {}

Session::~Session() = default;

// --- programs ------------------------------------------------------------------------------------------------------

void Session::run(const std::string& program, const std::map<std::string, std::int64_t>& params,
                  std::optional<std::int64_t> first_input) {
    const std::unique_lock lock(impl_->mutex);
    impl_->live.call(program, params, first_input);
    impl_->engine().advance([this] { return impl_->engine().idle(); });
    impl_->notify_others();
}

void Session::wait(Timeout timeout) {
    std::unique_lock lock(impl_->mutex);
    impl_->advance_until(
        lock, [this] { return impl_->engine().idle(); }, timeout, [] { return "programs cannot end"; });
    impl_->notify_others();
}

bool Session::has_values() const { return impl_->has_values(); }

bool Session::idle() const {
    const std::unique_lock lock(impl_->mutex);
    return impl_->engine().idle();
}

// --- queues --------------------------------------------------------------------------------------------------------

void Session::push(const std::string& name, const Tensor& entry, Timeout timeout) {
    push(name, std::vector<Tensor>{entry}, timeout);
}

void Session::push(const std::string& name, const std::vector<Tensor>& entries, Timeout timeout) {
    std::unique_lock lock(impl_->mutex);
    const Queue& queue = impl_->fifo(name, true);
    const auto count = static_cast<std::int64_t>(entries.size());
    if (count > queue.entries)
        fail_input(queue.loc, "queue '{}' has {} entries; {} can never be there together", name, queue.entries, count);
    std::vector<sim::EntryPtr> packed;
    for (const Tensor& entry : entries) packed.push_back(impl_->pack(queue, entry));
    impl_->push(lock, queue, std::move(packed), timeout);
}

void Session::push_without_values(const std::string& name, Timeout timeout) {
    std::unique_lock lock(impl_->mutex);
    const Queue& queue = impl_->fifo(name, true);
    TT_CHECK(!impl_->has_values(), "'{}' needs values", name);
    impl_->push(lock, queue, {nullptr}, timeout);
}

Tensor Session::get(const std::string& name, Timeout timeout, std::int64_t ahead) {
    std::unique_lock lock(impl_->mutex);
    impl_->needs_values("get");
    const Queue& queue = impl_->fifo(name, false);
    if (ahead < 0 || ahead >= queue.entries)
        fail_input(queue.loc, "queue '{}' has {} entries; there is none {} ahead", name, queue.entries, ahead);
    impl_->advance_until(
        lock, [&] { return impl_->engine().ready(queue) > ahead; }, timeout,
        [&] { return fmt::format("queue '{}' has no entry to get", name); });
    Tensor value = impl_->engine().read(queue, impl_->engine().popped(queue) + ahead);
    impl_->notify_others();
    return value;
}

void Session::pop(const std::string& name, std::int64_t count, Timeout timeout) {
    std::unique_lock lock(impl_->mutex);
    const Queue& queue = impl_->fifo(name, false);
    if (count < 0 || count > queue.entries)
        fail_input(queue.loc, "queue '{}' has {} entries; {} cannot be popped", name, queue.entries, count);
    impl_->advance_until(
        lock, [&] { return impl_->engine().ready(queue) >= count; }, timeout,
        [&] { return fmt::format("queue '{}' has no {} entries to pop", name, count); });
    impl_->engine().pop(queue, count);
    impl_->notify_others();
}

std::int64_t Session::ready(const std::string& name) const {
    const std::unique_lock lock(impl_->mutex);
    return impl_->engine().ready(impl_->fifo(name, false));
}

std::int64_t Session::room(const std::string& name) const {
    const std::unique_lock lock(impl_->mutex);
    return impl_->engine().room(impl_->fifo(name, true));
}

// --- rams ----------------------------------------------------------------------------------------------------------

void Session::write(const std::string& name, std::int64_t slot, const Tensor& entry) {
    const Queue& ram = impl_->ram(name, slot);
    if (!ram.alias.empty())
        fail_input(ram.loc, "ram '{}' is an alias; write to '{}', whose memory it shares", name, ram.alias);
    const sim::EntryPtr packed = impl_->pack(ram, entry);
    const std::unique_lock lock(impl_->mutex);
    impl_->engine().write(ram, slot, packed);
    impl_->notify_others();
}

Tensor Session::read(const std::string& name, std::int64_t slot) {
    const std::unique_lock lock(impl_->mutex);
    impl_->needs_values("read");
    const Queue& ram = impl_->ram(name, slot);
    impl_->engine().advance([this] { return impl_->engine().idle(); });
    return impl_->engine().read(ram, slot);
}

// --- results -------------------------------------------------------------------------------------------------------

std::uint64_t Session::now() const {
    const std::unique_lock lock(impl_->mutex);
    return impl_->engine().now();
}

sim::RunReport Session::report() const {
    const std::unique_lock lock(impl_->mutex);
    return impl_->live.report();
}

void Session::finish_trace() {
    const std::unique_lock lock(impl_->mutex);
    impl_->live.finish_trace();
}

const Netlist& Session::netlist() const { return impl_->live.netlist(); }
const Machine& Session::machine() const { return impl_->live.machine(); }
unsigned Session::threads() const { return impl_->options.threads; }

}  // namespace ttsim::impl::runtime
