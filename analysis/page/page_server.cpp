#include "analysis/page/page_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <list>
#include <memory>
#include <new>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "base/file_set.hpp"

namespace ttsim::impl::report {

namespace fs = std::filesystem;
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

namespace {

constexpr std::size_t most_request = 16 * 1024;
constexpr std::size_t most_sessions = 32;
/// Interval of checks for the stop signal, and delay before accepting again after a lack of descriptors.
constexpr auto poll_interval = std::chrono::milliseconds(200);
constexpr auto asking = std::chrono::seconds(10),
               answering = std::chrono::seconds(60);  ///< limits for the request and the response

std::string html_text(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

/// Links must not give access to files outside the folder.
bool is_inside(const std::string& folder, const std::string& name) {
    try {
        (void)resolve_inside(folder, name);
        return true;
    } catch (const Error&) {
        return false;
    }
}

/// Names of the files and folders that have a page.
std::vector<std::string> shown_names(const ServeOptions& options) {
    std::vector<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator at(options.folder, failed), end; !failed && at != end; at.increment(failed))
        if (is_inside(options.folder, at->path().filename().string()) && options.accepts(at->path().string()))
            names.push_back(at->path().filename().string());
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

/// Rejects other host names, so that other sites cannot read pages by DNS rebinding.
bool is_local(beast::string_view host) {
    host = host.substr(0, host.find(':'));
    return host.empty() || beast::iequals(host, "localhost") || host == "127.0.0.1";
}

using Answer = http::response<http::string_body>;

Answer with_text(http::status status, const std::string& type, std::string text) {
    Answer answer(status, 11);
    answer.set(http::field::content_type, type);
    answer.set(http::field::cache_control, "no-store");
    answer.set("X-Content-Type-Options", "nosniff");
    answer.set("Cross-Origin-Resource-Policy", "same-origin");
    answer.keep_alive(false);
    answer.body() = std::move(text);
    answer.prepare_payload();
    return answer;
}

Answer refusal(http::status status, const std::string& text) {
    return with_text(status, "text/plain; charset=utf-8", text + "\n");
}

/// The page at a path. Only names of the list are valid, so that no path leads out of the folder.
Answer page_at(const std::string& path, const ServeOptions& options) {
    const std::string html = "text/html; charset=utf-8", run = "/run/";
    if (path == "/") return with_text(http::status::ok, html, index_page(options));
    const std::vector<std::string> names = shown_names(options);
    const std::string name = path.starts_with(run) ? from_url(path.substr(run.size())) : "";
    if (std::find(names.begin(), names.end(), name) == names.end())
        return refusal(http::status::not_found, "there is no such run in the folder");
    return with_text(http::status::ok, html, options.page((fs::path(options.folder) / name).string()));
}

Answer answer_to(const std::string& text, const ServeOptions& options) {
    http::request_parser<http::empty_body> parser;
    parser.header_limit(most_request);
    beast::error_code failed;
    parser.put(asio::buffer(text), failed);
    if (failed || !parser.is_header_done()) return refusal(http::status::bad_request, "this is not an HTTP request");
    const auto& request = parser.get();
    if (request.method() != http::verb::get) return refusal(http::status::method_not_allowed, "only GET");
    if (!is_local(request[http::field::host]))
        return refusal(http::status::forbidden, "use the host name localhost or 127.0.0.1");
    try {
        return page_at(std::string(request.target()), options);
    } catch (const std::bad_alloc&) {
        return refusal(http::status::service_unavailable, "out of memory");
    } catch (const std::exception& error) {
        return refusal(http::status::internal_server_error, error.what());
    }
}

/// One connection with one request and response. Errors of the connection and timeouts are ignored.
class Session : public std::enable_shared_from_this<Session> {
public:
    Session(tcp::socket socket, const ServeOptions& options) : stream_(std::move(socket)), options_(options) {}

    void begin() {
        stream_.expires_after(asking);
        asio::async_read_until(stream_, asio::dynamic_buffer(text_, most_request), "\r\n\r\n",
                               [self = shared_from_this()](beast::error_code failed, std::size_t) {
                                   if (!failed || failed == asio::error::not_found) self->respond();
                               });
    }

    bool asked() const { return asked_; }
    void end() { stream_.close(); }

private:
    void respond() {
        asked_ = true;
        text_ = answer(text_, options_);
        stream_.expires_after(answering);
        asio::async_write(stream_, asio::buffer(text_), [self = shared_from_this()](beast::error_code, std::size_t) {
            beast::error_code gone;
            self->stream_.socket().shutdown(tcp::socket::shutdown_send, gone);
        });
    }

    beast::tcp_stream stream_;
    const ServeOptions& options_;
    std::string text_;  ///< the request, then the response
    bool asked_ = false;
};

tcp::acceptor listening(asio::io_context& context, int port) {
    try {
        return {context, tcp::endpoint(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port))};
    } catch (const boost::system::system_error& error) {
        fail_input({}, "cannot listen on port {} of 127.0.0.1: {}; --port 0 selects a free one", port,
                   error.code().message());
    }
}

class Server {
public:
    explicit Server(const ServeOptions& options) : options_(options), door_(listening(context_, options.port)) {}

    int port() const { return door_.local_endpoint().port(); }

    /// Runs until a signal handler sets `stop`, which is polled.
    void run() {
        const auto work = asio::make_work_guard(context_);  // keeps run_for() waiting
        while (!options_.stop || *options_.stop == 0) try {
                // also retries after a failed accept, once per interval
                if (!accepting_) accept();
                context_.run_for(poll_interval);
            } catch (const std::bad_alloc&) {  // concerns one connection, which is closed
            }
    }

private:
    void accept() {
        door_.async_accept([this](beast::error_code failed, tcp::socket socket) {
            accepting_ = false;
            if (failed) return;
            begin(std::move(socket));
            accept();
        });
        accepting_ = true;
    }

    void begin(tcp::socket socket) {
        sessions_.remove_if([](const std::weak_ptr<Session>& session) { return session.expired(); });
        if (sessions_.size() >= most_sessions) end_oldest();
        const auto session = std::make_shared<Session>(std::move(socket), options_);
        sessions_.push_back(session);
        session->begin();
    }

    /// Ends the oldest connection without a request, else the oldest of all.
    void end_oldest() {
        const auto silent = std::find_if(sessions_.begin(), sessions_.end(), [](const auto& weak) {
            const auto session = weak.lock();
            return session && !session->asked();
        });
        const auto oldest = silent == sessions_.end() ? sessions_.begin() : silent;
        if (const auto session = oldest->lock()) session->end();
        sessions_.erase(oldest);
    }

    const ServeOptions& options_;
    asio::io_context context_{1};
    tcp::acceptor door_;
    std::list<std::weak_ptr<Session>> sessions_;  ///< the oldest first
    bool accepting_ = false;
};

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
    std::ostringstream out;
    out << answer_to(request, options);
    return out.str();
}

void serve(const ServeOptions& options) {
    shown_names(options);  // throws early when the folder cannot be read
    Server server(options);
    options.started(server.port());
    server.run();
}

}  // namespace ttsim::impl::report
