#include <ttsim/trainer.hpp>

#include "python/bindings/session.hpp"

namespace tt_python {

using namespace ttsim;

namespace {

struct StoppableTrainer {
    Stop stop;
    std::unique_ptr<Trainer> trainer;

    StoppableTrainer(const CompiledModel& compiled, SessionOptions options) {
        options.stop = &stop.signal;
        trainer = std::make_unique<Trainer>(compiled, options);
    }
};

using Method = Array (Trainer::*)(const std::string&);

template <Method method>
nb::object value_of(StoppableTrainer& s, const std::string& name) {
    return numpy_array(interruptible(s.stop, [&] { return ((*s.trainer).*method)(name); }));
}

}  // namespace

void bind_trainers(nb::module_& m) {
    nb::class_<StoppableTrainer>(m, "Trainer", "A model that was compiled for training, with its own session.")
        .def(nb::init<const CompiledModel&, SessionOptions>(), "compiled"_a, "options"_a = SessionOptions{})
        .def(
            "forward",
            [](StoppableTrainer& s, const nb::dict& inputs) {
                Arrays values = arrays_of(inputs);
                return numpy_arrays(interruptible(s.stop, [&] { return s.trainer->forward(std::move(values)); }));
            },
            "inputs"_a)
        .def(
            "backward",
            [](StoppableTrainer& s, const nb::dict& gradients, bool clear, std::int64_t samples) {
                Arrays values = arrays_of(gradients);
                return numpy_arrays(
                    interruptible(s.stop, [&] { return s.trainer->backward(std::move(values), clear, samples); }));
            },
            "gradients"_a, "clear"_a, "samples"_a = 0)
        .def("step", [](StoppableTrainer& s) { interruptible(s.stop, [&] { s.trainer->step(); }); })
        .def_prop_ro("parameters", [](StoppableTrainer& s) { return s.trainer->parameters(); })
        .def("parameter", &value_of<&Trainer::parameter>, "name"_a)
        .def("gradient", &value_of<&Trainer::gradient>, "name"_a)
        .def(
            "set_parameter",
            [](StoppableTrainer& s, const std::string& name, ElementType type, nb::handle numbers) {
                const Array value = array_of(numbers, type);
                interruptible(s.stop, [&] { s.trainer->set_parameter(name, value); });
            },
            "name"_a, "type"_a, "numbers"_a)
        .def(
            "set_learning_rate", [](StoppableTrainer& s, double rate) { s.trainer->set_learning_rate(rate); }, "rate"_a)
        .def(
            "state",
            [](StoppableTrainer& s, const std::string& name) {
                return numpy_arrays(interruptible(s.stop, [&] { return s.trainer->state(name); }));
            },
            "name"_a)
        .def(
            "set_state",
            [](StoppableTrainer& s, const std::string& name, const nb::dict& state) {
                const Arrays values = arrays_of(state);
                interruptible(s.stop, [&] { s.trainer->set_state(name, values); });
            },
            "name"_a, "state"_a)
        .def_prop_rw(
            "steps", [](StoppableTrainer& s) { return s.trainer->steps(); },
            [](StoppableTrainer& s, std::int64_t steps) { s.trainer->set_steps(steps); })
        .def_prop_rw(
            "samples", [](StoppableTrainer& s) { return s.trainer->samples(); },
            [](StoppableTrainer& s, std::int64_t samples) { s.trainer->set_samples(samples); })
        .def_prop_ro("cycles", [](StoppableTrainer& s) { return s.trainer->now(); })
        .def_prop_ro("chip", [](StoppableTrainer& s) { return s.trainer->chip(); })
        .def("report", [](StoppableTrainer& s) { return s.trainer->report(); });
    m.def(
        "dropout_factors",
        [](std::uint64_t dropout_seed, double p, std::int64_t seed, std::int64_t place, std::int64_t sample,
           std::vector<std::int64_t> shape) {
            return numpy_array(dropout_factors(dropout_seed, {p, seed, place}, sample, std::move(shape)));
        },
        "dropout_seed"_a, "p"_a, "seed"_a, "place"_a, "sample"_a, "shape"_a,
        "What the place-th dropout of a graph multiplies the elements of a sample by.");
}

}  // namespace tt_python
