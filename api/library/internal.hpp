// Implementation of the public classes, and conversion of internal errors and reports to public ones.
#pragma once

#include <system_error>
#include <ttsim/errors.hpp>
#include <ttsim/netlist.hpp>
#include <ttsim/report.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/machine_limit.hpp"
#include "netlist/netlist.hpp"
#include "sim/run.hpp"

namespace ttsim {

struct Netlist::Impl {
    impl::Netlist netlist;  ///< resolved
};

[[noreturn]] void rethrow(const impl::Error& error);
RunReport public_report(const impl::sim::RunReport& report);

/// Calls internal code; converts exceptions to ttsim::Error, except std::bad_alloc.
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
    } catch (const std::system_error& error) {
        const bool limit = impl::is_resource_limit(error.code());
        throw Error(limit ? ErrorKind::Resource : ErrorKind::Internal, error.what(), "", 0, 0);
    } catch (const std::exception& error) {
        throw Error(ErrorKind::Internal, error.what(), "", 0, 0);
    }
}

}  // namespace ttsim
