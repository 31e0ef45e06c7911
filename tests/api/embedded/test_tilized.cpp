// Tensors tilized ahead: what a push of them gives is what a plain push gives.
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/api/embedded/identity.hpp"

using namespace embedded_test;

TEST_CASE("a tensor that was tilized, written and read back is pushed like the plain one") {
    const std::string df = GENERATE("Float16_b", "Bfp8_b", "Bfp8", "Float32", "Bfp4_b");
    const int h = GENERATE(32, 16);
    const DEVICE type = GENERATE(DEVICE::Silicon, DEVICE::Golden);
    CAPTURE(df, h);
    Identity o{df, df == "Float32" ? "Float32" : df == "Bfp8" ? "Float16" : "Float16_b"};
    o.tile_h = h;
    o.grid_c = 2;
    o.t = 2;
    const Opened device(text_of(o), type);
    const tt_dram_io_desc x = device.queue("x"), y = device.queue("y");
    std::vector<float> values(o.elements() * 2);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.37F * static_cast<float>(i % 101) - 11;
    const tt_PytorchTensorDesc plain = tensor_of(values, DataFormat::Float32, o, 2);

    const Folder folder;
    tt_TilizedTensorDesc made = backend::tilize_tensor(x, plain);
    CHECK(made.num_buffers == 2);
    CHECK(made.buf_size_bytes ==
          2 * backend::get_entry_size_in_bytes(x.bufq_target_format, false, 1, 1, 1, 1, 2, x.tile_height));
    backend::binarize_tensor(made, folder / "x.tbin");
    tt_TilizedTensorDesc read(nullptr, made.num_buffers, made.buf_size_bytes, made.format);
    backend::debinarize_tensor(read, folder / "x.tbin");
    CHECK(read.owner == OWNERSHIP::Backend);
    CHECK(backend::free_tensor(made) == Success);

    REQUIRE(backend::push_input(x, plain, false, 1) == Success);
    REQUIRE(backend::push_input(x, read, 1) == Success);
    CHECK(backend::push_input(x, read, 0) == RuntimeError);  // the ring is full
    REQUIRE(device.run(2) == Success);
    if (df == "Float32") {
        const std::vector<float> first = take<float>(y);
        CHECK(take<float>(y) == first);
    } else {
        const std::vector<std::uint16_t> first = take<std::uint16_t>(y);
        CHECK(take<std::uint16_t>(y) == first);
    }
    read.num_buffers = 1;
    CHECK(backend::push_input(x, read, 1) == RuntimeError);
}

TEST_CASE("plain tensors are written and read as they lie") {
    const Identity o;
    const Folder folder;
    const std::vector<float> values = counting(o.elements(), 60);
    tt_PytorchTensorDesc desc = tensor_of(values, DataFormat::Float32, o, 1), back = desc;
    backend::binarize_tensor(desc, folder / "x.bin");
    backend::debinarize_tensor(back, folder / "x.bin");
    CHECK(values_of<float>(back) == values);
    CHECK(backend::free_tensor(back) == Success);
    back.shape[0] = 2;
    CHECK_THROWS_WITH(backend::debinarize_tensor(back, folder / "x.bin"), Catch::Contains("bytes"));
    CHECK_THROWS_WITH(backend::debinarize_tensor(back, folder / "none.bin"), Catch::Contains("none.bin"));
    CHECK_THROWS_AS(backend::binarize_tensor(desc, folder / "no/folder/x.bin"), std::runtime_error);
}

TEST_CASE("memory is recorded for its owner") {
    tt_PytorchTensorDesc desc = io::utils::to_tensor_descptor(1, 1, 32, 32, DataFormat::Float16_b);
    CHECK(backend::free_tensor(desc) == RuntimeError);
    io::utils::fill_tensor_with_data("x", desc);
    CHECK(desc.owner == OWNERSHIP::Backend);
    const void* memory = desc.ptr;
    CHECK(backend::free_tensor(desc) == Success);
    CHECK(backend::free_tensor(desc) == RuntimeError);
    desc.ptr = memory;
    CHECK(backend::free_tensor(desc) == Success);  // it is not known any more
    const auto room = backend::allocate_memory_for_tensor(DataFormat::Float16, 3);
    CHECK(room->size() == 2);
    desc.ptr = room->data();
    CHECK(backend::free_tensor(desc) == Success);
    (*room)[1] = 1;  // ours still
}

TEST_CASE("a tensor's use counter is notified of each user") {
    int users = 1;
    {
        tt_PytorchTensorDesc desc;
        desc.handle = &users;
        desc.allocate_callback = [](void* handle, bool more) { *static_cast<int*>(handle) += more ? 1 : -1; };
        const tt_PytorchTensorDesc second = desc;
        CHECK(users == 2);
        tt_PytorchTensorDesc third;
        third = second;
        CHECK(users == 3);
        const tt_PytorchTensorDesc moved = std::move(third);
        CHECK(users == 3);
    }
    CHECK(users == 0);
}
