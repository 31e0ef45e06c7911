#include <ttsim/trainer.hpp>

#include "api/library/arrays.hpp"
#include "api/library/internal.hpp"
#include "api/library/model_impl.hpp"
#include "runtime/trainer.hpp"

namespace ttsim {

struct Trainer::Impl {
    impl::runtime::Trainer trainer;
    std::string chip;

    Impl(const CompiledModel::Impl& compiled, const SessionOptions& options)
        : trainer(compiled.model, model_options(compiled, options)),
          chip(trainer.session().machine().chips.front().params.name) {}
};

Trainer::Trainer(const CompiledModel& model, const SessionOptions& options)
    : impl_(guarded([&] { return std::make_unique<Impl>(model.impl(), options); })) {}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

Arrays Trainer::forward(const Arrays& inputs) { return forward(Arrays(inputs)); }
Arrays Trainer::forward(Arrays&& inputs) {
    return guarded([&] { return external(impl_->trainer.forward(internal(std::move(inputs)))); });
}
Arrays Trainer::backward(const Arrays& gradients, bool clear) { return backward(Arrays(gradients), clear); }
Arrays Trainer::backward(Arrays&& gradients, bool clear) {
    return guarded([&] { return external(impl_->trainer.backward(internal(std::move(gradients)), clear)); });
}
void Trainer::step() {
    guarded([&] { impl_->trainer.step(); });
}

std::vector<ArrayInfo> Trainer::parameters() const { return infos(impl_->trainer.parameters()); }
Array Trainer::parameter(const std::string& name) {
    return guarded([&] { return external(impl_->trainer.parameter(name)); });
}
Array Trainer::gradient(const std::string& name) {
    return guarded([&] { return external(impl_->trainer.gradient(name)); });
}
void Trainer::set_parameter(const std::string& name, const Array& value) {
    guarded([&] { impl_->trainer.set_parameter(name, internal(value, name)); });
}
void Trainer::set_learning_rate(double rate) { impl_->trainer.set_learning_rate(rate); }

Arrays Trainer::state(const std::string& name) {
    return guarded([&] { return external(impl_->trainer.state(name)); });
}
void Trainer::set_state(const std::string& name, const Arrays& state) {
    guarded([&] { impl_->trainer.set_state(name, internal(state)); });
}
std::int64_t Trainer::steps() const { return impl_->trainer.steps(); }
void Trainer::set_steps(std::int64_t steps) { impl_->trainer.set_steps(steps); }

std::uint64_t Trainer::now() const {
    return guarded([&] { return impl_->trainer.session().now(); });
}
RunReport Trainer::report() const {
    return guarded([&] { return public_report(impl_->trainer.session().report()); });
}
const std::string& Trainer::chip() const { return impl_->chip; }

}  // namespace ttsim
