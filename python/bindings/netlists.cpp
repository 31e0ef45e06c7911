#include <ttsim/device.hpp>

#include "python/bindings/bindings.hpp"

namespace tt_python {

using namespace ttsim;

void bind_devices(nb::module_& m) {
    nb::class_<DeviceInfo>(m, "DeviceInfo", "A board, or a chip that is a device by itself.")
        .def_ro("name", &DeviceInfo::name)
        .def_ro("chip", &DeviceInfo::chip)
        .def_ro("summary", &DeviceInfo::summary)
        .def_ro("chips", &DeviceInfo::chips)
        .def_ro("rows", &DeviceInfo::rows, "Rows of Tensix cores of each chip.")
        .def_ro("columns", &DeviceInfo::columns)
        .def("__repr__", [](const DeviceInfo& d) { return nb::str("DeviceInfo({!r})").format(d.name); });
    m.def("devices", &devices, "The known devices.");
    m.def("set_config_dir", &set_config_dir, "folder"_a,
          "Sets the folder that is searched first for descriptions of chips and products; '' resets it.");
    m.attr("version") = version();
}

void bind_netlists(nb::module_& m) {
    nb::class_<QueueInfo>(m, "QueueInfo", "A queue or ram; its entries are z x rows x columns elements.")
        .def_ro("name", &QueueInfo::name)
        .def_ro("ram", &QueueInfo::ram)
        .def_ro("host_fills", &QueueInfo::host_fills)
        .def_ro("host_empties", &QueueInfo::host_empties)
        .def_ro("filled_by", &QueueInfo::filled_by)
        .def_ro("entries", &QueueInfo::entries)
        .def_ro("z", &QueueInfo::z)
        .def_ro("rows", &QueueInfo::rows)
        .def_ro("columns", &QueueInfo::columns)
        .def_ro("format", &QueueInfo::format)
        .def_ro("chip", &QueueInfo::chip);
    nb::class_<Netlist>(m, "Netlist", "A Buda netlist, read and validated independently of a device.")
        .def_static("from_file", &Netlist::from_file, "path"_a)
        .def_static("from_text", &Netlist::from_text, "text"_a, "name"_a = "netlist")
        .def_prop_ro("queues", &Netlist::queues)
        .def("queue", &Netlist::queue, "name"_a)
        .def_prop_ro("programs", &Netlist::programs)
        .def_prop_ro("graphs", &Netlist::graphs)
        .def_prop_ro("chips", &Netlist::chips)
        .def_prop_ro("notes", &Netlist::notes);
}

}  // namespace tt_python
