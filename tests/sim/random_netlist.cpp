#include "tests/sim/random_netlist.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>

#include "tests/sim/netlist_text.hpp"

namespace ttsim::impl::test {

namespace {

struct Shape {
    int z = 1, rt = 1, ct = 1;
    int tiles() const { return z * rt * ct; }
    friend bool operator==(const Shape&, const Shape&) = default;
};
struct Value {
    std::string name;
    Shape shape;
    double size = 1;  ///< no element is larger
    bool op = true, used = false;
};

constexpr int most_tiles = 48;
constexpr double largest = 1e3;

class NetlistMaker {
public:
    NetlistMaker(std::uint32_t seed, bool longer) : random_(seed), made_(seed % 2 == 0 ? "grayskull" : "wormhole_b0") {
        grayskull_ = seed % 2 == 0;
        tight_ = chance(0.3);
        inputs_ = longer ? pick(10, 40) : pick(1, 3);
        entries_ = inputs_ * pick(1, 2);
        loops_ = longer ? pick(1, 12) : pick(1, 3);
    }

    RandomNetlist make() {
        std::vector<std::string> executes;
        const int graphs = chance(0.4) ? 2 : 1;
        const bool streams = !grayskull_ && chance(0.5);  // the second graph runs on another chip, beside the first
        for (int g = 0; g < graphs; ++g) {
            const std::string name = fmt::format("graph{}", g);
            if (streams) chip_ = g;
            made_.graph(name, inputs_, chip_);
            settings_.clear();
            shelf_row_ = shelf_col_ = shelf_height_ = 0;
            std::vector<Value> from_queues;
            for (const Value& value : pool_)
                if (!value.op) from_queues.push_back(value);
            if (!streams) pool_ = from_queues;
            const int ops = pick(2, 7);
            for (int n = 0; n < ops; ++n) add_op();
            if (!streams || g + 1 == graphs) store_results(g + 1 == graphs);
            executes.push_back(execute(name, settings_));
        }
        made_.program("run", looped(loops_, executes, inputs_, 2 * entries_));
        return {made_.text(), tight_};
    }

private:
    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    bool chance(double p) { return std::uniform_real_distribution<double>(0, 1)(random_) < p; }
    int divisor(int n, int most) {
        std::vector<int> all;
        for (int d = 1; d <= std::min(n, most); ++d)
            if (n % d == 0) all.push_back(d);
        return all[static_cast<std::size_t>(pick(0, static_cast<int>(all.size()) - 1))];
    }

    Cut cut(const Shape& shape, int most_grid) {
        Cut c;
        c.t = shape.z;
        c.grid_r = divisor(shape.rt, most_grid);
        c.grid_c = divisor(shape.ct, most_grid);
        c.rt = divisor(shape.rt / c.grid_r, 4);
        c.ct = divisor(shape.ct / c.grid_c, 8 / c.rt);
        c.m = shape.rt / c.grid_r / c.rt;
        c.n = shape.ct / c.grid_c / c.ct;
        return c;
    }

    /// The next free rectangle of cores, row of rectangles by row.
    std::optional<std::pair<int, int>> place(const Cut& c) {
        if (shelf_col_ + c.grid_c > 8) {
            shelf_row_ += shelf_height_;
            shelf_col_ = shelf_height_ = 0;
        }
        if (shelf_row_ + c.grid_r > 10) return std::nullopt;
        shelf_height_ = std::max(shelf_height_, c.grid_r);
        shelf_col_ += c.grid_c;
        return std::pair(shelf_row_, shelf_col_ - c.grid_c);
    }

    std::string host_input(const Shape& shape) {
        const std::string name = fmt::format("in{}", names_++);
        QueueText queue{
            .name = name, .cut = cut(shape, 3), .entries = entries_, .order = chance(0.5) ? "r" : "c", .device = chip_};
        queue.ram = chance(0.4);
        if (queue.ram) queue.entries = 1;
        made_.queue(queue);
        if (queue.ram) rams_.push_back(name);
        pool_.push_back({name, shape, 1, false, true});
        return name;
    }
    void need_setting(const std::string& name) {
        const bool is_ram = std::find(rams_.begin(), rams_.end(), name) != rams_.end();
        const bool known = std::any_of(settings_.begin(), settings_.end(),
                                       [&](const std::string& s) { return s.substr(0, s.find(':')) == name; });
        if (!known) settings_.push_back(is_ram ? ram(name, chance(0.5)) : fifo(name));
    }

