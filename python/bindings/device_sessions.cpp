#include <ttsim/device_session.hpp>

#include "python/bindings/waiting.hpp"

namespace tt_python {

using namespace ttsim;

namespace {

/// A session whose calls run without the GIL.
struct Device {
    Stop stop;
    DeviceSession session;
    Device(const std::string& device, unsigned threads) : session(device, threads) {}
};

template <class Work>
auto released(Work&& work) -> decltype(work()) {
    nb::gil_scoped_release release;
    return work();
}

void bind_values(nb::module_& m) {
    nb::enum_<DeviceMemory>(m, "DeviceMemory", "Memories of a device.")
        .value("Dram", DeviceMemory::Dram)
        .value("L1", DeviceMemory::L1);
    nb::class_<BufferSpec>(m, "BufferSpec", "Values of a buffer, and how they lie in the device's memory.")
        .def(
            "__init__",
            [](BufferSpec* spec, ElementType type, const std::vector<std::int64_t>& shape, const std::string& format,
               int element_bits, bool tiled, DeviceMemory memory, const std::vector<std::int64_t>& cores,
               std::int64_t shard_rows, std::int64_t shard_columns) {
                new (spec)
                    BufferSpec{type, shape, format, element_bits, tiled, memory, cores, shard_rows, shard_columns};
            },
            "type"_a, "shape"_a, "format"_a, "element_bits"_a, "tiled"_a, "memory"_a,
            "cores"_a = std::vector<std::int64_t>{}, "shard_rows"_a = 0, "shard_columns"_a = 0)
        .def_ro("type", &BufferSpec::type)
        .def_ro("shape", &BufferSpec::shape)
        .def_ro("format", &BufferSpec::format)
        .def_ro("tiled", &BufferSpec::tiled)
        .def_ro("memory", &BufferSpec::memory)
        .def_ro("cores", &BufferSpec::cores, "Of its shards, row by row in the grid; empty: all banks.");
    nb::class_<BufferInfo>(m, "BufferInfo", "A buffer of a device, whose pages are dealt over the banks.")
        .def_ro("id", &BufferInfo::id)
        .def_ro("address", &BufferInfo::address, "Bytes, in each bank.")
        .def_ro("pages", &BufferInfo::pages)
        .def_ro("page_bytes", &BufferInfo::page_bytes)
        .def_ro("memory", &BufferInfo::memory)
        .def_ro("cores", &BufferInfo::cores, "Of its shards, row by row in the grid; empty: all banks.");
    nb::class_<MemoryInfo>(m, "MemoryInfo", "A memory of a device; bytes in all banks.")
        .def_ro("banks", &MemoryInfo::banks)
        .def_ro("total", &MemoryInfo::total)
        .def_ro("used", &MemoryInfo::used)
        .def_ro("peak", &MemoryInfo::peak)
        .def_ro("largest_hole", &MemoryInfo::largest_hole);
    nb::class_<DeviceCounters>(m, "DeviceCounters", "Sums since the device was opened; times in cycles.")
        .def_ro("launches", &DeviceCounters::launches)
        .def_ro("programs", &DeviceCounters::programs)
        .def_ro("moves", &DeviceCounters::moves)
        .def_ro("writes", &DeviceCounters::writes)
        .def_ro("bytes_written", &DeviceCounters::bytes_written)
        .def_ro("reads", &DeviceCounters::reads)
        .def_ro("bytes_read", &DeviceCounters::bytes_read)
        .def_ro("write_cycles", &DeviceCounters::write_cycles)
        .def_ro("read_cycles", &DeviceCounters::read_cycles)
        .def_ro("busy_cycles", &DeviceCounters::busy_cycles, "In which an op runs.")
        .def_ro("gap_cycles", &DeviceCounters::gap_cycles, "Between ops.")
        .def_ro("host_bound_cycles", &DeviceCounters::host_bound_cycles, "The part of them that waits for the host.");
    nb::class_<LaunchTime>(m, "LaunchTime", "Times of an op, in cycles.")
        .def_ro("enqueued", &LaunchTime::enqueued)
        .def_ro("start", &LaunchTime::start)
        .def_ro("end", &LaunchTime::end)
        .def_ro("is_new", &LaunchTime::is_new, "The first launch of its program.");
    nb::class_<DeviceProgram>(m, "DeviceProgram", "A program that was added to a device.")
        .def_ro("cycles", &DeviceProgram::cycles, "Of a launch, without launch costs.")
        .def_ro("cores", &DeviceProgram::cores)
        .def_ro("launches", &DeviceProgram::launches)
        .def_ro("all_on_host", &DeviceProgram::all_on_host, "The device computes nothing.");
}

}  // namespace

void bind_device_sessions(nb::module_& m) {
    bind_values(m);
    using Ids = std::vector<std::int64_t>;
    nb::class_<Device>(m, "DeviceSession", "A device that runs ops one by one on buffers.")
        .def(nb::init<const std::string&, unsigned>(), "device"_a = "wh_n150", "threads"_a = 0)
        .def(
            "write",
            [](Device& d, const BufferSpec& spec, nb::handle numbers) {
                Array values = array_of(numbers, spec.type);
                values.shape = spec.shape;
                return released([&] { return d.session.write(spec, std::move(values)); });
            },
            "spec"_a, "numbers"_a, "A new buffer that the host writes; returns its number.")
        .def(
            "read",
            [](Device& d, std::int64_t id) { return numpy_array(released([&] { return d.session.read(id); })); },
            "buffer"_a, "The values; a host read.")
        .def(
            "peek",
            [](Device& d, std::int64_t id) { return numpy_array(released([&] { return d.session.peek(id); })); },
            "buffer"_a, "The values, in no simulated time.")
        .def(
            "move",
            [](Device& d, const Ids& sources, const BufferSpec& spec, nb::handle numbers) {
                Array values = array_of(numbers, spec.type);
                values.shape = spec.shape;
                return released([&] { return d.session.move(sources, spec, std::move(values)); });
            },
            "sources"_a, "spec"_a, "numbers"_a, "A data movement op; returns the number of its result.")
        .def(
            "view", [](Device& d, std::int64_t id, const Ids& shape) { return d.session.view(id, shape); }, "buffer"_a,
            "shape"_a)
        .def(
            "free", [](Device& d, std::int64_t id) { d.session.free(id); }, "buffer"_a)
        .def(
            "buffer", [](Device& d, std::int64_t id) { return d.session.buffer(id); }, "buffer"_a)
        .def_prop_ro("buffers", [](Device& d) { return d.session.buffers(); })
        .def(
            "add_program",
            [](Device& d, const CompiledModel& model, const std::vector<BufferSpec>& inputs,
               const std::vector<BufferSpec>& outputs) {
                return interruptible(d.stop, [&] { return d.session.add_program(model, inputs, outputs); });
            },
            "model"_a, "inputs"_a = std::vector<BufferSpec>{}, "outputs"_a = std::vector<BufferSpec>{},
            "Times a program with operands in these memories (none given: DRAM) and keeps it; returns its number.")
        .def(
            "program", [](Device& d, std::int64_t id) { return d.session.program(id); }, "program"_a)
        .def(
            "launch",
            [](Device& d, std::int64_t program, const Ids& inputs, const std::vector<BufferSpec>& outputs) {
                return released([&] { return d.session.launch(program, inputs, outputs); });
            },
            "program"_a, "inputs"_a, "outputs"_a, "Runs a program; returns the numbers of its results.")
        .def("remove_programs", [](Device& d) { d.session.remove_programs(); })
        .def("synchronize", [](Device& d) { d.session.synchronize(); })
        .def(
            "begin_replay", [](Device& d) { d.session.begin_replay(); },
            "Launches until end_replay() are enqueued with one command.")
        .def("end_replay", [](Device& d) { d.session.end_replay(); })
        .def_prop_ro("host_cycles", [](Device& d) { return d.session.host_now(); })
        .def_prop_ro(
            "device_cycles", [](Device& d) { return d.session.device_now(); }, "End of the last op.")
        .def("last_launch", [](Device& d) { return d.session.last_launch(); })
        .def("counters", [](Device& d) { return d.session.counters(); })
        .def(
            "memory", [](Device& d, DeviceMemory kind) { return d.session.memory(kind); }, "kind"_a)
        .def_prop_ro("chip", [](Device& d) { return d.session.chip(); })
        .def_prop_ro("clock_mhz", [](Device& d) { return d.session.clock_mhz(); })
        .def_prop_ro("rows", [](Device& d) { return d.session.rows(); })
        .def_prop_ro("columns", [](Device& d) { return d.session.columns(); });
}

}  // namespace tt_python
