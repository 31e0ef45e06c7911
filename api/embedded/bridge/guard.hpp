// Calls the simulator and converts its exceptions to std::runtime_error, except std::bad_alloc.
#pragma once

#include <utility>

#include "api/embedded/bridge/bridge.hpp"
#include "base/error.hpp"

namespace ttsim::impl::bridge {

template <class Call>
auto guarded(Call&& call) -> decltype(call()) {
    try {
        return std::forward<Call>(call)();
    } catch (const impl::Error& error) {
        if (error.fault() == impl::Fault::Hang) throw NotReady(error.what());
        throw std::runtime_error(error.what());
    } catch (const NotReady&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        throw std::runtime_error(error.what());
    }
}

}  // namespace ttsim::impl::bridge
