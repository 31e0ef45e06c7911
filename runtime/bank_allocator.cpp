#include "runtime/bank_allocator.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/error_codes.hpp"

namespace ttsim::impl::runtime {

BankAllocator::BankAllocator(std::string name, std::int64_t banks, std::int64_t begin, std::int64_t end,
                             std::int64_t alignment)
    : name_(std::move(name)), banks_(banks), begin_(begin), end_(end), alignment_(alignment) {
    TT_CHECK(banks > 0 && begin < end && alignment > 0, "{} has no memory for buffers", name_);
    holes_[begin] = end - begin;
}

std::int64_t BankAllocator::largest_hole() const {
    std::int64_t most = 0;
    for (const auto& [address, bytes] : holes_) most = std::max(most, bytes);
    return most * banks_;
}

std::int64_t BankAllocator::allocate(std::int64_t pages, std::int64_t page_bytes) {
    const std::int64_t in_bank = (pages + banks_ - 1) / banks_;
    const std::int64_t page = (page_bytes + alignment_ - 1) / alignment_ * alignment_;
    const std::int64_t bytes = std::max<std::int64_t>(in_bank, 1) * std::max<std::int64_t>(page, alignment_);
    const auto hole = std::find_if(holes_.begin(), holes_.end(), [&](const auto& one) { return one.second >= bytes; });
    if (hole == holes_.end())
        fail(Fault::Input, {{}, error_code::out_of_memory, {}},
             "out of {} memory: a buffer of {} bytes in {} banks was requested; {} bytes are free, {} of them in the "
             "largest hole. Deallocate tensors that are not needed",
             name_, bytes * banks_, banks_, total() - used(), largest_hole());
    const std::int64_t address = hole->first, rest = hole->second - bytes;
    holes_.erase(hole);
    if (rest > 0) holes_[address + bytes] = rest;
    buffers_[address] = bytes;
    used_ += bytes;
    peak_ = std::max(peak_, used_);
    return address;
}

void BankAllocator::free(std::int64_t address) {
    const auto buffer = buffers_.find(address);
    TT_CHECK(buffer != buffers_.end(), "no buffer of {} begins at {}", name_, address);
    std::int64_t bytes = buffer->second;
    buffers_.erase(buffer);
    used_ -= bytes;
    auto next = holes_.lower_bound(address);
    if (next != holes_.end() && address + bytes == next->first) {
        bytes += next->second;
        next = holes_.erase(next);
    }
    if (next != holes_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == address) {
            before->second += bytes;
            return;
        }
    }
    holes_[address] = bytes;
}

}  // namespace ttsim::impl::runtime
