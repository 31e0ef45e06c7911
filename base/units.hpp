// Strongly typed counts: Cycles and Bytes cannot be mixed by accident.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstdint>

namespace ttsim::impl {

/// A count of one unit. Counts of the same unit add and compare. Conversions between units need a function such as
/// cycles_to_move().
template <class Unit>
class Count {
public:
    constexpr Count() = default;
    constexpr explicit Count(std::uint64_t n) : n_(n) {}
    constexpr std::uint64_t value() const { return n_; }

    constexpr Count& operator+=(Count other) {
        n_ += other.n_;
        return *this;
    }
    friend constexpr Count operator+(Count a, Count b) { return a += b; }
    friend constexpr Count operator-(Count a, Count b) { return Count(a.n_ - b.n_); }
    friend constexpr Count operator*(Count a, std::uint64_t times) { return Count(a.n_ * times); }
    friend constexpr auto operator<=>(Count, Count) = default;

private:
    std::uint64_t n_ = 0;
};

struct CycleUnit {
    static constexpr const char* name = "cycles";
};
struct ByteUnit {
    static constexpr const char* name = "B";
};
struct TileUnit {
    static constexpr const char* name = "tiles";
};
using Cycles = Count<CycleUnit>;
using Bytes = Count<ByteUnit>;
using Tiles = Count<TileUnit>;

/// A rate. Hardware moves fractions of a byte per cycle on average (22.3 B/clk from DRAM).
struct BytesPerCycle {
    double value;
};

/// Cycles that a link of that width is busy, rounded up.
constexpr Cycles cycles_to_move(Bytes amount, BytesPerCycle width) {
    const double exact = static_cast<double>(amount.value()) / width.value;
    const auto floor = static_cast<std::uint64_t>(exact);
    return Cycles(static_cast<double>(floor) < exact ? floor + 1 : floor);
}

namespace literals {
constexpr Cycles operator""_cycles(unsigned long long n) { return Cycles(n); }
constexpr Bytes operator""_B(unsigned long long n) { return Bytes(n); }
constexpr Bytes operator""_KiB(unsigned long long n) { return Bytes(n * 1024); }
}  // namespace literals

}  // namespace ttsim::impl

template <class Unit>
struct fmt::formatter<ttsim::impl::Count<Unit>> : fmt::formatter<std::uint64_t> {
    template <class Context>
    auto format(ttsim::impl::Count<Unit> c, Context& ctx) const {
        auto out = fmt::formatter<std::uint64_t>::format(c.value(), ctx);
        return fmt::format_to(out, " {}", Unit::name);
    }
};
