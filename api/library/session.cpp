#include "runtime/session.hpp"

#include <ttsim/session.hpp>

#include "api/library/internal.hpp"
#include "api/library/options.hpp"
#include "generated/run_copies.hpp"

namespace ttsim {

namespace {

impl::Tensor internal(Tensor&& t) {
    impl::Tensor out;
    out.z = t.z;
    out.rows = t.rows;
    out.cols = t.columns;
    out.data = std::move(t.data);
    return out;
}

impl::Tensor internal(const Tensor& t) { return internal(Tensor(t)); }

Tensor external(impl::Tensor&& t) {
    Tensor out;
    out.z = t.z;
    out.rows = t.rows;
    out.columns = t.cols;
    out.data = std::move(t.data);
    return out;
}

impl::runtime::Timeout internal(Timeout timeout) { return {timeout.cycles}; }

}  // namespace

struct Session::Impl {
    impl::runtime::Session session;
    std::string chip;

    Impl(const impl::Netlist& netlist, const SessionOptions& options)
        : session(netlist, choose_machine(netlist, options), session_options(options)),
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
void Session::push(const std::string& queue, const Tensor& entry, Timeout timeout) {
    guarded([&] { impl_->session.push(queue, internal(entry), internal(timeout)); });
}
void Session::push(const std::string& queue, Tensor&& entry, Timeout timeout) {
    guarded([&] { impl_->session.push(queue, internal(std::move(entry)), internal(timeout)); });
}
void Session::push(const std::string& queue, const std::vector<Tensor>& entries, Timeout timeout) {
    guarded([&] {
        std::vector<impl::Tensor> all;
        for (const Tensor& entry : entries) all.push_back(internal(entry));
        impl_->session.push(queue, all, internal(timeout));
    });
}
Tensor Session::get(const std::string& queue, Timeout timeout, std::int64_t ahead) {
    return guarded([&] { return external(impl_->session.get(queue, internal(timeout), ahead)); });
}
void Session::pop(const std::string& queue, std::int64_t count, Timeout timeout) {
    guarded([&] { impl_->session.pop(queue, count, internal(timeout)); });
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
void Session::write(const std::string& ram, std::int64_t slot, Tensor&& entry) {
    guarded([&] { impl_->session.write(ram, slot, internal(std::move(entry))); });
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
void Session::finish_trace() {
    guarded([&] { impl_->session.finish_trace(); });
}

RunReport run(const std::string& netlist_file, const RunOptions& options) {
    return guarded([&] {
        impl::sim::RunOptions run;
        run.netlist = netlist_file;
        if (options.session.engine == Engine::Golden)
            impl::fail_input({}, "run() compares with golden; Engine::Golden is for sessions");
        const impl::runtime::SessionOptions session = session_options(options.session);
        static_cast<impl::sim::MachineValues&>(run) = session;
        run.trace = session.trace;
        run.stop = session.stop;
        copy(options.session, static_cast<impl::sim::RunValues&>(run));
        copy(options, static_cast<impl::sim::RunValues&>(run));
        copy(options, static_cast<impl::sim::MachineValues&>(run));
        check_values(static_cast<const impl::sim::MachineValues&>(run));
        check_values(static_cast<const impl::sim::RunValues&>(run));
        const impl::sim::RunReport report = impl::sim::run(run);
        if (report.trace_failure) throw *report.trace_failure;
        return public_report(report);
    });
}

}  // namespace ttsim
