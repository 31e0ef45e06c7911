#include "generated/bind_session_options.hpp"
#include "python/bindings/session.hpp"

namespace tt_python {

using namespace ttsim;

namespace {

ttsim::Tensor tensor_of(const Entry& entry) {
    ttsim::Tensor t;
    t.z = static_cast<std::int64_t>(entry.shape(0));
    t.rows = static_cast<std::int64_t>(entry.shape(1));
    t.columns = static_cast<std::int64_t>(entry.shape(2));
    t.data.assign(entry.data(), entry.data() + entry.size());
    return t;
}

nb::object numpy_of(ttsim::Tensor&& t) {
    Array array({t.z, t.rows, t.columns}, std::move(t.data));
    return numpy_array(std::move(array));
}

Timeout timeout_of(std::optional<std::uint64_t> cycles) { return cycles ? Timeout{*cycles} : Timeout{}; }

/// A session with its stop signal.
struct Stoppable {
    Stop stop;
    std::unique_ptr<Session> session;

    Stoppable(const Netlist& netlist, SessionOptions options) {
        options.stop = &stop.signal;
        session = std::make_unique<Session>(netlist, options);
    }
};

}  // namespace

void bind_options(nb::module_& m) {
    nb::enum_<Engine>(m, "Engine", "What a run computes: values, time or both.")
        .value("Full", Engine::Full, "Values and time.")
        .value("Timing", Engine::Timing, "Time only.")
        .value("Functional", Engine::Functional, "The chip's values, no clock.")
        .value("Golden", Engine::Golden, "Values in float32, no clock.");
    nb::enum_<Numerics>(m, "Numerics", "Number formats of the chip's values.")
        .value("Real", Numerics::Real, "The chip's formats.")
        .value("Float32", Numerics::Float32, "No rounding.")
        .value("Exact", Numerics::Exact, "Bit-true.");
    nb::class_<SessionOptions> options(m, "SessionOptions", "Options of a session or model run.");
    options.def(nb::init<>());
    bind_fields(options);
}

void bind_sessions(nb::module_& m) {
    bind_options(m);
    nb::class_<Stoppable>(m, "Session", "A netlist on a machine that keeps its state from call to call.")
        .def(nb::init<const Netlist&, SessionOptions>(), "netlist"_a, "options"_a = SessionOptions{})
        .def(
            "run",
            [](Stoppable& s, const std::string& program, const std::map<std::string, std::int64_t>& parameters) {
                interruptible(s.stop, [&] { s.session->run(program, parameters); });
            },
            "program"_a, "parameters"_a = std::map<std::string, std::int64_t>{},
            "Starts a program and runs until all programs have ended or wait for inputs.")
        .def("wait", [](Stoppable& s) { interruptible(s.stop, [&] { s.session->wait(); }); })
        .def(
            "push",
            [](Stoppable& s, const std::string& queue, const Entry& entry, std::optional<std::uint64_t> cycles) {
                ttsim::Tensor t = tensor_of(entry);
                interruptible(s.stop, [&] { s.session->push(queue, std::move(t), timeout_of(cycles)); });
            },
            "queue"_a, "entry"_a, "cycles"_a = nb::none(), "float32 [z, rows, columns]; waits for a free slot.")
        .def(
            "get",
            [](Stoppable& s, const std::string& queue, std::int64_t ahead, std::optional<std::uint64_t> cycles) {
                return numpy_of(
                    interruptible(s.stop, [&] { return s.session->get(queue, timeout_of(cycles), ahead); }));
            },
            "queue"_a, "ahead"_a = 0, "cycles"_a = nb::none(), "The oldest entry, or the one `ahead` entries after it.")
        .def(
            "pop",
            [](Stoppable& s, const std::string& queue, std::int64_t count, std::optional<std::uint64_t> cycles) {
                interruptible(s.stop, [&] { s.session->pop(queue, count, timeout_of(cycles)); });
            },
            "queue"_a, "count"_a = 1, "cycles"_a = nb::none())
        .def(
            "write",
            [](Stoppable& s, const std::string& ram, std::int64_t slot, const Entry& entry) {
                ttsim::Tensor t = tensor_of(entry);
                interruptible(s.stop, [&] { s.session->write(ram, slot, std::move(t)); });
            },
            "ram"_a, "slot"_a, "entry"_a)
        .def(
            "read",
            [](Stoppable& s, const std::string& ram, std::int64_t slot) {
                return numpy_of(interruptible(s.stop, [&] { return s.session->read(ram, slot); }));
            },
            "ram"_a, "slot"_a)
        .def(
            "ready", [](Stoppable& s, const std::string& queue) { return s.session->ready(queue); }, "queue"_a)
        .def(
            "room", [](Stoppable& s, const std::string& queue) { return s.session->room(queue); }, "queue"_a)
        .def_prop_ro(
            "cycles", [](Stoppable& s) { return s.session->now(); }, "Cycles since the session began.")
        .def_prop_ro("chip", [](Stoppable& s) { return s.session->chip(); })
        .def("report", [](Stoppable& s) { return s.session->report(); })
        .def("finish_trace", [](Stoppable& s) { s.session->finish_trace(); });
    m.def(
        "run_netlist",
        [](const std::string& file, SessionOptions options, const std::vector<std::string>& programs,
           const std::map<std::string, std::int64_t>& parameters, std::int64_t inputs_count, std::uint32_t seed,
           bool check) {
            Stop stop;
            options.stop = &stop.signal;
            RunOptions how;
            how.session = options;
            how.programs = programs;
            how.parameters = parameters;
            how.inputs_count = inputs_count;
            how.seed = seed;
            how.check = check;
            return interruptible(stop, [&] { return run(file, how); });
        },
        "file"_a, "options"_a = SessionOptions{}, "programs"_a = std::vector<std::string>{},
        "parameters"_a = std::map<std::string, std::int64_t>{}, "inputs_count"_a = 0, "seed"_a = 0, "check"_a = true,
        "Runs a netlist as `ttsim run` does: with generated inputs, and every output compared with golden.");
}

}  // namespace tt_python
