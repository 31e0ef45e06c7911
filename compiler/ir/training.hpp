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
#include <vector>

namespace ttsim::impl::ir {

enum class OptimizerKind : std::uint8_t { None, Sgd, Adam, AdamW, Lamb, Lars };
/// "none", "sgd", "adam", "adamw", "lamb", "lars".
std::optional<OptimizerKind> parse_optimizer(std::string_view name);

struct OptimizerSettings {
    OptimizerKind kind = OptimizerKind::None;
    double learning_rate = 0.01;
    double momentum = 0;                ///< Sgd, Lars
    double beta1 = 0.9, beta2 = 0.999;  ///< Adam, AdamW, Lamb
    double epsilon = 1e-8;
    double weight_decay = 0;
    bool bias_correction = true;              ///< Adam, AdamW, Lamb
    double dampening = 0;                     ///< Lars
    bool nesterov = false;                    ///< Lars
    double trust_coefficient = 0.001;         ///< Lars
    double trust_least = 0, trust_most = 10;  ///< limits of Lamb's trust ratio
    bool compensated = false;                 ///< what rounding takes from a parameter is added in the next step

    bool has_averages() const {
        return kind == OptimizerKind::Adam || kind == OptimizerKind::AdamW || kind == OptimizerKind::Lamb;
    }
    bool has_trust_ratio() const { return kind == OptimizerKind::Lamb || kind == OptimizerKind::Lars; }
    /// Whether the device needs correction_of_step() beside the rate: Lamb's trust ratio is of the corrected averages.
    bool reads_correction() const { return kind == OptimizerKind::Lamb && bias_correction; }
    /// Whether the device reads epsilon_of_step().
    bool reads_epsilon() const { return has_averages() && bias_correction; }
};

/// What corrects the quotient of Adam's averages in a step, from 1 on, for their start at 0. The host computes it,
/// because 1 - beta^t needs more digits than a format of 16 bits has.
double correction_of_step(const OptimizerSettings& settings, std::int64_t step);

/// What the device adds to the root of Adam's average of squares in a step, from 1 on. `epsilon` is for the root of the
/// corrected average, and the device corrects the quotient.
double epsilon_of_step(const OptimizerSettings& settings, std::int64_t step);

/// The rate that the device uses in a step, from 1 on: `rate`, for Adam and AdamW times the correction.
double rate_of_step(const OptimizerSettings& settings, double rate, std::int64_t step);

struct TrainingRequest {
    /// Names of the model's constants to train. Empty: all constants of floats with an axis but those in `frozen`; none
    /// with "*" in `frozen`.
    std::set<std::string> parameters, frozen;
    std::set<std::string> losses;           ///< outputs that are losses; the other outputs get gradients from the host
    std::set<std::string> input_gradients;  ///< inputs whose gradients are results
    std::uint64_t dropout_seed = 0;         ///< with an op's own seed and place, the seed of its mask
    bool recompute = false;                 ///< backward programs compute forward values again, and none is saved
    /// With `recompute`: patterns of names of ops whose results are saved nevertheless, and DRAM for further ones.
    std::vector<std::string> checkpoints;
    std::int64_t saved_limit = 0;
    OptimizerSettings optimizer;
};

/// Names of states, and of tensors that the host exchanges with the backward program.
inline constexpr std::string_view gradient_prefix = "grad_acc_";
inline std::string gradient_state(const std::string& parameter) { return std::string(gradient_prefix) + parameter; }
/// The parameter that holds the learning rate of a parameter.
inline std::string learning_rate_state(const std::string& parameter) { return "lr_" + parameter; }
/// The parameter that holds correction_of_step().
inline std::string correction_state(const std::string& parameter) { return "correction_" + parameter; }
/// The parameter that holds epsilon_of_step().
inline std::string epsilon_state(const std::string& parameter) { return "epsilon_" + parameter; }
/// Kinds of the optimizer's state, and the state of a parameter.
inline constexpr std::string_view momentum_state = "momentum", mean_state = "mean", square_state = "square",
                                  residue_state = "residue", remainder_state = "remainder";
inline constexpr std::string_view optimizer_states[] = {momentum_state, mean_state, square_state, residue_state,
                                                        remainder_state};
inline std::string optimizer_state(std::string_view kind, const std::string& parameter) {
    return std::string(kind) + "_" + parameter;
}
/// All states that training may keep for a parameter, beside its own values.
inline std::vector<std::string> states_of(const std::string& parameter) {
    std::vector<std::string> all{gradient_state(parameter), learning_rate_state(parameter), correction_state(parameter),
                                 epsilon_state(parameter)};
    for (const std::string_view kind : optimizer_states) all.push_back(optimizer_state(kind, parameter));
    return all;
}
/// Name of the backward program's copy of a forward op, after the name of that op.
inline constexpr std::string_view recompute_suffix = "_recompute";
inline constexpr std::string_view loss_prefix = "loss_";
inline std::string loss_input(const std::string& output) { return std::string(loss_prefix) + output; }
inline std::string gradient_output(const std::string& input) { return "grad_" + input; }

}  // namespace ttsim::impl::ir
