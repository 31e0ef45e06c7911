#include "compiler/ir/derived_constants.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace ttsim::impl::ir {

namespace {

constexpr std::int64_t min_cached_elements = 1 << 14;  // smaller constants are computed as quickly as found

bool is_large(const Literal& literal) { return is_float(literal.dtype()) && literal.size() >= min_cached_elements; }

template <class T>
std::string_view bytes_of(const std::vector<T>& elements) {
    return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
}
std::string_view bytes_of(const Literal& literal) {
    return is_float(literal.dtype()) ? bytes_of(literal.floats()) : bytes_of(literal.integer_elements());
}

}  // namespace

Literal DerivedConstants::get(const std::string& how, std::span<const Literal* const> of,
                              const std::function<Literal()>& make, std::int64_t elements) {
    const bool any = std::any_of(of.begin(), of.end(), [](const Literal* one) { return is_large(*one); });
    if (!of.empty() && !any && elements < min_cached_elements) return make();
    std::pair<std::string, std::vector<const void*>> key{how, {}};
    std::vector<std::shared_ptr<const void>> blocks;
    for (const Literal* one : of) {
        key.first += fmt::format(" {}[{}]", to_string(one->dtype()), fmt::join(one->dims(), ","));
        if (one->size() < min_cached_elements) {
            key.first += bytes_of(*one);
        } else {
            blocks.push_back(one->block());
            key.second.push_back(blocks.back().get());
        }
    }
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = entries_.find(key); found != entries_.end()) {
            const Entry& entry = found->second;
            // an address may have been reused for other elements since
            const bool same = std::equal(entry.of.begin(), entry.of.end(), blocks.begin(),
                                         [](const auto& was, const auto& is) { return was.lock() == is; });
            if (const auto made = entry.made.lock(); made && same) return Literal::of(entry.dtype, entry.dims, made);
        }
    }
    Literal made = make();
    if (!is_large(made) || std::find(blocks.begin(), blocks.end(), made.block()) != blocks.end()) return made;
    const auto cached = made.attach_sources(blocks);
    const std::lock_guard lock(mutex_);
    entries_[std::move(key)] = {{blocks.begin(), blocks.end()}, cached, made.dtype(), made.dims()};
    return made;
}

void DerivedConstants::release() {
    const std::lock_guard lock(mutex_);
    for (auto& [_, entry] : entries_)
        if (const auto made = entry.made.lock()) made->of.clear();
    entries_.clear();
}

}  // namespace ttsim::impl::ir
