#include "python/bindings/bindings.hpp"

namespace tt_python {

using namespace ttsim;

void bind_reports(nb::module_& m) {
    nb::enum_<Verdict>(m, "Verdict", "Result of the comparison of a run with golden.")
        .value("Pass", Verdict::Pass)
        .value("Mismatch", Verdict::Mismatch)
        .value("IllConditioned", Verdict::IllConditioned)
        .value("NothingCompared", Verdict::NothingCompared)
        .value("NotChecked", Verdict::NotChecked);
    nb::class_<OpTime>(m, "OpTime", "Times of an op, in cycles of the chip.")
        .def_ro("name", &OpTime::name)
        .def_ro("type", &OpTime::type)
        .def_ro("rows", &OpTime::rows, "Rows of cores.")
        .def_ro("columns", &OpTime::columns)
        .def_ro("tiles", &OpTime::tiles, "Tiles packed by all cores for all inputs.")
        .def_ro("first_cycle", &OpTime::first_cycle)
        .def_ro("last_cycle", &OpTime::last_cycle)
        .def_ro("busy_cycles", &OpTime::busy_cycles, "Busy cycles of the busiest core.")
        .def_ro("busy_share", &OpTime::busy_share, "Busy cycles as a share of the graph's cycles.");
    nb::class_<GraphTime>(m, "GraphTime", "Times of a graph's executes.")
        .def_ro("name", &GraphTime::name)
        .def_ro("chip", &GraphTime::chip)
        .def_ro("executes", &GraphTime::executes)
        .def_ro("inputs", &GraphTime::inputs)
        .def_ro("cycles", &GraphTime::cycles)
        .def_ro("inputs_per_second", &GraphTime::inputs_per_second, "Steady rate within an execute; 0: unknown.")
        .def_ro("ops", &GraphTime::ops)
        .def_ro("epoch_type", &GraphTime::epoch_type,
                "'forward', 'backward' or 'optimizer'; '' of a netlist that does not train.");
    nb::class_<EpochTypeTime>(m, "EpochTypeTime", "Times of the epochs of one type, or of a whole training step.")
        .def_ro("epoch_type", &EpochTypeTime::epoch_type, "As of GraphTime, or 'step'.")
        .def_ro("epochs", &EpochTypeTime::epochs)
        .def_ro("cycles", &EpochTypeTime::cycles)
        .def_ro("step_share", &EpochTypeTime::step_share, "Cycles as a share of the step's.")
        .def_ro("utilization", &EpochTypeTime::utilization, "Computing share of all cores of the chips in use.")
        .def_ro("math_utilization", &EpochTypeTime::math_utilization, "The same of the cores in use.");
    nb::class_<OutputCheck>(m, "OutputCheck", "An output queue compared with golden.")
        .def_ro("queue", &OutputCheck::queue)
        .def_ro("entries", &OutputCheck::entries)
        .def_ro("pcc", &OutputCheck::pcc)
        .def_ro("max_error", &OutputCheck::max_error)
        .def_ro("verdict", &OutputCheck::verdict);
    nb::class_<RunReport>(m, "RunReport", "Report of a run, in cycles of the chip's clock.")
        .def_ro("chip", &RunReport::chip)
        .def_ro("device", &RunReport::device)
        .def_ro("validated", &RunReport::validated, "Whether results of the chip were compared with measurements.")
        .def_ro("clock_mhz", &RunReport::clock_mhz)
        .def_ro("cycles", &RunReport::cycles)
        .def_ro("load_cycles", &RunReport::load_cycles)
        .def_ro("latency_cycles", &RunReport::latency_cycles)
        .def_ro("inputs_per_second", &RunReport::inputs_per_second, "Steady rate; 0: unknown.")
        .def_ro("end_to_end_per_second", &RunReport::end_to_end_per_second)
        .def_ro("host_seconds", &RunReport::host_seconds, "Wall time of the host steps of a model.")
        .def_ro("graphs", &RunReport::graphs)
        .def_ro("training", &RunReport::training,
                "Of a netlist that trains, with a clock: forward, backward, optimizer and the step. Else empty.")
        .def_ro("saved_bytes", &RunReport::saved_bytes, "Size of the queues from forward to backward epochs.")
        .def_ro("outputs", &RunReport::outputs)
        .def_ro("notes", &RunReport::notes)
        .def_ro("verdict", &RunReport::verdict)
        .def("text", &RunReport::text, "The text that `ttsim run` prints.")
        .def("json", &RunReport::json, "The JSON that `ttsim run --json` writes.");
    m.def("write_visualizer_report", &write_visualizer_report, "folder"_a, "report"_a,
          "Writes db.sqlite, config.json and cluster_descriptor.yaml of ttnn-visualizer from JSON with 'config', "
          "'tables' and 'device_operations'.");
}

}  // namespace tt_python
