// The pages of a folder of runs over HTTP, for the machine it runs on alone.
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace ttsim::impl::report {

struct ServeOptions {
    std::string folder;
    int port = 0;                                         ///< 0: any that is free
    std::function<bool(const std::string& path)> shown;   ///< whether a file or folder has a page
    std::function<std::string(const std::string&)> page;  ///< its page; an Error becomes the answer
    std::function<void(int port)> started;                ///< told where it listens
    const std::atomic<int>* stop = nullptr;               ///< not 0: it is to end
};

/// Until it is to end. Throws Error(Input) where it cannot listen or the folder cannot be read.
void serve(const ServeOptions& options);

/// "a%20b" as "a b"; as it is where it is no such text.
std::string from_url(const std::string& text);
std::string to_url(const std::string& text);
/// What a request's first line and Host header are answered with: a whole answer with its header.
std::string answer(const std::string& request, const ServeOptions& options);

}  // namespace ttsim::impl::report
