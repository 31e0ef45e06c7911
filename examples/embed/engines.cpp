// Makes the same calls on each engine, with a call that returns at once and a trace.
#include <iostream>

#include <ttsim/session.hpp>

static void run_on_engine(const ttsim::Netlist& netlist, ttsim::Engine engine, const char* name) {
    ttsim::SessionOptions options;
    options.device = "wh_n150";
    options.engine = engine;
    if (engine == ttsim::Engine::Timing) options.trace_file = "session.ttperf";
    ttsim::Session session(netlist, options);
    const ttsim::QueueInfo a = netlist.queue("a");
    const ttsim::Tensor ones(a.z, a.rows, a.columns, 1);
    session.push("a", {ones, ones, ones, ones});
    session.push("b", {ones, ones, ones, ones});
    try {
        session.pop("y", 1, ttsim::Timeout::none());
    } catch (const ttsim::Error& error) {
        if (error.kind() != ttsim::ErrorKind::Hang) throw;
        std::cout << name << ": no entry ready yet, ";
    }
    session.run("run");
    std::cout << session.ready("y") << " entries ready at cycle " << session.now();
    if (engine != ttsim::Engine::Timing) std::cout << ", the first is " << session.get("y").at(0, 0, 0);
    std::cout << "\n";
    if (engine == ttsim::Engine::Timing) session.finish_trace();
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        const ttsim::Netlist netlist = ttsim::Netlist::from_file(argv[1]);
        run_on_engine(netlist, ttsim::Engine::Full, "full");
        run_on_engine(netlist, ttsim::Engine::Timing, "timing");
        run_on_engine(netlist, ttsim::Engine::Functional, "functional");
        run_on_engine(netlist, ttsim::Engine::Golden, "golden");
    } catch (const ttsim::Error& error) {
        std::cerr << error.what() << "\n";
        return error.exit_code();
    }
}
