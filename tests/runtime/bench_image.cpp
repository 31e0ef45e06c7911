// How long an image takes from its file to a model that is ready to run, and what a first and a second run make anew.
// bench_image MODEL.tti; milliseconds, best of a few repeats:
//   bytes 229376000
//   read 41.0         its bytes alone
//   ready 55.0        read, checked, and a model made of it
//   first 812.0 plans 1
//   second 640.0 plans 1
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>

#include "runtime/image/image.hpp"
#include "runtime/model.hpp"

using namespace ttsim::impl;

namespace {

constexpr int repeats = 5;

template <class Work>
double milliseconds(const Work& work) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begun = Clock::now();
    work();
    return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

std::unique_ptr<runtime::Model> ready(const std::string& file) {
    image::Image image = image::read_image(file);
    runtime::ModelOptions options;
    options.session.mode = sim::Mode::Functional;
    options.machine = std::move(image.machine);
    return std::make_unique<runtime::Model>(std::move(image.model), std::move(options));
}

void show_run(const char* name, runtime::Model& model) {
    ir::Values inputs;
    for (const runtime::ModelTensor& input : model.inputs())
        inputs.emplace(input.name, ir::Literal(input.type.dtype, input.type.dims));
    const double time = milliseconds([&] { (void)model.run(inputs); });
    fmt::print("{} {:.1f} plans {}\n", name, time, model.session().report().plans);
}

std::string bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    std::string bytes(static_cast<std::size_t>(std::max<std::streamoff>(in.tellg(), 0)), '\0');
    in.seekg(0).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

void show(const std::string& file) {
    double read = 1e9, made = 1e9;
    for (int n = 0; n < repeats; ++n) {
        read = std::min(read, milliseconds([&] { (void)bytes_of(file); }));
        std::unique_ptr<runtime::Model> model;
        made = std::min(made, milliseconds([&] { model = ready(file); }));
    }
    fmt::print("bytes {}\nread {:.1f}\nready {:.1f}\n", bytes_of(file).size(), read, made);
    const std::unique_ptr<runtime::Model> model = ready(file);
    show_run("first", *model);
    show_run("second", *model);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: bench_image MODEL.tti\n");
        return 2;
    }
    try {
        show(argv[1]);
    } catch (const Error& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
