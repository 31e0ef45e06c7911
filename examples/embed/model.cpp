// Compiles a model from a file, writes the result to a folder, reads it back and streams samples through it.
#include <fstream>
#include <iostream>
#include <iterator>

#include <ttsim/model.hpp>

static ttsim::Graph read(const std::string& file) {
    const bool onnx = file.size() > 5 && file.substr(file.size() - 5) == ".onnx";
    if (onnx) return ttsim::Graph::from_onnx_file(file);
    std::ifstream in(file);
    return ttsim::Graph::from_text({std::istreambuf_iterator<char>(in), {}}, file);
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;  // MODEL FOLDER
    try {
        ttsim::CompileOptions options;
        options.device = "gs_e150";
        options.microbatch = 2;
        const ttsim::CompiledModel compiled = ttsim::compile(read(argv[1]), options);
        std::cout << compiled.report().ops << " ops on " << compiled.report().chip << "\n";
        compiled.write_folder(argv[2]);  // also an input of 'ttsim run FOLDER'

        ttsim::Model model(ttsim::CompiledModel::read_folder(argv[2]));
        for (int sample = 0; sample < 3; ++sample) model.push(compiled.default_inputs());
        model.flush();  // a microbatch is two samples
        while (model.in_flight() > 0)
            for (const auto& [name, value] : model.get())
                std::cout << name << ": " << value.size() << " values, the first is " << value.floats.front() << "\n";
        std::cout << model.report().text();
    } catch (const ttsim::Error& error) {
        std::cerr << error.what() << "\n";
        return error.exit_code();
    }
}
