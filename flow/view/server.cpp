// SPDX-License-Identifier: BSD-3-Clause
#include "view/server.hpp"

#include <fcntl.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "text/text.hpp"
#include "view/encoder.hpp"
#include "view/session.hpp"
#include "weft/error.hpp"

namespace weft::view {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Failure = boost::system::error_code;

asio::ip::address read_address(const std::string& text) {
  Failure failed;
  const auto address = asio::ip::make_address(text == "localhost" ? "127.0.0.1" : text, failed);
  if (failed) {
    throw InputError(
        "--view-address: '" + text +
        "' is not an IP address. Give an address of this machine, for example 127.0.0.1, or 0.0.0.0 for all of them.");
  }
  return address;
}

tcp::acceptor listen(asio::io_context& context, const asio::ip::address& address, std::uint16_t port) {
  tcp::acceptor acceptor(context);
  Failure failed;
  const tcp::endpoint end(address, port);
  acceptor.open(end.protocol(), failed);
  if (!failed) ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);  // not inherited by child processes
  if (!failed) acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
  if (!failed) acceptor.bind(end, failed);
  if (!failed) acceptor.listen(tcp::acceptor::max_listen_connections, failed);
  if (!failed) return acceptor;
  const auto name = address.to_string();
  if (failed == asio::error::address_in_use) {
    throw InputError("--view=" + std::to_string(port) + ": The port is in use at " + name +
                     ". Give another port, or 0 for any free one.");
  }
  if (failed == asio::error::access_denied) {
    throw InputError("--view=" + std::to_string(port) +
                     ": This port is not permitted (ports below 1024 are reserved for the administrator). Give a port "
                     "from 1024 to 65535, or 0 for any free one.");
  }
  throw InputError("--view-address: The viewer can't listen at " + name + " (" + failed.message() +
                   "). Give an address of this machine, or 0.0.0.0 for all of them.");
}

std::string make_url(const tcp::endpoint& end, const std::string& token) {
  std::string host = end.address().to_string();
  Failure failed;
  if (end.address().is_unspecified()) {
    host = asio::ip::host_name(failed);
  } else if (end.address().is_v6()) {
    host = '[' + host + ']';
  }
  return "http://" + host + ':' + std::to_string(end.port()) + '/' + (token.empty() ? "" : "?token=" + token);
}

// Messages that the network's thread has not processed yet.
struct Said {
  std::optional<std::string> hello, state, picture;
  bool anew = false;  ///< discard the previous rows
  std::vector<std::vector<double>> rows;
  std::vector<std::string> notices;
};

}  // namespace

struct Server::Network {
  static constexpr std::size_t most_rows_waiting = 10'000;  // far more than arrive while the thread is busy

  Network(const ServerOptions& options, Accept accept, const asio::ip::address& address)
      : hub{Access(address.is_loopback(), !address.is_loopback() || !options.open ? random_token() : std::string()),
            Board(options.most_rows), [this](std::string_view json) { return ask(json); }, options.most_watchers,
            options.most_connections},
        asked(std::move(accept)), most_rows(options.most_rows), acceptor(listen(context, address, options.port)),
        retry(context), deadline(context), clock(context),
        url(make_url(acceptor.local_endpoint(), hub.access.secret())),
        encoder(std::in_place, options.jpeg_quality,
                [this](std::string message) { say([&](Said& s) { s.picture = std::move(message); }); }) {
    hub.changed = [this] { count(); };
    accept_next();
    tick();
    thread = std::thread([this] { run(); });
  }

  ~Network() {
    encoder.reset();  // its last picture is queued by then
    asio::post(context, [this] { finish(); });
    thread.join();
  }

  std::string ask(std::string_view json) {
    const std::lock_guard lock(asking);
    return asked(json);
  }

  void run() {
    for (;;) {
      try {
        context.run();
        return;
      } catch (const std::exception&) {  // out of memory in one session, which ends; the others continue
      }
    }
  }

  void accept_next() {
    acceptor.async_accept([this](Failure failed, tcp::socket socket) {
      if (closing) return;
      if (!failed) {
        start_session(std::move(socket), hub);
        return accept_next();
      }
      retry.expires_after(std::chrono::milliseconds(100));  // usually no file descriptor is free
      retry.async_wait([this](Failure stopped) {
        if (!stopped && !closing) accept_next();
      });
    });
  }

  // Messages that can wait are processed at the next tick, so that they cost nothing in a step.
  void say_later(const auto& change) {
    const std::lock_guard lock(mutex);
    change(said);
  }

