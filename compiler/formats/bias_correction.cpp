#include "compiler/formats/bias_correction.hpp"

#include <algorithm>
#include <cmath>

#include "compiler/host/host_rounding.hpp"
#include "compiler/ir/derivation.hpp"
#include "compiler/passes/activation_samples.hpp"
#include "kernels/formats/numerics.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::int64_t tile = tile_edge;

class BiasCorrector {
public:
    BiasCorrector(const Graph& graph, EmittedModel& emitted, unsigned threads,
                  const std::map<std::string, Literal>* samples)
        : graph_(graph),
          emitted_(emitted),
          threads_(threads),
          samples_(samples),
          multipliers_(multipliers_by_queue(emitted.netlist)) {
        for (const Queue& queue : emitted.netlist.queues) formats_.emplace(queue.name, queue.df);
        readers_.resize(graph.nodes.size());
        for (ValueId id = 0; id < graph.nodes.size(); ++id)
            for (const Edge& edge : graph.nodes[id].inputs) readers_[edge.value].push_back(id);
        for (const Output& output : graph.outputs) readers_[output.value].push_back(output.value);
        for (std::size_t k = 0; k < emitted.constants.size(); ++k)
            if (!emitted.constants[k].bits) queues_[emitted.constants[k].values.get()].push_back(k);
    }

    void run() {
        const auto uses = graph_.use_counts();
        std::optional<ActivationSamples> samples;
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (node.op != op::buda::matmul && node.op != op::buda::depthwise) continue;
            const auto added = bias_of(id);
            if (!added || uses[*added] != 1) continue;
            const auto weights = emitted(node.inputs[1].value), bias = emitted(*added);
            if (!weights || !bias) continue;
            if (!samples) samples.emplace(graph_, threads_, samples_);
            const auto means = samples->means(node, 0);
            if (!means) continue;
            const std::vector<double> correction = mean_weight_errors(*weights, *means, node.op == op::buda::depthwise);
            if (!correction.empty() &&
                std::all_of(correction.begin(), correction.end(), [](double v) { return std::isfinite(v); }))
                add_to_bias(emitted_.constants[*bias], correction);
        }
    }

private:
    /// The constant bias of a product: its operand, or the operand of an addition that is its only reader.
    std::optional<ValueId> bias_of(ValueId id) const {
        const Node& node = graph_.nodes[id];
        if (node.inputs.size() > 2) return node.inputs[2].value;
        if (readers_[id].size() != 1 || node.has(attr::relu)) return std::nullopt;
        const Node& reader = graph_.nodes[readers_[id].front()];
        if (reader.op != op::buda::add) return std::nullopt;
        return reader.inputs[reader.inputs[0].value == id ? 1 : 0].value;
    }

    /// Index of a constant that is emitted once.
    std::optional<std::size_t> emitted(ValueId id) const {
        const auto found = queues_.find(graph_.nodes[id].literal.get());
        if (!graph_.nodes[id].literal || found == queues_.end() || found->second.size() != 1) return std::nullopt;
        return found->second.front();
    }

    /// Mean error per column of the result; empty for unsupported shapes.
    std::vector<double> mean_weight_errors(std::size_t constant, const std::vector<double>& means,
                                           bool depthwise) const {
        const QueueValues& weights = emitted_.constants[constant];
        const Dims& dims = weights.values->dims();
        const std::int64_t rows = dims[1], columns = dims[2], terms = rows / tile;
        const std::int64_t inner = depthwise ? terms * columns : rows;
        if (dims[0] != 1 || columns % tile != 0 || static_cast<std::int64_t>(means.size()) != inner) return {};
        const auto seen = multipliers_.find(weights.queue);
        const Multipliers by = seen == multipliers_.end() ? Multipliers{} : seen->second;
        const std::vector<float>& exact = weights.values->floats();
        std::vector<float> rounded = exact;
        round_for_push(formats_.at(weights.queue), rounded, by);
        host_convert(formats_.at(weights.queue), {rounded.data(), rows, columns, columns});
        std::vector<double> correction(static_cast<std::size_t>(columns));
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t first = 0; first < columns; first += tile) {
                const std::int64_t meets = depthwise ? r / tile * columns + first + r % tile : r;
                const std::int64_t at = r * columns + first;
                add_errors(exact.data() + at, rounded.data() + at, by.gain, means[static_cast<std::size_t>(meets)],
                           correction.data() + first);
            }
        return correction;
    }

    /// Of a tile's row, times the value that it is multiplied by.
    static void add_errors(const float* __restrict exact, const float* __restrict rounded, double gain, double value,
                           double* __restrict sums) {
        for (std::int64_t c = 0; c < tile; ++c)
            sums[c] += (static_cast<double>(exact[c]) * gain - static_cast<double>(rounded[c])) * value;
    }

    static void add_to_bias(QueueValues& bias, const std::vector<double>& correction) {
        auto values = std::make_shared<Literal>(*bias.values);
        const auto columns = static_cast<std::int64_t>(correction.size());
        std::vector<float>& elements = values->floats();
        if (values->dims()[2] != columns || !std::equal(elements.begin() + columns, elements.end(), elements.begin()))
            return;
        for (std::size_t i = 0; i < elements.size(); ++i)
            elements[i] = static_cast<float>(static_cast<double>(elements[i]) + correction[i % correction.size()]);
        bias.values = std::move(values);
        if (bias.derivation) bias.derivation = shifted(*bias.derivation, correction);
    }

    /// Applies the same shift to values that replace the parameter later.
    static DerivationPtr shifted(const Derivation& was, const std::vector<double>& correction) {
        auto now = std::make_shared<Derivation>(was);
        if (was.of.size() > 1 || was.fixed) return now;
        Literal shift(DType::F32, was.type.dims);
        for (std::int64_t c = 0; c < static_cast<std::int64_t>(correction.size()); ++c)
            if (const std::int64_t at = was.placement ? was.placement->from(0, 0, c) : c; at >= 0 && at < shift.size())
                shift.set(at, correction[static_cast<std::size_t>(c)]);
        Node add;
        add.op = op::add;
        add.name = "add";
        add.type = was.type;
        now->steps.push_back({std::move(add), {nullptr, std::make_shared<Literal>(std::move(shift))}});
        return now;
    }

    const Graph& graph_;
    EmittedModel& emitted_;
    unsigned threads_;
    const std::map<std::string, Literal>* samples_;
    std::map<std::string, Multipliers> multipliers_;
    std::map<std::string, DataFormat> formats_;
    std::map<const Literal*, std::vector<std::size_t>> queues_;
    std::vector<std::vector<ValueId>> readers_;
};

}  // namespace

void bias_correction(const Graph& graph, EmittedModel& emitted, unsigned threads,
                     const std::map<std::string, Literal>* samples) {
    BiasCorrector(graph, emitted, threads, samples).run();
}

}  // namespace ttsim::impl::ir
