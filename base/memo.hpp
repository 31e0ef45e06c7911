// What was computed once, by what it depends on. Threads may ask at the same time: a value is computed outside of the
// lock, and where two compute the same, one of the equal results stays.
#pragma once

#include <map>
#include <mutex>
#include <utility>

namespace ttsim::impl {

template <class Key, class Value>
class Memo {
public:
    /// The value for the key; `make()` returns it where there is none yet. The reference stays good as long as this
    /// does.
    template <class Make>
    const Value& get(const Key& key, Make make) {
        {
            const std::lock_guard lock(mutex_);
            if (const auto found = known_.find(key); found != known_.end()) return found->second;
        }
        Value made = make();
        const std::lock_guard lock(mutex_);
        return known_.try_emplace(key, std::move(made)).first->second;
    }

private:
    std::mutex mutex_;
    std::map<Key, Value> known_;
};

}  // namespace ttsim::impl
