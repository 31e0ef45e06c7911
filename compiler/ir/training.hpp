// What a compilation for training asks of the passes, and what they make.
//
//   forward   inputs, parameters -> outputs
//   backward  loss_OUTPUT -> gradients, which are summed in grad_acc_PARAMETER
//   optimizer grad_acc_PARAMETER, parameters, state -> parameters, state
//
// Each phase is a program of the netlist. Parameters, summed gradients and the optimizer's state stay in memory of the
// device (rams) between programs.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace ttsim::impl::ir {

enum class OptimizerKind : std::uint8_t { None, Sgd, Adam, AdamW };
std::optional<OptimizerKind> parse_optimizer(std::string_view name);  ///< "none", "sgd", "adam", "adamw"

struct OptimizerSettings {
    OptimizerKind kind = OptimizerKind::None;
    double learning_rate = 0.01;
    double momentum = 0;                ///< Sgd
    double beta1 = 0.9, beta2 = 0.999;  ///< Adam, AdamW
    double epsilon = 1e-8;
    double weight_decay = 0;
    bool bias_correction = true;  ///< Adam, AdamW
    bool compensated = false;     ///< what rounding takes from a parameter is added in the next step
};

/// The rate that the device uses in a step, from 1 on: `rate`, with the correction of Adam's averages for their start
/// at 0. The host computes it, because 1 - beta^t needs more digits than a format of 16 bits has.
double rate_of_step(const OptimizerSettings& settings, double rate, std::int64_t step);

struct TrainingRequest {
    /// Names of the model's constants to train. Empty: all constants of floats with an axis but those in `frozen`; none
    /// with "*" in `frozen`.
    std::set<std::string> parameters, frozen;
    std::set<std::string> losses;           ///< outputs that are losses; the other outputs get gradients from the host
    std::set<std::string> input_gradients;  ///< inputs whose gradients are results
    OptimizerSettings optimizer;
};

/// Names of states, and of tensors that the host exchanges with the backward program.
inline constexpr std::string_view gradient_prefix = "grad_acc_";
inline std::string gradient_state(const std::string& parameter) { return std::string(gradient_prefix) + parameter; }
/// The parameter that holds the learning rate of a parameter.
inline std::string learning_rate_state(const std::string& parameter) { return "lr_" + parameter; }
/// Kinds of the optimizer's state, and the state of a parameter.
inline constexpr std::string_view momentum_state = "momentum", mean_state = "mean", square_state = "square",
                                  residue_state = "residue";
inline constexpr std::string_view optimizer_states[] = {momentum_state, mean_state, square_state, residue_state};
inline std::string optimizer_state(std::string_view kind, const std::string& parameter) {
    return std::string(kind) + "_" + parameter;
}
inline constexpr std::string_view loss_prefix = "loss_";
inline std::string loss_input(const std::string& output) { return std::string(loss_prefix) + output; }
inline std::string gradient_output(const std::string& input) { return "grad_" + input; }

}  // namespace ttsim::impl::ir
