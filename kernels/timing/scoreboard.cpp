#include "kernels/timing/scoreboard.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/error.hpp"

namespace ttsim::impl {

namespace {

/// The effect of an item, decoded once.
enum class Action : std::uint8_t {
    Risc,
    Ahead,
    Plain,
    WaitFull,
    WaitFree,
    Post,
    Get,
    FillA,
    FillB,
    Consume,
    Pack,
    Drain
};

struct Step {
    Action action = Action::Plain;
    bool needs_a = false, needs_b = false, frees_a = false, frees_b = false;
    std::uint8_t unit = 0;
    double repeat = 1, issue = 1, latency = 1, bytes = 0, risc = 0;
};

/// What all words of an opcode have in common.
struct Opcode {
    const InstructionDef* def = nullptr;
    Action action = Action::Plain;
    bool reads_a = false, reads_b = false;
    const InstructionField *selects = nullptr, *clears = nullptr, *clears_valid = nullptr;  // nullptr: it has none
};

/// Decodes the items of streams. Names are compared once for each opcode.
class Decoder {
public:
    explicit Decoder(const InstructionSet& set) : set_(set) {}
    Step operator()(const StreamItem& item) {
        Step s;
        s.repeat = item.repeat;
        s.bytes = item.bytes;
        if (item.risc > 0) {
            s.action = item.ahead ? Action::Ahead : Action::Risc;
            s.risc = item.risc;
            return s;
        }
        const Opcode& opcode = known(item.word);
        s.unit = static_cast<std::uint8_t>(opcode.def->unit);
        s.issue = opcode.def->issue;
        s.latency = opcode.def->latency;
        s.action = opcode.action;
        const std::uint32_t selected = value(item.word, opcode.selects);
        if (s.action == Action::WaitFree && selected == 1) s.action = Action::WaitFull;
        if (s.action == Action::FillA && selected != 0) s.action = Action::FillB;
        if (s.action != Action::Plain) return s;
        const std::uint32_t freed = value(item.word, opcode.clears) | value(item.word, opcode.clears_valid);
        s.frees_a = freed & 1;
        s.frees_b = freed & 2;
        s.needs_a = opcode.reads_a || s.frees_a;
        s.needs_b = opcode.reads_b || s.frees_b;
        if (s.needs_a || s.needs_b) s.action = Action::Consume;
        return s;
    }

private:
    static std::uint32_t value(std::uint32_t word, const InstructionField* field) {
        return field ? (word >> field->low) & field->mask() : 0;
    }
    const Opcode& known(std::uint32_t word) {
        Opcode& opcode = opcodes_[word >> 24];
        if (!opcode.def) opcode = make(word);
        return opcode;
    }
    Opcode make(std::uint32_t word) const {
        Opcode opcode;
        opcode.def = set_.find(static_cast<std::uint8_t>(word >> 24));
        TT_CHECK(opcode.def, "a stream holds the unknown opcode 0x{:02X}", word >> 24);
        const std::string& m = opcode.def->mnemonic;
        const auto is = [&m](std::initializer_list<std::string_view> names) {
            return std::ranges::find(names, m) != names.end();
        };
        opcode.action = m == "SEMWAIT"     ? Action::WaitFree
                        : m == "SEMPOST"   ? Action::Post
                        : m == "SEMGET"    ? Action::Get
                        : m == "STALLWAIT" ? Action::Drain
                        : m == "PACR"      ? Action::Pack
                        : m == "UNPACR"    ? Action::FillA
                                           : Action::Plain;
        opcode.selects = opcode.def->field(m == "SEMWAIT" ? "wait_sem_cond" : "unpack_block_selection");
        opcode.clears = opcode.def->field("clear_ab_vld");
        opcode.clears_valid = opcode.def->field("clear_dvalid");
        const bool both = is({"MVMUL", "ELWADD", "ELWSUB", "ELWMUL", "GAPOOL", "GMPOOL", "DOTPV"});
        opcode.reads_a = both || m == "MOVA2D";
        opcode.reads_b = both || m == "MOVB2D";
        return opcode;
    }

