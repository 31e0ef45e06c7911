#include "runtime/session.hpp"

#include <ttsim/session.hpp>

#include "isa/arch.hpp"
#include "library/internal.hpp"
#include "sim/setup.hpp"

namespace ttsim {

namespace {

tt::Tensor internal(const Tensor& t) {
    tt::Tensor out;
    out.z = t.z;
    out.rows = t.rows;
    out.cols = t.columns;
    out.data = t.data;
    return out;
}

Tensor external(tt::Tensor&& t) {
    Tensor out;
    out.z = t.z;
    out.rows = t.rows;
    out.columns = t.cols;
    out.data = std::move(t.data);
    return out;
}

tt::Numerics numerics_of(Numerics n) {
    return n == Numerics::Real      ? tt::Numerics::Real
           : n == Numerics::Float32 ? tt::Numerics::Float32
                                    : tt::Numerics::Exact;
}

tt::sim::Mode mode_of(Mode mode) { return mode == Mode::Full ? tt::sim::Mode::Full : tt::sim::Mode::Timing; }

/// The machine that the options ask for: of several chips the first on which the netlist is valid.
tt::Machine choose_machine(const tt::Netlist& netlist, const SessionOptions& options) {
    std::vector<std::string> chips{options.chip.empty() ? tt::device_chip(options.device) : options.chip};
    if (chips.front().empty()) chips = netlist.archs;
    std::optional<tt::Error> refusal;
    for (const std::string& chip : chips) {
        try {
            tt::Machine machine = tt::make_machine(
                chip, {options.device, options.cluster, options.harvested_rows, tt::sim::chips_named(netlist)});
            tt::sim::check_on(netlist, machine);
            return machine;
        } catch (const tt::Error& error) {
            if (!refusal) refusal = error;
        }
    }
    if (refusal) throw *refusal;
    tt::fail_input({netlist.file, 0, 0}, "the netlist names no chip; SessionOptions must");
}

tt::runtime::SessionOptions internal(const SessionOptions& options) {
    tt::runtime::SessionOptions out;
    out.mode = mode_of(options.mode);
    out.numerics = numerics_of(options.numerics);
    out.threads = options.threads;
    return out;
}

}  // namespace

struct Session::Impl {
    tt::runtime::Session session;
    std::string chip;

    Impl(const tt::Netlist& netlist, const SessionOptions& options)
        : session(netlist, choose_machine(netlist, options), internal(options)),
          chip(session.machine().chips.front().params.name) {}
};

Session::Session(const Netlist& netlist, const SessionOptions& options)
    : impl_(guarded([&] { return std::make_unique<Impl>(netlist.impl().netlist, options); })) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

void Session::run(const std::string& program, const std::map<std::string, std::int64_t>& parameters) {
    guarded([&] { impl_->session.run(program, parameters); });
}
void Session::wait() {
    guarded([&] { impl_->session.wait(); });
}
void Session::push(const std::string& queue, const Tensor& entry) {
    guarded([&] { impl_->session.push(queue, internal(entry)); });
}
Tensor Session::get(const std::string& queue) {
    return guarded([&] { return external(impl_->session.get(queue)); });
}
void Session::pop(const std::string& queue, std::int64_t count) {
    guarded([&] { impl_->session.pop(queue, count); });
}
std::int64_t Session::ready(const std::string& queue) const {
    return guarded([&] { return impl_->session.ready(queue); });
}
std::int64_t Session::room(const std::string& queue) const {
    return guarded([&] { return impl_->session.room(queue); });
}
void Session::write(const std::string& ram, std::int64_t slot, const Tensor& entry) {
    guarded([&] { impl_->session.write(ram, slot, internal(entry)); });
}
Tensor Session::read(const std::string& ram, std::int64_t slot) {
    return guarded([&] { return external(impl_->session.read(ram, slot)); });
}
std::uint64_t Session::now() const {
    return guarded([&] { return impl_->session.now(); });
}
RunReport Session::report() const {
    return guarded([&] { return public_report(impl_->session.report()); });
}
const std::string& Session::chip() const { return impl_->chip; }

RunReport run(const std::string& netlist_file, const RunOptions& options) {
    return guarded([&] {
        tt::sim::RunOptions run;
        run.netlist = netlist_file;
        run.arch = options.session.chip;
        run.device = options.session.device;
        run.cluster = options.session.cluster;
        run.harvested_rows = options.session.harvested_rows;
        run.mode = mode_of(options.session.mode);
        run.numerics = numerics_of(options.session.numerics);
        run.threads = options.session.threads;
        run.programs = options.programs;
        run.params = options.parameters;
        if (options.inputs_count != 0) run.inputs_count = options.inputs_count;
        run.seed = options.seed;
        run.check = options.check;
        return public_report(tt::sim::run(run));
    });
}

}  // namespace ttsim
