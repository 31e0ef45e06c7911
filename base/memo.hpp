// A thread-safe cache of computed values. Values are computed outside the lock; if two threads compute the same value,
// one of the equal results is kept.
#pragma once

#include <map>
#include <mutex>
#include <utility>

namespace ttsim::impl {

template <class Key, class Value>
class Memo {
public:
    /// The value for the key, computed by `compute()` at the first use. The reference is valid as long as the Memo.
    template <class Compute>
    const Value& get(const Key& key, Compute compute) {
        {
            const std::lock_guard lock(mutex_);
            if (const auto found = values_.find(key); found != values_.end()) return found->second;
        }
        Value value = compute();
        const std::lock_guard lock(mutex_);
        return values_.try_emplace(key, std::move(value)).first->second;
    }

private:
    std::mutex mutex_;
    std::map<Key, Value> values_;
};

}  // namespace ttsim::impl
