#include "report/page_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/error.hpp"

namespace tt::report {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_request = 16 * 1024;
constexpr int poll_milliseconds = 200, patience_seconds = 5;

class Socket {
public:
    explicit Socket(int descriptor) : descriptor_(descriptor) {}
    ~Socket() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    int get() const { return descriptor_; }

private:
    int descriptor_;
};

std::string html_text(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

std::string whole_answer(const std::string& status, const std::string& type, const std::string& body) {
    return fmt::format(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\n\r\n{}",
        status, type, body.size(), body);
}

/// What has a page, by name.
std::vector<std::string> shown_names(const ServeOptions& options) {
    std::vector<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator at(options.folder, failed), end; !failed && at != end; at.increment(failed))
        if (options.shown(at->path().string())) names.push_back(at->path().filename().string());
    if (failed) fail_input({options.folder, 0, 0}, "cannot be read: {}", failed.message());
    std::sort(names.begin(), names.end());
    return names;
}

std::string index_page(const ServeOptions& options) {
    std::string list;
    for (const std::string& name : shown_names(options))
        list += fmt::format("<li><a href=\"/run/{}\">{}</a></li>\n", to_url(name), html_text(name));
    if (list.empty()) list = "<li>no traces, compiled models, device images or netlists</li>\n";
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"color-scheme\" "
        "content=\"light dark\"><link rel=\"icon\" href=\"data:,\"><title>ttsim report</title></head>\n"
        "<body><h1>{}</h1>\n<ul>\n{}</ul></body></html>\n",
        html_text(options.folder), list);
}

/// A page of another site must not read this one by a name of its own for this machine.
bool is_local(const std::string& request) {
    std::string lower = request;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::size_t at = lower.find("\r\nhost:");
    if (at == std::string::npos) return true;
    std::string host = lower.substr(at + 7, lower.find("\r\n", at + 2) - at - 7);
    host.erase(0, host.find_first_not_of(' '));
    host = host.substr(0, host.find(':'));
    return host == "localhost" || host == "127.0.0.1";
}

std::string read_request(int descriptor) {
    std::string request;
    std::array<char, 4096> part{};
    while (request.size() < most_request && request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t got = ::recv(descriptor, part.data(), part.size(), 0);
        if (got <= 0) break;
        request.append(part.data(), static_cast<std::size_t>(got));
    }
    return request;
}

/// A browser that went away is no trouble of ours.
void send_all(int descriptor, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t sent = ::send(descriptor, text.data() + at, text.size() - at, MSG_NOSIGNAL);
        if (sent <= 0) return;
        at += static_cast<std::size_t>(sent);
    }
}

int listen_on(int descriptor, int port) {
    const int on = 1;
    ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    socklen_t size = sizeof address;
    auto* const general = reinterpret_cast<sockaddr*>(&address);  // as the system calls take it
    if (descriptor < 0 || ::bind(descriptor, general, size) != 0 || ::listen(descriptor, 8) != 0 ||
        ::getsockname(descriptor, general, &size) != 0)
        fail_input({}, "cannot listen on port {} of 127.0.0.1: {}; --port 0 takes one that is free", port,
                   std::strerror(errno));
    return ntohs(address.sin_port);
}

}  // namespace

std::string from_url(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool coded = text[i] == '%' && i + 2 < text.size() &&
                           std::isxdigit(static_cast<unsigned char>(text[i + 1])) &&
                           std::isxdigit(static_cast<unsigned char>(text[i + 2]));
        out += coded ? static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16)) : text[i];
        if (coded) i += 2;
    }
    return out;
}

std::string to_url(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = byte < 128 && (std::isalnum(byte) || c == '.' || c == '-' || c == '_');
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned>(byte));
    }
    return out;
}

std::string answer(const std::string& request, const ServeOptions& options) {
    const std::string html = "text/html; charset=utf-8", plain = "text/plain; charset=utf-8", run = "/run/";
    if (!request.starts_with("GET ")) return whole_answer("405 Method Not Allowed", plain, "only GET\n");
    if (!is_local(request)) return whole_answer("403 Forbidden", plain, "ask for localhost or 127.0.0.1\n");
    const std::size_t end = request.find(' ', 4);
    const std::string path = request.substr(4, end == std::string::npos ? end : end - 4);
    try {
        if (path == "/") return whole_answer("200 OK", html, index_page(options));
        if (path.starts_with(run)) {
            // a name of the list and nothing else, so that no path leads out of the folder
            const std::string name = from_url(path.substr(run.size()));
            const std::vector<std::string> names = shown_names(options);
            if (std::find(names.begin(), names.end(), name) != names.end())
                return whole_answer("200 OK", html, options.page((fs::path(options.folder) / name).string()));
        }
    } catch (const Error& error) {
        return whole_answer("500 Internal Server Error", plain, std::string(error.what()) + "\n");
    }
    return whole_answer("404 Not Found", plain, "there is no such run in the folder\n");
}

void serve(const ServeOptions& options) {
    shown_names(options);  // a folder that cannot be read is told of before anybody asks
    const Socket door(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int port = listen_on(door.get(), options.port);
    options.started(port);
    while (!options.stop || *options.stop == 0) {
        pollfd wait{door.get(), POLLIN, 0};
        if (::poll(&wait, 1, poll_milliseconds) <= 0) continue;
        const Socket caller(::accept4(door.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (caller.get() < 0) continue;
        const timeval patience{patience_seconds, 0};
        ::setsockopt(caller.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        ::setsockopt(caller.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        const std::string request = read_request(caller.get());
        if (!request.empty()) send_all(caller.get(), answer(request, options));
    }
}

}  // namespace tt::report
