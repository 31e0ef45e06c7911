// An array of which few elements are ever touched: those are made on first use and stay where they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ttsim::impl::noc {

template <class T>
class Sparse {
public:
    explicit Sparse(std::size_t size) : index_(size, 0) {}
    T& operator[](std::size_t i) {
        std::uint32_t& place = index_[i];
        if (place == 0) {
            if (made_ % block == 0) blocks_.push_back(std::make_unique<std::array<T, block>>());
            place = ++made_;
        }
        return (*blocks_[(place - 1) / block])[(place - 1) % block];
    }

private:
    static constexpr std::uint32_t block = 32;
    std::vector<std::uint32_t> index_;  ///< place among the elements made, and one more; 0: not made
    std::vector<std::unique_ptr<std::array<T, block>>> blocks_;
    std::uint32_t made_ = 0;
};

}  // namespace ttsim::impl::noc
