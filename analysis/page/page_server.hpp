// HTTP server for the pages of a folder of runs, reachable from the local machine only.
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace ttsim::impl::report {

struct ServeOptions {
    std::string folder;
    int port = 0;                                          ///< 0: any free port
    std::function<bool(const std::string& path)> accepts;  ///< whether a file or folder has a page
    std::function<std::string(const std::string&)> page;   ///< the page of a file; an Error becomes the response
    std::function<void(int port)> started;                 ///< called with the port when the server listens
    const std::atomic<int>* stop = nullptr;                ///< a nonzero value stops the server
};

/// Serves until it is stopped. Throws Error(Input) when it cannot listen or the folder cannot be read.
void serve(const ServeOptions& options);

/// Decodes "a%20b" to "a b"; invalid text is unchanged.
std::string from_url(const std::string& text);
std::string to_url(const std::string& text);
/// The complete response, with header, to a request (request line and Host header).
std::string answer(const std::string& request, const ServeOptions& options);

}  // namespace ttsim::impl::report
