// Implementation of CompiledModel, for what runs compiled models.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <ttsim/model.hpp>
#include <vector>

#include "runtime/model.hpp"

namespace ttsim {

struct CompiledModel::Impl {
    impl::ir::CompiledModel model;
    Arrays inputs;
    std::optional<impl::Machine> machine;  ///< machine of an image
    std::map<std::string, impl::SharedBytes> host_files{};
};

std::vector<ArrayInfo> infos(const std::vector<impl::runtime::ModelTensor>& tensors);
/// The machine of an image, the one named in the options, or none: that of the model.
impl::runtime::ModelOptions model_options(const CompiledModel::Impl& compiled, const SessionOptions& options);

}  // namespace ttsim
