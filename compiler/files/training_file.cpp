#include "compiler/files/training_file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/json_object.hpp"
#include "compiler/ir/derivation.hpp"
#include "isa/tile.hpp"

using nlohmann::json;
using nlohmann::ordered_json;

namespace ttsim::impl::ir {

namespace {

constexpr std::array<std::pair<std::string_view, ProgramRole>, 3> roles{
    {{"forward", ProgramRole::Forward}, {"backward", ProgramRole::Backward}, {"optimizer", ProgramRole::Optimizer}}};
constexpr std::array<std::pair<std::string_view, OptimizerKind>, 6> optimizers{{{"none", OptimizerKind::None},
                                                                                {"sgd", OptimizerKind::Sgd},
                                                                                {"adam", OptimizerKind::Adam},
                                                                                {"adamw", OptimizerKind::AdamW},
                                                                                {"lamb", OptimizerKind::Lamb},
                                                                                {"lars", OptimizerKind::Lars}}};
/// Numbers and switches of optimizers by their keys.
constexpr std::array<std::pair<const char*, double OptimizerSettings::*>, 10> numbers{
    {{"learning_rate", &OptimizerSettings::learning_rate},
     {"momentum", &OptimizerSettings::momentum},
     {"beta1", &OptimizerSettings::beta1},
     {"beta2", &OptimizerSettings::beta2},
     {"epsilon", &OptimizerSettings::epsilon},
     {"weight_decay", &OptimizerSettings::weight_decay},
     {"dampening", &OptimizerSettings::dampening},
     {"trust_coefficient", &OptimizerSettings::trust_coefficient},
     {"trust_least", &OptimizerSettings::trust_least},
     {"trust_most", &OptimizerSettings::trust_most}}};
constexpr std::array<std::pair<const char*, bool OptimizerSettings::*>, 3> switches{
    {{"bias_correction", &OptimizerSettings::bias_correction},
     {"nesterov", &OptimizerSettings::nesterov},
     {"compensated", &OptimizerSettings::compensated}}};

template <class Words, class Value>
std::string word_of(const Words& words, Value value) {
    return std::string(std::ranges::find(words, value, [](const auto& row) { return row.second; })->first);
}

/// Consecutive elements with equal differences, as [first, step, count].
ordered_json runs_of(const std::vector<std::int64_t>& elements) {
    ordered_json runs = ordered_json::array();
    for (std::size_t at = 0; at < elements.size();) {
        const std::int64_t first = elements[at];
        std::size_t end = at + 1;
        const bool rises = first >= 0 && end < elements.size() && elements[end] >= 0;
        const std::int64_t step = rises ? elements[end] - first : 0;
        const auto follows = [&] {
            if (first < 0) return elements[end] < 0;
            return elements[end] >= 0 && elements[end] == elements[end - 1] + step;
        };
        while (end < elements.size() && follows()) ++end;
        runs.push_back({first, step, end - at});
        at = end;
    }
    return runs;
}

ordered_json parameter_json(const TrainedParameter& parameter) {
    ordered_json item{{"name", parameter.name},
                      {"ram", parameter.ram},
                      {"gradient", parameter.gradient},
                      {"learning_rate", parameter.learning_rate},
                      {"correction", parameter.correction},
                      {"epsilon", parameter.epsilon},
                      {"dtype", std::string(to_string(parameter.type.dtype))},
                      {"dims", parameter.type.dims},
                      {"first_row", parameter.first_row},
                      {"row_count", parameter.row_count},
                      {"states", parameter.states},
                      {"stored", parameter.from->placement->dims}};
    item["elements"] = runs_of(stored_elements(*parameter.from, parameter.type.dims));
    return item;
}

class TrainingReader {
public:
    TrainingReader(const FileSet& files, CompiledModel& model)
        : file_(files.place(training_file)), model_(model), text_(files.read(training_file, max_bytes)) {}

    void read() {
        const json document = parse_json(text_.view(), file_);
        const JsonObject all(document, "", file_);
        all.only({"programs", "microbatch_count", "optimizer", "parameters"});
        model_.microbatch_count = all.integer(all.need("microbatch_count"), "microbatch_count", 1);
        model_.programs.clear();
        for (const json& item : all.list("programs")) read_program(JsonObject(item, "programs", file_));
        read_optimizer(JsonObject(all.need("optimizer"), "optimizer", file_));
        for (const json& item : all.list("parameters")) read_parameter(JsonObject(item, "parameters", file_));
    }

private:
    static constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;

    template <class Words>
    auto word(const JsonObject& item, const std::string& key, const Words& words) const {
        const std::string text = item.text(key);
        const auto found = std::ranges::find(words, text, [](const auto& row) { return row.first; });
        if (found == words.end()) item.fail(key, fmt::format("is '{}', which is unknown", text));
        return found->second;
    }

    void read_program(const JsonObject& item) {
        ModelProgram program;
        program.role = word(item, "role", roles);
        program.index = item.integer(item.need("index"), "index", 0);
        program.name = item.text("name");
        program.executes = item.text("executes");
        program.zero = item.text("zero");
        if (std::ranges::find(model_.netlist.programs, program.name, &Program::name) == model_.netlist.programs.end())
            item.fail("name", fmt::format("is '{}', and the netlist has no such program", program.name));
        model_.programs.push_back(std::move(program));
    }

    void read_optimizer(const JsonObject& item) {
        OptimizerSettings& settings = model_.optimizer;
        settings.kind = word(item, "kind", optimizers);
        for (const auto& [key, member] : numbers) {
            const json& value = item.need(key);
            if (!value.is_number()) item.fail(key, "must be a number");
            settings.*member = value.get<double>();
        }
        for (const auto& [key, member] : switches) {
            const json& value = item.need(key);
            if (!value.is_boolean()) item.fail(key, "must be true or false");
            settings.*member = value.get<bool>();
        }
    }

