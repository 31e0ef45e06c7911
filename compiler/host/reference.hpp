// The model in float32, without the device: a reference for outputs besides golden. Golden computes the netlist, and so
// repeats errors of lowering; this computes the ops of the model.
//
// reference.tg in a compiled result is the model as text, with convolutions, pools, norms and softmax decomposed. Large
// models have none, because writing and evaluating it would take longer than the run.
#pragma once

#include <optional>
#include <string>

#include "base/file_set.hpp"
#include "compiler/host/host_program.hpp"

namespace ttsim::impl::ir {

inline constexpr const char* reference_file = "reference.tg";

/// nullopt for a model with too many constants or products, or with an op that the host cannot compute.
std::optional<Graph> reference_graph(const Graph& model);
/// Reads the reference of a result, if it has one. Throws Error(Input) at the file.
std::optional<Graph> read_reference(const FileSet& files);

class Reference {
public:
    /// `inputs`: a graph with the model's inputs in order. `file`: for errors.
    Reference(Graph graph, const Graph& inputs, const std::string& file = reference_file);
    /// nullopt if an input that the model reads is missing.
    std::optional<Values> outputs(const Values& inputs) const;
    std::int64_t most_samples() const;  ///< limit of evaluated samples

private:
    HostProgram program_;
};

}  // namespace ttsim::impl::ir