    /// TMs as the fields of an op, with # for the number of the operand.
    struct Chain {
        Shape shape;
        std::string text;
    };
    void extend(Chain& chain, bool transposes) {
        Shape s = chain.shape;
        std::string text;
        const int n = pick(2, 3);
        switch (pick(0, transposes ? 7 : 6)) {
            case 0:
                s.rt *= n, text = fmt::format("broadcast: {{r: {}}}", n);
                break;
            case 1:
                s.ct *= n, text = fmt::format("broadcast: {{c: {}}}", n);
                break;
            case 2:
                s.z *= n, text = fmt::format("broadcast: {{z: {}}}", n);
                break;
            case 3:
                if (s.ct % n != 0) return;
                s.ct /= n, s.z *= n, text = fmt::format("hslice: {}", n);
                break;
            case 4:
                if (s.z % n != 0) return;
                s.z /= n, s.ct *= n, text = fmt::format("hstack: {}", n);
                break;
            case 5:
                if (s.rt % n != 0) return;
                s.rt /= n, s.z *= n, text = fmt::format("vslice: {}", n);
                break;
            case 6:
                if (s.z % n != 0) return;
                s.z /= n, s.rt *= n, text = fmt::format("vstack: {}", n);
                break;
            default:
                std::swap(s.rt, s.ct), text = "transpose";
        }
        if (s.tiles() > most_tiles) return;
        chain.shape = s;
        chain.text += (chain.text.empty() ? "" : ", ") + text;
    }
    Chain random_chain(const Shape& from, bool transposes) {
        Chain chain{from, ""};
        std::string before, after;
        if (from.ct > 1 && chance(0.08)) {
            --chain.shape.ct;
            before = "input_#_unpad: {rt: 0, ct: 1}, ";
        }
        for (int n = chance(0.5) ? pick(1, 3) : 0; n > 0; --n) extend(chain, transposes);
        if (chain.shape.tiles() * 4 < most_tiles && chance(0.08)) {
            const int rt = pick(0, 1), ct = 1 - rt;
            chain.shape.rt += rt;
            chain.shape.ct += ct;
            after = fmt::format(", input_#_pad: {{rt: {}, ct: {}, pad_value: 0.5}}", rt, ct);
        }
        const std::string tms = chain.text.empty() ? "" : tms_field(chain.text);
        chain.text = before + tms + after;
        if (tms.empty())
            chain.text =
                before.empty() ? after.substr(after.empty() ? 0 : 2) : before.substr(0, before.size() - 2) + after;
        return chain;
    }
    static std::string tms_field(const std::string& list) { return list.empty() ? "" : "input_#_tms: [" + list + "]"; }

    const Value& value_of(const std::string& name) const {
        return *std::find_if(pool_.begin(), pool_.end(), [&](const Value& value) { return value.name == name; });
    }
    Value any_value() {
        if (pool_.empty() || chance(0.25)) {
            Shape shape{pick(1, 4), pick(1, 4), pick(1, 4)};
            while (shape.tiles() > most_tiles) shape.z = 1;
            return value_of(host_input(shape));
        }
        // Recent results first, so that chains grow.
        const auto last = static_cast<int>(pool_.size()) - 1;
        return value_of(pool_[static_cast<std::size_t>(std::max(pick(0, last), pick(0, last)))].name);
    }
    /// Some value that a chain of TMs brings to `shape`: from the pool when there is one, else a new input.
    std::pair<Value, std::string> operand_of(const Shape& shape, bool transposes) {
        for (int tries = 0; tries < 12 && !pool_.empty(); ++tries) {
            const Value& value = pool_[static_cast<std::size_t>(pick(0, static_cast<int>(pool_.size()) - 1))];
            const Chain chain = random_chain(value.shape, transposes);
            if (chain.shape == shape) return {value_of(value.name), chain.text};
        }
        Shape smaller = shape;
        std::string text;
        const int way = pick(0, transposes ? 3 : 2);
        if (way == 1 && shape.rt > 1) {
            text = fmt::format("broadcast: {{r: {}}}", shape.rt);
            smaller.rt = 1;
        } else if (way == 2 && shape.ct > 1) {
            text = fmt::format("broadcast: {{c: {}}}", shape.ct);
            smaller.ct = 1;
        } else if (way == 3) {
            text = "transpose";
            std::swap(smaller.rt, smaller.ct);
        }
        return {value_of(host_input(smaller)), tms_field(text)};
    }

    void add_op() {
        const int kind = pick(0, 9);
        const Value a = any_value();
        if (kind <= 3)
            unary(a);
        else if (kind <= 6)
            binary(a);
        else
            matmul(a);
    }