    /// The ram that a key names. `optional`: it may be "".
    std::string ram(const JsonObject& item, const std::string& key, bool optional) const {
        std::string name = item.text(key);
        const Queue* queue = model_.netlist.find_queue(name);
        if (!(optional && name.empty()) && !(queue && queue->type == QueueType::Ram && queue->alias.empty()))
            item.fail(key, fmt::format("is '{}', and the netlist has no such ram", name));
        return name;
    }

    Dims dims(const JsonObject& item, const std::string& key) const {
        Dims made;
        for (const json& one : item.list(key)) made.push_back(item.integer(one, key, 1));
        constexpr std::int64_t most = std::int64_t{1} << 34;
        std::int64_t elements = 1;
        for (const std::int64_t dim : made) {
            if (dim > most / elements) item.fail(key, "has too many elements");
            elements *= dim;
        }
        return made;
    }

    void read_parameter(const JsonObject& item) {
        TrainedParameter made;
        made.name = item.text("name");
        made.ram = ram(item, "ram", false);
        made.gradient = ram(item, "gradient", false);
        made.learning_rate = ram(item, "learning_rate", true);
        made.correction = ram(item, "correction", true);
        made.epsilon = ram(item, "epsilon", true);
        const auto dtype = parse_dtype(item.text("dtype"));
        if (!dtype || !is_float(*dtype)) item.fail("dtype", "is not the name of a float type");
        made.type = {*dtype, dims(item, "dims"), {}};
        made.first_row = item.integer(item.need("first_row"), "first_row", 0);
        made.row_count = item.integer(item.need("row_count"), "row_count", 0);
        if (made.row_count > 0 && (made.type.dims.empty() || made.type.dims.front() != made.row_count))
            item.fail("row_count", "differs from the first of 'dims'");
        const json& states = item.need("states");
        const JsonObject by_kind(states, "parameters.states", file_);
        for (const auto& [kind, unused] : states.items()) made.states.emplace(kind, ram(by_kind, kind, false));
        made.from = derivation(item, made);
        model_.trained.push_back(std::move(made));
    }

    /// Where elements are stored. Each must be stored once.
    DerivationPtr derivation(const JsonObject& item, const TrainedParameter& parameter) const {
        const Dims stored = dims(item, "stored");
        const Queue& queue = *model_.netlist.find_queue(parameter.ram);
        const TileShape shape = queue.shape();
        if (stored.size() != 3 || count(stored) != shape.z * shape.rt * shape.ct * tile_edge * tile_edge)
            item.fail("stored", fmt::format("differs from the shape of '{}'", parameter.ram));
        const std::int64_t size = count(parameter.type.dims);
        if (size > count(stored)) item.fail("dims", "have more elements than are stored");
        std::vector<std::int64_t> places;
        std::vector<char> seen(static_cast<std::size_t>(size), 0);
        for (const json& run : item.list("elements")) {
            if (!run.is_array() || run.size() != 3) item.fail("elements", "must be lists of three integers");
            const std::int64_t first = item.integer(run[0], "elements", -1),
                               step = item.integer(run[1], "elements", -size),
                               length = item.integer(run[2], "elements", 1);
            if (first >= size || step > size) item.fail("elements", "are outside of the tensor");
            if (length > count(stored) - std::ssize(places)) item.fail("elements", "are more than are stored");
            for (std::int64_t k = 0; k < length; ++k) {
                const std::int64_t element = first < 0 ? -1 : first + k * step;
                if (element >= size || (first >= 0 && element < 0)) item.fail("elements", "are outside of the tensor");
                if (element >= 0 && std::exchange(seen[static_cast<std::size_t>(element)], 1))
                    item.fail("elements", "name one twice");
                places.push_back(element);
            }
        }
        if (std::ssize(places) != count(stored) || std::ranges::find(seen, 0) != seen.end())
            item.fail("elements", "are not all of the tensor");
        const auto from = [places = std::move(places), stored](std::int64_t z, std::int64_t r, std::int64_t c) {
            return places[static_cast<std::size_t>((z * stored[1] + r) * stored[2] + c)];
        };
        return std::make_shared<Derivation>(
            Derivation{.of = {parameter.name}, .steps = {}, .type = parameter.type, .placement = {{stored, from}}});
    }

    std::string file_;
    CompiledModel& model_;
    SharedBytes text_;
};

}  // namespace

std::string training_text(const CompiledModel& model) {
    ordered_json all{{"programs", ordered_json::array()}, {"microbatch_count", model.microbatch_count}};
    for (const ModelProgram& program : model.programs)
        all["programs"].push_back({{"role", word_of(roles, program.role)},
                                   {"index", program.index},
                                   {"name", program.name},
                                   {"executes", program.executes},
                                   {"zero", program.zero}});
    ordered_json& optimizer = all["optimizer"];
    optimizer["kind"] = word_of(optimizers, model.optimizer.kind);
    for (const auto& [key, member] : numbers) optimizer[key] = model.optimizer.*member;
    for (const auto& [key, member] : switches) optimizer[key] = model.optimizer.*member;
    all["parameters"] = ordered_json::array();
    for (const TrainedParameter& parameter : model.trained) all["parameters"].push_back(parameter_json(parameter));
    return all.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

void read_training(const FileSet& files, CompiledModel& model) { TrainingReader(files, model).read(); }

}  // namespace ttsim::impl::ir
