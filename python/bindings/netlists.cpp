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
        .def_ro("wide_dest", &DeviceInfo::wide_dest, "Whether its cores accumulate in 32 bits: Float32, Int32.")
        .def_ro("validated", &DeviceInfo::validated, "Whether results of its chip were compared with measurements.")
        .def("__repr__", [](const DeviceInfo& d) { return nb::str("DeviceInfo({!r})").format(d.name); });
    m.def("devices", &devices, "The known devices.");
    m.def("describe_device", &describe_device, "device"_a, "harvested_rows"_a = std::vector<int>{},
          "A product, chip, folder of a chip or SoC descriptor file. `harvested_rows`: NoC rows that `rows` does not "
          "count. InputError for an unknown name or an invalid file.");
    m.def("set_config_dir", &set_config_dir, "folder"_a,
          "Sets the folder that is searched first for descriptions of chips and products; '' resets it.");
    m.attr("version") = version();
}

namespace {

/// Values of a netlist.
void bind_netlist_values(nb::module_& m) {
    nb::class_<QueueBuffer>(m, "QueueBuffer", "The part of a queue in a channel of DRAM, or in host memory.")
        .def_ro("channel", &QueueBuffer::channel)
        .def_ro("address", &QueueBuffer::address, "In bytes.");
    nb::class_<FusedMember>(m, "FusedMember", "A step of a fused op.")
        .def_ro("name", &FusedMember::name)
        .def_ro("type", &FusedMember::type);
    nb::class_<FusedInfo>(m, "FusedInfo", "A fused op: several ops that run as one.")
        .def_ro("name", &FusedInfo::name)
        .def_ro("inputs", &FusedInfo::inputs, "Number of inputs.")
        .def_ro("schedules", &FusedInfo::schedules, "Schedules of steps.");
    nb::class_<PlacedOp>(m, "PlacedOp", "An op of a netlist with its place.")
        .def_ro("name", &PlacedOp::name)
        .def_ro("type", &PlacedOp::type)
        .def_ro("graph", &PlacedOp::graph)
        .def_ro("epoch", &PlacedOp::epoch,
                "Position of its graph in the netlist; compiled models execute their graphs in order.")
        .def_ro("chip", &PlacedOp::chip)
        .def_ro("row", &PlacedOp::row, "Row of its first core, from 0.")
        .def_ro("column", &PlacedOp::column, "Column of its first core, from 0.")
        .def_ro("rows", &PlacedOp::rows, "Rows of cores that it covers on the chip.")
        .def_ro("columns", &PlacedOp::columns, "Columns of cores that it covers on the chip.")
        .def_ro("transposed", &PlacedOp::transposed, "Rows of its grid lie along columns of the chip.")
        .def_ro("operands", &PlacedOp::operands, "Names of ops and queues.")
        .def_ro("operand_formats", &PlacedOp::operand_formats)
        .def_ro("format", &PlacedOp::format, "Data format of the result.")
        .def_ro("intermediate_format", &PlacedOp::intermediate_format)
        .def_ro("dest_format", &PlacedOp::dest_format, "Data format of Dst.")
        .def_ro("fidelity", &PlacedOp::fidelity)
        .def_ro("fused", &PlacedOp::fused, "FusedInfo.name; '': no fused op.")
        .def("__repr__", [](const PlacedOp& op) { return nb::str("PlacedOp({!r}, {!r})").format(op.name, op.type); });
    nb::class_<GraphInfo>(m, "GraphInfo", "The ops of one chip that run at the same time.")
        .def_ro("name", &GraphInfo::name)
        .def_ro("epoch", &GraphInfo::epoch, "Position in the netlist.")
        .def_ro("chip", &GraphInfo::chip)
        .def_ro("input_count", &GraphInfo::input_count, "Inputs of one execute.")
        .def_ro("ops", &GraphInfo::ops, "Names.");
    nb::class_<ProgramInfo>(m, "ProgramInfo", "A program: what Session.run() starts.")
        .def_ro("name", &ProgramInfo::name)
        .def_ro("parameters", &ProgramInfo::parameters)
        .def_ro("graphs", &ProgramInfo::graphs, "Graphs that it executes, in the order of the text.");
}

}  // namespace

void bind_netlists(nb::module_& m) {
    bind_netlist_values(m);
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
        .def_ro("chip", &QueueInfo::chip)
        .def_ro("on_host", &QueueInfo::on_host, "Its buffers are in host memory.")
        .def_ro("buffers", &QueueInfo::buffers, "Its parts, row by row.");
    nb::class_<Netlist>(m, "Netlist", "A Buda netlist, read and validated independently of a device.")
        .def_static("from_file", &Netlist::from_file, "path"_a)
        .def_static("from_text", &Netlist::from_text, "text"_a, "name"_a = "netlist")
        .def_prop_ro("queues", &Netlist::queues)
        .def("queue", &Netlist::queue, "name"_a)
        .def_prop_ro("ops", &Netlist::ops, "Ops of all graphs, in order.")
        .def("op", &Netlist::op, "name"_a, "InputError for an unknown name.")
        .def_prop_ro("fused_ops", &Netlist::fused_ops)
        .def_prop_ro("graph_infos", &Netlist::graph_infos)
        .def_prop_ro("program_infos", &Netlist::program_infos)
        .def_prop_ro("programs", &Netlist::programs)
        .def_prop_ro("graphs", &Netlist::graphs)
        .def_prop_ro("chips", &Netlist::chips)
        .def_prop_ro("notes", &Netlist::notes);
}

}  // namespace tt_python