    void unary(const Value& a) {
        const Chain chain = random_chain(a.shape, true);
        const bool shrink = a.size > largest;
        const std::string type = shrink ? "sigmoid" : a.size <= 4 && chance(0.5) ? "exp" : "nop";
        const double size = shrink ? 1 : type == "exp" ? std::exp(a.size) : a.size;
        emit(type, {a.name}, {chain.text}, chain.shape, size, "");
    }
    void binary(const Value& a) {
        const Chain chain = random_chain(a.shape, !grayskull_);
        const auto [b, text] = operand_of(chain.shape, false);
        const bool add = a.size * b.size > largest || chance(0.6);
        const char* sums[] = {"add", "subtract", "maximum"};
        emit(add ? sums[pick(0, 2)] : "multiply", {a.name, b.name}, {chain.text, text}, chain.shape,
             add ? a.size + b.size : a.size * b.size, "");
    }
    void matmul(const Value& a) {
        const Chain chain = random_chain(a.shape, false);
        const int k = chain.shape.ct;
        const int cols = pick(1, 4);
        const auto [b, text] = operand_of({chain.shape.z, k, cols}, true);
        Shape out{chain.shape.z, chain.shape.rt, cols};
        const double size = a.size * b.size * 32 * k;
        if (out.tiles() > most_tiles || size > 1e6) return unary(a);
        const int u_kt = divisor(k, 8);
        std::string attributes = fmt::format("m_k: {}, u_kt: {}", k / u_kt, u_kt);
        if (out.z % 2 == 0 && chance(0.4)) {  // products of neighbouring slices added up
            out.z /= 2;
            attributes += ", accumulate: true, z: 2";
        }
        emit("matmul", {a.name, b.name}, {chain.text, text}, out, 2 * size, attributes);
    }

    void emit(const std::string& type, const std::vector<std::string>& inputs, const std::vector<std::string>& tms,
              const Shape& shape, double size, const std::string& attributes) {
        const Cut c = cut(shape, 3);
        const auto at = place(c);
        if (!at) return;
        for (Value& value : pool_) {
            if (std::find(inputs.begin(), inputs.end(), value.name) == inputs.end()) continue;
            value.used = true;
            if (!value.op) need_setting(value.name);
        }
        std::string more = attributes.empty() ? "" : "attributes: {" + attributes + "}";
        for (std::size_t k = 0; k < tms.size(); ++k) {
            if (tms[k].empty()) continue;
            if (!more.empty()) more += ", ";
            for (const char letter : tms[k]) more += letter == '#' ? std::to_string(k) : std::string(1, letter);
        }
        if (c.grid_r == c.grid_c && chance(0.3)) more += std::string(more.empty() ? "" : ", ") + "grid_transpose: true";
        const int buffer = tight_ ? 2 : 2 * inputs_ * c.t;
        const std::string name = fmt::format("op{}", names_++);
        made_.op({.name = name,
                  .type = type,
                  .inputs = inputs,
                  .cut = c,
                  .row = at->first,
                  .col = at->second,
                  .more = more,
                  .order = type == "matmul" || chance(0.5) ? "r" : "c",
                  .buffer = buffer});
        pool_.push_back({name, shape, size, true, false});
        cuts_[name] = c;
    }
    /// Unused results, and some others, go to queues; the next graph may read those.
    void store_results(bool last) {
        std::vector<Value> stored;
        for (const Value& value : pool_) {
            if (!value.op || (value.used && !chance(0.2))) continue;
            const std::string name = fmt::format("out{}", names_++);
            QueueText queue{
                .name = name, .input = value.name, .cut = cuts_.at(value.name), .entries = entries_, .device = chip_};
            if (chance(0.5)) queue.cut = cut(value.shape, 3);
            queue.order = chance(0.5) ? "r" : "c";
            made_.queue(queue);
            if (!last) stored.push_back({name, value.shape, value.size, false, true});
        }
        pool_.insert(pool_.end(), stored.begin(), stored.end());
    }

    std::mt19937 random_;
    NetlistText made_;
    bool grayskull_ = false, tight_ = false;
    int chip_ = 0, inputs_ = 1, entries_ = 1, loops_ = 1, names_ = 0;
    std::vector<Value> pool_;
    std::vector<std::string> settings_, rams_;
    std::map<std::string, Cut> cuts_;
    int shelf_row_ = 0, shelf_col_ = 0, shelf_height_ = 0;
};

}  // namespace

RandomNetlist random_netlist(std::uint32_t seed, bool longer) { return NetlistMaker(seed, longer).make(); }

}  // namespace ttsim::impl::test
