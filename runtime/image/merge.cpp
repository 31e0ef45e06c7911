#include "runtime/image/merge.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "netlist/checks/validate.hpp"
#include "runtime/image/target.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl::image {

namespace {

std::string file_of(const MergeOptions& options, const std::string& model) {
    return (fs::path(options.folder) / (model + image_extension)).string();
}

std::vector<Image> read_images(const MergeOptions& options) {
    if (options.models.empty()) fail_input({options.folder, 0, 0}, "no model is named");
    std::vector<Image> images;
    for (const std::string& model : options.models) images.push_back(read_image(file_of(options, model)));
    return images;
}

/// Throws with all problems of a netlist on its machine.
void check_netlist(const Netlist& netlist, const Machine& machine) {
    Diagnostics problems;
    Netlist resolved = resolve(netlist);
    set_chip(resolved, machine.chips.front().params.features);
    validate(resolved, machine.chips.front().params, machine.grid(machine.chips.front().id),
             machine.chips.back().id + 1, problems);
    problems.throw_if_any();
}

/// Checks that all images are for the same machine, of the requested arch, with the same microbatch.
void check_together(const MergeOptions& options, const std::vector<Image>& images) {
    const Image& first = images.front();
    const std::string wanted = options.arch.empty() ? chip_of_arch(first.record.arch) : chip(options.arch).name;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::string file = file_of(options, options.models[i]);
        if (images[i].record.training)
            fail_unsupported({file, 0, 0}, "its model is trained; images for inference are merged");
        const std::string arch = chip_of_arch(images[i].record.arch);
        if (arch != wanted)
            fail_input({file, 0, 0}, "it is for {}, and images for {} are merged (--arch)", arch, wanted);
        check_same_target(images[i].machine, first.machine, file);
        check_netlist(images[i].model.netlist, images[i].machine);
        if (images[i].model.host.microbatch != first.model.host.microbatch)
            fail_unsupported({file, 0, 0}, "its microbatch is {}, that of {} is {}; merged models run with one",
                             images[i].model.host.microbatch, options.models.front(), first.model.host.microbatch);
    }
}

/// Checks the merged netlist; an error is a bug of ttsim.
void check_merged(const Netlist& netlist, const Machine& machine) {
    try {
        check_netlist(netlist, machine);
    } catch (const Error& error) {
        throw Error(Fault::Internal, {}, std::string("the merged netlist is not valid: ") + error.what());
    }
}

/// Number of queues and programs of one model in the joined netlist.
struct ModelCounts {
    std::ptrdiff_t queues, programs;
};

/// Separate netlists per model, since memory of queues is shared by model.
std::vector<Netlist> by_model(const Netlist& all, const std::vector<ModelCounts>& counts) {
    std::vector<Netlist> parts;
    auto queue = all.queues.begin();
    auto program = all.programs.begin();
    for (const ModelCounts& count : counts) {
        Netlist part;
        part.queues.assign(queue, queue + count.queues);
        part.programs.assign(program, program + count.programs);
        queue += count.queues;
        program += count.programs;
        parts.push_back(std::move(part));
    }
    return parts;
}

/// Two decimals as printed by Python's round(): 161.17, 12.5, 0.0.
std::string megabytes(std::uint64_t bytes) {
    std::string text = fmt::format("{:.2f}", static_cast<double>(bytes) / (1 << 20));
    if (text.ends_with('0')) text.pop_back();
    return text;
}

std::string channel_lines(const std::vector<std::uint64_t>& channels) {
    std::string text;
    for (std::size_t k = 0; k < channels.size(); ++k) text += fmt::format("{} : {}\n", k, megabytes(channels[k]));
    return text;
}

}  // namespace

MergeReport merge_images(const MergeOptions& options, const std::string& file) {
    std::vector<Image> images = read_images(options);
    check_together(options, images);
    std::vector<ir::CompiledModel> models;
    std::vector<ModelCounts> counts;
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < images.size(); ++i)
        if (!images[i].host_files.empty())
            notes.push_back(options.models[i] +
                            ": what pybuda computes on the host around the device is not in the merged image");
    for (Image& image : images) {
        counts.push_back({std::ssize(image.model.netlist.queues), std::ssize(image.model.netlist.programs)});
        models.push_back(std::move(image.model));
    }
    ir::CompiledModel all = joined(models);
    models.clear();
    std::vector<Netlist> parts = by_model(all.netlist, counts);
    std::vector<Netlist*> places;
    for (Netlist& part : parts) places.push_back(&part);
    MemoryLimits limits = limits_of(images.front().machine);
    if (!options.dram_bytes.empty()) limits.dram = options.dram_bytes;
    MergeReport report{options.models, place_merged_queues(places, limits, options.placing), std::move(notes)};
    if (!options.placing.switch_channels)
        report.notes.emplace_back("Channel reallocation is off: a channel that is full ends the merge");
    if (!options.placing.overlap_dynamic)
        report.notes.emplace_back("Overlap of dynamic queues is off: each has separate memory");
    all.netlist.queues.clear();
    for (Netlist& part : parts)
        all.netlist.queues.insert(all.netlist.queues.end(), part.queues.begin(), part.queues.end());
    all.command = "ttsim tti merge";
    for (const std::string& model : options.models) all.command += " " + model;
    check_merged(all.netlist, images.front().machine);
    ImageOptions written = options.image;
    written.netlist = all.netlist.file;
    write_image(all, images.front().machine, file, written);
    return report;
}

std::string merge_text(const MergeReport& report) {
    std::string text;
    for (const std::string& note : report.notes) text += note + "\n";
    for (const std::string& note : report.memory.notes) text += note + "\n";
    return text + "Displaying memory footprint per DRAM channel (MB):\n" + channel_lines(report.memory.dram) +
           "Displaying memory footprint per Host channel (MB):\n" + channel_lines(report.memory.host);
}

std::string merge_json(const MergeReport& report) {
    using Json = nlohmann::ordered_json;
    Json all{{"models", report.models},
             {"dram_bytes", report.memory.dram},
             {"host_bytes", report.memory.host},
             {"notes", report.notes},
             {"buffers", Json::array()}};
    for (const std::string& note : report.memory.notes) all["notes"].push_back(note);
    for (const MovedBuffer& b : report.memory.buffers)
        all["buffers"].push_back({{"queue", b.queue},
                                  {"buffer", b.buffer},
                                  {"memory", b.where == QueueLoc::Dram ? "dram" : "host"},
                                  {"from", {{"channel", b.from.channel}, {"address", b.from.address}}},
                                  {"to", {{"channel", b.to.channel}, {"address", b.to.address}}},
                                  {"channel_was_full", b.full}});
    return json_document(all);
}

std::string moves_text(const MergeReport& report) {
    std::string text;
    for (const MovedBuffer& b : report.memory.buffers)
        text += fmt::format("{} buffer {}: {} {} {:#x} -> {} {:#x}{}\n", b.queue, b.buffer,
                            b.where == QueueLoc::Dram ? "dram" : "host", b.from.channel, b.from.address, b.to.channel,
                            b.to.address, b.full ? " (its channel was full)" : "");
    return text;
}

}  // namespace ttsim::impl::image
