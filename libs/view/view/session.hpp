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

/// A connected page, as the server sees it.
class Watcher {
 public:
  explicit Watcher(const Board& board) : outbox(board) {}
  virtual ~Watcher() = default;
  /// Writes on if there is something to write.
  virtual void wake() = 0;
  /// Writes what is left, and closes.
  virtual void leave() = 0;

  Outbox outbox;
};

/// What the program serves beside the page.
struct Offer {
  std::string type;
  Bytes content;
};

/// What all sessions share. Only the network's thread touches it.
struct Room {
  Access access;
  Board board;
  std::function<std::string(std::string_view json)> accept;
  int most_watchers, most_connections;
  std::function<void()> changed{};  ///< a watcher came or went, or took a picture
  std::unordered_set<Watcher*> watchers{};
  std::string front = "/index.html";                ///< the page that "/" is
  std::unordered_map<std::string, Offer> offers{};  ///< by path; only for who may watch
  int connections = 0;
};

/// Answers what comes over this connection until it ends; whatever goes wrong ends this connection alone.
void start_session(boost::asio::ip::tcp::socket socket, Room& room);

}  // namespace weft::view
