#include "compiler/ir/made_constants.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace ttsim::impl::ir {

namespace {

constexpr std::int64_t worth_finding = 1 << 14;  // elements; below, making it takes no longer

bool is_large(const Literal& literal) { return is_float(literal.dtype()) && literal.size() >= worth_finding; }

template <class T>
std::string_view bytes_of(const std::vector<T>& elements) {
    return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
}
std::string_view bytes_of(const Literal& literal) {
    return is_float(literal.dtype()) ? bytes_of(literal.floats()) : bytes_of(literal.whole());
}

}  // namespace

Literal MadeConstants::get(const std::string& how, std::span<const Literal* const> of,
                           const std::function<Literal()>& make) {
    if (std::none_of(of.begin(), of.end(), [](const Literal* one) { return is_large(*one); })) return make();
    std::pair<std::string, std::vector<const void*>> key{how, {}};
    std::vector<std::shared_ptr<const void>> blocks;
    for (const Literal* one : of) {
        key.first += fmt::format(" {}[{}]", to_string(one->dtype()), fmt::join(one->dims(), ","));
        if (one->size() < worth_finding) {
            key.first += bytes_of(*one);
        } else {
            blocks.push_back(one->block());
            key.second.push_back(blocks.back().get());
        }
    }
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = known_.find(key); found != known_.end()) {
            const Known& known = found->second;
            // an address may have been given to other elements since
            const bool same = std::equal(known.of.begin(), known.of.end(), blocks.begin(),
                                         [](const auto& was, const auto& is) { return was.lock() == is; });
            if (const auto made = known.made.lock(); made && same) return Literal::of(known.dtype, known.dims, made);
        }
    }
    Literal made = make();
    if (!is_large(made) || std::find(blocks.begin(), blocks.end(), made.block()) != blocks.end()) return made;
    const auto kept = made.keep(blocks);
    const std::lock_guard lock(mutex_);
    known_[std::move(key)] = {{blocks.begin(), blocks.end()}, kept, made.dtype(), made.dims()};
    return made;
}

void MadeConstants::release() {
    const std::lock_guard lock(mutex_);
    for (auto& [_, known] : known_)
        if (const auto made = known.made.lock()) made->of.clear();
    known_.clear();
}

}  // namespace ttsim::impl::ir
