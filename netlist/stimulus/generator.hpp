// Random numbers of the stimulus: std::mt19937 and libstdc++'s uniform_real_distribution<float> and
// normal_distribution<double>, bit for bit, but computed in blocks.
// seed --> Mt19937 (624 draws at a time) --> fill_uniform / NormalFill --> float32 values
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace ttsim::impl {

/// Produces the sequence of std::mt19937. Also a uniform random bit generator for the standard distributions.
class Mt19937 {
public:
    using result_type = std::uint32_t;
    explicit Mt19937(std::uint32_t seed);
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
    result_type operator()() {
        if (next_ == size) refill();
        return draws_[next_++];
    }
    /// The available draws, at least one; call skip() with the number used.
    std::span<const std::uint32_t> ready() {
        if (next_ == size) refill();
        return std::span(draws_).subspan(next_);
    }
    void skip(std::size_t count) { next_ += count; }

private:
    static constexpr std::size_t size = 624;
    void refill();

    std::array<std::uint32_t, size> state_;
    std::array<std::uint32_t, size> draws_;
    std::size_t next_ = size;
};

/// std::uniform_real_distribution<float>(low, high), one draw per value.
void fill_uniform(Mt19937& engine, float low, float high, std::span<float> out);

/// std::normal_distribution<double>(mean, stddev), cast to float. Values are computed in pairs; the second of a pair is
/// saved for the next call, as in libstdc++.
class NormalFill {
public:
    NormalFill(double mean, double stddev) : mean_(mean), stddev_(stddev) {}
    void fill(Mt19937& engine, std::span<float> out);

private:
    std::size_t pairs(Mt19937& engine, std::span<float> out);
    float scaled(double unit) const { return static_cast<float>(unit * stddev_ + mean_); }

    double mean_, stddev_;
    double saved_ = 0;
    bool has_saved_ = false;
};

}  // namespace ttsim::impl