  void say(const auto& change) {
    {
      const std::lock_guard lock(mutex);
      change(said);
      if (std::exchange(told, true)) return;
    }
    asio::post(context, [this] { look(); });
  }

  void tick() {
    clock.expires_after(std::chrono::milliseconds(50));
    clock.async_wait([this](Failure stopped) {
      if (!stopped) tick();
    });
    look();
  }

  // Moves queued messages to the board, and sends them to watchers that are ready.
  void look() {
    Said now;
    {
      const std::lock_guard lock(mutex);
      now = std::exchange(said, {});
      told = false;
      if (now.hello) hub.board.put(Board::hello, std::move(*now.hello));
      if (now.state) hub.board.put(Board::state, std::move(*now.state));
      if (now.picture) hub.board.put(Board::picture, std::move(*now.picture));
    }
    if (now.anew) hub.board.rows = History(most_rows);
    for (const auto& row : now.rows) hub.board.rows.add(text::json_array(row));
    for (const auto& notice : now.notices) {
      for (auto* watcher : hub.watchers) watcher->outbox.say(notice);
    }
    for (auto* watcher : hub.watchers) watcher->wake();
    count();
  }

  void count() {
    bool free = false;
    for (const auto* watcher : hub.watchers) free = free || watcher->outbox.wants_picture();
    somebody_free = free;
    watchers = static_cast<int>(hub.watchers.size());
    if (closing && hub.watchers.empty()) context.stop();
  }

  void finish() {
    look();
    closing = true;
    Failure ignored;
    acceptor.close(ignored);
    deadline.expires_after(std::chrono::seconds(1));
    deadline.async_wait([this](Failure) { context.stop(); });
    const std::vector<Watcher*> all(hub.watchers.begin(), hub.watchers.end());
    for (auto* watcher : all) watcher->leave();
    count();
  }

  Hub hub;  // outlives the sessions, which live in the context
  std::mutex asking;
  Accept asked;
  const std::size_t most_rows;
  asio::io_context context{1};
  tcp::acceptor acceptor;
  asio::steady_timer retry, deadline, clock;
  const std::string url;
  bool closing = false;
  std::atomic<int> watchers = 0;
  std::atomic<bool> somebody_free = false;
  mutable std::mutex mutex;
  Said said;
  bool told = false;
  std::optional<Encoder> encoder;
  std::thread thread;
};

Server::Server(const ServerOptions& options, Accept accept)
    : network_(std::make_unique<Network>(options, std::move(accept), read_address(options.address))) {}
Server::~Server() = default;

void Server::accept(Accept accept) {
  const std::lock_guard lock(network_->asking);
  network_->asked = std::move(accept);
}

void Server::front(std::string path) {
  asio::post(network_->context, [network = network_.get(), path = std::move(path)] { network->hub.front = path; });
}

void Server::offer(std::string path, std::string type, std::shared_ptr<const std::string> content) {
  asio::post(network_->context,
             [network = network_.get(), path = std::move(path), type = std::move(type), content = std::move(content)] {
               network->hub.offers[path] = {type, content};
             });
}

const std::string& Server::url() const { return network_->url; }
int Server::watchers() const { return network_->watchers; }

bool Server::wants_picture() const {
  if (network_->watchers == 0 || network_->encoder->busy()) return false;
  const std::lock_guard lock(network_->mutex);
  return !network_->said.picture && network_->somebody_free;
}

void Server::hello(std::string json) {
  network_->say([&](Said& said) { said.hello = std::move(json); });
}

void Server::state(std::string json) {
  network_->say_later([&](Said& said) { said.state = std::move(json); });
}

void Server::row(std::span<const double> values) {
  network_->say_later([&](Said& said) {
    if (said.rows.size() < Network::most_rows_waiting) said.rows.emplace_back(values.begin(), values.end());
  });
}

void Server::forget_rows() {
  network_->say_later([](Said& said) {
    said.anew = true;
    said.rows.clear();
  });
}

void Server::picture(Picture picture) {
  if (watchers() > 0) network_->encoder->add(std::move(picture));
}

void Server::notice(std::string_view text) {
  network_->say([&](Said& said) {
    if (said.notices.size() >= Outbox::most_sentences) said.notices.erase(said.notices.begin());
    said.notices.push_back(R"({"type":"notice","text":)" + text::quoted(text) + '}');
  });
}

}  // namespace weft::view
