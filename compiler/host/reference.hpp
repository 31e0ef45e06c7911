// The model in float32, without the device: what the outputs of a run are held against besides golden. Golden computes
// the netlist, and so repeats what the lowering of an op does wrong; this computes the ops of the model.
//
// reference.tg in the folder of a compiled result is the model as text, with convolutions, pools, norms and softmax as
// products and sums. Large models have none: their text and its evaluation would take longer than the run.
#pragma once

#include <optional>
#include <string>

#include "base/file_set.hpp"
#include "compiler/host/host_program.hpp"

namespace ttsim::impl::ir {

inline constexpr const char* reference_file = "reference.tg";

/// None for a model of too many constants or products, or with an op that has no value.
std::optional<Graph> reference_graph(const Graph& model);
/// That among the files; none when there is none. Throws Error(Input) at the file.
std::optional<Graph> read_reference(const FileSet& files);

class Reference {
public:
    /// `inputs`: a graph with the model's inputs in the model's order. `file`: what errors name.
    Reference(Graph graph, const Graph& inputs, const std::string& file = reference_file);
    /// Nothing when the run does without an input that the model reads.
    std::optional<Values> outputs(const Values& inputs) const;
    std::int64_t most_samples() const;  ///< that are evaluated

private:
    HostProgram program_;
};

}  // namespace ttsim::impl::ir
