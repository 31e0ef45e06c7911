// Loads a device image, runs it and reads its outputs, without the compiler and Python.
#include <iostream>

#include <ttsim/model.hpp>

int main(int argc, char** argv) {
    if (argc != 2) return 2;  // IMAGE
    try {
        const ttsim::CompiledModel image = ttsim::CompiledModel::read_image(argv[1]);
        ttsim::Model model(image);  // runs on the machine that the image was compiled for
        for (const ttsim::ArrayInfo& input : image.inputs())
            std::cout << "input " << input.name << " of " << input.shape.size() << " dimensions\n";
        for (int loop = 0; loop < 2; ++loop)
            for (const auto& [name, value] : model.run(image.default_inputs()))
                std::cout << name << ": " << value.size() << " values, the first is " << value.floats.front() << "\n";
    } catch (const ttsim::Error& error) {
        std::cerr << error.what() << "\n";
        return error.exit_code();
    }
}
