#include "tests/sim/chip_loops.hpp"

#include <fmt/ranges.h>

#include <random>

#include "tests/sim/netlist_text.hpp"

namespace ttsim::impl::test {

std::string separate_chips(int chips, int loops, int entries, const std::string& last) {
    NetlistText n;
    const Cut six{.grid_r = 2, .grid_c = 3};  // on all DRAM channels, so that the chips are equally fast
    std::vector<std::string> executes;
    for (int chip = 0; chip < chips; ++chip) {
        const std::string x = fmt::format("x{}", chip), op = fmt::format("op{}", chip), g = fmt::format("g{}", chip);
        n.queue({.name = x, .cut = six, .entries = entries, .device = chip});
        n.queue({.name = fmt::format("y{}", chip), .input = op, .cut = six, .entries = entries, .device = chip});
        n.graph(g, 1, chip);
        n.op({.name = op, .type = "nop", .inputs = {x}, .cut = six});
        if (g != last) executes.push_back(execute(g, {fifo(x)}));
    }
    std::vector<std::string> program = looped(loops, executes, 1, 2 * entries);
    if (!last.empty()) program.push_back(execute(last, {fifo("x" + last.substr(1))}));
    n.program("p", program);
    return n.text();
}

std::string chain_over_chips(int chips, int loops, int entries, int inputs) {
    NetlistText n;
    std::vector<std::string> executes;
    n.queue({.name = "q0", .entries = entries});
    for (int chip = 0; chip < chips; ++chip) {
        const std::string from = fmt::format("q{}", chip), op = fmt::format("op{}", chip);
        n.queue({.name = fmt::format("q{}", chip + 1), .input = op, .entries = entries, .device = chip});
        n.graph(fmt::format("g{}", chip), inputs, chip);
        n.op({.name = op, .type = "exp", .inputs = {from}});
        executes.push_back(execute(fmt::format("g{}", chip), {fifo(from)}));
    }
    n.program("p", looped(loops, executes, inputs, 2 * entries));
    return n.text();
}

namespace {

class LoopMaker {
public:
    LoopMaker(std::uint32_t seed, int chips) : random_(seed), chips_(chips), own_pointers_(chance(0.5)) {}

    std::string make() {
        inputs_ = pick(1, 3);
        entries_ = inputs_ * pick(1, 4);
        std::vector<Unit> units;
        const int chains = pick(1, 3);
        for (int c = 0; c < chains; ++c) add_chain(units);
        std::vector<std::string> program{fmt::format("var: {{{}}}", fmt::join(variables_, ", "))};
        add_loop(program, units, pick(20, 80));
        if (chance(0.4)) add_loop(program, units, pick(5, 40));
        if (chance(0.5)) add_units(program, units);
        made_.program("p", program);
        return made_.text();
    }

private:
    struct Unit {
        std::string execute, pointer;
    };

    int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
    bool chance(double p) { return std::uniform_real_distribution(0.0, 1.0)(random_) < p; }

    /// A chain of graphs, each on another chip than the one before or on the same.
    void add_chain(std::vector<Unit>& units) {
        const Cut cut{.m = pick(1, 2), .n = pick(1, 3)};
        const int length = pick(1, 3);
        int chip = pick(0, chips_ - 1);
        std::string from = fmt::format("x{}", number_);
        made_.queue({.name = from, .cut = cut, .entries = entries_, .device = chip});
        for (int g = 0; g < length; ++g) {
            units.push_back(add_graph(from, cut, chip));
            from = fmt::format("q{}", number_++);
            chip = pick(0, chips_ - 1);
        }
    }

    /// A graph that reads `from` and writes q<number>.
    Unit add_graph(const std::string& from, const Cut& cut, int chip) {
        const std::string graph = fmt::format("g{}", number_), pointer = own_pointers_ ? std::to_string(number_) : "";
        if (own_pointers_ || variables_.empty()) variables_.push_back(fmt::format("$l{0}: 0, $g{0}: 0", pointer));
        std::vector<std::string> settings{fmt::format(
            "{}: {{prologue: false, epilogue: false, zero: false, rd_ptr_local: $l{}, rd_ptr_global: $g{}}}", from,
            pointer, pointer)};
        made_.graph(graph, inputs_, chip);
        std::string last = from;
        const int ops = pick(1, 2);
        constexpr const char* types[] = {"nop", "exp", "gelu", "sqrt"};
        for (int o = 0; o < ops; ++o) {
            const std::string op = fmt::format("op{}_{}", number_, o);
            std::vector<std::string> inputs{last};
            if (o == 0 && chance(0.3)) {
                const std::string weights = fmt::format("w{}", number_);
                made_.queue({.name = weights, .cut = cut, .entries = 1, .ram = true, .device = chip});
                settings.push_back(ram(weights, chance(0.5)));
                inputs.push_back(weights);
            }
            made_.op({.name = op,
                      .type = inputs.size() > 1 ? "add" : types[pick(0, 3)],
                      .inputs = inputs,
                      .cut = cut,
                      .col = o,
                      .buffer = pick(1, 2)});
            last = op;
        }
        made_.queue(
            {.name = fmt::format("q{}", number_), .input = last, .cut = cut, .entries = entries_, .device = chip});
        return {execute(graph, settings), pointer};
    }

    void add_units(std::vector<std::string>& program, const std::vector<Unit>& units) {
        for (const Unit& unit : units) {
            program.push_back(unit.execute);
            if (own_pointers_) move(program, unit.pointer);
        }
        if (!own_pointers_) move(program, "");
    }

    void move(std::vector<std::string>& program, const std::string& pointer) const {
        for (const char* variable : {"$l", "$g"})
            program.push_back(
                fmt::format("varinst: [{}{}, incwrap, {}, {}]", variable, pointer, inputs_, 2 * entries_));
    }

    void add_loop(std::vector<std::string>& program, const std::vector<Unit>& units, int loops) {
        const bool nested = chance(0.3);
        program.push_back(fmt::format("loop: {}", loops));
        if (nested) program.push_back(fmt::format("loop: {}", pick(2, 3)));
        add_units(program, units);
        if (nested) program.push_back("endloop");
        if (nested) add_units(program, units);
        program.push_back("endloop");
    }

    std::mt19937 random_;
    int chips_;
    bool own_pointers_;
    NetlistText made_;
    int inputs_ = 1, entries_ = 1, number_ = 0;
    std::vector<std::string> variables_;
};

}  // namespace

std::string random_chip_loops(std::uint32_t seed, int chips) { return LoopMaker(seed, chips).make(); }

}  // namespace ttsim::impl::test
