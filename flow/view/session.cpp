// SPDX-License-Identifier: BSD-3-Clause
//
// HTTP and WebSocket by Boost's Beast, which takes long to compile and is included here only.
#include "view/session.hpp"

#include <fcntl.h>

#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "text/text.hpp"
#include "view/access.hpp"
#include "view/assets.hpp"
#include "view/outbox.hpp"

namespace weft::view {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Error = beast::error_code;
using Request = http::request<http::empty_body>;

constexpr auto timeout = std::chrono::seconds(10);      // for a request, an answer, a handshake
constexpr auto long_timeout = std::chrono::minutes(5);  // for a surface of many megabytes through a tunnel
constexpr auto silence = std::chrono::seconds(60);      // of a watcher; a ping is sent half-way
constexpr std::size_t most_header_bytes = 8 << 10, most_message_bytes = 64 << 10;
constexpr double messages_per_second = 200;
constexpr std::string_view picture_mark =
    "picture";  // payload of the ping after a picture; its pong acknowledges the picture

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string refusal(std::string_view why) { return R"({"type":"refused","text":)" + text::quoted(why) + '}'; }

// Counts a connection during its lifetime.
class ConnectionSlot {
 public:
  explicit ConnectionSlot(Hub& hub) : hub_(&hub) { ++hub.connections; }
  ~ConnectionSlot() { --hub_->connections; }
  ConnectionSlot(const ConnectionSlot&) = delete;
  ConnectionSlot& operator=(const ConnectionSlot&) = delete;

 private:
  Hub* hub_;
};

class WatchSession final : public Watcher, public std::enable_shared_from_this<WatchSession> {
 public:
  WatchSession(beast::tcp_stream stream, std::unique_ptr<ConnectionSlot> place, Hub& hub)
      : Watcher(hub.board), hub_(hub), place_(std::move(place)), socket_(std::move(stream)),
        buffer_(most_message_bytes) {}
  ~WatchSession() override { hub_.watchers.erase(this); }  // if an exception ended it

  void start(const Request& request) {
    beast::get_lowest_layer(socket_).expires_never();  // the WebSocket has its own clock
    socket_.set_option(websocket::stream_base::timeout{timeout, silence, true});
    socket_.read_message_max(most_message_bytes);
    socket_.auto_fragment(false);
    socket_.control_callback(
        [this](websocket::frame_type kind, beast::string_view text) { control(kind, view(text)); });
    socket_.async_accept(request, [self = shared_from_this()](Error error) {
      if (error) return;
      self->hub_.watchers.insert(self.get());
      self->hub_.changed();
      self->wake();
      self->read();
    });
  }

  void wake() override {
    if (writing_ || gone_) return;
    auto message = outbox.next();
    if (!message) {
      if (leaving_) close();
      return;
    }
    writing_ = true;
    socket_.binary(message->picture);
    auto bytes = message->bytes;
    socket_.async_write(
        asio::buffer(*bytes), [self = shared_from_this(), bytes, picture = message->picture](Error error, std::size_t) {
          if (error) return self->drop();
          if (!picture) return self->written({});
          self->hub_.changed();
          const beast::string_view mark(picture_mark.data(), picture_mark.size());
          self->socket_.async_ping(websocket::ping_data(mark), [self](Error failed) { self->written(failed); });
        });
  }

  void leave() override {
    leaving_ = true;
    wake();
  }

 private:
  void written(Error error) {
    writing_ = false;
    if (error) return drop();
    wake();
  }

  void control(websocket::frame_type kind, std::string_view text) {
    if (kind == websocket::frame_type::pong && text == picture_mark) {
      outbox.seen();
      // not from within a read handler
      asio::post(socket_.get_executor(), [self = shared_from_this()] {
        self->hub_.changed();
        self->wake();
      });
    } else if (kind == websocket::frame_type::ping && limit_.judge(now_seconds()) == RateLimit::Verdict::close) {
      asio::post(socket_.get_executor(), [self = shared_from_this()] { self->drop(); });
    }
  }

  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](Error error, std::size_t) {
      if (error) return self->drop();
      self->handle();
      self->buffer_.clear();
      if (!self->gone_) self->read();
    });
  }

  void handle() {
    const auto verdict = limit_.judge(now_seconds());
    std::string why;
    if (verdict == RateLimit::Verdict::close) return drop();  // a flooding client would not read a closing message
    if (verdict == RateLimit::Verdict::drop) return;
    if (verdict == RateLimit::Verdict::refuse) {
      why = "Too many messages arrived (more than 200 per second). Send fewer.";
    } else if (!socket_.got_text()) {
      why = "A message is not text (the viewer accepts only JSON). Send JSON.";
    } else {
      const auto data = buffer_.cdata();
      try {
        why = hub_.accept({static_cast<const char*>(data.data()), data.size()});
      } catch (const std::exception& error) {
        why = error.what();
      }
    }
    if (why.empty()) return;
    outbox.say(refusal(why));
    wake();
  }

  void close() {
    writing_ = true;
    socket_.async_close(websocket::close_code::going_away, [self = shared_from_this()](Error) { self->drop(); });
  }

  void forget() {
    gone_ = true;
    if (hub_.watchers.erase(this) > 0) hub_.changed();
  }

  void drop() {
    forget();
    Error ignored;
    beast::get_lowest_layer(socket_).socket().close(ignored);
  }

  Hub& hub_;
  std::unique_ptr<ConnectionSlot> place_;
  websocket::stream<beast::tcp_stream> socket_;
  beast::flat_buffer buffer_;
  RateLimit limit_{messages_per_second};
  bool writing_ = false, leaving_ = false, gone_ = false;
};

