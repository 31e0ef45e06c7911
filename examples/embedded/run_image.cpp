// Loads a device image. In each loop it pushes a microbatch of ones, runs every program and reads the outputs.
#include <io_utils.h>
#include <cstdlib>
#include <cstring>
#include <iostream>

/// An element of an output as a float.
static float number_at(const tt::tt_PytorchTensorDesc& tensor, std::size_t index) {
    float value = 0;
    if (tensor.format == tt::DataFormat::Float32) std::memcpy(&value, static_cast<const float*>(tensor.ptr) + index, 4);
    if (tensor.format != tt::DataFormat::Float16_b) return value;
    const std::uint32_t bits = std::uint32_t{static_cast<const std::uint16_t*>(tensor.ptr)[index]} << 16;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/// Ones in the queue's format, in memory owned by this program.
static std::vector<std::uint8_t> ones(tt::tt_PytorchTensorDesc& tensor) {
    std::vector<std::uint8_t> bytes(std::size_t{tensor.shape[0]} * tensor.strides[0]);
    const float one = 1;
    const std::uint8_t* from = reinterpret_cast<const std::uint8_t*>(&one) + (4 - tensor.itemsize);
    if (tensor.format == tt::DataFormat::Float32 || tensor.format == tt::DataFormat::Float16_b)
        for (std::size_t at = 0; at < bytes.size(); at += tensor.itemsize)
            std::memcpy(bytes.data() + at, from, tensor.itemsize);
    tensor.ptr = bytes.data();
    tensor.owner = tt::OWNERSHIP::Frontend;
    return bytes;
}

static void check(tt::DEVICE_STATUS_CODE status) {
    if (status != tt::DEVICE_STATUS_CODE::Success) throw std::runtime_error(tt::backend::last_error());
}

static void run(const std::shared_ptr<tt::tt_device_image>& image, const std::shared_ptr<tt_backend>& device) {
    namespace io = tt::io::utils;
    for (const std::string& name : image->get_graph_input_names()) {
        const tt::tt_dram_io_desc queue = io::get_queue_descriptor(device, name);
        tt::tt_PytorchTensorDesc tensor = io::get_tensor_descriptor(name, image, queue);
        const std::vector<std::uint8_t> memory = ones(tensor);
        check(tt::backend::push_input(queue, tensor, false, 1));
        std::cout << "input " << name << ": " << memory.size() << " bytes of " << tensor.format << "\n";
    }
    for (const std::string& program : device->get_programs())
        check(device->run_program(program, {{"$p_loop_count", "1"}}));
    for (const std::string& name : image->get_graph_output_names()) {
        const tt::tt_dram_io_desc queue = io::get_queue_descriptor(device, name);
        tt::tt_PytorchTensorDesc tensor;
        check(tt::backend::get_output(queue, tensor, false, 1));
        check(tt::backend::pop_output(queue, false, 1));
        std::cout << "output " << name << ": [" << tensor.shape[0] << ", " << tensor.shape[1] << ", " << tensor.shape[2]
                  << ", " << tensor.shape[3] << "] of " << tensor.format << ", the first is " << number_at(tensor, 0)
                  << "\n";
        check(tt::backend::free_tensor(tensor));
    }
}

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        std::cerr << "usage: run_image IMAGE [LOOPS]\n";
        return 2;
    }
    try {
        const auto image = std::make_shared<tt::tt_device_image>(argv[1], "run_image.out");
        const auto device = tt_backend::create(image, tt::tt_backend_config{});
        check(device->initialize());
        for (int loop = 0; loop < (argc == 3 ? std::atoi(argv[2]) : 1); ++loop) run(image, device);
        std::cout << device->get_cycles() << " cycles on " << image->arch() << "\n";
        check(device->finish());
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}