    const InstructionSet& set_;
    std::array<Opcode, 256> opcodes_;
};

/// Banks of one side: when each fill became valid and when it was released.
struct Source {
    std::vector<double> valid, freed;
};

class Machine {
public:
    Machine(const KernelStreams& streams, const InstructionSet& set, const ScoreboardTiming& timing, int blocks)
        : timing_(timing), blocks_(blocks) {
        Decoder decode(set);
        for (std::size_t t = 0; t < thread_count; ++t) {
            steps_[t].reserve(streams.threads[t].size());
            for (const StreamItem& item : streams.threads[t]) steps_[t].push_back(decode(item));
        }
    }

    ScoreboardResult run() {
        for (bool progressed = true; progressed;) {
            progressed = false;
            for (std::size_t t = 0; t < thread_count; ++t) progressed |= advance(t);
        }
        for (std::size_t t = 0; t < thread_count; ++t)
            TT_CHECK(steps_[t].empty() || block_[t] == blocks_, "the {} thread waits forever",
                     to_string(static_cast<KernelThread>(t)));
        return result();
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    /// Runs a thread until it must wait for another one. True if it progressed.
    bool advance(std::size_t t) {
        if (steps_[t].empty()) return false;
        bool progressed = false;
        while (block_[t] < blocks_) {
            if (!issue(t, steps_[t][at_[t]])) break;
            progressed = true;
            if (++at_[t] < steps_[t].size()) continue;
            at_[t] = 0;
            ++block_[t];
            ends_[t].push_back(std::max(now_[t], outstanding_[t]));
        }
        return progressed;
    }

    /// Waits until the time `when`, set by another thread.
    void wait(std::size_t t, double when) {
        if (when <= now_[t]) return;
        waited_[t] += when - now_[t];
        now_[t] = when;
    }

    bool issue(std::size_t t, const Step& s) {
        switch (s.action) {
            case Action::Risc:
                now_[t] += s.risc;
                ahead_[t] = now_[t];
                return true;
            case Action::Ahead:
                ahead_[t] += s.risc;
                now_[t] = std::max(now_[t], ahead_[t]);
                return true;
            case Action::WaitFull:
                return wait_full(t);
            case Action::WaitFree:
                return wait_free(t);
            case Action::Post:
                posts_.push_back(now_[t]);
                now_[t] += 1;
                return true;
            case Action::Get:
                now_[t] = std::max(now_[t], outstanding_[t]);
                gets_.push_back(now_[t]);
                now_[t] += 1;
                return true;
            case Action::FillA:
                return fill(t, a_, 0, s);
            case Action::FillB:
                return fill(t, b_, 1, s);
            case Action::Drain:
                now_[t] = std::max(now_[t], outstanding_[t]) + 1;
                return true;
            case Action::Pack:
                return pack(t, s);
            case Action::Consume:
                if (!sources_ready(t, s)) return false;
                break;
            case Action::Plain:
                break;
        }
        occupy(t, s);
        if (s.frees_a) a_.freed.push_back(now_[t]);
        if (s.frees_b) b_.freed.push_back(now_[t]);
        return true;
    }

    /// A semaphore releases one cycle late.
    bool wait_full(std::size_t t) {
        if (posts_.size() <= gets_.size()) return false;
        now_[t] += 1;
        wait(t, posts_[gets_.size()] + 1);
        return true;
    }
    bool wait_free(std::size_t t) {
        const auto halves = static_cast<std::size_t>(timing_.dst_halves);
        const std::size_t index = posts_.size();
        if (index >= halves && gets_.size() <= index - halves) return false;
        now_[t] += 1;
        if (index >= halves) wait(t, gets_[index - halves] + 1);
        return true;
    }

    bool fill(std::size_t t, Source& source, std::size_t unpacker, const Step& s) {
        const auto banks = static_cast<std::size_t>(timing_.src_banks);
        const std::size_t index = source.valid.size();
        if (index >= banks) {
            if (source.freed.size() <= index - banks) return false;
            wait(t, source.freed[index - banks]);
        }
        // Setup, then the bytes over the ports that both unpackers share.
        const double start = std::max({now_[t], unpacker_free_[unpacker], port_free_ - s.issue});
        if (first_fill_ < 0) first_fill_ = start;
        const double done = std::max(start, port_free_) + s.issue + s.bytes / timing_.unpack_bytes;
        port_free_ = done;
        unpacker_free_[unpacker] = done;
        now_[t] = start + 1;
        outstanding_[t] = std::max(outstanding_[t], done);
        source.valid.push_back(done);
        return true;
    }

    bool sources_ready(std::size_t t, const Step& s) {
        const std::size_t a = a_.freed.size(), b = b_.freed.size();
        if ((s.needs_a && a_.valid.size() <= a) || (s.needs_b && b_.valid.size() <= b)) return false;
        if (s.needs_a) wait(t, a_.valid[a]);
        if (s.needs_b) wait(t, b_.valid[b]);
        return true;
    }

    bool pack(std::size_t t, const Step& s) {
        for (double i = 0; i < s.repeat; ++i) {
            const double start = std::max(now_[t], pack_free_);
            pack_free_ = start + std::max(s.issue, s.bytes / timing_.pack_elements);
            now_[t] = start + 1;
            outstanding_[t] = std::max(outstanding_[t], pack_free_);
        }
        return true;
    }

    void occupy(std::size_t t, const Step& s) {
        double& free = unit_free_[s.unit];
        const double start = std::max(now_[t], free);
        free = start + s.issue * s.repeat;
        now_[t] = std::max(start + s.repeat, free);
        outstanding_[t] = std::max(outstanding_[t], free - s.issue + s.latency);
    }

    double math_busy() const {
        double clocks = 0;
        for (const Step& s : steps_[static_cast<std::size_t>(KernelThread::Math)]) {
            const auto unit = static_cast<TensixUnit>(s.unit);
            if (unit == TensixUnit::Math || unit == TensixUnit::Sfpu) clocks += s.issue * s.repeat;
        }
        return clocks;
    }

    ScoreboardResult result() const {
        ScoreboardResult r;
        // The thread that finishes a micro-block last: pack, or the last one with work.
        std::size_t last = thread_count - 1;
        while (last > 0 && ends_[last].empty()) --last;
        const std::vector<double>& ends = ends_[last];
        if (ends.empty()) return r;
        r.fill = ends.front();
        r.lead = std::max(0.0, first_fill_);
        if (ends.size() > 1) {
            const std::size_t from = ends.size() / 2 - (ends.size() > 3 ? 0 : 1);
            r.steady = (ends.back() - ends[from]) / static_cast<double>(ends.size() - 1 - from);
        } else {
            r.steady = r.fill;
        }
        if (!ends_[0].empty()) r.drain = std::max(0.0, ends.back() - ends_[0].back());
        r.math_busy = math_busy();
        double max_busy = -1;
        for (std::size_t t = 0; t < thread_count; ++t) {
            if (ends_[t].empty()) continue;
            r.busy[t] = (ends_[t].back() - waited_[t]) / static_cast<double>(blocks_);
            if (r.busy[t] <= max_busy) continue;
            max_busy = r.busy[t];
            r.limit = static_cast<KernelLimit>(t);
        }
        return r;
    }

    ScoreboardTiming timing_;
    int blocks_;
    std::array<std::vector<Step>, thread_count> steps_;
    std::array<std::size_t, thread_count> at_{};
    std::array<int, thread_count> block_{};
    std::array<double, thread_count> now_{}, ahead_{}, outstanding_{}, waited_{};
    std::array<std::vector<double>, thread_count> ends_;
    std::vector<double> posts_, gets_;
    Source a_, b_;
    std::array<double, 2> unpacker_free_{};
    std::array<double, 16> unit_free_{};
    double port_free_ = 0, pack_free_ = 0, first_fill_ = -1;
};

}  // namespace

std::string_view to_string(KernelLimit limit) {
    switch (limit) {
        case KernelLimit::Unpack:
            return "unpack";
        case KernelLimit::Math:
            return "math";
        case KernelLimit::Pack:
            return "pack";
        case KernelLimit::InputStream:
            return "input_stream";
        case KernelLimit::OutputStream:
            return "output_stream";
    }
    return "";
}

ScoreboardResult run_scoreboard(const KernelStreams& streams, const InstructionSet& set, const ScoreboardTiming& timing,
                                int micro_blocks) {
    ScoreboardResult result = Machine(streams, set, timing, std::max(1, micro_blocks)).run();
    result.counted = streams.counted;
    return result;
}

}  // namespace ttsim::impl