class WebSession final : public std::enable_shared_from_this<WebSession> {
 public:
  WebSession(asio::ip::tcp::socket socket, Hub& hub)
      : hub_(hub), place_(std::make_unique<ConnectionSlot>(hub)), stream_(std::move(socket)),
        buffer_(most_header_bytes) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(most_header_bytes);
    stream_.expires_after(timeout);
    http::async_read_header(stream_, buffer_, *parser_, [self = shared_from_this()](Error error, std::size_t) {
      if (!error) return self->answer(self->parser_->get());
      const bool malformed = error.category() == http::make_error_code(http::error::bad_method).category();
      if (!malformed || error == http::error::end_of_stream) return self->end();
      const bool long_header = error == http::error::header_limit || error == http::error::buffer_overflow;
      self->close_ = true;
      self->send(long_header ? http::status::request_header_fields_too_large : http::status::bad_request,
                 "This is not a request for the viewer.\n");
    });
  }

 private:
  void answer(const Request& request) {
    const auto host = view(request[http::field::host]);
    const auto target = read_target(view(request.target()));
    head_ = request.method() == http::verb::head;
    close_ = !request.keep_alive();
    if (parser_->chunked() || parser_->content_length().value_or(0) > 0) {
      close_ = true;
      return send(http::status::payload_too_large, "The viewer can only be read.\n");
    }
    // Of two host names a proxy may check one and we the other (RFC 9112, 3.2), so the request is refused; the same for
    // origins.
    if (request.count(http::field::host) > 1 || request.count(http::field::origin) > 1) {
      close_ = true;
      return send(http::status::bad_request, "This request names two hosts or origins. Send one.\n");
    }
    if (hub_.connections > hub_.most_connections) {
      close_ = true;
      return send(http::status::service_unavailable, "The viewer has too many connections. Try again later.\n");
    }
    if (!hub_.access.host(host))
      return send(http::status::forbidden, "The viewer is at localhost or 127.0.0.1, not at this name.\n");
    if (request.method() != http::verb::get && !head_)
      return send(http::status::method_not_allowed, "The viewer can only be read.\n");
    const bool watch = target.path == "/watch", status = target.path == "/status";
    const auto offer = hub_.offers.find(std::string(target.path));
    const bool offered = offer != hub_.offers.end();
    if ((watch || status || offered || target.path == "/") && !hub_.access.token(target.token)) {
      return send(http::status::forbidden,
                  "The token that weft printed is missing from this address. Open the complete address.\n");
    }
    if (watch) return answer_watch(request, host);
    if (status) {
      return send(http::status::ok,
                  R"({"watchers":)" + std::to_string(hub_.watchers.size()) + R"(,"most_watchers":)" +
                      std::to_string(hub_.most_watchers) + "}\n",
                  "application/json");
    }
    if (offered) return send_offer(offer->second);
    const auto* asset = find_asset(target.path == "/" ? hub_.front : target.path);
    if (asset == nullptr) return send(http::status::not_found, "The viewer has no such page.\n");
    send(http::status::ok, std::string(asset->content), asset->type);
  }

  void answer_watch(const Request& request, std::string_view host) {
    if (!websocket::is_upgrade(request)) return send(http::status::upgrade_required, "Only a WebSocket can watch.\n");
    if (!hub_.access.origin(view(request[http::field::origin]), host)) {
      return send(http::status::forbidden, "Only the viewer's own page may watch.\n");
    }
    if (static_cast<int>(hub_.watchers.size()) >= hub_.most_watchers) {
      return send(http::status::service_unavailable,
                  "The viewer has its maximum number of watchers. Try again later.\n");
    }
    if (buffer_.size() > 0) {
      close_ = true;
      return send(http::status::bad_request, "Wait for the answer before you send more.\n");
    }
    std::make_shared<WatchSession>(std::move(stream_), std::move(place_), hub_)->start(request);
  }

  void send(http::status status, std::string body, std::string_view type = "text/plain; charset=utf-8") {
    auto response = std::make_shared<http::response<http::string_body>>(status, 11);
    const auto size = body.size();
    if (!head_) response->body() = std::move(body);
    if (status == http::status::method_not_allowed) response->set(http::field::allow, "GET, HEAD");
    write(response, size, type);
  }

  // Not copied: it may be large, and several clients may read it at once.
  void send_offer(const Offer& offer) {
    auto response = std::make_shared<http::response<http::span_body<const char>>>(http::status::ok, 11);
    const auto content = offer.content;
    if (!head_) response->body() = {content->data(), content->size()};
    write(response, content->size(), offer.type, content);
  }

  // `kept` is kept alive until all is written.
  void write(auto response, std::size_t size, std::string_view type, Bytes kept = {}) {
    response->set(http::field::content_type, beast::string_view(type.data(), type.size()));
    response->set(http::field::cache_control, "no-store");
    response->set("Content-Security-Policy",
                  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
                  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("Referrer-Policy", "no-referrer");  // the token is not sent elsewhere
    response->set("Cross-Origin-Resource-Policy", "same-origin");
    response->keep_alive(!close_);
    response->content_length(size);
    stream_.expires_after(kept ? long_timeout : timeout);
    http::async_write(stream_, *response, [self = shared_from_this(), response, kept](Error error, std::size_t) {
      if (error || self->close_) return self->end();
      self->read();
    });
  }

  void end() {
    Error ignored;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  }

  Hub& hub_;
  std::unique_ptr<ConnectionSlot> place_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  bool head_ = false, close_ = false;
};

}  // namespace

void start_session(asio::ip::tcp::socket socket, Hub& hub) {
  if (hub.connections >= 2 * hub.most_connections) return;  // without any answer
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);     // not inherited by child processes
  Error ignored;
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  std::make_shared<WebSession>(std::move(socket), hub)->read();
}

}  // namespace weft::view
