// What the public classes hold, and how internal errors and values become public ones.
#pragma once

#include <ttsim/errors.hpp>
#include <ttsim/netlist.hpp>
#include <ttsim/report.hpp>
#include <utility>

#include "base/error.hpp"
#include "netlist/netlist.hpp"
#include "sim/run.hpp"

namespace ttsim {

struct Netlist::Impl {
    impl::Netlist netlist;  ///< resolved
};

[[noreturn]] void rethrow(const impl::Error& error);
RunReport public_report(const impl::sim::RunReport& report);

/// Calls into the simulator; nothing but ttsim::Error and std::bad_alloc comes out.
template <class Call>
auto guarded(Call&& call) -> decltype(call()) {
    try {
        return std::forward<Call>(call)();
    } catch (const impl::Error& error) {
        rethrow(error);
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        throw Error(ErrorKind::Internal, error.what(), "", 0, 0);
    }
}

}  // namespace ttsim
