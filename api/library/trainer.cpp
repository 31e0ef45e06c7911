#include <ttsim/trainer.hpp>

#include "api/library/arrays.hpp"
#include "api/library/internal.hpp"
#include "api/library/model_impl.hpp"
#include "isa/tile.hpp"
#include "kernels/ops/dropout_mask.hpp"
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
Arrays Trainer::backward(const Arrays& gradients, bool clear, std::int64_t samples) {
    return backward(Arrays(gradients), clear, samples);
}
Arrays Trainer::backward(Arrays&& gradients, bool clear, std::int64_t samples) {
    return guarded([&] { return external(impl_->trainer.backward(internal(std::move(gradients)), clear, samples)); });
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
std::int64_t Trainer::samples() const { return impl_->trainer.samples(); }
void Trainer::set_samples(std::int64_t samples) {
    guarded([&] { impl_->trainer.set_samples(samples); });
}

std::uint64_t Trainer::now() const {
    return guarded([&] { return impl_->trainer.session().now(); });
}
RunReport Trainer::report() const {
    return guarded([&] { return public_report(impl_->trainer.session().report()); });
}
const std::string& Trainer::chip() const { return impl_->chip; }

Array dropout_factors(std::uint64_t dropout_seed, const Dropout& dropout, std::int64_t sample,
                      std::vector<std::int64_t> shape) {
    Array factors(std::move(shape));
    const impl::DropoutMask mask(dropout.p, impl::dropout_seed(dropout_seed, dropout.seed, dropout.place), sample);
    const auto scale = static_cast<float>(impl::DropoutMask::scale(dropout.p));
    const std::size_t rank = factors.shape.size();
    const std::int64_t cols = rank > 0 ? factors.shape[rank - 1] : 1, rows = rank > 1 ? factors.shape[rank - 2] : 1;
    const std::int64_t padded = (rows + impl::tile_edge - 1) / impl::tile_edge * impl::tile_edge;  // of a slice
    for (std::int64_t at = 0, row = 0; at < factors.size(); ++row) {
        const std::uint32_t key = mask.row_key(row / rows * padded + row % rows);
        for (std::int64_t col = 0; col < cols; ++col, ++at)
            factors.floats[static_cast<std::size_t>(at)] = mask.keeps(key, col) ? scale : 0.0F;
    }
    return factors;
}

}  // namespace ttsim
