// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "view/access.hpp"
#include "view/outbox.hpp"

namespace weft::view {

/// A connected page.
class Watcher {
 public:
  explicit Watcher(const Board& board) : outbox(board) {}
  virtual ~Watcher() = default;
  /// Writes the next message, if there is one.
  virtual void wake() = 0;
  /// Writes the remaining messages, and closes.
  virtual void leave() = 0;

  Outbox outbox;
};

/// Data that the program serves besides the page.
struct Offer {
  std::string type;
  Bytes content;
};

/// State shared by all sessions. Only the network's thread accesses it.
struct Hub {
  Access access;
  Board board;
  std::function<std::string(std::string_view json)> accept;
  int most_watchers, most_connections;
  std::function<void()> changed{};  ///< a watcher connected, disconnected, or took a picture
  std::unordered_set<Watcher*> watchers{};
  std::string front = "/index.html";                ///< the page at "/"
  std::unordered_map<std::string, Offer> offers{};  ///< by path; only for authorised clients
  int connections = 0;
};

/// Serves this connection until it ends; an error ends only this connection.
void start_session(boost::asio::ip::tcp::socket socket, Hub& hub);

}  // namespace weft::view
