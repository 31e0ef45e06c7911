// Counts that cannot be mixed by accident: a Cycles is not a Bytes.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstdint>

namespace ttsim::impl {

/// A count of one kind of thing. Same kinds add and compare; different kinds
/// meet only in a function that says how, such as cycles_to_move().
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

/// A rate. Real chips move fractions of a byte per clock on average (22.3 B/clk from DRAM).
struct BytesPerCycle {
    double value;
};

/// Whole cycles a link of that width is busy; a started cycle counts.
constexpr Cycles cycles_to_move(Bytes amount, BytesPerCycle width) {
    const double exact = static_cast<double>(amount.value()) / width.value;
    const auto whole = static_cast<std::uint64_t>(exact);
    return Cycles(static_cast<double>(whole) < exact ? whole + 1 : whole);
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
